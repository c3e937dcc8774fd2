/**
 * Reads that take too long for the thread that applies ledgers and answers requests: the tasks, and the interface to run
 * them. They run in worker threads, on the memory that the main thread writes (state/shared-state.ts);
 * workers/heavy-reads.ts runs them.
 *
 *     views --- run('rankHolders', { token }) ---> queue ---> worker thread: HEAVY_TASKS.rankHolders(state, { token })
 *           <-- value, index of its ledger ------------------'
 *
 * A task is a pure function of a state. To add one: a function, and its row in HEAVY_TASKS. Input and result must be
 * cloneable; large results belong on shared memory.
 */
import { type HolderColumns, HolderGathering } from './state/holder-ranking.ts';
import type { SharedState } from './state/shared-state.ts';

/** A result, and the ledger it belongs to. */
export interface OfLedger<T> {
  readonly value: T;
  /** Index of the ledger whose state was read. */
  readonly ledger: number;
}

/** @param check call now and then: it throws when the result is not wanted any more. */
type Task<Input, Result> = (state: SharedState, input: Input, check: () => void) => OfLedger<Result>;

/** Holders of a token, largest first, on shared memory. */
const rankHolders: Task<{ readonly token: number }, HolderColumns> = (state, { token }, check) => {
  const { value: gathered, ledger } = state.read(() => {
    check();
    const list = state.lines.holders(token);
    const gathering = new HolderGathering(list.length);
    gathering.add(state, token, list, 0, list.length);
    return gathering;
  });
  check();
  return { value: gathered.ordered(true), ledger };
};

export const HEAVY_TASKS = { rankHolders } as const;

export type HeavyTaskName = keyof typeof HEAVY_TASKS;
export type HeavyInput<N extends HeavyTaskName> = Parameters<(typeof HEAVY_TASKS)[N]>[1];
export type HeavyResult<N extends HeavyTaskName> = ReturnType<(typeof HEAVY_TASKS)[N]>;

export interface HeavyReads {
  /**
   * Runs a task in another thread.
   * @param signal ends it early: it then rejects with the signal's reason
   * @throws HeavyReadsBusyError when too many wait, or it took too long
   * @throws OvertakenError when ledgers followed one another faster than the state could be read
   */
  run<N extends HeavyTaskName>(name: N, input: HeavyInput<N>, signal?: AbortSignal): Promise<HeavyResult<N>>;
}

/** The threads have more to do than they can do in time. Come again later. */
export class HeavyReadsBusyError extends Error {
  override readonly name = 'HeavyReadsBusyError';
}
