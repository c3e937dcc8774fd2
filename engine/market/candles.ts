/**
 * Candles of every token in XRP. Stored are 1 minute, 5 minutes, 1 hour and 1 day; other intervals are gathered from
 * these on read.
 *
 *   record (72 bytes, little-endian): f64 open, high, low, close, volume drops, token volume, buy drops; u32 trades,
 *   buys; u64 zero
 *
 * The current candle of each token and level lies in columns. Every ledger upserts the candles it changed, so the
 * store holds the current ones too; a candle that is complete but perhaps not durable stays in `closed` until
 * `durable` says it is. Reads lay both over what the store holds.
 *
 * A trade that sets no price (dust) adds its volume to the current candle; if none is open it opens one flat at the
 * token's last price, and if the token never had a price there is no candle to speak of.
 *
 * A price that no trade told (the spot of a pool whose liquidity changed, see prices.ts) moves a candle like a trade of
 * no volume.
 *
 * After a restart the columns are empty: the first trade of a token looks its current candles up in the store.
 */
import type { Batch, Store } from '../store.ts';
import type { Columns } from './columns.ts';
import { CANDLE_COLUMNS, Candle, type CandleQuery, type CandleSeries } from './figures.ts';
import { baseLevel, bucketStart, CANDLE_LEVELS, type CandleLevel } from './intervals.ts';

export const CANDLE_BYTES = 72;
const LEVELS = CANDLE_LEVELS.length;
/** Doubles of a hot row: time and the nine figures, as in Candle. */
const ROW = CANDLE_COLUMNS;

/** Complete candles that may not be durable yet. */
interface ClosedCandle {
  readonly ledger: number;
  readonly level: number;
  readonly token: number;
  readonly row: Float64Array;
}

export class Candles {
  /** Tokens whose candles the last ledger changed. */
  readonly touched = new Set<number>();
  private readonly hot: Float64Array;
  private readonly loaded: Uint8Array;
  private readonly lastLedger: Uint32Array;
  private closed: ClosedCandle[] = [];
  private readonly store: Pick<Store, 'candles'>;
  private readonly record = new Uint8Array(CANDLE_BYTES);
  private readonly view = new DataView(this.record.buffer);

  constructor(columns: Columns, store: Pick<Store, 'candles'>) {
    this.hot = columns.f64(LEVELS * ROW);
    this.loaded = columns.u8();
    this.lastLedger = columns.u32();
    this.store = store;
  }

  /**
   * Adds a trade. @param price what it set, 0 = none; @param last the token's last price, 0 = none.
   * @param drops worth, @param amount token units, @param bought the signer received the token
   */
  add(
    token: number,
    ledger: number,
    time: number,
    price: number,
    last: number,
    drops: number,
    amount: number,
    bought: boolean,
  ): void {
    const flat = price > 0 ? price : last;
    if (flat === 0) return;
    if (this.loaded[token] === 0) this.load(token, time);
    for (let level = 0; level < LEVELS; level++) {
      const seconds = CANDLE_LEVELS[level]!;
      const bucket = time - (time % seconds);
      const at = (token * LEVELS + level) * ROW;
      if (this.hot[at] !== bucket || this.hot[at + Candle.open] === 0)
        this.open(token, level, at, bucket, flat);
      this.grow(at, price, drops, amount, bought);
    }
    this.lastLedger[token] = ledger;
    this.touched.add(token);
  }

  /** Adds a price that no trade told: it moves open candles, or opens flat ones. */
  quote(token: number, ledger: number, time: number, price: number): void {
    if (this.loaded[token] === 0) this.load(token, time);
    for (let level = 0; level < LEVELS; level++) {
      const bucket = bucketStart(CANDLE_LEVELS[level]!, time);
      const at = (token * LEVELS + level) * ROW;
      if (this.hot[at] !== bucket || this.hot[at + Candle.open] === 0)
        this.open(token, level, at, bucket, price);
      this.move(at, price);
    }
    this.lastLedger[token] = ledger;
    this.touched.add(token);
  }

