/** Closing prices of a day or a week, for small charts. */

import { Window } from '../engine/market/figures.ts';
import type { Market } from '../engine/market/market.ts';
import type { Charts } from './charts.ts';
import { downsample } from './downsample.ts';
import { finite, numberText, rounded } from './number-format.ts';

/** Colours of a line that went up or down. */
const UP = '#54D62C';
const DOWN = '#ed5565';

/** 24 h in candles of five minutes, 7 d in candles of an hour. */
const SPARKLINES = {
  '24h': { range: '1D', interval: '5m', window: Window.h24 },
  '7d': { range: '7D', interval: '1h', window: Window.d7 },
} as const;

/** Places of time and closing price in a row. */
const TIME = 0;
const CLOSE = 4;

export interface SparklineQuery {
  readonly token: number;
  readonly period: keyof typeof SPARKLINES;
  readonly currency: 'XRP' | 'USD';
  /** Most points; undefined: all there are. */
  readonly points?: number | undefined;
  /** Percent change to show instead of the line's own. */
  readonly change?: number | undefined;
  /** Percent change of the token's row in that time; undefined: not known, or in another currency. */
  readonly rowChange?: number | undefined;
}

export interface Sparkline {
  readonly chartColor: string;
  readonly percentChange: number;
  readonly prices: readonly string[];
  /** Unix ms. */
  readonly timestamps: readonly number[];
  readonly max: string | undefined;
  readonly min: string | undefined;
}

/** Percent change of the token's row over the period, in XRP. */
export function rowChange(
  { windows }: Market,
  token: number,
  period: keyof typeof SPARKLINES,
): number | undefined {
  return finite(windows.change(token, SPARKLINES[period].window));
}

/**
 * Closing prices of the period, oldest first. Percent change is that of the token's row, which begins with the price before the
 * first point; where it is not given, from the first to the last of all points.
 */
export function sparkline(charts: Charts, query: SparklineQuery): Sparkline {
  const { range, interval } = SPARKLINES[query.period];
  const { token, currency } = query;
  const { rows } = charts.ohlc({ token, interval, range, currency, invert: false });
  const times = rows.map((row) => row[TIME]!);
  const prices = rows.map((row) => row[CLOSE]!);
  const first = prices[0];
  const own = first === undefined ? 0 : (prices.at(-1)! / first - 1) * 100;
  const change = query.change ?? query.rowChange ?? own;
  const kept = query.points === undefined ? prices.map((_, i) => i) : downsample(prices.length, query.points);
  return {
    chartColor: change >= 0 ? UP : DOWN,
    percentChange: rounded(change, 4),
    prices: kept.map((i) => numberText(prices[i]!)),
    timestamps: kept.map((i) => times[i]!),
    max: first === undefined ? undefined : numberText(prices.reduce((a, b) => Math.max(a, b))),
    min: first === undefined ? undefined : numberText(prices.reduce((a, b) => Math.min(a, b))),
  };
}
