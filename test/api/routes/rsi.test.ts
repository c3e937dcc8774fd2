/** GET /rsi: every filter against the rows of /tokens, filtered one by one. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { Network } from '../../../views/network.ts';
import { engineOf } from '../../embedded.ts';
import { World } from '../../sandbox/population/world.ts';
import { type Asker, asker, type Json } from './ask.ts';

const QUARTER = 900;
const FRAMES = ['15m', '1h', '4h', '24h', '7d', '30d', '90d'];

describe('/rsi', () => {
  let ask: Asker;
  let engine: Engine;
  /** Rows of every token with an RSI. */
  let rows: Json[];
  beforeAll(async () => {
    const world = new World({ seed: 'strength' });
    const ledgers = [world.network.closed];
    // 17 hours: 15 candles of an hour have closed.
    while (ledgers.length < 68) ledgers.push(world.step(QUARTER));
    engine = await engineOf(ledgers);
    ask = asker(new Network({ engine }));
    const all: Json[] = [];
    for (let offset = 0; ; offset += 100) {
      const { body } = await ask.get(`/tokens?limit=100&offset=${offset}&skip_metrics=1`);
      all.push(...body.tokens);
      if (all.length >= body.total) break;
    }
    rows = all.filter((row) => FRAMES.some((frame) => row[`rsi${frame}`] !== undefined));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(all.length);
  });

  const ids = (list: Json[]) => list.map(({ md5 }) => md5).sort();
  const answered = async (query: string) => (await ask.get(`/rsi?${query}`)).body;
  /** The middle value, so that about half of the tokens pass. */
  const middle = (name: string) => {
    const known = rows.flatMap((row) => (row[name] === undefined ? [] : [Number(row[name])]));
    return known.sort((a, b) => a - b)[known.length >> 1] ?? 50;
  };

  test('has the members of the contract, and clamps', async () => {
    const body = await answered('');
    expect(body).toMatchObject({
      success: true,
      timeframe: '24h',
      sort: 'rsi24h',
      order: 'desc',
      filters: { activeOnly: false, excludeNeutral: false },
      start: 0,
      limit: 100,
      total: rows.length,
      count: Math.min(100, rows.length),
    });
    expect(typeof body.exch).toBe('object');
    expect(ids(body.tokens)).toEqual(ids(rows));
    expect(await answered('limit=1000&offset=-3&sort=nonsense&order=up&timeframe=2h')).toMatchObject({
      limit: 100,
      start: 0,
      sort: 'rsi24h',
      order: 'desc',
      timeframe: '24h',
    });
    const old = await answered('start=1&limit=2&sortBy=holders&sortType=asc&timeframe=1H&minRsi1h=x');
    expect(old).toMatchObject({
      start: 1,
      limit: 2,
      sort: 'holders',
      order: 'asc',
      timeframe: '1h',
      count: 2,
    });
    expect(old.filters.minRsi1h).toBeUndefined();
  });

  test.each([
    'rsi15m',
    'rsi1h',
    'marketcap',
    'vol24hxrp',
    'pro24h',
    'pro7d',
    'pro30d',
    'holders',
    'tvl',
    'uniqueTraders24h',
  ])('sorted by %s, tokens without it last in either direction', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const { tokens } = await answered(`sort=${sort}&order=${order}`);
      const keys = tokens.map((row: Json) => row[sort]) as (number | undefined)[];
      const known = keys.filter((key): key is number => key !== undefined);
      const sorted = known.toSorted((a, b) => (order === 'asc' ? a - b : b - a));
      expect(keys.slice(0, known.length)).toEqual(sorted);
    }
  });

  test.each([
    ['MarketCap', 'marketcap'],
    ['Volume24h', 'vol24hxrp'],
    ['PriceChange24h', 'pro24h'],
    ...FRAMES.map((frame) => [`Rsi${frame}`, `rsi${frame}`] as const),
  ])('min and max of %s', async (parameter, name) => {
    const at = middle(name);
    const [low, high] = [at - Math.abs(at) / 1e3 - 1e-3, at + Math.abs(at) / 1e3 + 1e-3];
    const passing = (keep: (value: number) => boolean) =>
      ids(rows.filter((row) => row[name] !== undefined && keep(Number(row[name]))));
    const most = await answered(`max${parameter}=${high}`);
    expect(most.filters[`max${parameter}`]).toBe(high);
    expect(ids(most.tokens)).toEqual(passing((value) => value <= high));
    const least = await answered(`min${parameter}=${low}`);
    expect(ids(least.tokens)).toEqual(passing((value) => value >= low));
    const both = await answered(`min${parameter}=${low}&max${parameter}=${high}`);
    expect(ids(both.tokens)).toEqual(passing((value) => value >= low && value <= high));
    expect(both.total).toBe(both.count);
  });

  test('sums over pools and relative strength are not computed for every token', async () => {
    const { totals, strength } = engine.market;
    await answered('minMarketCap=1&minTVL=1');
    const spies = [spyOn(totals, 'marketcapOf'), spyOn(totals, 'lockedOf'), spyOn(strength, 'of')];
    try {
      const { total } = await answered(
        'minMarketCap=2&minTVL=2&minRsi15m=1&excludeNeutral=true&timeframe=15m',
      );
      expect(total).toBeLessThan(rows.length);
      const [caps, locked, indices] = spies.map(({ mock }) => mock.calls.length);
      expect([caps, locked]).toEqual([0, 0]);
      // By two filters.
      expect(indices).toBeLessThanOrEqual(2 * rows.length);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test('least holders, value locked and traders', async () => {
    for (const [parameter, name] of [
      ['minHolders', 'holders'],
      ['minTVL', 'tvl'],
      ['minUniqueTraders', 'uniqueTraders24h'],
    ] as const) {
      const at = Math.floor(middle(name));
      const wanted = ids(rows.filter((row) => row[name] !== undefined && row[name] >= at));
      const { tokens, filters } = await answered(`${parameter}=${at}`);
      expect(filters[parameter]).toBe(at);
      expect(wanted.length).toBeGreaterThan(0);
      expect(ids(tokens)).toEqual(wanted);
    }
  });

  test('neutral ones are left out by the RSI of the timeframe', async () => {
    for (const frame of ['15m', '1h', '24h']) {
      const wanted = rows.filter((row) => row[`rsi${frame}`] <= 30 || row[`rsi${frame}`] >= 70);
      const { tokens, timeframe } = await answered(`excludeNeutral=true&timeframe=${frame}`);
      expect(timeframe).toBe(frame);
      expect(ids(tokens)).toEqual(ids(wanted));
    }
  });

  test('active ones, names, tags and launch platforms', async () => {
    expect(ids((await answered('activeOnly=1')).tokens)).toEqual(
      ids(rows.filter(({ vol24htx }) => vol24htx > 0)),
    );
    const part = String(rows[0].name).slice(0, 2).toLowerCase();
    expect(ids((await answered(`filter=${encodeURIComponent(part)}`)).tokens)).toEqual(
      ids(rows.filter(({ name }) => name.toLowerCase().includes(part))),
    );
    const tag = rows.flatMap(({ tags }) => tags ?? [])[0];
    const tagged = rows.filter(({ tags }) => tags?.includes(tag));
    expect(tagged.length).toBeGreaterThan(0);
    expect(ids((await answered(`tag=${encodeURIComponent(tag)}`)).tokens)).toEqual(ids(tagged));
    expect(await answered('tag=no-such-tag')).toMatchObject({ total: 0, tokens: [] });
    const platforms = new Set(['FirstLedger', 'XPMarket', 'Magnetic X', 'Horizon', 'Millrace']);
    const own = (row: Json) => row.tags?.find((name: string) => platforms.has(name)) ?? 'XRPL';
    for (const origin of new Set(rows.map(own))) {
      const { tokens } = await answered(`origin=${encodeURIComponent(origin.toLowerCase())}`);
      expect(ids(tokens)).toEqual(ids(rows.filter((row) => own(row) === origin)));
    }
    expect((await answered('origin=nowhere')).total).toBe(0);
  });
});
