/**
 * What a second thread does of a restore, over shared memory, while the main thread does the rest.
 *
 *     main thread   first blocks | blocks of the other tables, what the log has of them | tokens, lists, books | takes the indexes
 *     this one                   | blocks of the largest table, what the log has of it  | indexes of accounts and lines |
 *
 * Goal: a state of gigabytes is there sooner: in 0.78 of the time on two virtual cores that share one, where both threads slow each
 * other down. Non-goals: small states (a thread takes some 50 ms to start); being needed: what it does not answer, or answers in
 * vain, the main thread does itself, which then fails for the same reason if there is one. The two never write to the same rows,
 * and what is made is the same either way.
 *
 * Cost: a second pass over the log; while an index is filled, the 12 MB of index-fill.ts.
 */
import type { RowSteps } from '../event-loop.ts';
import type { IndexKeys } from './index-keys.ts';
import type { RowsToLoad } from './row-fill.ts';
import type { FilledIndex } from './row-index.ts';
import type { LoadedRows } from './table-memory.ts';

export interface RestoreThread {
  /** Tables and indexes of fewer rows are not given to it. */
  readonly fromRows: number;
  /** There will be something for it to do. */
  start(): void;
  loadRows(task: RowsToLoad): Answer<LoadedRows>;
  /** In their order. */
  fillIndexes(keys: readonly IndexKeys[]): Answer<readonly FilledIndex[]>;
}

/** What the thread will have done. */
export interface Answer<T> {
  /** undefined: it is still at work. null: it could not do it; what it has written is of no use */
  take(): T | null | undefined;
}

/** ms between two looks at an answer. */
const WAIT_MS = 1;

/** Waits for an answer, in steps. @returns null: the thread could not do it */
export function* answerOf<T>(answer: Answer<T>): Generator<number, T | null> {
  for (;;) {
    const taken = answer.take();
    if (taken !== undefined) return taken;
    Bun.sleepSync(WAIT_MS);
    yield 0;
  }
}

/** Fills one index here, and gives it to its owner. */
export interface FillsIndex {
  readonly indexKeys: IndexKeys;
  takeIndex(index: FilledIndex): void;
  fillingIndex(): RowSteps;
}

/** Takes what the thread has filled; what it could not, is filled here. */
export function* takingIndexes(
  answer: Answer<readonly FilledIndex[]>,
  owners: readonly FillsIndex[],
): RowSteps {
  const filled = yield* answerOf(answer);
  for (const [i, owner] of owners.entries()) {
    if (filled) owner.takeIndex(filled[i]!);
    else yield* owner.fillingIndex();
  }
}
