/**
 * Market sentiment: two numbers from 0 to 100.
 *
 * Both are computed from the active tokens: those that count in the market cap (state/listing.ts) and traded in the last
 * 24 hours, without anchors, since the price of an anchor in XRP falls when XRP rises.
 *
 *   avgRSI           mean of the tokens' RSI, weighted by their volume of 24 hours. RSI: Wilder's, of 14 periods
 *                    (metrics/rsi.ts), over closing prices in XRP of the last RSI_CANDLES closed candles of four hours;
 *                    a token with fewer than 15 has none. Of the RSI_TOKENS with the most volume. 50 is neutral
 *   sentimentScore   mean of those of three shares that are known, in percent:
 *                      breadth   of the tokens' volume, that of tokens whose price rose over 24 hours; of those whose
 *                                price did not change, half
 *                      buying    of the tokens' volume, what was bought
 *                      avgRSI
 *
 * They change at the first ledger of an hour (avgRSI: of four hours, when candles have closed) and follow from the ledgers
 * alone; absent while there is no active token.
 *
 * Cost: RSI_TOKENS series of candles read from the store every four hours, and one pass over the active tokens every hour.
 */

import type { RowSteps } from '../event-loop.ts';
import { rsi } from '../metrics/rsi.ts';
import { HOUR } from '../ripple-time.ts';
import {
  CANDLE_COLUMNS,
  Candle,
  type CandleQuery,
  type CandleSeries,
  type Figures,
  Window,
} from './figures.ts';
import { type Meta, Scalar } from './meta.ts';
import type { Windows } from './windows.ts';

const RSI_CANDLE = 4 * HOUR;
const RSI_PERIOD = 14;
/** Three times the period: older prices weigh less than an eighth. */
const RSI_CANDLES = 3 * RSI_PERIOD + 1;
const RSI_TOKENS = 100;
const SERIES_A_STEP = 20;
/** Stored values are one larger than the number, so that 0 means there is none. */
const STORED_OFFSET = 1;

export interface SentimentParts {
  readonly windows: Windows;
  readonly candles: { series(query: CandleQuery): CandleSeries };
  readonly totals: { readonly ofMarket: Iterable<number> };
  readonly anchors: { isAnchor(token: number, time: number): boolean };
  readonly meta: Meta;
}

export class Sentiment {
  readonly #parts: SentimentParts;

  constructor(parts: SentimentParts) {
    this.#parts = parts;
  }

  /** After a ledger: measures, if it is the first of its hour. In steps. */
  *measuring(time: number): RowSteps {
    const { meta } = this.#parts;
    const hour = Math.floor(time / HOUR);
    const last = meta.get(Scalar.sentimentHour);
    if (hour === last) return;
    meta.set(Scalar.sentimentHour, hour);
    const tokens = this.#active(time);
    yield tokens.length;
    const bucket = Math.floor(time / RSI_CANDLE);
    if (bucket !== Math.floor((last * HOUR) / RSI_CANDLE)) {
      const average = yield* this.#averageRsi(tokens.slice(0, RSI_TOKENS), bucket * RSI_CANDLE);
      meta.set(Scalar.averageRsi, average === undefined ? 0 : average + STORED_OFFSET);
    }
    const score = this.#score(tokens);
    meta.set(Scalar.sentiment, score === undefined ? 0 : score + STORED_OFFSET);
  }

  /** Active tokens, most volume first. */
  #active(time: number): number[] {
    const { windows, totals, anchors } = this.#parts;
    // Looked up once: a sort compares each of thousands a dozen times.
    const active: { readonly token: number; readonly volume: number }[] = [];
    for (const token of totals.ofMarket) {
      const volume = windows.volumeDrops(token, Window.h24);
      if (volume > 0 && !anchors.isAnchor(token, time)) active.push({ token, volume });
    }
    return active.sort((a, b) => b.volume - a.volume || a.token - b.token).map(({ token }) => token);
  }

  /** @param end candles that begin before it are closed */
  *#averageRsi(tokens: readonly number[], end: number): Generator<number, number | undefined> {
    const { windows, candles } = this.#parts;
    let sum = 0;
    let weight = 0;
    for (const [i, token] of tokens.entries()) {
      if (i > 0 && i % SERIES_A_STEP === 0) yield SERIES_A_STEP;
      const { rows, length } = candles.series({
        token,
        seconds: RSI_CANDLE,
        to: end - 1,
        limit: RSI_CANDLES,
      });
      const closes = Array.from({ length }, (_, i) => rows[i * CANDLE_COLUMNS + Candle.close]!);
      const index = rsi(closes, RSI_PERIOD);
      if (index === undefined) continue;
      const volume = windows.volumeDrops(token, Window.h24);
      sum += index * volume;
      weight += volume;
    }
    return weight > 0 ? sum / weight : undefined;
  }

  #score(tokens: readonly number[]): number | undefined {
    const { windows } = this.#parts;
    let volume = 0;
    let risen = 0;
    let bought = 0;
    let sides = 0;
    for (const token of tokens) {
      const drops = windows.volumeDrops(token, Window.h24);
      const change = windows.change(token, Window.h24) ?? 0;
      volume += drops;
      risen += change > 0 ? drops : change === 0 ? drops / 2 : 0;
      bought += windows.buyDrops(token);
      sides += windows.buyDrops(token) + windows.sellDrops(token);
    }
    const shares = volume > 0 ? [(risen / volume) * 100] : [];
    if (sides > 0) shares.push((bought / sides) * 100);
    const average = this.averageRsi;
    if (average !== undefined) shares.push(average);
    return shares.length > 0 ? shares.reduce((a, b) => a + b) / shares.length : undefined;
  }

  get averageRsi(): number | undefined {
    return this.#known(Scalar.averageRsi);
  }

  #known(scalar: number): number | undefined {
    const kept = this.#parts.meta.get(scalar);
    return kept === 0 ? undefined : kept - STORED_OFFSET;
  }

  /** `avgRSI` and `sentimentScore`. */
  figures(): Figures {
    const avgRSI = this.averageRsi;
    const sentimentScore = this.#known(Scalar.sentiment);
    return {
      ...(avgRSI !== undefined && { avgRSI }),
      ...(sentimentScore !== undefined && { sentimentScore }),
    };
  }
}
