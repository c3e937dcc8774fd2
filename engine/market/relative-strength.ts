/**
 * RSI of every token in seven frames, kept current: one row for each token and frame.
 *
 * The RSI of a frame is Wilder's, of 14 periods (metrics/rsi.ts), over the closing prices in XRP of all closed candles
 * that are as long as the frame. They are the candles of `/ohlc`: intervals without a price have none and count nothing.
 * Days begin at midnight UTC, weeks on Monday; frames of 30 and 90 days are counted from 2000-01-01. With fewer than 15
 * closed candles it is not known.
 *
 *     ledger closes --> frames whose interval has ended: each token with an open candle --> its last price is the close
 *                   --> trades
 *                   --> tokens with a new candle: their intervals are open
 *
 * Goals: a figure is two divisions when it is read; a candle is folded once, at the first ledger after its interval, and
 * gives bit for bit what the kernel gives of all closes. Non-goals: the running candle; fiat.
 *
 * Cost: a token that trades looks at one column. When an interval ends, one pass over the `opened` column of the frame:
 * below a millisecond for 120,000 tokens. 32 bytes a token and frame.
 */
import { RSI_PERIOD, rsiOfAverages, wilderAverage } from '../metrics/rsi.ts';
import { DAY, HOUR, WEEK } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import type { StoreReads } from '../store.ts';
import { TableId } from '../table-ids.ts';
import { storedClose } from './candle-rows.ts';
import { baseLevel, bucketStart, type CandleLevel } from './intervals.ts';

/** By their names in the API, shortest first: every frame begins and ends with one of 15 minutes. */
export const RSI_FRAMES = ['15m', '1h', '4h', '24h', '7d', '30d', '90d'] as const;
export type RsiFrame = (typeof RSI_FRAMES)[number];

export const RSI_SECONDS: Readonly<Record<RsiFrame, number>> = {
  '15m': HOUR / 4,
  '1h': HOUR,
  '4h': 4 * HOUR,
  '24h': DAY,
  '7d': WEEK,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
};

const SECONDS = RSI_FRAMES.map((frame) => RSI_SECONDS[frame]);
const FRAMES = RSI_FRAMES.length;

/** Which frames are made of candles of a stored level. */
interface FramesOfLevel {
  readonly level: CandleLevel;
  readonly frames: readonly number[];
}

const LEVELS: readonly FramesOfLevel[] = [...new Set(SECONDS.map(baseLevel))].map((level) => ({
  level,
  frames: [...SECONDS.keys()].filter((frame) => baseLevel(SECONDS[frame]!) === level),
}));

export interface PricedTokens {
  /** Last price, XRP per token; 0 = none. */
  readonly last: Float64Array;
  /** One past the highest token id that ever had a price. */
  readonly end: number;
}

export class RelativeStrength {
  readonly table: Table;
  /** Averages as in the kernel, XRP. */
  readonly #gain: Float64Array;
  readonly #loss: Float64Array;
  /** Close of the last closed candle, XRP. */
  readonly #close: Float64Array;
  /** Closed candles. */
  readonly #count: Uint32Array;
  /** Start of the open candle, 0 = there is none. */
  readonly #opened: Uint32Array;
  readonly #prices: PricedTokens;
  /** Start of the running interval of each frame. */
  readonly #running = new Float64Array(FRAMES);

  /**
   * @param tokens most tokens there are
   * @param closeTime of the newest ledger, for a store of an earlier version
   */
  constructor(tokens: number, prices: PricedTokens, closeTime: () => number) {
    this.table = new Table(TableId.relativeStrength, 'relative strength', tokens * FRAMES);
    this.#gain = this.table.f64('gain');
    this.#loss = this.table.f64('loss');
    this.#close = this.table.f64('close');
    this.#count = this.table.u32('count');
    this.#opened = this.table.u32('opened');
    this.#prices = prices;
    this.table.onNew((store) => this.#readCandles(store, closeTime()));
  }

  /** 0 to 100; undefined with fewer than 15 closed candles. */
  of(token: number, frame: RsiFrame): number | undefined {
    const row = token * FRAMES + RSI_FRAMES.indexOf(frame);
    if (!(this.#count[row]! > RSI_PERIOD)) return undefined;
    return rsiOfAverages(this.#gain[row]!, this.#loss[row]!);
  }

  /** A ledger closes at `time`; before its trades. @param visit gets tokens whose figures change */
  close(time: number, visit: (token: number) => void): void {
    const { end } = this.#prices;
    for (let frame = 0; frame < FRAMES; frame++) {
      const start = bucketStart(SECONDS[frame]!, time);
      if (this.#running[frame] === start) continue;
      this.#running[frame] = start;
      for (let token = 1, row = FRAMES + frame; token < end; token++, row += FRAMES) {
        const opened = this.#opened[row]!;
        if (opened === 0 || opened >= start) continue;
        this.#opened[row] = 0;
        this.#fold(row, this.#prices.last[token]!);
        visit(token);
      }
    }
  }

  /** Candles of the token changed in a ledger that closed at `time`. */
  open(token: number, time: number): void {
    const first = token * FRAMES;
    if (this.#opened[first] === bucketStart(SECONDS[0]!, time)) return;
    this.#reserve(token);
    for (let frame = 0; frame < FRAMES; frame++) {
      const row = first + frame;
      const start = bucketStart(SECONDS[frame]!, time);
      if (this.#opened[row] === start) continue;
      this.#opened[row] = start;
      this.table.markDirty(row);
    }
  }

  #reserve(token: number): void {
    const rows = (token + 1) * FRAMES;
    if (rows <= this.table.count) return;
    this.table.reserve(rows);
    this.table.count = rows;
    this.table.markDirty(0);
  }

  #fold(row: number, close: number): void {
    const count = this.#count[row]!;
    if (count > 0) {
      const change = close - this.#close[row]!;
      this.#gain[row] = wilderAverage(this.#gain[row]!, Math.max(change, 0), count);
      this.#loss[row] = wilderAverage(this.#loss[row]!, Math.max(-change, 0), count);
    }
    this.#close[row] = close;
    this.#count[row] = count + 1;
    this.table.markDirty(row);
  }

  /** For a store of a version without this table: from all its candles. @param time close time of its newest ledger */
  #readCandles(store: Pick<StoreReads, 'candles'>, time: number): void {
    const { last, end } = this.#prices;
    for (let token = 1; token < end; token++) {
      if (last[token] === 0) continue;
      this.#reserve(token);
      for (const level of LEVELS) this.#readLevel(store, token, level, time);
    }
  }

  /** Frames that are made of the same stored candles are read together. */
  #readLevel(
    store: Pick<StoreReads, 'candles'>,
    token: number,
    { level, frames }: FramesOfLevel,
    time: number,
  ) {
    const close = new Float64Array(FRAMES);
    const first = token * FRAMES;
    store.candles(level, token, {}, (bucket, record) => {
      const price = storedClose(record);
      for (const frame of frames) {
        const start = bucketStart(SECONDS[frame]!, bucket);
        const opened = this.#opened[first + frame]!;
        if (opened !== 0 && start !== opened) this.#fold(first + frame, close[frame]!);
        this.#opened[first + frame] = start;
        close[frame] = price;
      }
      return true;
    });
    for (const frame of frames) {
      const row = first + frame;
      const opened = this.#opened[row]!;
      this.table.markDirty(row);
      if (opened === 0 || opened === bucketStart(SECONDS[frame]!, time)) continue;
      this.#fold(row, close[frame]!);
      this.#opened[row] = 0;
    }
  }
}
