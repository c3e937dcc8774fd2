/**
 * Stored candles of some levels: the current one of each token and level in memory, older ones in the store.
 *
 *   record (72 bytes, little-endian): f64 open, high, low, close, volume, token volume, buy volume; u32 trades, buys;
 *   u64 zero
 *
 * Every ledger upserts the candles it changed, so the store holds the current ones too; a candle that is complete but
 * perhaps not durable stays in `closed` until `durable` is called for its ledger. Reads merge both with the store's rows.
 *
 * After a restart there are none in memory: before a token's candles change, the current ones are loaded (`load`). A token
 * gets a place then, after those loaded before it: most tokens do not trade for months, and places by token would be
 * spread over so much memory that each token costs a page of it.
 */
import type { Batch, Store } from '../store.ts';
import { Columns } from './columns.ts';
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

/** Receives candles one by one, each as ROW doubles at `at`; false to stop. Rows are valid during the call only. */
export type CandleVisitor = (rows: Float64Array, at: number) => boolean;

/** A complete candle that may not be durable yet. */
interface ClosedCandle {
  readonly ledger: number;
  readonly level: number;
  readonly row: Float64Array;
}

export class CandleRows {
  /** Current candles, by place. An open of 0 means that there is none. */
  readonly hot: Float64Array;
  readonly #levels: readonly StoredLevel[];
  /** By token; 0: not loaded. Place 0 has no candles. */
  readonly #places: Uint32Array;
  readonly #placed: Columns;
  #count = 1;
  /** Ledger that changed a token's candles last, by place. */
  readonly #lastLedger: Uint32Array;
  readonly #store: Pick<Store, 'candles'>;
  readonly #closed = new Map<number, ClosedCandle[]>();
  readonly #record = new Uint8Array(CANDLE_BYTES);
  readonly #view = new DataView(this.#record.buffer);

  /** @param levels methods name a level by its index in this list */
  constructor(columns: Columns, store: Pick<Store, 'candles'>, levels: readonly StoredLevel[]) {
    this.#places = columns.u32();
    this.#placed = new Columns(columns.capacity + 1);
    this.hot = this.#placed.f64(levels.length * ROW);
    this.#lastLedger = this.#placed.u32();
    this.#levels = levels;
    this.#store = store;
  }

  /** Whether the token's current candles are in memory. */
  isLoaded(token: number): boolean {
    return (this.#places[token] ?? 0) !== 0;
  }

  /** Loads the candles that contain a time from the store. @param time Ripple epoch seconds. */
  load(token: number, time: number): void {
    this.loadNone(token);
    for (let level = 0; level < this.#levels.length; level++) {
      const { key, seconds } = this.#levels[level]!;
      const bucket = bucketStart(seconds, time);
      this.#store.candles(key, token, { from: bucket, to: bucket }, (start, record) => {
        unpackCandle(start, record, this.hot, this.offset(level, token));
        return false;
      });
    }
  }

  /** The same of a token that has no candle in the store. */
  loadNone(token: number): void {
    if (this.isLoaded(token)) return;
    const place = this.#count++;
    this.#placed.reserve(this.#count);
    this.#places[token] = place;
    // A page that is read before it is written costs two page faults.
    this.hot[this.offset(0, token)] = 0;
  }

  /** Where the current candle of a token begins in `hot`. */
  offset(level: number, token: number): number {
    return ((this.#places[token] ?? 0) * this.#levels.length + level) * ROW;
  }

  /**
   * The candle that contains a time, as its offset in `hot`. If the current one is of an earlier interval it is closed,
   * and a new one is opened, flat at `price`.
   */
  current(level: number, token: number, time: number, price: number): number {
    const { hot } = this;
    const bucket = bucketStart(this.#levels[level]!.seconds, time);
    const at = this.offset(level, token);
    if (hot[at + Candle.open] !== 0) {
      if (hot[at] === bucket) return at;
      this.#close(level, token, hot.slice(at, at + ROW));
    }
    // Loops: a native fill of so few costs ten times that.
    for (let i = at; i < at + ROW; i++) hot[i] = 0;
    hot[at] = bucket;
    for (let i = at + Candle.open; i <= at + Candle.close; i++) hot[i] = price;
    return at;
  }

  #close(level: number, token: number, row: Float64Array): void {
    const candle = { ledger: this.#lastLedger[this.#places[token]!]!, level, row };
    const of = this.#closed.get(token);
    if (of) of.push(candle);
    else this.#closed.set(token, [candle]);
  }

  /** Records which ledger changed candles of the token last, for `durable`. */
  changed(token: number, ledger: number): void {
    this.#lastLedger[this.#places[token]!] = ledger;
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
      // A candle closes when the next one opens, so their ledgers are not in ascending order.
      const left = candles.filter((candle) => candle.ledger > ledger);
      if (left.length > 0) this.#closed.set(token, left);
      else this.#closed.delete(token);
    }
  }

  /** Visits candles that start in the range (inclusive), newest first: the store's, replaced by those not durable yet. */
  walkBack(level: number, token: number, from: number, to: number, visit: CandleVisitor): void {
    const at = this.offset(level, token);
    if (this.hot[at + Candle.open] !== 0 && from >= this.hot[at]!) {
      // Only the current candle can be in the range: nothing older is asked for, and it is the newest.
      if (from === this.hot[at] && from <= to) visit(this.hot, at);
      return;
    }
    const newer = this.#notDurable(level, token, from, to);
    const scratch = new Float64Array(ROW);
    const walk = { reverse: true, from, ...(Number.isFinite(to) && { to }) };
    let next = 0;
    let more = true;
    this.#store.candles(this.#levels[level]!.key, token, walk, (bucket, record) => {
      while (more && next < newer.length && newer[next]![0]! > bucket) more = visit(newer[next++]!, 0);
      if (!more) return false;
      if (next < newer.length && newer[next]![0] === bucket) more = visit(newer[next++]!, 0);
      else {
        unpackCandle(bucket, record, scratch, 0);
        more = visit(scratch, 0);
      }
      return more;
    });
    while (more && next < newer.length) more = visit(newer[next++]!, 0);
  }

  /** Rows that replace the store's, newest first. */
  #notDurable(level: number, token: number, from: number, to: number): Float64Array[] {
    const rows: Float64Array[] = [];
    for (const candle of this.#closed.get(token) ?? []) if (candle.level === level) rows.push(candle.row);
    const at = this.offset(level, token);
    if (this.hot[at + Candle.open]) rows.push(this.hot.slice(at, at + ROW));
    return rows.filter((row) => row[0]! >= from && row[0]! <= to).sort((a, b) => b[0]! - a[0]!);
  }
}

/** The close of a stored record. */
export function storedClose(record: Uint8Array): number {
  return new DataView(record.buffer, record.byteOffset, record.byteLength).getFloat64(24, true);
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
