/** Sandwiches, snipers, clusters of funding and the rhythm of trades, against plain recounts over random data. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runToEnd } from '../../../engine/event-loop.ts';
import { arbitragePairs } from '../../../engine/metrics/arbitrage-pairs.ts';
import { fundingClusters } from '../../../engine/metrics/funding-clusters.ts';
import { type Payment, paymentFlows } from '../../../engine/metrics/payment-flows.ts';
import { type Sandwich, sandwiches, type TokenTrade } from '../../../engine/metrics/sandwiches.ts';
import { snipers } from '../../../engine/metrics/snipers.ts';
import { rhythmOf } from '../../../engine/metrics/trade-rhythm.ts';

const clustersOf = (...given: Parameters<typeof fundingClusters>) => runToEnd(fundingClusters(...given));

const seed = Number(process.env.SEED ?? 20_261_123);
const options = { seed, numRuns: 300 };

/** Trades in few ledgers by few accounts, so that every pattern occurs. */
const trades = fc
  .array(
    fc.record({
      step: fc.integer({ min: 0, max: 2 }),
      account: fc.constantFrom('A', 'B', 'C', 'D'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      tokens: fc.constantFrom(50, 90, 100, 101, 120),
      price: fc.constantFrom(1, 1.1, 1.2),
    }),
    { maxLength: 30 },
  )
  .map((rows) => {
    let ledger = 1;
    return rows.map(({ step, account, side, tokens, price }): TokenTrade => {
      ledger += step;
      return { ledger, time: ledger * 4000, account, side, tokens, xrp: tokens * price };
    });
  });

describe('sandwiches', () => {
  test('are found with attacker, victims and amounts', () => {
    const trade = (
      ledger: number,
      account: string,
      side: 'buy' | 'sell',
      tokens: number,
      xrp: number,
    ): TokenTrade => ({
      ledger,
      time: ledger * 4000,
      account,
      side,
      tokens,
      xrp,
    });
    const expected: Sandwich = {
      attacker: 'A',
      victims: ['V'],
      firstLedger: 1,
      lastLedger: 3,
      time: 12_000,
      spent: 100,
      received: 130,
      victimXrp: 60,
      priceRise: 20,
    };
    const [found] = sandwiches([
      trade(1, 'A', 'buy', 100, 100),
      trade(2, 'V', 'buy', 50, 60),
      trade(2, 'W', 'buy', 50, 40),
      trade(3, 'A', 'sell', 100, 130),
    ]);
    expect(found).toEqual({ ...expected, priceRise: expect.closeTo(20) as never });
  });

  test('are those pairs of a purchase and a sale that the definition names, each purchase once', () => {
    fc.assert(
      fc.property(trades, (rows) => {
        const found = sandwiches(rows);
        // Every pair that could be one.
        const pairs = rows.flatMap((buy, from) =>
          rows.flatMap((sale, to) => {
            const isPair =
              to > from &&
              buy.side === 'buy' &&
              sale.side === 'sell' &&
              buy.account === sale.account &&
              sale.ledger - buy.ledger < 4 &&
              sale.tokens >= 0.9 * buy.tokens &&
              sale.tokens <= 1.01 * buy.tokens &&
              sale.xrp > buy.xrp &&
              rows
                .slice(from + 1, to)
                .some(
                  (one) =>
                    one.side === 'buy' &&
                    one.account !== buy.account &&
                    one.xrp / one.tokens > buy.xrp / buy.tokens,
                );
            return isPair ? [{ from, to }] : [];
          }),
        );
        // One sale is one attack; a sale without one has no purchase left that is not used.
        const sales = new Set(pairs.map(({ to }) => to));
        expect(found.length).toBeLessThanOrEqual(sales.size);
        expect(found.length > 0).toBe(pairs.length > 0);
        for (const { attacker, victims, spent, received, firstLedger, lastLedger } of found) {
          expect(received).toBeGreaterThan(spent);
          expect(lastLedger - firstLedger).toBeLessThan(4);
          expect(victims).not.toContain(attacker);
          expect(victims.length).toBeGreaterThan(0);
        }
      }),
      options,
    );
  });
});

test('snipers: sums of each account, recounted', () => {
  fc.assert(
    fc.property(trades, fc.constantFrom(0, 4000, 20_000), (rows, windowMs) => {
      const found = snipers(rows, windowMs);
      const start = rows[0]?.time ?? 0;
      const isIn = (one: TokenTrade) => one.side === 'buy' && one.time - start <= windowMs;
      const accounts = new Set(rows.filter(isIn).map(({ account }) => account));
      expect(new Set(found.map(({ account }) => account))).toEqual(accounts);
      for (const { account, spent, bought, sold, delay } of found) {
        const own = rows.filter((one) => one.account === account);
        const early = own.filter(isIn);
        expect(spent).toBeCloseTo(early.reduce((sum, { xrp }) => sum + xrp, 0));
        expect(bought).toBe(early.reduce((sum, { tokens }) => sum + tokens, 0));
        expect(delay).toBe((early[0]!.time - start) / 1000);
        const after = own.slice(own.indexOf(early[0]!));
        expect(sold).toBe(
          after.filter(({ side }) => side === 'sell').reduce((sum, { tokens }) => sum + tokens, 0),
        );
      }
    }),
    options,
  );
});

test('clusters of funding: as a search through the graph finds them', () => {
  // Account n is funded by a smaller one, or by nobody that is known.
  const forest = fc
    .array(fc.nat({ max: 40 }), { minLength: 2, maxLength: 40 })
    .map((up) => up.map((funder, at) => (funder <= at ? funder : 0)));
  fc.assert(
    fc.property(forest, fc.integer({ min: 1, max: 4 }), fc.nat({ max: 5 }), (up, hops, hub) => {
      const funderOf = (account: number) => up[account - 1] ?? 0;
      const isHub = (account: number) => account === hub;
      const accounts = up.map((_, at) => at + 1);
      // Edges that are walked from any account within the hops; all accounts are asked for, so that is every edge.
      const edges = accounts.filter((one) => funderOf(one) !== 0 && !isHub(funderOf(one)));
      const group = new Map(accounts.map((one) => [one, one]));
      for (let changed = true; changed; ) {
        changed = false;
        for (const one of edges) {
          const least = Math.min(group.get(one)!, group.get(funderOf(one))!);
          for (const end of [one, funderOf(one)])
            if (group.get(end) !== least) {
              group.set(end, least);
              changed = true;
            }
        }
      }
      const expected = Map.groupBy(accounts, (one) => group.get(one)!);
      const large = [...expected.values()]
        .filter((members) => members.length > 1)
        .map((members) => members.join());
      const found = clustersOf(accounts, funderOf, isHub, hops);
      expect(found.map(({ members }) => members.map((at) => accounts[at]).join()).sort()).toEqual(
        large.sort(),
      );
    }),
    options,
  );
});

test('clusters of funding end after the hops', () => {
  const funderOf = (account: number) => (account > 1 ? account - 1 : 0);
  const never = () => false;
  expect(clustersOf([5, 3], funderOf, never, 2)).toEqual([{ top: 1, members: [0, 1] }]);
  expect(clustersOf([9, 3], funderOf, never, 2)).toEqual([]);
});

describe('the rhythm of an account', () => {
  test('a clock is regular, a few hours at random are not, and few transactions say nothing', () => {
    const clock = Array.from({ length: 50 }, (_, at) => at * 60_000);
    expect(rhythmOf(clock)).toMatchObject({ variation: 0, medianGap: 60, isRegular: true });
    expect(rhythmOf(clock.slice(0, 19))).toBeUndefined();
    const bursts = Array.from({ length: 40 }, (_, at) => Math.floor(at / 10) * 3_600_000 + (at % 10) * 1000);
    expect(rhythmOf(bursts)).toMatchObject({ isRegular: false, activeHours: 4 });
    const sleepless = Array.from({ length: 48 }, (_, at) => at * 1_800_000 + (at % 2) * 1_700_000);
    expect(rhythmOf(sleepless)!.isRegular).toBe(true);
  });

  test('does not depend on the order, nor on when it began', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 1e9 }), { minLength: 20, maxLength: 40 }),
        fc.integer({ min: 0, max: 300 }),
        (times, days) => {
          const one = rhythmOf(times)!;
          const other = rhythmOf(times.toReversed().map((time) => time + days * 86_400_000))!;
          expect(other.variation).toBeCloseTo(one.variation);
          expect([other.medianGap, other.activeHours]).toEqual([one.medianGap, one.activeHours]);
        },
      ),
      options,
    );
  });
});

