/** What the ledger tests hand to sources and the follower: a silent log, real timers, short limits, seeded chance. */
import { timerClock } from '../../../engine/ledger/clock.ts';
import { LIMITS, type Limits } from '../../../engine/ledger/limits.ts';
import type { Log } from '../../../engine/log.ts';

export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const testClock = timerClock(() => performance.now());

/** How much faster than in service the limits run here. */
export const SPEED = 10;

/** The real limits with all times shorter by SPEED: a switch within 5 s must then happen within 0.5 s. */
export const SHORT: Limits = {
  ...LIMITS,
  silence: LIMITS.silence / SPEED,
  requestTimeout: LIMITS.requestTimeout / SPEED,
  requestTimeoutMost: LIMITS.requestTimeoutMost / SPEED,
  hedge: LIMITS.hedge / SPEED,
  connectTimeout: LIMITS.connectTimeout / SPEED,
  snapshotTimeout: LIMITS.snapshotTimeout / SPEED,
  backoffFirst: LIMITS.backoffFirst / SPEED,
  backoffMost: LIMITS.backoffMost / SPEED,
  lieBackoff: LIMITS.lieBackoff / SPEED,
  lieBackoffAlone: LIMITS.lieBackoffAlone / SPEED,
  lieBackoffAloneMost: LIMITS.lieBackoffAloneMost / SPEED,
  lieForgivenAfter: LIMITS.lieForgivenAfter / SPEED,
  claimGrace: LIMITS.claimGrace / SPEED,
  claimPauseFirst: LIMITS.claimPauseFirst / SPEED,
  claimPauseMost: LIMITS.claimPauseMost / SPEED,
  messageBytes: 2_000_000,
};

/** Seeded pseudo-random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Waits until `condition` holds; fails after `most` milliseconds. */
export async function until(condition: () => boolean, most = 120_000): Promise<void> {
  const end = performance.now() + most;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited ${most} ms in vain`);
    await Bun.sleep(2);
  }
}
