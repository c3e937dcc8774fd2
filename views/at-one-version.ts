/** Long reads in slices, each of them at one version of what it reads. */
import { type CooperativeTask, runToEnd, yieldToLoop } from '../engine/event-loop.ts';
import { type Revision, versionOf } from './versioned-cache.ts';

/** Reads that a ledger overtook, after which the next one runs without yielding: ledgers may follow without a pause. */
const TRIES_MAX = 3;

/** Runs the task, yielding to the event loop between its slices; from the beginning again where a revision moved. */
export async function atOneVersion<T>(
  revisions: readonly Revision[],
  makeTask: () => CooperativeTask<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const version = versionOf(revisions);
    const task = makeTask();
    while (versionOf(revisions) === version) {
      const { done, value } = task.next();
      if (done) return value;
      await yieldToLoop();
    }
  }
  return runToEnd(makeTask());
}
