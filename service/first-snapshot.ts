/** Takes the state of an empty store from nodes, asking again for as long as none gives it. */
import { sleep } from '../engine/ledger/clock.ts';
import { SourceError } from '../engine/ledger/source.ts';
import { type SnapshotPlan, takeSnapshot } from '../engine/snapshot.ts';
import { processClock } from './sources.ts';

/** First and longest pause between two tries; it doubles. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 15_000;

/**
 * @returns false when the signal ended it first
 * @throws Error when what was loaded is false, or cannot be resumed
 */
export async function takeFirstSnapshot(plan: SnapshotPlan): Promise<boolean> {
  let reason = '';
  for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    try {
      return await takeSnapshot(plan);
    } catch (fault) {
      if (plan.signal.aborted) return false;
      if (!(fault instanceof SourceError) || fault.code === 'closed' || fault.code === 'false') throw fault;
      // Each reason once: it is asked again until a node gives the state, or the operator acts on what the log shows.
      const level = fault.message === reason ? 'debug' : 'warn';
      plan.log[level]({ reason: fault.message }, 'no node gives the state now; asking again');
      reason = fault.message;
      await sleep(processClock, pause, plan.signal);
    }
  }
}
