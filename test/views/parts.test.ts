/** The small parts: metadata of MPT, tags, intervals, pool volumes, and views after a restart. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { rawNumber } from '../../engine/codec/amount.ts';
import { Engine } from '../../engine/engine.ts';
import { TRADE_BYTES, TradeAt, TradeFlag, TradeReader, TradeType } from '../../engine/market/trade-record.ts';
import { mptMetadata } from '../../engine/state/mpt-metadata.ts';
import { recordedTransactions, relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { tokenRow } from '../../support/token-row.ts';
import { baseOf, INTERVAL_NAMES, intervalOfResolution } from '../../views/intervals.ts';
import { Network } from '../../views/network.ts';
import { PoolDay } from '../../views/pool-day.ts';
import { poolDepth, yearlyYield } from '../../views/pool-math.ts';
import { PoolVolumes } from '../../views/pool-volumes.ts';
import { TokenTags, tagSlug } from '../../views/token-tags.ts';
import { Views } from '../../views/views.ts';
import { recordedRun } from '../ledgers.ts';
import { applyAll, newEngine } from './world.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

describe('metadata of an MPT', () => {
  test('long and short keys', () => {
    const long = {
      ticker: 'TBILL',
      name: 'T-Bill Yield',
      desc: 'd',
      icon: 'i',
      asset_class: 'rwa',
      asset_subclass: 'treasury',
      issuer_name: 'n',
    };
    const short = { t: 'TBILL', n: 'T-Bill Yield', d: 'd', i: 'i', ac: 'rwa', as: 'treasury', in: 'n' };
    const parsed = {
      ticker: 'TBILL',
      name: 'T-Bill Yield',
      description: 'd',
      icon: 'i',
      assetClass: 'rwa',
      assetSubclass: 'treasury',
      issuerName: 'n',
    };
    expect(mptMetadata(JSON.stringify(long))).toEqual(parsed);
    expect(mptMetadata(JSON.stringify(short))).toEqual(parsed);
    const uris = [
      { u: 'example.com/docs', c: 'docs' },
      { u: 'example.com', c: 'website', t: 'Home' },
    ];
    expect(mptMetadata(JSON.stringify({ us: uris }))).toEqual({ website: 'example.com' });
  });

  test.each([
    ['RWA', 'treasury', ['Real World Assets', 'Treasury']],
    // Members of every object.
    ['constructor', '__proto__', []],
    ['nothing known', undefined, []],
  ])('classes %p and %p give the tags %p', (ac, as, expected) => {
    const tokens = { count: 2, metadata: () => JSON.stringify({ ac, as }) };
    const kinds = {
      isAnchor: () => false,
      claims: () => false,
      launchpad: () => undefined,
      given: () => [],
    };
    const tags = new TokenTags({ tokens } as never, { of: () => 'mpt' } as never, kinds, () => true);
    expect(tags.of(1)).toEqual(expected);
    expect(tags.names()).toEqual(expected);
  });

  test('takes any text an issuer can write', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const found = mptMetadata(text);
        for (const value of Object.values(found ?? {})) expect(value).not.toMatch(/\p{Cc}/u);
      }),
      { seed },
    );
    expect(mptMetadata('{"t":"a\\u0000\\u202eb"}')).toEqual({ ticker: 'ab' });
    expect(mptMetadata('{"__proto__":{"t":"x"}}')).toEqual({});
    expect(mptMetadata('[1]')).toBeUndefined();
  });
});

test('tags become slugs', () => {
  expect(tagSlug('Real World  Assets')).toBe('real-world-assets');
  expect(tagSlug(' Arts & Crafts ')).toBe('arts-and-crafts');
});

test('resolutions name intervals', () => {
  const parsed = ['1', '5', '15', '30', '60', '120', '240', 'D', '1D', 'W', '1440', '45', '0', 'x'].map(
    intervalOfResolution,
  );
  expect(parsed).toEqual([
    '1m',
    '5m',
    '15m',
    '30m',
    '1h',
    '2h',
    '4h',
    '1d',
    '1d',
    '1w',
    '1d',
    '30m',
    undefined,
    undefined,
  ]);
});

test('intervals are gathered from the coarsest stored ones that tile them', () => {
  const bases = INTERVAL_NAMES.map((name) => `${name}:${baseOf(name)}`).join(' ');
  expect(bases).toBe('1m:1m 5m:5m 15m:5m 30m:5m 1h:1h 2h:1h 4h:1h 1d:1d 1w:1d');
});

test('depth without fee is symmetric in small moves, yield is yearly', () => {
  const { buy, sell } = poolDepth(1000, 0, 0.02);
  expect(buy).toBeCloseTo(9.950494, 6);
  expect(sell).toBeCloseTo(10.0505063, 6);
  expect(yearlyYield(1, 365, 1)).toBe(100);
  expect(yearlyYield(1, 0, 1)).toBeUndefined();
});

interface Made {
  readonly ledger: number;
  readonly time: number;
  readonly pool: number;
  readonly drops: number;
  /** XRP into the pool in drops, negative: out of it. */
  readonly inflow: number;
  readonly isLiquidity: boolean;
}

