/** NFTs as tools show and sum them, against the answers of the service over REST. */
import { expect, test } from 'bun:test';
import type { Json } from '../routes/ask.ts';

interface Asked {
  /** What a tool answers. */
  answer(name: string, sent: object): Promise<Json>;
  /** What the service answers over REST. */
  get(path: string): Promise<Json>;
  /** By the names of arguments, what is there to be asked for. */
  values(): Readonly<Record<string, unknown>>;
}

export function nftTests({ answer, get, values }: Asked): void {
  const every = async (): Promise<Json[]> => {
    const rows: Json[] = [];
    for (let marker = ''; ; ) {
      const body = await get(`/nft/history?limit=200${marker}`);
      rows.push(...body.history);
      if (body.marker === undefined) return rows;
      marker = `&marker=${body.marker}`;
    }
  };

  test('events are those of the history, narrowed, ordered and summed', async () => {
    const rows = await every();
    const all = await answer('get_nft_activity', { all_time: true, limit: 5 });
    expect(all.total).toBe(rows.length);
    expect(all.events.map(({ hash }: Json) => hash)).toEqual(rows.slice(0, 5).map(({ hash }) => hash));
    const first = await answer('get_nft_activity', { all_time: true, order: 'oldest', limit: 1 });
    expect(first.events[0].time).toBe(rows.at(-1)!.time);
    const prices = rows.map(({ costXRP }) => costXRP ?? 0).sort((a, b) => b - a);
    const { events } = await answer('get_nft_activity', { all_time: true, top: true, limit: 3 });
    expect(events.map(({ costXRP }: Json) => costXRP ?? 0)).toEqual(prices.slice(0, 3));
    const cheap = await answer('get_nft_activity', { all_time: true, max_price_xrp: prices[2] });
    expect(cheap.total).toBe(rows.filter(({ costXRP }) => costXRP <= prices[2]!).length);
    const since = rows[Math.floor(rows.length / 2)]!.time;
    const half = await answer('get_nft_activity', { since, limit: 1 });
    expect(half.total).toBe(rows.filter(({ time }) => time >= since).length);
    const { sums } = await answer('get_nft_activity', { all_time: true, by: 'type', limit: 50 });
    for (const { type, events: count } of sums)
      expect(count, type).toBe(rows.filter((row) => row.type === type).length);
    const { sums: days } = await answer('get_nft_activity', { all_time: true, by: 'day', limit: 200 });
    // Whole drops.
    for (const { day, xrp } of days) expect(xrp, day).toBe(Math.round(xrp * 1e6) / 1e6);
    const { minted } = await answer('get_nft_activity', { all_time: true, mint_flags: true, limit: 1 });
    const mints = rows.filter(({ type }) => type === 'MINT');
    const transferable = mints.filter(({ NFTokenID }) => Number.parseInt(NFTokenID[3], 16) & 8).length;
    expect([minted.nfts, minted.transferable]).toEqual([mints.length, transferable]);
  });

  test('sales of a collection that look like wash trading are counted among all of its sales', async () => {
    const { collections } = await get('/nft/collections?limit=5');
    for (const { slug } of collections) {
      const { history } = await get(`/nft/collections/${slug}/history?type=SALE&limit=100`);
      const xrp = history.reduce((sum: number, { costXRP = 0 }: Json) => sum + costXRP, 0);
      const found = await answer('get_wash_trading', { collection: slug, limit: 50 });
      expect(found.volume).toBeCloseTo(xrp, 4);
      expect(found.washedVolume).toBeLessThanOrEqual(found.volume);
      // The account that all others of this network come from unites nobody.
      expect([slug, found.byFunding]).toEqual([slug, 0]);
    }
    expect(answer('get_wash_trading', { collection: 'none' })).rejects.toThrow('find_nft_collections');
  });

  test('owners of collections are compared as holders of tokens are', async () => {
    const slug = values().slug;
    const { pagination } = await get(`/nft/holders/${slug}`);
    const same = await answer('get_holder_overlap', { collection_a: slug, collection_b: slug, limit: 1 });
    expect([same.shared, same.holdersA]).toEqual([pagination.total, pagination.total]);
    expect(same.sharedOfA).toBeCloseTo(100, 0);
    expect(answer('get_holder_overlap', { collection_a: slug })).rejects.toThrow('collection_b');
  });
}
