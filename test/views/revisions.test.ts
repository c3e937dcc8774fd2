/** What is kept of answers is forgotten when anything that they are made of changes, between two ledgers too. */

import { describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { Fiat } from '../../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { krakenRates } from '../../outside/kraken-rates.ts';
import { PolledRates } from '../../outside/rate-feed.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { VersionedCache, versionOf } from '../../views/versioned-cache.ts';
import { quiet } from '../live-rig.ts';
import { wholeWorld } from './world.ts';

describe('a versioned cache', () => {
  test('forgets when any of its revisions moves, and only then', () => {
    const revisions = [{ version: 3 }, { version: 8 }];
    const cache = new VersionedCache<object>(revisions, 10);
    let last = cache.get('a', () => ({}));
    for (const revision of revisions) {
      expect(cache.get('a', () => ({}))).toBe(last);
      revision.version++;
      const next = cache.get('a', () => ({}));
      expect(next).not.toBe(last);
      last = next;
    }
    expect(versionOf(revisions)).toBe(13);
  });

  test('holds no more than its limit: the oldest goes', () => {
    const cache = new VersionedCache<string>([{ version: 1 }], 2);
    const made: string[] = [];
    const get = (key: string) =>
      cache.get(key, () => {
        made.push(key);
        return key;
      });
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) get(key);
    expect(made).toEqual(['a', 'b', 'c', 'a']);
  });

  test('holds no more rows than all may have together, unless one has more alone', () => {
    const revision = { version: 1 };
    const cache = new VersionedCache<number[]>([revision], 100, { of: ({ length }) => length, most: 50 });
    const made: string[] = [];
    const get = (key: string, rows: number) =>
      cache.get(key, () => {
        made.push(key);
        return new Array<number>(rows).fill(0);
      });
    for (let limit = 1; limit <= 60; limit++) {
      get(`limit ${limit}`, limit);
      expect(cache.weight).toBeLessThanOrEqual(Math.max(50, limit));
    }
    get('a', 20);
    get('b', 30);
    get('a', 20);
    get('c', 1);
    made.length = 0;
    for (const [key, rows] of [
      ['b', 30],
      ['c', 1],
      ['a', 20],
    ] as const)
      get(key, rows);
    expect(made).toEqual(['a']);
    revision.version++;
    get('d', 7);
    expect(cache.weight).toBe(7);
    // Of two who made the same at one time the second one's replaces the first one's.
    cache.keep('d', [1]);
    expect(cache.weight).toBe(1);
  });
});

/** A feed with a rate that the test sets. */
class SetFeed {
  readonly name = 'set';
  version = 0;
  #usd: number | undefined;

  set(xrpPerDollar: number | undefined): void {
    this.#usd = xrpPerDollar;
    this.version++;
  }

  latest(fiat: Fiat) {
    return fiat === Fiat.USD && this.#usd !== undefined ? { xrpPerUnit: this.#usd, time: 0 } : undefined;
  }
}

test('a rate of an outside feed shows at once, without a ledger: in exch, in rows, in lists, by REST', async () => {
  const engine = await wholeWorld();
  const network = new Network({ engine });
  const api = createApi({ mounts: [Mount.of(network)], log: quiet });
  const feed = new SetFeed();
  engine.market.rates.feed = feed;
  // The ledgers have no rate yet: otherwise the feed is not used.
  expect(engine.market.rates.exch()).toEqual({});
  const { tokens } = network.views;
  const token = tokens
    .list({ sort: 'vol24hxrp', ascending: false, offset: 0, limit: 100 })
    .ids.find((id) => tokens.price(id) !== undefined)!;
  const ask = async (path: string) => {
    const request = () => new Request(`http://localhost/v1${path}`);
    return (api.cached(request()) ?? (await api.fetch(request()))).json() as Promise<
      Record<string, Record<string, unknown>>
    >;
  };
  const shown = async () => {
    const row = await ask(`/token/${tokens.md5(token)}`);
    // Kept by now.
    expect(await ask(`/token/${tokens.md5(token)}`)).toEqual(row);
    const { exch } = await ask('/stats');
    expect(row.exch).toEqual(exch!);
    return { exch, usd: row.token!.usd };
  };
  const price = tokens.price(token)!;
  const { version } = engine;
  expect(await shown()).toEqual({ exch: {}, usd: undefined });
  const seen = new Set<unknown>();
  for (const rate of [2, 4, undefined, 2.5]) {
    feed.set(rate);
    const { exch, usd } = await shown();
    expect(exch).toEqual(rate === undefined ? {} : { USD: rate });
    if (rate === undefined) expect(usd).toBeUndefined();
    else expect(Number(usd)).toBeCloseTo(price / rate, 12);
    seen.add(usd);
  }
  expect(seen.size).toBe(4);
  expect(engine.version).toBe(version);
});

test('rates of a feed that grow too old move its version, as new ones do', async () => {
  let now = RIPPLE_EPOCH * 1000;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ error: [], result: { XXRPZUSD: { c: ['0.5'] }, XXRPZEUR: { c: ['0.4'] } } }),
  });
  try {
    const feed = new PolledRates({
      driver: krakenRates,
      url: `http://127.0.0.1:${server.port}`,
      now: () => now,
      onFault: (message) => {
        throw new Error(message);
      },
    });
    const steps: [version: number, known: boolean][] = [];
    const look = () => steps.push([feed.version, feed.latest(Fiat.USD) !== undefined]);
    look();
    await feed.poll();
    look();
    now += 86_400_000;
    look();
    await feed.poll();
    look();
    expect(steps.map(([, known]) => known)).toEqual([false, true, false, true]);
    const versions = steps.map(([version]) => version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  } finally {
    await server.stop(true);
  }
});
