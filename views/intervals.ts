/** What chart clients call intervals and ranges; where intervals begin and what they are made of: market/intervals. */
import { baseLevel, CANDLE_LEVELS } from '../engine/market/intervals.ts';
import { DAY, HOUR, MINUTE, WEEK } from '../engine/ripple-time.ts';

export const INTERVALS = {
  '1m': { seconds: MINUTE },
  '5m': { seconds: 5 * MINUTE },
  '15m': { seconds: 15 * MINUTE },
  '30m': { seconds: 30 * MINUTE },
  '1h': { seconds: HOUR },
  '2h': { seconds: 2 * HOUR },
  '4h': { seconds: 4 * HOUR },
  '1d': { seconds: DAY },
  '1w': { seconds: WEEK },
} as const;

export type Interval = keyof typeof INTERVALS;
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[];

/** The stored interval that this one is gathered from. */
export function baseOf(interval: Interval): Interval {
  const stored = CANDLE_LEVELS[baseLevel(INTERVALS[interval].seconds)];
  return INTERVAL_NAMES.find((name) => INTERVALS[name].seconds === stored)!;
}

/** Ranges, each with the default interval of its chart. ALL = from the first candle. */
export const RANGES = {
  '1D': { seconds: DAY, interval: '5m' },
  '5D': { seconds: 5 * DAY, interval: '15m' },
  '7D': { seconds: 7 * DAY, interval: '30m' },
  '1M': { seconds: 30 * DAY, interval: '2h' },
  '3M': { seconds: 90 * DAY, interval: '4h' },
  '1Y': { seconds: 365 * DAY, interval: '1d' },
  '5Y': { seconds: 5 * 365 * DAY, interval: '1w' },
  ALL: { seconds: Number.POSITIVE_INFINITY, interval: '1d' },
} as const satisfies Record<string, { seconds: number; interval: Interval }>;

export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** `resolution` as chart clients send it: minutes, or D and W. Anything between takes the next finer interval. */
export function intervalOfResolution(text: string): Interval | undefined {
  const upper = text.trim().toUpperCase();
  if (/^\d*D$/.test(upper)) return '1d';
  if (/^\d*W$/.test(upper)) return '1w';
  const minutes = Number(upper);
  if (!Number.isFinite(minutes) || minutes < 1) return undefined;
  let found: Interval = '1m';
  for (const name of INTERVAL_NAMES) if (INTERVALS[name].seconds <= minutes * MINUTE) found = name;
  return found;
}

/** The `resolution` of an interval, as it is echoed. */
export function resolutionOf(interval: Interval): string {
  if (interval === '1d') return 'D';
  if (interval === '1w') return 'W';
  return String(INTERVALS[interval].seconds / MINUTE);
}
