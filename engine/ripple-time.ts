/** Ledgers count seconds from 2000-01-01T00:00:00Z; the API uses Unix milliseconds. */

/** In seconds. The Ripple epoch is a midnight UTC, so its whole hours and days are those of the calendar. */
export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;
export const WEEK = 7 * DAY;
export const DAY_HOURS = 24;

/** In milliseconds. */
export const HOUR_MS = 1000 * HOUR;
export const DAY_MS = 1000 * DAY;

/** Seconds from the Unix epoch to the Ripple epoch. */
export const RIPPLE_EPOCH = 946_684_800;

/** @param seconds Ripple epoch seconds. */
export function unixMs(seconds: number): number {
  return (seconds + RIPPLE_EPOCH) * 1000;
}

/** The ledger counts in 32 bits. */
const SECONDS_MAX = 0xffff_ffff;

/** Ripple epoch seconds, rounded down, limited to the times of ledgers: 0 before 2000. */
export function rippleSeconds(ms: number): number {
  return Math.min(SECONDS_MAX, Math.max(0, Math.floor(ms / 1000) - RIPPLE_EPOCH));
}
