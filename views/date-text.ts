import { unixMs } from '../engine/ripple-time.ts';

/** YYYY-MM-DD (UTC) of a close time. @param seconds Ripple epoch seconds */
export function dateText(seconds: number): string {
  return new Date(unixMs(seconds)).toISOString().slice(0, 10);
}
