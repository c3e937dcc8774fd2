/**
 * RSI of every token in seven frames, kept current: one row for each token and frame.
 *
 * The RSI of a frame is Wilder's, of 14 periods (metrics/rsi.ts), over the closing prices in XRP of all closed candles
 * that are as long as the frame. They are the candles of `/ohlc`: an interval in which nothing traded and no price was
 * set has none and counts nothing; one whose trades set no price (prices.ts) closes at the price before it. Days begin at
 * midnight UTC, weeks on Monday; frames of 30 and 90 days are counted from 2000-01-01. With fewer than 15 closed candles it is
 * not known.
 *
 *     ledger closes --> trade of a token --> frames whose interval has ended: the price before it is their close, folded
 *                   --> tokens with a new candle: their intervals are open
 *                   --> frames whose interval has ended: tokens with a candle in it have a new figure
 *
 * A candle whose interval has ended is closed for whoever reads; it is folded into the row only when the token trades
 * again, since at the end of an hour tens of thousands are closed at once.
 *
 * Goals: a figure is a few divisions when it is read, and bit for bit what the kernel gives of all closes. Non-goals: the
 * running candle; fiat.
 *
 * Cost: a token that trades looks at one column. When an interval ends, one pass over the `opened` column of the frame:
 * a millisecond for 120,000 tokens. 32 bytes a token and frame.
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
  /** Tokens whose figures changed since intervals ended with the newest ledger; those that it traded may be left out. */
  readonly closed = new Set<number>();
  /** Averages as in the kernel, XRP. */
  readonly #gain: Float64Array;
  readonly #loss: Float64Array;
  /** Close of the last closed candle, XRP. */
  readonly #close: Float64Array;
  /** Closed candles. */
  readonly #count: Uint32Array;
  /** Start of the newest candle, which is not folded; 0 = there was none. */
  readonly #opened: Uint32Array;
  readonly #prices: PricedTokens;
  readonly #closeTime: () => number;
  /** Start of the running interval of each frame, and of the one before. Empty: not known yet. */
  #running: readonly number[] = [];
  #before: readonly number[] = [];

  /**
   * @param tokens most tokens there are
   * @param closeTime of the newest ledger
   */
  constructor(tokens: number, prices: PricedTokens, closeTime: () => number) {
    this.table = new Table(TableId.relativeStrength, 'relative strength', tokens * FRAMES);
    this.#gain = this.table.f64('gain');
    this.#loss = this.table.f64('loss');
    this.#close = this.table.f64('close');
    this.#count = this.table.u32('count');
    this.#opened = this.table.u32('opened');
    this.#prices = prices;
    this.#closeTime = closeTime;
    this.table.onNew((store) => this.#readCandles(store));
  }

  /** 0 to 100; undefined with fewer than 15 closed candles. */
  of(token: number, name: RsiFrame): number | undefined {
    const frame = RSI_FRAMES.indexOf(name);
    const row = token * FRAMES + frame;
    if (row >= this.table.count) return undefined;
    if (!this.#isOver(row, this.#starts()[frame]!)) {
      if (this.#count[row]! <= RSI_PERIOD) return undefined;
      return rsiOfAverages(this.#gain[row]!, this.#loss[row]!);
    }
    const count = this.#count[row]!;
    if (count < RSI_PERIOD) return undefined;
    const change = this.#prices.last[token]! - this.#close[row]!;
    return rsiOfAverages(
      wilderAverage(this.#gain[row]!, Math.max(change, 0), count),
      wilderAverage(this.#loss[row]!, Math.max(-change, 0), count),
    );
  }

  /** Whether the RSI of any frame is known. */
  isKnown(token: number): boolean {
    const first = token * FRAMES;
    if (first >= this.table.count) return false;
    const starts = this.#starts();
    for (let frame = 0; frame < FRAMES; frame++) {
      const count = this.#count[first + frame]!;
      if (count < RSI_PERIOD) continue;
      if (count > RSI_PERIOD || this.#isOver(first + frame, starts[frame]!)) return true;
    }
    return false;
  }

  /** A ledger closes at `time`; before its trades. */
  begin(time: number): void {
    this.#before = this.#starts();
    if (bucketStart(SECONDS[0]!, time) !== this.#before[0]) this.#running = startsAt(time);
  }

  /** After its trades: finds the tokens whose intervals ended with it. */
  findClosed(): void {
    const { end } = this.#prices;
    this.closed.clear();
    for (let frame = 0; frame < FRAMES; frame++) {
      const [before, start] = [this.#before[frame]!, this.#running[frame]!];
      if (before === start) continue;
      for (let token = 1, row = FRAMES + frame; token < end; token++, row += FRAMES) {
        const opened = this.#opened[row]!;
        if (opened !== 0 && opened >= before && opened < start) this.closed.add(token);
      }
    }
  }

  /** The price of a token may change in a ledger for which `begin` was called. @param last before that, XRP */
  close(token: number, last: number): void {
    const first = token * FRAMES;
    // While the shortest interval runs, none is over. Its candle may be folded and the longer ones not.
    if (this.#opened[first] === this.#running[0]) return;
    for (let frame = 0; frame < FRAMES; frame++) {
      if (!this.#isOver(first + frame, this.#running[frame]!)) continue;
      this.#fold(first + frame, last);
      this.#opened[first + frame] = 0;
    }
  }

  /** Candles of the token changed in that ledger. */
  open(token: number): void {
    const first = token * FRAMES;
    if (this.#opened[first] === this.#running[0]) return;
    this.#reserve(token);
    for (let frame = 0; frame < FRAMES; frame++) {
      const row = first + frame;
      if (this.#opened[row] === this.#running[frame]) continue;
      this.#opened[row] = this.#running[frame]!;
      this.table.markDirty(row);
    }
  }

  /** Whether the row's newest candle is closed, though not folded. */
  #isOver(row: number, start: number): boolean {
    const opened = this.#opened[row];
    return opened !== undefined && opened !== 0 && opened < start;
  }

  #starts(): readonly number[] {
    if (this.#running.length === 0) this.#running = startsAt(this.#closeTime());
    return this.#running;
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

  /** For a store of a version without this table: from all its candles. */
  #readCandles(store: Pick<StoreReads, 'candles'>): void {
    const { last, end } = this.#prices;
    for (let token = 1; token < end; token++) {
      if (last[token] === 0) continue;
      this.#reserve(token);
      for (const level of LEVELS) this.#readLevel(store, token, level);
    }
  }

  /** Frames that are made of the same stored candles are read together. */
  #readLevel(store: Pick<StoreReads, 'candles'>, token: number, { level, frames }: FramesOfLevel): void {
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
    for (const frame of frames) this.table.markDirty(first + frame);
  }
}

function startsAt(time: number): number[] {
  return SECONDS.map((seconds) => bucketStart(seconds, time));
}
