import { type Clock, sleep } from './clock.ts';

/** The longest pause between two ledgers at ledger pace, in seconds of close time, so that gaps are not waited for. */
const PAUSE_SECONDS_MAX = 30;

/**
 * Delays ledgers of a recording so that they pass at the pace at which they closed.
 * @param times 1: as they closed; 10: ten times as fast
 * @returns a function to await with each ledger's close time (Ripple epoch seconds) before the ledger is passed on
 */
export function pacer(
  clock: Clock,
  times: number,
  signal?: AbortSignal,
): (closeTime: number) => Promise<void> {
  let last: number | undefined;
  return async (closeTime) => {
    const seconds = last === undefined ? 0 : Math.min(closeTime - last, PAUSE_SECONDS_MAX);
    last = closeTime;
    if (seconds > 0) await sleep(clock, (seconds * 1000) / times, signal);
  };
}
