/** What the ledger tests pass to sources and the follower: a silent log, real timers, short limits, seeded random numbers. */
import { timerClock } from '../../../engine/ledger/clock.ts';
import { LIMITS, type Limits } from '../../../engine/ledger/limits.ts';
import type { Log } from '../../../engine/log.ts';

export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const testClock = timerClock(() => performance.now());

/** By how much the limits are shorter here than in the service. */
export const SPEED = 10;

/** The real limits with all times shorter by SPEED: a switch within 5 s must then happen within 0.5 s. */
export const SHORT: Limits = {
  ...LIMITS,
  silence: LIMITS.silence / SPEED,
  requestTimeout: LIMITS.requestTimeout / SPEED,
  requestTimeoutMax: LIMITS.requestTimeoutMax / SPEED,
  hedge: LIMITS.hedge / SPEED,
  connectTimeout: LIMITS.connectTimeout / SPEED,
  snapshotTimeout: LIMITS.snapshotTimeout / SPEED,
  backoffFirst: LIMITS.backoffFirst / SPEED,
  backoffMax: LIMITS.backoffMax / SPEED,
  distrustPause: LIMITS.distrustPause / SPEED,
  distrustPauseAlone: LIMITS.distrustPauseAlone / SPEED,
  distrustPauseAloneMax: LIMITS.distrustPauseAloneMax / SPEED,
  distrustResetAfter: LIMITS.distrustResetAfter / SPEED,
  claimGrace: LIMITS.claimGrace / SPEED,
  claimPauseFirst: LIMITS.claimPauseFirst / SPEED,
  claimPauseMax: LIMITS.claimPauseMax / SPEED,
  messageBytes: 2_000_000,
};

/** Seeded pseudo-random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let hashed = Math.imul(state ^ (state >>> 15), 1 | state);
    hashed = (hashed + Math.imul(hashed ^ (hashed >>> 7), 61 | hashed)) ^ hashed;
    return ((hashed ^ (hashed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Waits until `condition` holds; fails after `most` milliseconds. */
export async function until(condition: () => boolean, most = 120_000): Promise<void> {
  const end = performance.now() + most;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`the condition did not hold within ${most} ms`);
    await Bun.sleep(2);
  }
}
