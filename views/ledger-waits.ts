/**
 * Requests that wait for a ledger which has not been applied yet.
 *
 * Goals: they go on once the frames of that ledger are out; a bounded number, each for a bounded time. Non-goals: order
 * among them.
 */
import { yieldToLoop } from '../engine/event-loop.ts';

interface Wait {
  readonly index: number;
  readonly end: (isReached: boolean) => void;
}

export class LedgerWaits {
  readonly #waits = new Set<Wait>();
  readonly #limit: number;

  /** @param limit largest number of requests that wait at one time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns whether it came in time, ms; undefined: too many wait already */
  until(index: number, ms: number): Promise<boolean> | undefined {
    if (this.#waits.size >= this.#limit) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wait: Wait = {
      index,
      end: (isReached) => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        resolve(isReached);
      },
    };
    const timer = setTimeout(() => wait.end(false), ms);
    this.#waits.add(wait);
    return promise;
  }

  /** A ledger has been applied. */
  async applied(index: number): Promise<void> {
    if (this.#waits.size === 0) return;
    await yieldToLoop();
    for (const wait of this.#waits) if (wait.index <= index) wait.end(true);
  }
}
