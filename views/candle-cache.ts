/**
 * Decoded candles, kept from ledger to ledger. A candle whose interval is over does not change any more, so each series
 * (token, interval, currency) is kept up to the interval that is going on; only the candle of that one is read again, once
 * a version.
 *
 *     oldest            until                 closed: read once, at most SERIES_ROWS_MAX
 *       |-- closed -------|-- forming --      forming: the interval of the newest ledger
 *
 * The JSON text of each closed candle is kept beside the numbers from its first use on: writing numbers costs more than
 * reading them. What was used longest ago goes first when all series together hold more than the limit.
 *
 * Cost of a request for n candles in the bench: see `candles.cached` in bench/budgets.ts.
 */
import { CANDLE_COLUMNS, type CandleQuery, type CandleSeries, type Fiat } from '../engine/market/figures.ts';
import { bucketStart } from '../engine/market/intervals.ts';

/** All kept series together: about 300 charts of 1,000 candles, numbers (80 bytes a candle) and text (about 120). */
export const CANDLE_CACHE_BYTES = 64 * 1024 * 1024;
/** Most candles kept of one series: four of the longest charts. What reaches further back is read each time. */
const SERIES_ROWS_MAX = 20_000;
/** What an empty series takes, roughly. */
const SERIES_BYTES = 512;

export interface SeriesQuery extends CandleQuery {
  /** Undefined: in XRP. */
  readonly fiat?: Fiat | undefined;
}

/** What a series is read from: the same answer as the cache gives, from the store. */
export type SeriesSource = (query: SeriesQuery) => CandleSeries;

/** Which ledger is the newest: its close time (Ripple epoch seconds) and the engine's version. */
export interface Newest {
  readonly closeTime: number;
  readonly version: number;
}

/** JSON text of one candle. */
export type CandleText = (rows: Float64Array, at: number, query: SeriesQuery) => string;

export class CandleCache {
  readonly #read: SeriesSource;
  readonly #text: CandleText;
  readonly #limit: number;
  readonly #kept = new Map<string, KeptSeries>();
  #bytes = 0;

  constructor(read: SeriesSource, text: CandleText, limit = CANDLE_CACHE_BYTES) {
    this.#read = read;
    this.#text = text;
    this.#limit = limit;
  }

  /** Bytes that all kept series take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What the source answers. The rows are the caller's own. */
  series(query: SeriesQuery, newest: Newest): CandleSeries {
    return this.#with(query, newest, (kept) => kept.series(query)) ?? this.#read(query);
  }

  /** The same as JSON text: candles joined by commas, in parts. */
  text(
    query: SeriesQuery,
    newest: Newest,
  ): { readonly length: number; readonly parts: (Uint8Array | string)[] } {
    const kept = this.#with(query, newest, (series) => series.texts(query, this.#text));
    if (kept) return kept;
    const { rows, length } = this.#read(query);
    const texts = Array.from({ length }, (_, i) => this.#text(rows, i * CANDLE_COLUMNS, query));
    return { length, parts: [texts.join(',')] };
  }

  drop(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Answers from the kept series; undefined when the query reaches where none is kept. */
  #with<T>(query: SeriesQuery, newest: Newest, answer: (kept: KeptSeries) => T): T | undefined {
    const key = `${query.token}/${query.seconds}/${query.fiat ?? ''}`;
    const kept = this.#kept.get(key) ?? new KeptSeries(this.#read, query);
    this.#bytes -= this.#kept.delete(key) ? kept.bytes : 0;
    const found = kept.reach(query, newest) ? answer(kept) : undefined;
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, series] of this.#kept) {
      if (this.#bytes <= this.#limit) break;
      this.#kept.delete(oldest);
      this.#bytes -= series.bytes;
    }
    return found;
  }
}

const encoder = new TextEncoder();
const NO_ROWS = new Float64Array(0);

/** Texts of candles, each with a comma behind it; `ends[i]` is where the i-th ends. */
interface Texts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

class KeptSeries {
  readonly #read: SeriesSource;
  readonly #series: Pick<SeriesQuery, 'token' | 'seconds' | 'fiat'>;
  /** Closed candles from `#oldest` (inclusive) to `#until`. */
  #rows: Float64Array = NO_ROWS;
  #oldest = 0;
  #until = 0;
  #forming: CandleSeries = { rows: NO_ROWS, length: 0 };
  #version = -1;
  #texts: Texts | undefined;

  constructor(read: SeriesSource, { token, seconds, fiat }: SeriesQuery) {
    this.#read = read;
    this.#series = { token, seconds, fiat };
  }

  get bytes(): number {
    const { bytes, ends } = this.#texts ?? { bytes: NO_ROWS, ends: NO_ROWS };
    return SERIES_BYTES + this.#rows.byteLength + bytes.byteLength + ends.byteLength;
  }

