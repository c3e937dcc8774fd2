/**
 * Charts on the real store: three weeks of a few tokens that trade in every minute, with a rate that changes every minute
 * (the worst case for candles in fiat).
 *
 *     kept:  ledger with trades -> chart as text                against: series from the store -> rows -> JSON
 *     fiat:  500 candles of an hour in dollars, not cached     against: the same, folded from candles of a minute
 *     fold:  candles of a ledger with four currencies              against: the same with none
 *
 * Both sides of `kept` must give the same bytes, those of `fiat` the same prices. They alternate in every round, and each
 * figure is the median of the rounds' ratios.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Candles } from '../engine/market/candles.ts';
import { Columns } from '../engine/market/columns.ts';
import { FiatCandles, type RateHistory } from '../engine/market/fiat-candles.ts';
import { CANDLE_COLUMNS, Candle, FIATS, Fiat } from '../engine/market/figures.ts';
import { rateRecord, storedRate } from '../engine/market/rates.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { Batch, Store } from '../engine/store.ts';
import { Charts, type Currency } from '../views/charts.ts';
import { INTERVALS, type Interval } from '../views/intervals.ts';
import type { Figure } from './budgets.ts';

const TOKENS = 5;
const MINUTES = 21 * 1440;
const MINUTES_A_BATCH = 500;
/** Ripple epoch seconds, a midnight. */
const START = 86_400 * 9000;
const COUNT = 500;
const LEDGERS = 200;
const ROUNDS = 9;
const FOLD_MINUTES = 400;
const FOLD_TOKENS = 200;
const LEDGERS_A_MINUTE = 16;
const CHARTED: readonly Interval[] = ['1m', '5m', '1h'];
const CURRENCIES: readonly Currency[] = ['XRP', 'USD'];

const NO_STORE: Pick<Store, 'candles'> = { candles: () => undefined };
const NO_BATCH = { candle: () => undefined, value: () => undefined } as unknown as Batch;

/** A price or rate that changes all the time. */
const priceAt = (token: number, time: number): number => token * (1 + Math.sin(time / 7000 + token) / 3);
const rateAt = (minute: number): number => 0.5 + Math.cos(minute / 50_000) / 5;

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Candles on a store, and a generator of trades. */
class World {
  readonly candles: Candles;
  readonly fiat: FiatCandles;
  time = START;
  ledger = 0;
  readonly #currencies: number;

