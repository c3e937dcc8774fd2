/** Worker thread: runs one heavy read over the memory that the main thread writes. */
import { HEAVY_TASKS, type HeavyResult, type SharedReads, sharedReads } from '../engine/heavy-reads.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import { OutdatedDescriptionError } from '../engine/state/table-memory.ts';
import type { HeavyRequest, HeavyResponse } from './heavy-reads.ts';

class CancelledError extends Error {}

export default function heavyRead({ name, input, state, cancelled, ...others }: HeavyRequest): HeavyResponse {
  const word = new Int32Array(cancelled);
  const check = (): void => {
    if (Atomics.load(word, 0) !== 0) throw new CancelledError();
  };
  try {
    check();
    const run = HEAVY_TASKS[name] as (
      ...task: [SharedReads, typeof input, typeof check]
    ) => HeavyResult<typeof name>;
    return { kind: 'done', result: run(sharedReads(state, others), input, check) };
  } catch (fault) {
    if (fault instanceof CancelledError) return { kind: 'cancelled' };
    if (fault instanceof OutdatedDescriptionError) return { kind: 'outdated' };
    if (fault instanceof OvertakenError) return { kind: 'overtaken' };
    throw fault;
  }
}