function recordOf(made: Made, number: number): Uint8Array {
  const { ledger, time, pool, drops, inflow, isLiquidity } = made;
  const bytes = new Uint8Array(TRADE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(TradeAt.ledger, ledger, true);
  view.setUint32(TradeAt.number, number, true);
  view.setUint32(TradeAt.closeTime, time, true);
  view.setUint32(TradeAt.pool, pool, true);
  view.setFloat64(TradeAt.value, drops, true);
  // The other asset is token 9. A pool takes `got` and gives `paid`; for liquidity XRP comes first.
  const isPaid = isLiquidity || inflow < 0;
  view.setUint32(TradeAt.paidToken, isPaid ? 0 : 9, true);
  view.setUint32(TradeAt.gotToken, isPaid ? 9 : 0, true);
  view.setUint32(isPaid ? TradeAt.paidHi : TradeAt.gotHi, 0x40000000, true);
  view.setUint32(isPaid ? TradeAt.paidLo : TradeAt.gotLo, Math.abs(inflow), true);
  view.setUint8(TradeAt.flags, isLiquidity ? TradeFlag.liquidity : TradeFlag.amm);
  if (isLiquidity) view.setUint8(TradeAt.type, inflow < 0 ? TradeType.withdraw : TradeType.deposit);
  return bytes;
}

test('volumes and flows of pools are those of the last 24 hours, week volumes of whole hours, stored or live', async () => {
  const [HOUR, DAY] = [3600, 86_400];
  const start = 700_000_000;
  const trade = fc.record({
    // Half hours: some lie on the bounds of the windows.
    hours: fc.nat(400),
    pool: fc.integer({ min: 1, max: 3 }),
    drops: fc.integer({ min: 1, max: 1e9 }),
    inflow: fc.integer({ min: -1e9, max: 1e9 }),
    isLiquidity: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(trade, { minLength: 1, maxLength: 40 }), fc.nat(40), async (made, stored) => {
      const trades = made
        .toSorted((a, b) => a.hours - b.hours)
        .map((one, at) => ({
          ...one,
          ledger: at + 1,
          time: start + one.hours * 1800,
        }));
      const store = new MemoryStore();
      const batch = store.batch();
      const split = Math.min(stored, trades.length);
      trades.slice(0, split).forEach((one) => {
        batch.ledger(one.ledger, one.time, new Uint8Array(1));
        batch.trade({ ledger: one.ledger, tx: 0, entry: 0 }, recordOf(one, 0), [1, 2], [1, 2]);
      });
      const last = trades.at(-1)!;
      await store.commit(batch, { index: split, hash: new Uint8Array(32), closeTime: last.time });
      const volumes = new PoolVolumes(store, {
        number: (token, hi, lo) => rawNumber(token === 0 ? 0 : 1, hi, lo),
      });
      for (const one of trades.slice(split)) volumes.add(one.ledger, one.time, recordOf(one, 0), 1);
      await volumes.load(last.time, last.ledger);
      const sum = (of: readonly Made[], column: 'drops' | 'inflow') =>
        of.reduce((all, one) => all + one[column], 0) / 1e6;
      for (const pool of [1, 2, 3]) {
        const own = trades.filter((one) => one.pool === pool);
        const day = own.filter(({ time }) => time > last.time - DAY);
        const traded = (one: Made) => !one.isLiquidity;
        expect(volumes.day.flow(pool, 0, 9)).toBeCloseTo(sum(day, 'inflow'), 9);
        expect(volumes.day.volume(pool)).toBe(sum(day.filter(traded), 'drops'));
        const week = own.filter(({ time }) => Math.floor(time / HOUR) > Math.floor(last.time / HOUR) - 168);
        expect(volumes.week(pool, last.time)).toBe(sum(week.filter(traded), 'drops'));
        // Whether its last trade came in live before it left the week, or is not read from the store any more.
        expect(volumes.lastTraded(pool, last.time)).toBe(week.findLast(traded)?.time ?? 0);
      }
    }),
    { seed, numRuns: 60 },
  );
});

test('a day of pools with more changes than its limit drops the oldest, and is marked for a day', () => {
  const day = new PoolDay((_token, _hi, lo) => lo, 3);
  const start = 700_000_000;
  for (let at = 0; at < 5; at++) {
    const move = {
      ledger: at,
      time: start + at,
      pool: 1,
      drops: 1e6 * (at + 1),
      inflow: 1,
      isLiquidity: false,
    };
    day.age(move.time);
    day.add(new TradeReader(recordOf(move, 0)), 1, 'live');
  }
  expect([day.volume(1), day.isWhole]).toEqual([3 + 4 + 5, false]);
  day.age(start + 1 + 86_399);
  expect([day.volume(1), day.isWhole]).toEqual([3 + 4 + 5, false]);
  day.age(start + 1 + 86_400);
  expect([day.volume(1), day.isWhole]).toEqual([3 + 4 + 5, true]);
  day.age(start + 3 + 86_400);
  expect([day.volume(1), day.flow(1, 0, 9)]).toEqual([5, 1]);
});

describe('once the engine is ready', () => {
  test('search, filters and volumes are made before the first request, and stay current', async () => {
    const engine = newEngine();
    const network = new Network({ engine });
    const { views } = network;
    const run = recordedRun();
    await applyAll(engine, run.slice(0, 10));
    network.ready = true;
    await applyAll(engine, run.slice(10));
    const other = newEngine();
    await applyAll(other, run);
    const rebuilt = new Views(other);
    for (const text of ['usd', 'cny', 'jpyy', 'x'])
      expect((await views.search.find(text, 100)).tokens).toEqual(
        (await rebuilt.search.find(text, 100)).tokens,
      );
    expect(views.tokens.tags()).toEqual(rebuilt.tokens.tags());
    const query = { sort: 'fees', active: false, limit: 100, offset: 0 } as const;
    expect(await views.pools.list(query)).toEqual(await rebuilt.pools.list(query));
  });
});

describe('after a restart', () => {
  test('everything reads as before', async () => {
    const store = new MemoryStore();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const engine = new Engine({ store, log });
    const before = new Views(engine);
    await applyAll(engine, recordedRun());
    const restored = new Engine({ store, log });
    restored.restore();
    const after = new Views(restored);
    const text = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
    const all = { sort: 'vol24hxrp', ascending: false, offset: 0, limit: 1e6 } as const;
    expect(after.tokens.list(all)).toEqual(before.tokens.list(all));
    for (let token = 0; token < engine.state.tokens.count; token++) {
      expect(text(after.tokens.row(token))).toEqual(text(before.tokens.row(token)));
      if (token > 0) expect(after.books.book(token, 0, 400)).toEqual(before.books.book(token, 0, 400));
      const query = { token, interval: '5m', count: 100, currency: 'USD', invert: false } as const;
      expect(after.charts.ohlc(query)).toEqual(before.charts.ohlc(query));
      expect(await after.books.pairs(token, 100)).toEqual(await before.books.pairs(token, 100));
    }
    expect(text(after.market.h24())).toEqual(text(before.market.h24()));
  });
});

describe('the change of a TVL', () => {
  /** LedgerEntryType AMM, as in metadata. */
  const pool = Buffer.from([0x11, 0x00, 0x79]);
  const transactions = recordedTransactions().filter(({ meta }) => Buffer.from(meta).includes(pool));
  const chain = (ledgers: number) => [
    ...relaidChain({ ledgers, interval: 3600, transactionsPerLedger: 100, transactions }),
  ];
  const changes = async (ledgers: number) => {
    const engine = newEngine();
    const views = new Views(engine);
    await applyAll(engine, chain(ledgers));
    await views.pools.list({ sort: 'fees', active: false, limit: 1, offset: 0 });
    const pooled = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1).filter(
      (token) => engine.state.pools.byAssets(0, token) !== undefined,
    );
    expect(pooled.length).toBeGreaterThan(0);
    return pooled.map((token) => tokenRow(views, token).tvlChange24h);
  };

  test('is absent without a baseline, and known once a day was read without a gap', async () => {
    for (const change of await changes(20)) expect(change).toBeUndefined();
    expect((await changes(30)).some((change) => typeof change === 'number')).toBe(true);
  });
});
