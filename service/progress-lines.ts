/** Log lines that show how far long work has come, at most one every PROGRESS_EVERY_MS. */
import type { FollowProgress } from '../engine/ledger/progress.ts';
import type { Log } from '../engine/log.ts';

const PROGRESS_EVERY_MS = 2_000;

/** @returns what to call with the entries taken so far and their share of all (0 to 1) */
export function snapshotLines(log: Log): (entries: number, share: number) => void {
  const started = performance.now();
  let last = started;
  return (entries, share) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    const secondsLeft = share > 0 ? Math.round(((now - started) / 1000) * (1 / share - 1)) : undefined;
    log.info({ entries, percent: Math.round(share * 1000) / 10, secondsLeft }, 'taking the snapshot');
  };
}

/**
 * Once it has caught up, only a delay of PROGRESS_EVERY_MS is worth a line: a network that makes its history closes ledgers
 * as fast as they are followed, and is behind by some of them many times a second.
 * @param whole the source itself reports when its history is complete
 */
export function catchUpLines(
  log: Log,
  whole: boolean,
  now = () => performance.now(),
): (progress: FollowProgress) => void {
  let last = whole ? undefined : Number.NEGATIVE_INFINITY;
  let isShown = !whole;
  return ({ done, total, rate, eta }) => {
    const left = total - done;
    if (left === 0 && isShown)
      log.info({ ledgers: done }, whole ? 'caught up' : 'caught up: the history is complete');
    if (left === 0) isShown = false;
    if (left <= 1) {
      if (!isShown) last = undefined;
      return;
    }
    last ??= now();
    if (now() - last < PROGRESS_EVERY_MS) return;
    last = now();
    isShown = true;
    const secondsLeft = eta === undefined ? undefined : Math.ceil(eta);
    log.info({ done, total, ledgersPerSecond: Math.round(rate), secondsLeft }, 'catching up');
  };
}

/** @returns what to call with the ledgers applied so far and the number of all */
export function rebuildLines(log: Log): (done: number, total: number) => void {
  let last = performance.now();
  return (done, total) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    log.info({ done, total }, 'rebuilding the store from its ledgers');
  };
}
