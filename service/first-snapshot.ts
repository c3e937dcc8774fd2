/** Takes the state of an empty store from nodes, asking again for as long as none gives it. */
import { type Clock, sleep } from '../engine/ledger/clock.ts';
import { SourceError } from '../engine/ledger/source.ts';
import { type SnapshotPlan, takeSnapshot, UnusableSnapshotError } from '../engine/snapshot.ts';
import { processClock } from './sources.ts';

/** First and longest pause between two tries; it doubles. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 15_000;
/** A node that starts knows no ledgers for a while: so often must none have the state before what is loaded is given up. */
const MISSING_MAX = 8;

/**
 * @returns false when the signal ended it first
 * @throws UnusableSnapshotError when what was loaded is false, or no node can continue it any more
 */
export async function takeFirstSnapshot(plan: SnapshotPlan, clock: Clock = processClock): Promise<boolean> {
  let reason = '';
  let missing = 0;
  for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    try {
      return await takeSnapshot(plan);
    } catch (fault) {
      if (plan.signal.aborted) return false;
      if (!(fault instanceof SourceError) || fault.code === 'closed') throw fault;
      missing = fault.code === 'missing' ? missing + 1 : 0;
      if (missing >= MISSING_MAX && plan.engine.store.cursor)
        throw new UnusableSnapshotError(`no node can continue the snapshot: ${fault.message}`);
      // Each reason once: it is asked again until a node gives the state, or the operator acts on what the log shows.
      const level = fault.message === reason ? 'debug' : 'warn';
      plan.log[level]({ reason: fault.message }, 'no node gives the state now; asking again');
      reason = fault.message;
      await sleep(clock, pause, plan.signal);
    }
  }
}
