/** Kernels of tools about pools and sales of NFTs, against a simulated pool and plain recounts over random data. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { feeChanges } from '../../../engine/metrics/fee-changes.ts';
import { type NftSale, nftWash } from '../../../engine/metrics/nft-wash.ts';
import { type PoolMove, PoolMoves } from '../../../engine/metrics/pool-moves.ts';
import { poolPerformance } from '../../../engine/metrics/pool-performance.ts';

const seed = Number(process.env.SEED ?? 20_261_124);
const options = { seed, numRuns: 200 };

/** A constant-product pool whose fee stays in it. */
class Pool {
  fees = 0;

  constructor(
    public one: number,
    public two: number,
    readonly fee: number,
  ) {}

  /** @param share of what the pool has of the asset that comes in; negative: asset 2 comes in */
  trade(share: number): void {
    const product = this.one * this.two;
    const kept = 1 - this.fee;
    if (share >= 0) {
      const paid = this.one * share;
      this.two = product / (this.one + paid * kept);
      this.one += paid;
      this.fees += paid * this.fee;
    } else {
      const paid = -this.two * share;
      this.one = product / (this.two + paid * kept);
      this.two += paid;
      this.fees += (paid * this.fee * this.one) / this.two;
    }
  }
}

test('what a pool gave against holding is what a simulated share is worth', () => {
  const days = fc.array(fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), { maxLength: 8 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      fc.integer({ min: 0, max: 1000 }),
      days,
      (one, two, fee, traded) => {
        const pool = new Pool(one, two, fee / 100_000);
        const intervals = traded.map((trades) => {
          pool.fees = 0;
          for (const share of trades) pool.trade(share);
          return { held1: pool.one, held2: pool.two, locked: 2 * pool.one, fees: pool.fees };
        });
        const found = poolPerformance({ held1: one, held2: two }, intervals)!;
        const price = pool.one / pool.two;
        const net = (2 * pool.one) / (one + two * price) - 1;
        const sum = traded.flat().reduce((all, share) => all + Math.abs(share), 0);
        // Fees are valued at the end of their day; each is at most a hundredth of a trade, prices within it move little.
        expect(Math.abs(found.netPct / 100 - net)).toBeLessThan(1e-9 + (fee / 100_000) * sum * 0.5);
        if (fee === 0) expect(found.netPct).toBeCloseTo(found.lossPct, 9);
        expect(found.lossPct).toBeLessThanOrEqual(1e-9);
      },
    ),
    options,
  );
  expect(poolPerformance({ held1: 0, held2: 1 }, [])).toBeUndefined();
  // Four times the price: 2 * 2 / 5.
  expect(
    poolPerformance({ held1: 2, held2: 2 }, [{ held1: 1, held2: 4, locked: 2, fees: 0 }])?.lossPct,
  ).toBeCloseTo(-20, 9);
});

