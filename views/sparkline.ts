/** Closing prices of a day or a week, for small charts. */

import type { Charts } from './charts.ts';
import { downsample } from './downsample.ts';
import { numberText, rounded } from './number-format.ts';

/** Colours of a line that went up or down. */
const UP = '#54D62C';
const DOWN = '#ed5565';

/** 24 h in candles of five minutes, 7 d in candles of an hour. */
const SPARKLINES = {
  '24h': { range: '1D', interval: '5m' },
  '7d': { range: '7D', interval: '1h' },
} as const;

/** Places of time and closing price in a row. */
const TIME = 0;
const CLOSE = 4;

export interface SparklineQuery {
  readonly token: number;
  readonly period: '24h' | '7d';
  readonly currency: 'XRP' | 'USD';
  /** Most points; undefined: all there are. */
  readonly points?: number | undefined;
  /** Percent change to show instead of the line's own. */
  readonly change?: number | undefined;
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

/** Closing prices of the period, oldest first. Percent change is from the first to the last of all points. */
export function sparkline(charts: Charts, query: SparklineQuery): Sparkline {
  const { range, interval } = SPARKLINES[query.period];
  const { token, currency } = query;
  const { rows } = charts.ohlc({ token, interval, range, currency, invert: false });
  const times = rows.map((row) => row[TIME]!);
  const prices = rows.map((row) => row[CLOSE]!);
  const first = prices[0];
  const own = first === undefined ? 0 : (prices.at(-1)! / first - 1) * 100;
  const change = query.change ?? own;
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
