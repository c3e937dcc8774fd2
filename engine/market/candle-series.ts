/** Candles of any interval, aggregated from shorter ones that are visited newest first. */
import { ROW } from './candle-rows.ts';
import { Candle, type CandleQuery, type CandleSeries } from './figures.ts';
import { bucketStart } from './intervals.ts';

const FIRST_ROWS = 64;

/** The range of times whose candles a query needs: whole intervals, so that no candle is built from a part of its interval. */
export function rangeOf({ seconds, from, to }: CandleQuery): { readonly from: number; readonly to: number } {
  return {
    // The first week began before the Ripple epoch; keys of the store do not.
    from: from === undefined ? 0 : Math.max(0, bucketStart(seconds, from + seconds - 1)),
    to: to === undefined ? Number.POSITIVE_INFINITY : bucketStart(seconds, to) + seconds - 1,
  };
}

/** Aggregates candles that are visited newest first into longer intervals; at most `limit` of these. */
export class CandleAggregator {
  #length = 0;
  #out = new Float64Array(FIRST_ROWS * ROW);
  readonly #seconds: number;
  readonly #limit: number;

  constructor({ seconds, limit = Number.POSITIVE_INFINITY }: Pick<CandleQuery, 'seconds' | 'limit'>) {
    this.#seconds = seconds;
    this.#limit = limit;
  }

  /** Adds the next older candle; false when the limit is reached. */
  readonly take = (rows: Float64Array, at: number): boolean => {
    const bucket = bucketStart(this.#seconds, rows[at]!);
    const last = (this.#length - 1) * ROW;
    if (this.#length > 0 && this.#out[last] === bucket) {
      mergeOlder(this.#out, last, rows, at);
      return true;
    }
    if (this.#length >= this.#limit) return false;
    if ((this.#length + 1) * ROW > this.#out.length) {
      const larger = new Float64Array(this.#out.length * 2);
      larger.set(this.#out);
      this.#out = larger;
    }
    this.#out.set(rows.subarray(at, at + ROW), this.#length * ROW);
    this.#out[this.#length * ROW] = bucket;
    this.#length++;
    return true;
  };

  /** The longer candles, oldest first. */
  series(): CandleSeries {
    const length = this.#length;
    const rows = new Float64Array(length * ROW);
    for (let i = 0; i < length; i++)
      rows.set(this.#out.subarray(i * ROW, (i + 1) * ROW), (length - 1 - i) * ROW);
    return { rows, length };
  }
}

/** Merges an older candle into a newer one of the same interval. */
function mergeOlder(into: Float64Array, to: number, rows: Float64Array, at: number): void {
  into[to + Candle.open] = rows[at + Candle.open]!;
  into[to + Candle.high] = Math.max(into[to + Candle.high]!, rows[at + Candle.high]!);
  into[to + Candle.low] = Math.min(into[to + Candle.low]!, rows[at + Candle.low]!);
  for (let i = Candle.volume; i < ROW; i++) into[to + i]! += rows[at + i]!;
}

/** Merges a newer candle into an older one of the same interval. */
export function mergeNewer(into: Float64Array, to: number, rows: Float64Array, at: number): void {
  into[to + Candle.high] = Math.max(into[to + Candle.high]!, rows[at + Candle.high]!);
  into[to + Candle.low] = Math.min(into[to + Candle.low]!, rows[at + Candle.low]!);
  into[to + Candle.close] = rows[at + Candle.close]!;
  for (let i = Candle.volume; i < ROW; i++) into[to + i]! += rows[at + i]!;
}