test('sums of pools are those of a filter', () => {
  const move: fc.Arbitrary<PoolMove> = fc.record({
    pool: fc.integer({ min: 1, max: 3 }),
    account: fc.integer({ min: 1, max: 4 }),
    kind: fc.constantFrom('deposit', 'withdraw', 'trade'),
    xrp: fc.integer({ min: 0, max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const sums = new PoolMoves();
      for (const one of moves) sums.add(one);
      for (const pool of [1, 2, 3, 4]) {
        const of = (kind: string) => moves.filter((one) => one.pool === pool && one.kind === kind);
        const xrp = (ones: readonly PoolMove[]) => ones.reduce((all, one) => all + one.xrp, 0);
        const found = sums.of(pool);
        expect([found.deposits, found.deposited]).toEqual([of('deposit').length, xrp(of('deposit'))]);
        expect([found.withdrawals, found.withdrawn]).toEqual([of('withdraw').length, xrp(of('withdraw'))]);
        expect([found.trades, found.volume]).toEqual([of('trade').length, xrp(of('trade'))]);
        const byTrader = Map.groupBy(of('trade'), ({ account }) => account);
        expect(new Map(found.traders)).toEqual(new Map([...byTrader].map(([who, ones]) => [who, xrp(ones)])));
        const worth = found.traders.map(([, one]) => one);
        expect(worth).toEqual(worth.toSorted((a, b) => b - a));
      }
    }),
    options,
  );
});

test('changes of a fee are those that metadata names', () => {
  const amm = (FinalFields: object, PreviousFields?: object) => ({
    ModifiedNode: { LedgerEntryType: 'AMM', FinalFields, ...(PreviousFields && { PreviousFields }) },
  });
  const nodes = [
    amm({ Account: 'A', TradingFee: 500 }, { TradingFee: 200 }),
    amm({ Account: 'B' }, { TradingFee: 10 }),
    amm({ Account: 'C', TradingFee: 500 }, { LPTokenBalance: {} }),
    amm({ Account: 'D', TradingFee: 500 }),
    { ModifiedNode: { LedgerEntryType: 'AccountRoot', FinalFields: {}, PreviousFields: { TradingFee: 1 } } },
    { CreatedNode: { LedgerEntryType: 'AMM', NewFields: { TradingFee: 7 } } },
  ];
  expect(feeChanges(nodes as never)).toEqual([
    { pool: 'A', before: 200, after: 500 },
    { pool: 'B', before: 10, after: 0 },
  ]);
  expect(feeChanges(undefined)).toEqual([]);
});

/** Every way of every NFT, each pair of sales looked at. */
function washedBySearch(sales: readonly NftSale[], funders: readonly number[], hub: number, window: number) {
  const together = (a: number, b: number) => {
    const [x, y] = [funders[a]!, funders[b]!];
    return (x === b && b !== hub) || (y === a && a !== hub) || (x === y && x !== 0 && x !== hub);
  };
  const ways = [...Map.groupBy(sales.keys(), (at) => sales[at]!.nft).values()];
  const inCycle = new Set<number>();
  for (const way of ways)
    for (let i = 0; i < way.length; i++)
      for (let j = i; j < way.length; j++) {
        const [first, last] = [sales[way[i]!]!, sales[way[j]!]!];
        if (first.seller !== last.buyer || last.time - first.time > window) continue;
        for (let at = i; at <= j; at++) inCycle.add(way[at]!);
      }
  return sales.map(({ buyer, seller }, at) => [inCycle.has(at), together(buyer, seller)] as const);
}

test('sales that come back, or go between accounts that were funded together, are found', () => {
  const HUB = 5;
  const sale = fc.record({
    nft: fc.integer({ min: 1, max: 2 }),
    buyer: fc.integer({ min: 1, max: 4 }),
    xrp: fc.integer({ min: 1, max: 100 }),
    step: fc.integer({ min: 0, max: 4 }),
  });
  const funder = fc.integer({ min: 0, max: 6 });
  fc.assert(
    fc.property(
      fc.array(sale, { maxLength: 25 }),
      fc.array(funder, { minLength: 7, maxLength: 7 }),
      (rows, funders) => {
        const owners = new Map<number, number>();
        let time = 0;
        const sales = rows.flatMap(({ nft, buyer, xrp, step }): NftSale[] => {
          time += step;
          const seller = owners.get(nft) ?? 0;
          owners.set(nft, buyer);
          return seller === 0 || seller === buyer ? [] : [{ nft, buyer, seller, xrp, time }];
        });
        const found = nftWash(
          sales,
          (account) => funders[account]!,
          (account) => account === HUB,
          8,
        );
        const truth = washedBySearch(sales, funders, HUB, 8);
        const xrp = (is: (at: number) => boolean) =>
          sales.reduce((sum, one, at) => sum + (is(at) ? one.xrp : 0), 0);
        expect(found.byCycle).toBe(xrp((at) => truth[at]![0]));
        expect(found.byFunding).toBe(xrp((at) => truth[at]![1]));
        expect(found.washedVolume).toBe(xrp((at) => truth[at]![0] || truth[at]![1]));
        expect(found.volume).toBe(xrp(() => true));
        expect(found.accounts.reduce((sum, one) => sum + one.washedVolume, 0)).toBe(2 * found.washedVolume);
      },
    ),
    options,
  );
});
