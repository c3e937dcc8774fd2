/** Intervals of candles: which are stored, where each begins, from which stored one the others are aggregated. */
import { DAY, HOUR, MINUTE, WEEK } from '../ripple-time.ts';

/** Stored levels by number; the numbers are keys in the store. */
export const CANDLE_LEVELS = [MINUTE, 5 * MINUTE, HOUR, DAY] as const;
export type CandleLevel = 0 | 1 | 2 | 3;

/** The Ripple epoch, 2000-01-01, was a Saturday; weeks start Monday 00:00 UTC, two days later. */
const FIRST_MONDAY = 2 * DAY;

/** Start of the interval of `seconds` that contains `time` (Ripple epoch seconds; the epoch is a midnight UTC). */
export function bucketStart(seconds: number, time: number): number {
  if (seconds === WEEK) return Math.floor((time - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY;
  return Math.floor(time / seconds) * seconds;
}

/** The coarsest stored level whose candles tile the interval. */
export function baseLevel(seconds: number): CandleLevel {
  for (let level = CANDLE_LEVELS.length - 1; level > 0; level--)
    if (seconds % CANDLE_LEVELS[level]! === 0) return level as CandleLevel;
  return 0;
}