  get #length(): number {
    return this.#rows.length / CANDLE_COLUMNS;
  }

  /** Makes sure that everything the query asks for is here; false when it reaches too far back. */
  reach(query: SeriesQuery, { closeTime, version }: Newest): boolean {
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const boundary = bucketStart(query.seconds, closeTime);
    if (boundary !== this.#until) this.#advance(boundary, limit);
    if (this.#version !== version) {
      this.#forming = this.#read({ ...this.#series, from: boundary });
      this.#version = version;
    }
    if (this.#oldest <= (query.from ?? 0)) return true;
    const { start, end, forming } = this.#select(query);
    const missing = limit - (end - start) - forming;
    if (missing <= 0) return true;
    // Between what is kept and what is asked for there would be a gap.
    if (query.to !== undefined && bucketStart(query.seconds, query.to) + query.seconds < this.#oldest)
      return false;
    if (this.#length + missing > SERIES_ROWS_MAX) return false;
    this.#extend(query.from ?? 0, missing);
    return true;
  }

  /** Intervals have ended. */
  #advance(boundary: number, limit: number): void {
    const passed = (boundary - this.#until) / this.#series.seconds;
    if (passed < 0 || passed > Math.max(limit, this.#length)) {
      this.#rows = NO_ROWS;
      this.#texts = undefined;
      this.#oldest = boundary;
    } else {
      const { rows } = this.#read({ ...this.#series, from: this.#until, to: boundary - 1 });
      this.#append(rows);
    }
    this.#until = boundary;
  }

  #append(rows: Float64Array): void {
    if (rows.length === 0) return;
    this.#rows = joined(this.#rows, rows);
    const over = this.#length - SERIES_ROWS_MAX;
    if (over > 0) {
      this.#rows = this.#rows.slice(over * CANDLE_COLUMNS);
      this.#oldest = this.#rows[0]!;
      this.#texts = undefined;
    }
  }

  #extend(from: number, count: number): void {
    const { rows, length } = this.#read({ ...this.#series, from, to: this.#oldest - 1, limit: count });
    this.#rows = joined(rows, this.#rows);
    this.#oldest = length < count ? from : rows[0]!;
    if (length > 0) this.#texts = undefined;
  }

  /** Places of the closed candles that are asked for, and how many (0 or 1) of the forming one. */
  #select({ from = 0, to = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY }: SeriesQuery) {
    const young = this.#forming.length > 0 ? this.#forming.rows[0]! : -1;
    const forming = limit > 0 && young >= from && young <= to ? 1 : 0;
    const end = this.#firstAfter(to);
    const start = Math.max(this.#firstAfter(from - 1), end - (limit - forming));
    return { start, end: Math.max(start, end), forming };
  }

  /** Place of the first closed candle that starts after a time. */
  #firstAfter(time: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle * CANDLE_COLUMNS]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  series(query: SeriesQuery): CandleSeries {
    const { start, end, forming } = this.#select(query);
    const closed = this.#rows.subarray(start * CANDLE_COLUMNS, end * CANDLE_COLUMNS);
    const rows = joined(closed, forming ? this.#forming.rows : NO_ROWS);
    return { rows, length: end - start + forming };
  }

  texts(
    query: SeriesQuery,
    text: CandleText,
  ): { readonly length: number; readonly parts: (Uint8Array | string)[] } {
    const { start, end, forming } = this.#select(query);
    const { bytes, ends } = this.#written(text);
    const first = start === 0 ? 0 : ends[start - 1]!;
    const parts: (Uint8Array | string)[] = [];
    // The last comma is left off where no candle follows.
    if (end > start) parts.push(bytes.subarray(first, ends[end - 1]! - (forming ? 0 : 1)));
    if (forming) parts.push(text(this.#forming.rows, 0, query));
    return { length: end - start + forming, parts };
  }

  /** Texts of all closed candles. */
  #written(text: CandleText): Texts {
    const known = this.#texts ?? { bytes: new Uint8Array(0), ends: new Uint32Array(0) };
    const length = this.#length;
    if (known.ends.length === length) return known;
    const ends = new Uint32Array(length);
    ends.set(known.ends);
    const added: string[] = [];
    let at = known.bytes.length;
    for (let i = known.ends.length; i < length; i++) {
      const one = `${text(this.#rows, i * CANDLE_COLUMNS, this.#series)},`;
      // Numbers and brackets: as many bytes as characters.
      at += one.length;
      ends[i] = at;
      added.push(one);
    }
    const bytes = new Uint8Array(at);
    bytes.set(known.bytes);
    encoder.encodeInto(added.join(''), bytes.subarray(known.bytes.length));
    this.#texts = { bytes, ends };
    return this.#texts;
  }
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const rows = new Float64Array(a.length + b.length);
  rows.set(a);
  rows.set(b, a.length);
  return rows;
}
