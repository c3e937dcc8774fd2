/** Pools and owners as tools choose and sum them, against the entries of the ledger. */
import { expect, test } from 'bun:test';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Ask } from '../../embedded.ts';
import type { Json } from '../routes/ask.ts';

interface Asked {
  ofType(type: string): readonly JsonObject[];
  /** What a tool answers. */
  answer(name: string, sent: object): Promise<Json>;
  /** What the service answers over REST. */
  get(path: string): Promise<Json>;
  /** What the node answers. */
  node: Ask;
}

const isXrp = (asset: unknown): boolean => (asset as JsonObject).currency === 'XRP';

/** Of all time. */
const WHOLE = { closed: true, limit: 100, hours: 720 };

export function poolTests(asked: Asked): void {
  choiceTests(asked);
  changeTests(asked);
}

function changeTests({ ofType, answer, get, node }: Asked): void {
  /** Records of pools by their account, each once. */
  async function records(type: string): Promise<Map<string, Json[]>> {
    const { pools } = await get('/amm?status=all&limit=100');
    const tokens = new Set<string>(
      pools.flatMap(({ asset1, asset2 }: Json) =>
        [asset1, asset2].filter((one) => !isXrp(one)).map(({ md5 }) => md5),
      ),
    );
    const found = new Map<string, Json>();
    for (const md5 of tokens) {
      for (let cursor: number | null | undefined; cursor !== null; ) {
        const from = cursor === undefined ? '' : `&cursor=${cursor}`;
        const { data, meta } = await get(`/history?md5=${md5}&type=${type}&limit=1000${from}`);
        for (const row of data) found.set(row._id, row);
        cursor = meta.nextCursor;
      }
    }
    return Map.groupBy([...found.values()], ({ taker }) => taker);
  }

  test('what went into pools and out of them is what the records of liquidity say', async () => {
    const byPool = await records('liquidity');
    const { pools } = await answer('get_amm_pools', { ...WHOLE, flows: true });
    expect(pools.length).toBe(ofType('AMM').length);
    const prices = new Map<string, number>();
    const worth = async ({ issuer, currency, value }: Json): Promise<number> => {
      if (currency === 'XRP') return Number(value);
      const id = `${issuer}-${currency}`;
      if (!prices.has(id)) prices.set(id, Number((await get(`/token/${id}`)).token.exch ?? 0));
      return Number(value) * prices.get(id)!;
    };
    for (const pool of pools) {
      const rows = byPool.get(pool.ammAccount) ?? [];
      const out = rows.filter(({ type }) => type === 'withdraw');
      expect([pool.deposits, pool.withdrawals]).toEqual([rows.length - out.length, out.length]);
      let net = 0;
      for (const { type, paid, got } of rows)
        net += (type === 'withdraw' ? -1 : 1) * ((await worth(paid)) + (await worth(got)));
      expect(Math.abs(pool.net - net)).toBeLessThanOrEqual(1e-4 * (pool.deposited + pool.withdrawn));
      expect(pool.net).toBe(pool.deposited - pool.withdrawn);
    }
    const sizes = pools.map(({ net }: Json) => Math.abs(net));
    expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
  });

  test('who traded in pools is who the records name', async () => {
    const byPool = await records('trades');
    const { pools } = await answer('get_amm_pools', { ...WHOLE, traders: true });
    for (const pool of pools) {
      const rows = (byPool.get(pool.ammAccount) ?? []).filter(({ isAMM }) => isAMM);
      const volume = rows.reduce((sum, { xrp = 0 }) => sum + xrp, 0);
      expect([pool.trades, pool.traders]).toEqual([
        rows.length,
        new Set(rows.map(({ maker }) => maker)).size,
      ]);
      expect(pool.volume).toBeCloseTo(volume, 4);
      expect(pool.volume).toBe(Number(pool.volume.toFixed(6)));
    }
    const [first] = pools;
    const one = await answer('get_amm_pools', { ...WHOLE, traders: true, amm_account: first.ammAccount });
    expect([one.total, one.traderTotal, one.pools[0]]).toEqual([1, first.traders, first]);
    expect(one.traders[0].account).toBe(first.topTrader);
  });

  test('value locked then and what a share gave follow from the chart of the pool', async () => {
    const hours = 3;
    const sent = { ...WHOLE, hours, days: 1, tvl_change: true, performance: true };
    const { pools } = await answer('get_amm_pools', sent);
    const { close_time } = await get('/ledger');
    let compared = 0;
    for (const pool of pools) {
      const { data } = await get(`/amm/liquidity-chart?ammAccount=${pool.ammAccount}&period=1d`);
      const then = data.findLast(({ date }: Json) => Date.parse(date) <= close_time - hours * 3_600_000);
      expect(pool.tvlBefore).toBe(then?.tvl);
      if (data.length < 2 || data[0].xrpLiquidity === undefined || pool.netPct === undefined) continue;
      const [begin, end] = [data[0], data.at(-1)];
      const price = end.xrpLiquidity / end.tokenLiquidity;
      const held = begin.xrpLiquidity + begin.tokenLiquidity * price;
      // Of equal shares: the pool's value per root of the product.
      const root = ({ xrpLiquidity, tokenLiquidity }: Json) => Math.sqrt(xrpLiquidity * tokenLiquidity);
      const kept = (2 * end.xrpLiquidity * root(begin)) / root(end) / held;
      const earned = data
        .slice(1)
        .reduce((all: number, { fees, tvl }: Json) => all * (tvl > 0 ? 1 + fees / tvl : 1), 1);
      expect(pool.lossPct).toBeCloseTo((kept - 1) * 100, 3);
      expect(pool.netPct).toBeCloseTo((kept * earned - 1) * 100, 3);
      compared++;
    }
    expect(compared).toBeGreaterThan(3);
  });

  test('changes of fees are those of the entries, one transaction after another', async () => {
    const expected: string[] = [];
    for (const { Account } of ofType('AMM')) {
      const asked = {
        account: Account!,
        forward: true,
        limit: 400,
        ledger_index_min: -1,
        ledger_index_max: -1,
      };
      let fee: number | undefined;
      for (let marker: unknown; ; ) {
        const page = node('account_tx', { ...asked, ...(marker !== undefined && { marker }) } as JsonObject);
        for (const { meta, hash } of page.transactions as Json[])
          for (const node of meta.AffectedNodes) {
            const { LedgerEntryType, NewFields, FinalFields } = node.ModifiedNode ?? node.CreatedNode ?? {};
            const fields = FinalFields ?? NewFields;
            if (LedgerEntryType !== 'AMM' || fields?.Account !== Account) continue;
            const now = fields.TradingFee ?? 0;
            if (fee !== undefined && now !== fee) expected.push(`${hash} ${fee / 1000} ${now / 1000}`);
            fee = now;
          }
        marker = page.marker;
        if (marker === undefined) break;
      }
    }
    const found = await answer('get_amm_pools', { ...WHOLE, fee_changes: true });
    const rows = found.feeChanges.map(({ hash, fromPct, toPct }: Json) => `${hash} ${fromPct} ${toPct}`);
    expect([found.feeChangeTotal, rows.toSorted()]).toEqual([expected.length, expected.toSorted()]);
  });
}

