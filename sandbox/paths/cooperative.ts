/**
 * Work in turns, and its limit. A search is a generator that gives the thread back wherever it yields; who drives it
 * decides what happens in between. It counts what it looks at, not the time it takes, so that the same question asked
 * of the same ledger has the same answer on every machine.
 */

/** A computation in turns. */
export type CooperativeTask<T> = Generator<void, T>;

/** Entries looked at between two turns: some milliseconds. */
const VISITS_PER_SLICE = 400;

/** What one request may look at and try. */
export class SearchBudget {
  #visits: number;
  #trials: number;
  #visitsInSlice = 0;

  /**
   * @param visits trust lines and books that are looked at
   * @param trials candidates whose liquidity is tried
   */
  constructor(visits = 60_000, trials = 3_000) {
    this.#visits = visits;
    this.#trials = trials;
  }

  /** No more links are to be looked for. */
  get exhausted(): boolean {
    return this.#visits <= 0;
  }

  visit(count = 1): void {
    this.#visits -= count;
    this.#visitsInSlice += count;
  }

  /** @returns false when no more candidates may be tried */
  trial(): boolean {
    this.#trials -= 1;
    return this.#trials >= 0;
  }

  /** The turn is over. */
  *pause(): CooperativeTask<void> {
    if (this.#visitsInSlice < VISITS_PER_SLICE) return;
    this.#visitsInSlice = 0;
    yield;
  }
}

/** Does all of it without giving the thread back. */
export function runToEnd<T>(task: CooperativeTask<T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** Does it turn by turn, with whatever else waits for the thread in between. */
export async function runInSlices<T>(task: CooperativeTask<T>): Promise<T> {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
    await new Promise(setImmediate);
  }
}
