/** Pools and owners as tools choose and sum them, against the entries of the ledger. */
import { expect, test } from 'bun:test';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Json } from '../routes/ask.ts';

interface Asked {
  ofType(type: string): readonly JsonObject[];
  /** What a tool answers. */
  answer(name: string, sent: object): Promise<Json>;
}

const isXrp = (asset: unknown): boolean => (asset as JsonObject).currency === 'XRP';

export function poolTests({ ofType, answer }: Asked): void {
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