function choiceTests({ ofType, answer, get }: Asked): void {
  test('pools are chosen and summed as the entries say', async () => {
    const entries = ofType('AMM');
    const all = { closed: true, limit: 100 };
    const pairs = entries.filter(({ Asset, Asset2 }) => !isXrp(Asset) && !isXrp(Asset2));
    const found = await answer('get_amm_pools', { ...all, token_pairs: true });
    expect([found.total, found.pools.length]).toEqual([pairs.length, pairs.length]);
    expect(found.pools.map(({ ammAccount }: Json) => ammAccount).toSorted()).toEqual(
      pairs.map(({ Account }) => Account).toSorted(),
    );
    const { tiers } = await answer('get_amm_pools', { ...all, fee_tiers: true });
    const byFee = Map.groupBy(entries, ({ TradingFee }) => String(Number(TradingFee ?? 0) / 1000));
    expect(new Map(tiers.map(({ name, pools }: Json) => [name, pools]))).toEqual(
      new Map([...byFee].map(([fee, ones]) => [fee, ones.length])),
    );
    const { tokens } = await answer('get_amm_pools', { ...all, by_token: true });
    const assets = entries.flatMap(({ Asset, Asset2 }) => [Asset, Asset2].filter((one) => !isXrp(one)));
    const counted = tokens.reduce((sum: number, { pools }: Json) => sum + pools, 0);
    expect([counted, tokens.length]).toEqual([
      assets.length,
      new Set(assets.map((asset) => JSON.stringify(asset))).size,
    ]);
    // To the last digit what the rows of the tokens and the list of pools say.
    for (const { name, liquidity } of tokens) {
      const { token } = await get(`/token/${name.split(' ').at(-1)}`);
      expect([name, liquidity]).toEqual([name, token.tvl]);
    }
    for (const sums of [tiers, tokens])
      for (const { volume, fees } of sums)
        for (const value of [volume, fees]) expect(value).toBe(Number(value.toFixed(6)));
    expect((await answer('get_amm_pools', { ...all, created_days: 0 })).total).toBe(0);
    // All of them were made since the first ledger.
    expect((await answer('get_amm_pools', { ...all, created_days: 3650 })).total).toBe(entries.length);
  });

  test('those who own most are those with the largest counts', async () => {
    const counts = ofType('AccountRoot')
      .map(({ OwnerCount }) => Number(OwnerCount))
      .filter((count) => count > 0)
      .sort((a, b) => b - a);
    const { total, owners } = await answer('get_account_objects', { top_owners: true, limit: 15 });
    expect(total).toBe(counts.length);
    expect(owners.map(({ entries }: Json) => entries)).toEqual(counts.slice(0, owners.length));
    const accounts = new Map(ofType('AccountRoot').map(({ Account, OwnerCount }) => [Account, OwnerCount]));
    for (const { account, entries } of owners) expect(accounts.get(account)).toBe(entries);
    expect(answer('get_account_objects', {})).rejects.toThrow('top_owners');
  });
}
