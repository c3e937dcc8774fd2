/** Ledgers count seconds from 2000-01-01T00:00:00Z; the edge speaks Unix milliseconds. */

/** Seconds from the Unix epoch to the Ripple epoch. */
export const RIPPLE_EPOCH = 946_684_800;

/** @param seconds Ripple epoch seconds. */
export function unixMs(seconds: number): number {
  return (seconds + RIPPLE_EPOCH) * 1000;
}

/** Ripple epoch seconds, rounded down; negative for times before 2000. */
export function rippleSeconds(ms: number): number {
  return Math.floor(ms / 1000) - RIPPLE_EPOCH;
}
