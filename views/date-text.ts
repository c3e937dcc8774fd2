import { unixMs } from '../engine/ripple-time.ts';

/** YYYY-MM-DD (UTC). @param ms Unix ms */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The same of a close time. @param seconds Ripple epoch seconds */
export function dateText(seconds: number): string {
  return dayText(unixMs(seconds));
}
