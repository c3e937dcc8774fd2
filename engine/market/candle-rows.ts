/**
 * Stored candles of some levels: the current one of each token and level in columns, older ones in the store.
 *
 *   record (72 bytes, little-endian): f64 open, high, low, close, volume, token volume, buy volume; u32 trades, buys;
 *   u64 zero
 *
 * Every ledger upserts the candles it changed, so the store holds the current ones too; a candle that is complete but
 * perhaps not durable stays in `closed` until `durable` says it is. Reads lay both over what the store holds.
 *
 * After a restart the columns are empty: whoever changes a token's candles first looks the current ones up (`load`).
 */
import type { Batch, Store } from '../store.ts';
import type { Columns } from './columns.ts';
import { CANDLE_COLUMNS, Candle } from './figures.ts';
import { bucketStart } from './intervals.ts';

const CANDLE_BYTES = 72;
/** Doubles of a row: time and the nine figures, as in Candle. */
export const ROW = CANDLE_COLUMNS;

export interface StoredLevel {
  /** Number of the level in keys of the store. */
  readonly key: number;
  readonly seconds: number;
}

/** Sees candles one by one, each as ROW doubles at `at`; false to stop. Rows are valid during the call only. */
export type CandleVisitor = (rows: Float64Array, at: number) => boolean;

/** A complete candle that may not be durable yet. */
interface ClosedCandle {
  readonly ledger: number;
  readonly level: number;
  readonly row: Float64Array;
}

export class CandleRows {
  /** Current candles. An open of 0 says that there is none. */
  readonly hot: Float64Array;
  readonly #levels: readonly StoredLevel[];
  readonly #loaded: Uint8Array;
  /** Ledger that changed a token's candles last. */
  readonly #lastLedger: Uint32Array;
  readonly #store: Pick<Store, 'candles'>;
  readonly #closed = new Map<number, ClosedCandle[]>();
  readonly #record = new Uint8Array(CANDLE_BYTES);
  readonly #view = new DataView(this.#record.buffer);

  /** @param levels are named by their place in this list from then on. */
  constructor(columns: Columns, store: Pick<Store, 'candles'>, levels: readonly StoredLevel[]) {
    this.hot = columns.f64(levels.length * ROW);
    this.#loaded = columns.u8();
    this.#lastLedger = columns.u32();
    this.#levels = levels;
    this.#store = store;
  }

  /** Whether the token's current candles lie in the columns. */
  isLoaded(token: number): boolean {
    return this.#loaded[token] === 1;
  }

  /** Takes the candles that a time lies in from the store. @param time Ripple epoch seconds. */
  load(token: number, time: number): void {
    this.#loaded[token] = 1;
    for (let level = 0; level < this.#levels.length; level++) {
      const { key, seconds } = this.#levels[level]!;
      const bucket = bucketStart(seconds, time);
      this.#store.candles(key, token, { from: bucket, to: bucket }, (start, record) => {
        unpackCandle(start, record, this.hot, this.offset(level, token));
        return false;
      });
    }
  }

  /** Where the current candle of a token begins in `hot`. */
  offset(level: number, token: number): number {
    return (token * this.#levels.length + level) * ROW;
  }

  /**
   * The current candle of a time, as its offset in `hot`. Where the last one is of an earlier time it is closed, and the
   * new one is flat at `price`.
   */
  current(level: number, token: number, time: number, price: number): number {
    const { hot } = this;
    const bucket = bucketStart(this.#levels[level]!.seconds, time);
    const at = this.offset(level, token);
    if (hot[at + Candle.open] !== 0) {
      if (hot[at] === bucket) return at;
      this.#close(level, token, hot.slice(at, at + ROW));
    }
    hot.fill(0, at, at + ROW);
    hot[at] = bucket;
    hot.fill(price, at + Candle.open, at + Candle.close + 1);
    return at;
  }

  #close(level: number, token: number, row: Float64Array): void {
    const candle = { ledger: this.#lastLedger[token]!, level, row };
    const of = this.#closed.get(token);
    if (of) of.push(candle);
    else this.#closed.set(token, [candle]);
  }

  /** A ledger changed candles of the token: of which one they are, for `durable`. */
  changed(token: number, ledger: number): void {
    this.#lastLedger[token] = ledger;
  }

  /** Puts the current candle into the batch. */
  write(level: number, token: number, batch: Pick<Batch, 'candle'>): void {
    const at = this.offset(level, token);
    this.#pack(at);
    batch.candle(this.#levels[level]!.key, token, this.hot[at]!, this.#record);
  }

  #pack(at: number): void {
    const { hot } = this;
    const view = this.#view;
    for (let i = 0; i < 6; i++) view.setFloat64(i * 8, hot[at + Candle.open + i]!, true);
    view.setFloat64(48, hot[at + Candle.buyVolume]!, true);
    view.setUint32(56, hot[at + Candle.trades]!, true);
    view.setUint32(60, hot[at + Candle.buys]!, true);
  }

  /** Everything up to this ledger is durable. */
  durable(ledger: number): void {
    for (const [token, candles] of this.#closed) {
      // A candle closes when the next one opens, so their ledgers do not ascend.
      const left = candles.filter((candle) => candle.ledger > ledger);
      if (left.length > 0) this.#closed.set(token, left);
      else this.#closed.delete(token);
    }
  }

  /** Visits candles that start in the range (inclusive), newest first, with what is not durable laid over the store. */
  walkBack(level: number, token: number, from: number, to: number, visit: CandleVisitor): void {
    const at = this.offset(level, token);
    if (this.hot[at + Candle.open] !== 0 && from >= this.hot[at]!) {
      // Nothing older than the current candle is asked for, and nothing is younger.
      if (from === this.hot[at] && from <= to) visit(this.hot, at);
      return;
    }
    const over = this.#overlay(level, token, from, to);
    const scratch = new Float64Array(ROW);
    const walk = { reverse: true, from, ...(Number.isFinite(to) && { to }) };
    let next = 0;
    let going = true;
    this.#store.candles(this.#levels[level]!.key, token, walk, (bucket, record) => {
      while (going && next < over.length && over[next]![0]! > bucket) going = visit(over[next++]!, 0);
      if (!going) return false;
      if (next < over.length && over[next]![0] === bucket) going = visit(over[next++]!, 0);
      else {
        unpackCandle(bucket, record, scratch, 0);
        going = visit(scratch, 0);
      }
      return going;
    });
    while (going && next < over.length) going = visit(over[next++]!, 0);
  }

  /** Rows that lie over the store's, newest first. */
  #overlay(level: number, token: number, from: number, to: number): Float64Array[] {
    const rows: Float64Array[] = [];
    for (const candle of this.#closed.get(token) ?? []) if (candle.level === level) rows.push(candle.row);
    const at = this.offset(level, token);
    if (this.hot[at + Candle.open]) rows.push(this.hot.slice(at, at + ROW));
    return rows.filter((row) => row[0]! >= from && row[0]! <= to).sort((a, b) => b[0]! - a[0]!);
  }
}

/** Unpacks a stored record to a row of CANDLE_COLUMNS doubles. */
function unpackCandle(bucket: number, record: Uint8Array, rows: Float64Array, at: number): void {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  rows[at] = bucket;
  for (let i = 0; i < 6; i++) rows[at + Candle.open + i] = view.getFloat64(i * 8, true);
  rows[at + Candle.buyVolume] = view.getFloat64(48, true);
  rows[at + Candle.trades] = view.getUint32(56, true);
  rows[at + Candle.buys] = view.getUint32(60, true);
}