test('payment flows: what went each way with each account, recounted', () => {
  const one = fc.record({
    from: fc.constantFrom('A', 'B', 'C', 'D'),
    to: fc.constantFrom('A', 'B', 'C', 'D'),
    xrp: fc.integer({ min: 1, max: 1000 }),
    time: fc.nat({ max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), (payments: readonly Payment[]) => {
      const flows = paymentFlows('A', payments);
      const sum = (from: string, to: string) =>
        payments.reduce((all, one) => all + (one.from === from && one.to === to ? one.xrp : 0), 0);
      for (const other of ['B', 'C', 'D']) {
        const between = payments.filter(({ from, to }) => [from, to].sort().join() === `A,${other}`);
        const flow = flows.find(({ account }) => account === other);
        expect(flow?.payments ?? 0).toBe(between.length);
        if (!flow) continue;
        expect([flow.received, flow.sent]).toEqual([sum(other, 'A'), sum('A', other)]);
        const times = between.map(({ time }) => time);
        expect([flow.first, flow.last]).toEqual([Math.min(...times), Math.max(...times)]);
      }
      expect(flows.some(({ account }) => account === 'A')).toBe(false);
      const sizes = flows.map(({ received, sent }) => received + sent);
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    }),
    options,
  );
});

describe('arbitrage between pairs', () => {
  test('is found both ways, with its gain', () => {
    const [over, direct] = arbitragePairs({ bid: 1.1, ask: 1.2 }, [
      { over: 'Q', token: { bid: 2.6, ask: 2 }, other: { bid: 0.5, ask: 0.5 } },
    ]);
    expect(over).toMatchObject({
      over: 'Q',
      buy: 'over',
      cost: 1,
      proceeds: 1.1,
      gainPct: expect.closeTo(10),
    });
    expect(direct).toMatchObject({
      buy: 'direct',
      cost: 1.2,
      proceeds: 1.3,
      gainPct: expect.closeTo(25 / 3),
    });
  });

  test('is what a purchase and a sale of one unit gains, for any offers', () => {
    const price = fc.option(fc.double({ min: 0.01, max: 100, noNaN: true }), { nil: undefined });
    const best = fc.record({ bid: price, ask: price });
    fc.assert(
      fc.property(best, best, best, (direct, token, other) => {
        const found = arbitragePairs(direct, [{ over: 'Q', token, other }]);
        // One unit: XRP -> T -> Q -> XRP, and XRP -> Q -> T -> XRP.
        const out = direct.ask && token.bid && other.bid ? token.bid * other.bid - direct.ask : 0;
        const back = direct.bid && token.ask && other.ask ? direct.bid - token.ask * other.ask : 0;
        expect(found.some(({ buy }) => buy === 'direct')).toBe(out > 0);
        expect(found.some(({ buy }) => buy === 'over')).toBe(back > 0);
        for (const { buy, cost, proceeds } of found)
          expect(proceeds - cost).toBeCloseTo(buy === 'direct' ? out : back);
      }),
      options,
    );
  });
});
