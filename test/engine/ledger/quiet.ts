/** What the ledger tests hand to sources and the follower: a silent log, real timers, short limits, seeded chance. */
import { timerClock } from '../../../engine/ledger/clock.ts';
import { LIMITS, type Limits } from '../../../engine/ledger/limits.ts';
import type { Log } from '../../../engine/log.ts';

export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const testClock = timerClock(() => performance.now());

/** The real limits with times a hundred times shorter, so that a switch "within 5 s" must happen within 50 ms. */
export const SHORT: Limits = {
  ...LIMITS,
  silence: 150,
  requestTimeout: 60,
  connectTimeout: 100,
  snapshotTimeout: 300,
  backoffFirst: 5,
  backoffMost: 100,
  lieBackoff: 400,
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
export async function until(condition: () => boolean, most = 5_000): Promise<void> {
  const end = performance.now() + most;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited ${most} ms in vain`);
    await Bun.sleep(2);
  }
}
