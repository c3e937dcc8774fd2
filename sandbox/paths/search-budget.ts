/**
 * Limits of a search, and where it yields control of the thread; its caller decides what runs in between. They count
 * entries and not time, so that the same request on the same ledger has the same answer on every machine.
 */
import type { CooperativeTask } from '../../engine/event-loop.ts';

/** Entries visited per time slice: a few milliseconds. */
const VISITS_PER_SLICE = 400;

/** Limits of one request. */
export class SearchBudget {
  #visits: number;
  #trials: number;
  #visitsInSlice = 0;

  /**
   * @param visits maximum number of trust lines and books to look at
   * @param trials maximum number of candidates whose liquidity is tried
   */
  constructor(visits = 60_000, trials = 3_000) {
    this.#visits = visits;
    this.#trials = trials;
  }

  /** Whether the search must not look at more links. */
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

  /** Yields if the time slice is used up. */
  *pause(): CooperativeTask<void> {
    if (this.#visitsInSlice < VISITS_PER_SLICE) return;
    this.#visitsInSlice = 0;
    yield;
  }
}