  private move(at: number, price: number): void {
    const { hot } = this;
    if (price > hot[at + Candle.high]!) hot[at + Candle.high] = price;
    if (price < hot[at + Candle.low]!) hot[at + Candle.low] = price;
    hot[at + Candle.close] = price;
  }

  private grow(at: number, price: number, drops: number, amount: number, bought: boolean): void {
    const { hot } = this;
    if (price > 0) this.move(at, price);
    hot[at + Candle.volumeDrops]! += drops;
    hot[at + Candle.tokenVolume]! += amount;
    hot[at + Candle.trades]!++;
    if (!bought) return;
    hot[at + Candle.buys]!++;
    hot[at + Candle.buyDrops]! += drops;
  }

  private open(token: number, level: number, at: number, bucket: number, price: number): void {
    const { hot } = this;
    if (hot[at + Candle.open] !== 0) {
      const row = hot.slice(at, at + ROW);
      this.closed.push({ ledger: this.lastLedger[token]!, level, token, row });
    }
    hot.fill(0, at, at + ROW);
    hot[at] = bucket;
    hot.fill(price, at + Candle.open, at + Candle.close + 1);
  }

  /** Writes the changed candles of the ledger to its batch. */
  write(batch: Batch): void {
    for (const token of this.touched) {
      for (let level = 0; level < LEVELS; level++) {
        const at = (token * LEVELS + level) * ROW;
        this.pack(at);
        batch.candle(level, token, this.hot[at]!, this.record);
      }
    }
  }

  private pack(at: number): void {
    const { hot, view } = this;
    view.setFloat64(0, hot[at + Candle.open]!, true);
    view.setFloat64(8, hot[at + Candle.high]!, true);
    view.setFloat64(16, hot[at + Candle.low]!, true);
    view.setFloat64(24, hot[at + Candle.close]!, true);
    view.setFloat64(32, hot[at + Candle.volumeDrops]!, true);
    view.setFloat64(40, hot[at + Candle.tokenVolume]!, true);
    view.setFloat64(48, hot[at + Candle.buyDrops]!, true);
    view.setUint32(56, hot[at + Candle.trades]!, true);
    view.setUint32(60, hot[at + Candle.buys]!, true);
  }

  /** Takes a token's current candles from the store: the first touch after a restart. */
  private load(token: number, time: number): void {
    this.loaded[token] = 1;
    for (let level = 0; level < LEVELS; level++) {
      const bucket = bucketStart(CANDLE_LEVELS[level]!, time);
      const at = (token * LEVELS + level) * ROW;
      this.store.candles(level, token, { from: bucket, to: bucket }, (start, record) => {
        unpackCandle(start, record, this.hot, at);
        return false;
      });
    }
  }

  /** Everything up to this ledger is durable. */
  durable(ledger: number): void {
    let kept = 0;
    while (kept < this.closed.length && this.closed[kept]!.ledger <= ledger) kept++;
    // Ledgers of closed candles do not ascend strictly (a candle closes when the next one opens): filter the rest.
    this.closed = this.closed.slice(kept).filter((candle) => candle.ledger > ledger);
  }

  /** The current or a past candle of a stored level; undefined when nothing traded in it. */
  candle(token: number, level: CandleLevel, bucket: number): Float64Array | undefined {
    const at = (token * LEVELS + level) * ROW;
    if (this.hot[at] === bucket && this.hot[at + Candle.open]) return this.hot.slice(at, at + ROW);
    const series = this.series({ token, seconds: CANDLE_LEVELS[level], from: bucket, to: bucket, limit: 1 });
    return series.length === 0 ? undefined : series.rows.slice(0, ROW);
  }

  /** Candles of any interval, oldest first; the newest `limit` ones. */
  series(query: CandleQuery): CandleSeries {
    const { token, seconds } = query;
    const level = baseLevel(seconds);
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const from = query.from === undefined ? undefined : bucketStart(seconds, query.from + seconds - 1);
    // The last interval that starts in the range is complete only with all its stored candles.
    const to = query.to === undefined ? undefined : bucketStart(seconds, query.to) + seconds - 1;
    const gather = new Gather(seconds, limit);
    this.walkBack(level, token, from, to, (row, at) => gather.take(row, at));
    return { rows: gather.rows(), length: gather.length, baseSeconds: CANDLE_LEVELS[level] };
  }

