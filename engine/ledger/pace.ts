import { type Clock, sleep } from './clock.ts';

/** The longest pause between two ledgers at ledger pace, in seconds of close time: holes are not waited out. */
const PAUSE_SECONDS_MOST = 30;

/**
 * Holds ledgers of a recording back so that they pass as they closed.
 * @param times 1: as they closed; 10: ten times as fast
 * @returns call it with each ledger's close time (Ripple epoch seconds) before handing the ledger on
 */
export function pacer(
  clock: Clock,
  times: number,
  signal?: AbortSignal,
): (closeTime: number) => Promise<void> {
  let last: number | undefined;
  return async (closeTime) => {
    const seconds = last === undefined ? 0 : Math.min(closeTime - last, PAUSE_SECONDS_MOST);
    last = closeTime;
    if (seconds > 0) await sleep(clock, (seconds * 1000) / times, signal);
  };
}
