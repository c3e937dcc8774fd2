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

/** @param whole the source itself reports when its history is complete; only a real delay is worth a line here. */
export function catchUpLines(log: Log, whole: boolean): (progress: FollowProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let isBehind = !whole;
  return ({ done, total, rate, eta }) => {
    const left = total - done;
    if (left === 0 && isBehind) {
      isBehind = false;
      log.info({ ledgers: done }, 'caught up: the history is complete');
    }
    if (left <= 1 || performance.now() - last < PROGRESS_EVERY_MS) return;
    last = performance.now();
    isBehind = true;
    log.info({ done, total, ledgersPerSecond: Math.round(rate), secondsLeft: eta }, 'catching up');
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