  /** @param currencies number of currencies with a rate, from the first. */
  constructor(
    store: Pick<Store, 'candles'> & Partial<Pick<Store, 'records'>>,
    currencies: number,
    tokens: number,
  ) {
    const columns = new Columns(tokens + 1);
    columns.reserve(tokens + 1);
    this.#currencies = currencies;
    const rates: RateHistory = {
      settled: (fiat) => (fiat < currencies ? rateAt(this.#minute) : 0),
      changedAt: () => this.#minute,
      walkBack: (fiat, from, to, visit, limit) =>
        store.records?.(
          'rates',
          [fiat],
          { from, to, reverse: true, ...(limit !== undefined && { limit }) },
          (bucket, record) => visit(bucket, storedRate(record)),
        ),
    };
    this.candles = new Candles(columns, store);
    this.fiat = new FiatCandles(columns, store, this.candles, rates);
  }

  get #minute(): number {
    return this.time - (this.time % 60);
  }

  /** A ledger in which these tokens trade, `seconds` after the last one. */
  apply(batch: Batch, tokens: number, seconds: number): void {
    this.ledger++;
    this.fiat.advance(this.ledger, this.time + seconds, batch);
    this.time += seconds;
    this.candles.begin();
    for (let token = 1; token <= tokens; token++) {
      const price = priceAt(token, this.time);
      this.candles.add(token, this.ledger, this.time, price, price, 1e6 * price, 1, token % 2 === 0);
    }
    this.candles.write(batch);
    this.fiat.record(this.candles.changed);
    for (let fiat = 0; fiat < this.#currencies; fiat++)
      batch.record?.('rates', [fiat, this.#minute], rateRecord(rateAt(this.#minute)));
  }

  durable(): void {
    this.candles.durable(this.ledger);
    this.fiat.durable(this.ledger);
  }
}

async function fill(store: Store, world: World): Promise<void> {
  let batch = store.batch();
  const commit = async () => {
    await store.commit(batch, { index: world.ledger, hash: new Uint8Array(32), closeTime: world.time });
    world.durable();
    batch = store.batch();
  };
  for (let minute = 0; minute < MINUTES; minute++) {
    world.apply(batch, TOKENS, 60);
    if (minute % MINUTES_A_BATCH === MINUTES_A_BATCH - 1) await commit();
  }
  await commit();
}

/** A chart without cached data: read, converted, written. */
function plainText(world: World, token: number, interval: Interval, currency: Currency): string {
  const query = { token, seconds: INTERVALS[interval].seconds, limit: COUNT };
  const { rows, length } =
    currency === 'XRP' ? world.candles.series(query) : world.fiat.series(query, Fiat.USD);
  const unit = currency === 'XRP' ? 1e6 : 1;
  const table = Array.from({ length }, (_, i) => {
    const of = (column: number) => rows[i * CANDLE_COLUMNS + column]!;
    const prices = [of(Candle.open), of(Candle.high), of(Candle.low), of(Candle.close)];
    const sums = [of(Candle.volume) / unit, of(Candle.tokenVolume), of(Candle.trades)];
    return [unixMs(of(Candle.time)), ...prices, ...sums];
  });
  return JSON.stringify(table).slice(1, -1);
}

const textOf = (parts: readonly (Uint8Array | string)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString())).join('');

/** Every token's charts after each ledger, with and without cached data. */
function kept(store: Store, world: World): Figure {
  const charts = new Charts({ candles: world.candles, fiatCandles: world.fiat }, () => ({
    closeTime: world.time,
    version: world.ledger,
  }));
  const batch = store.batch();
  const spent = { kept: [] as number[], plain: [] as number[] };
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    world.apply(batch, TOKENS, 4);
    for (const interval of CHARTED) {
      for (const currency of CURRENCIES) {
        const token = 1 + (ledger % TOKENS);
        const query = { token, interval, currency, count: COUNT, invert: false };
        // The first five ledgers fill the cache.
        const started = performance.now();
        const { length, parts } = charts.ohlcText(query);
        const middle = performance.now();
        const plain = plainText(world, token, interval, currency);
        const ended = performance.now();
        if (length !== COUNT || textOf(parts) !== plain)
          throw new Error(`${interval} ${currency}: not the same chart`);
        if (ledger < TOKENS * 2) continue;
        spent.kept.push(middle - started);
        spent.plain.push(ended - middle);
      }
    }
  }
  const us = (ms: number) => `${(ms * 1000).toFixed(0)} us`;
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
  const [ours, other] = [mean(spent.kept), mean(spent.plain)];
  return { name: 'candles.kept', value: other / ours, ours: us(ours), other: us(other) };
}

function fiat(world: World): Figure {
  const seconds = INTERVALS['1h'].seconds;
  const ratios: number[] = [];
  const best = { folded: Number.POSITIVE_INFINITY, minutes: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const token = 1 + (round % TOKENS);
    const started = performance.now();
    const folded = world.fiat.series({ token, seconds, limit: COUNT }, Fiat.USD);
    const middle = performance.now();
    const closes = closesOfMinutes(world, token, seconds);
    const ended = performance.now();
    if (folded.rows.at(-CANDLE_COLUMNS + Candle.close) !== closes.at(-1))
      throw new Error('not the same close');
    ratios.push((ended - middle) / (middle - started));
    best.folded = Math.min(best.folded, middle - started);
    best.minutes = Math.min(best.minutes, ended - middle);
  }
  return {
    name: 'candles.fiat',
    value: medianOf(ratios),
    ours: `${best.folded.toFixed(2)} ms`,
    other: `${best.minutes.toFixed(1)} ms`,
  };
}

/** The same chart from candles of a minute, without folded ones. */
function closesOfMinutes(world: World, token: number, seconds: number): number[] {
  const from = world.time - COUNT * seconds;
  const { rows, length } = world.fiat.series({ token, seconds: 60, from }, Fiat.USD);
  const closes: number[] = [];
  let hour = -1;
  for (let i = 0; i < length; i++) {
    const at = i * CANDLE_COLUMNS;
    const bucket = Math.floor(rows[at]! / seconds);
    if (bucket === hour) closes[closes.length - 1] = rows[at + Candle.close]!;
    else closes.push(rows[at + Candle.close]!);
    hour = bucket;
  }
  return closes;
}

/** Milliseconds that the candles of some minutes take. */
function applied(currencies: number): number {
  const world = new World(NO_STORE, currencies, FOLD_TOKENS);
  const started = performance.now();
  for (let minute = 0; minute < FOLD_MINUTES; minute++) {
    for (let i = 0; i < LEDGERS_A_MINUTE; i++) world.apply(NO_BATCH, FOLD_TOKENS, 60 / LEDGERS_A_MINUTE);
    world.durable();
  }
  return performance.now() - started;
}

function fold(): Figure {
  const ratios: number[] = [];
  let [with4, without] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = round % 2 === 0 ? [FIATS.length, 0] : [0, FIATS.length];
    const times = { [one]: applied(one), [two]: applied(two) };
    ratios.push(times[FIATS.length]! / times[0]!);
    with4 = Math.min(with4, times[FIATS.length]!);
    without = Math.min(without, times[0]!);
  }
  const us = (ms: number) => `${((ms * 1000) / FOLD_MINUTES / LEDGERS_A_MINUTE).toFixed(1)} us`;
  return { name: 'candles.fold', value: medianOf(ratios), ours: us(with4), other: us(without) };
}

async function run(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-candles-'));
  try {
    const store = await openStore({ dir, network: 'bench' });
    const world = new World(store, 1, TOKENS);
    const started = performance.now();
    await fill(store, world);
    console.log(
      `${MINUTES} minutes of ${TOKENS} tokens stored in ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
    const figures = [fiat(world), kept(store, world), fold()];
    await store.close();
    return figures;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

console.log(`figures ${JSON.stringify(await run())}`);
process.exit(0);
