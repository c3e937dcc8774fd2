/** Cached candles equal those of the store, at every ledger, for any query; and little is read for them. */

import { describe, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { CANDLE_COLUMNS, type CandleSeries } from '../../engine/market/figures.ts';
import { bucketStart } from '../../engine/market/intervals.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { CandleCache, type SeriesQuery } from '../../views/candle-cache.ts';
import { CURRENCIES, type OhlcQuery, type OhlcRow } from '../../views/charts.ts';
import { INTERVAL_NAMES, RANGE_NAMES } from '../../views/intervals.ts';
import { Network } from '../../views/network.ts';
import { sparkline } from '../../views/sparkline.ts';
import { Views } from '../../views/views.ts';
import { asker } from '../api/routes/ask.ts';
import { casesOf } from '../cases.ts';
import { DrivenRates } from '../engine/market/fiat-brute.ts';
import { type Random, randomFrom, stream } from '../engine/market/stream.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

/** An engine that goes on by a made-up ledger at each step. */
function* world(ledgers: number): Generator<{ engine: Engine; random: Random; apply: Promise<void> }> {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const rates = new DrivenRates();
  rates.drive(engine);
  const random = randomFrom(seed ^ 0x51ed270b);
  for (const { packed, changes, closeTime } of stream(seed, ledgers)) {
    rates.move(random, closeTime);
    yield { engine, random, apply: engine.applyLedger({ packed, changes: changes.words }, random() < 0.5) };
  }
}

const sourceOf =
  ({ market }: Engine) =>
  (query: SeriesQuery): CandleSeries =>
    query.fiat === undefined ? market.candles.series(query) : market.fiatCandles.series(query, query.fiat);

const textOf = (rows: Float64Array, at: number): string =>
  JSON.stringify([...rows.subarray(at, at + CANDLE_COLUMNS)]);

function randomQuery({ head }: Engine, random: Random): SeriesQuery {
  const now = head!.closeTime;
  const ago = () => Math.floor(now - random() ** 4 * 20_000_000);
  return {
    token: Math.floor(random() * 6),
    seconds: pick(random, [60, 300, 900, 3600, 14_400, 86_400, 604_800]),
    limit: pick(random, [1, 2, 10, 100, 5000]),
    fiat: pick(random, [undefined, 0, 1, 2, 3] as const),
    ...(random() < 0.3 && { from: ago() }),
    ...(random() < 0.4 && { to: ago() }),
  };
}

describe('kept candles', () => {
  test.each([[64 * 1024 * 1024], [20_000]])(
    'are those of the store, with room for %d bytes',
    async (limit) => {
      let cache: CandleCache | undefined;
      let candles = 0;
      for (const { engine, random, apply } of world(casesOf(120, 300))) {
        await apply;
        const source = sourceOf(engine);
        cache ??= new CandleCache(source, textOf, limit);
        const newest = { closeTime: engine.head!.closeTime, version: engine.version };
        for (let i = 0; i < 30; i++) {
          const query = randomQuery(engine, random);
          const want = source(query);
          const have = cache.series(query, newest);
          expect([query, have.length, ...have.rows]).toEqual([query, want.length, ...want.rows]);
          const { length, parts } = cache.text(query, newest);
          const text = parts
            .map((part) => (typeof part === 'string' ? part : new TextDecoder().decode(part)))
            .join('');
          const rows = Array.from({ length: want.length }, (_, row) =>
            textOf(want.rows, row * CANDLE_COLUMNS),
          );
          expect([query, length, text]).toEqual([query, want.length, rows.join(',')]);
          expect(cache.bytes).toBeLessThanOrEqual(limit);
          candles += want.length;
        }
      }
      expect(candles).toBeGreaterThan(1000);
    },
  );

  test('a ledger costs one read of the current interval, a further request none', async () => {
    let cache: CandleCache | undefined;
    let reads: SeriesQuery[] = [];
    let within = 0;
    let before = 0;
    for (const { engine, apply } of world(casesOf(120, 300))) {
      await apply;
      const source = sourceOf(engine);
      cache ??= new CandleCache((query) => {
        reads.push(query);
        return source(query);
      }, textOf);
      const query = { token: 1, seconds: 3600, limit: 500, fiat: 0 } as const;
      const newest = { closeTime: engine.head!.closeTime, version: engine.version };
      reads = [];
      cache.series(query, newest);
      const hour = bucketStart(3600, newest.closeTime);
      // The first ledgers fill it; after the end of an hour it is read again.
      if (hour === before) {
        expect(reads).toEqual([{ token: 1, seconds: 3600, fiat: 0, from: hour }]);
        within++;
      }
      before = hour;
      reads = [];
      cache.text(query, newest);
      expect(reads).toEqual([]);
    }
    expect(within).toBeGreaterThan(50);
  });
});

describe('charts', () => {
  test('over HTTP, inverted, paged and as a sparkline they are one and the same', async () => {
    let engine: Engine | undefined;
    let random: Random = Math.random;
    for (const step of world(casesOf(120, 250))) {
      await step.apply;
      ({ engine, random } = step);
    }
    const network = new Network({ engine: engine! });
    const { views } = network;
    const ask = asker(network);
    for (let i = 0; i < 60; i++) {
      const token = Math.floor(random() * 6);
      const query: OhlcQuery = {
        token,
        interval: pick(random, INTERVAL_NAMES),
        currency: pick(random, CURRENCIES),
        range: pick(random, [undefined, ...RANGE_NAMES]),
        count: pick(random, [3, 50, 5000]),
        invert: random() < 0.5,
      };
      const { rows } = views.charts.ohlc(query);
      const { interval, currency, range, count, invert } = query;
      const rest = `${range ? `&range=${range}` : ''}&cb=${count}&invert=${invert}`;
      const path = `/ohlc/${views.tokens.md5(token)}?interval=${interval}&vs_currency=${currency}${rest}`;
      const { body } = await ask.get(path);
      expect([path, body.length, body.ohlc]).toEqual([path, rows.length, rows]);
      const upright = views.charts.ohlc({ ...query, invert: false }).rows;
      const inverted = upright.map(
        ([t, o, h, l, c, v, tokens, n]): OhlcRow =>
          invert ? [t, 1 / o, 1 / l, 1 / h, 1 / c, tokens, v, n] : [t, o, h, l, c, v, tokens, n],
      );
      expect(rows).toEqual(inverted);
      const middle = rows[rows.length >> 1]?.[0];
      if (middle === undefined || range !== undefined) continue;
      const older = views.charts.ohlc({ ...query, count: 5000, before: middle }).rows;
      const all = views.charts.ohlc({ ...query, count: 5000 }).rows;
      expect(older).toEqual(all.filter(([time]) => time! < middle));
    }
  });

  test('a sparkline in dollars closes where the candles in dollars close', async () => {
    let lines = 0;
    let views: Views | undefined;
    for (const { engine, apply } of world(120)) {
      await apply;
      const { head } = engine;
      views ??= new Views(engine);
      const token = 1 + (head!.index % 5);
      for (const [period, interval, seconds] of [
        ['24h', '5m', 86_400],
        ['7d', '1h', 604_800],
      ] as const) {
        const line = sparkline(views.charts, { token, period, currency: 'USD' });
        const since = unixMs(head!.closeTime - seconds);
        const { rows } = views.charts.ohlc({ token, interval, currency: 'USD', invert: false });
        const want = rows.filter(([time]) => time! >= since);
        expect(line.prices.map(Number)).toEqual(want.map((row) => row[4]!));
        expect([...line.timestamps]).toEqual(want.map((row) => row[0]!));
        lines += want.length > 1 ? 1 : 0;
      }
    }
    expect(lines).toBeGreaterThan(10);
  });
});