  /** Visits stored candles, newest first, with what is not durable laid over them. */
  private walkBack(
    level: CandleLevel,
    token: number,
    from: number | undefined,
    to: number | undefined,
    visit: (row: Float64Array, at: number) => boolean,
  ): void {
    const overlay = this.overlay(level, token, from ?? 0, to ?? Number.POSITIVE_INFINITY);
    let next = 0;
    let going = true;
    const scratch = new Float64Array(ROW);
    const walk = {
      reverse: true,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    this.store.candles(level, token, walk, (bucket, record) => {
      while (going && next < overlay.length && overlay[next]![0]! > bucket)
        going = visit(overlay[next++]!, 0);
      if (!going) return false;
      if (next < overlay.length && overlay[next]![0] === bucket) going = visit(overlay[next++]!, 0);
      else {
        unpackCandle(bucket, record, scratch, 0);
        going = visit(scratch, 0);
      }
      return going;
    });
    while (going && next < overlay.length) going = visit(overlay[next++]!, 0);
  }

  /** Rows that lie over the store's, newest first. */
  private overlay(level: number, token: number, from: number, to: number): Float64Array[] {
    const rows: Float64Array[] = [];
    for (const candle of this.closed)
      if (candle.token === token && candle.level === level) rows.push(candle.row);
    const at = (token * LEVELS + level) * ROW;
    if (this.hot[at + Candle.open]) rows.push(this.hot.slice(at, at + ROW));
    return rows.filter((row) => row[0]! >= from && row[0]! <= to).sort((a, b) => b[0]! - a[0]!);
  }
}

/** Unpacks a stored record to a row of CANDLE_COLUMNS doubles. */
export function unpackCandle(bucket: number, record: Uint8Array, rows: Float64Array, at: number): void {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  rows[at] = bucket;
  for (let i = 0; i < 6; i++) rows[at + Candle.open + i] = view.getFloat64(i * 8, true);
  rows[at + Candle.buyDrops] = view.getFloat64(48, true);
  rows[at + Candle.trades] = view.getUint32(56, true);
  rows[at + Candle.buys] = view.getUint32(60, true);
}

/** Folds candles that come newest first into longer intervals. */
class Gather {
  length = 0;
  private readonly seconds: number;
  private readonly limit: number;
  private out = new Float64Array(64 * ROW);

  constructor(seconds: number, limit: number) {
    this.seconds = seconds;
    this.limit = limit;
  }

  /** Takes the next older candle; false when the limit is reached. */
  take(row: Float64Array, at: number): boolean {
    const bucket = bucketStart(this.seconds, row[at]!);
    const last = (this.length - 1) * ROW;
    if (this.length > 0 && this.out[last] === bucket) {
      this.fold(last, row, at);
      return true;
    }
    if (this.length >= this.limit) return false;
    if ((this.length + 1) * ROW > this.out.length) {
      const larger = new Float64Array(this.out.length * 2);
      larger.set(this.out);
      this.out = larger;
    }
    this.out.set(row.subarray(at, at + ROW), this.length * ROW);
    this.out[this.length * ROW] = bucket;
    this.length++;
    return true;
  }

  private fold(last: number, row: Float64Array, at: number): void {
    const { out } = this;
    out[last + Candle.open] = row[at + Candle.open]!;
    out[last + Candle.high] = Math.max(out[last + Candle.high]!, row[at + Candle.high]!);
    out[last + Candle.low] = Math.min(out[last + Candle.low]!, row[at + Candle.low]!);
    for (let i = Candle.volumeDrops; i < ROW; i++) out[last + i]! += row[at + i]!;
  }

  /** The rows, oldest first. */
  rows(): Float64Array {
    const rows = new Float64Array(this.length * ROW);
    for (let i = 0; i < this.length; i++)
      rows.set(this.out.subarray(i * ROW, (i + 1) * ROW), (this.length - 1 - i) * ROW);
    return rows;
  }
}
