/**
 * Writes what changes with requests, behind them: whoever changes something says so, and at most {@link SAVE_MS} later (and
 * when the service stops) it is written, a slice in each transaction, so that no write holds the thread up for long.
 *
 * A crash loses what was changed in the last second. What may not be lost is written in a transaction of its own.
 */
import type { PlatformStore, PlatformTransaction } from './store.ts';

/** Longest time that a change waits before it is handed to the store, ms. */
const SAVE_MS = 500;
/** Items written in one transaction: about 2 ms of the thread. */
const SLICE = 250;

/** Puts what changed into a transaction. @returns called when it is durable; undefined: nothing had changed */
export type WriteItem<T> = (item: T, transaction: PlatformTransaction) => (() => void) | undefined;

export class WriteBehind<T> {
  readonly #write: WriteItem<T>;
  #changed = new Set<T>();
  #store: PlatformStore | undefined;
  #timer: Timer | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Transactions that failed; what they had is written with the next. */
  failures = 0;

  constructor(write: WriteItem<T>) {
    this.#write = write;
  }

  attach(store: PlatformStore): void {
    this.#store = store;
    this.#timer = setInterval(() => void this.save(), SAVE_MS);
    this.#timer.unref();
  }

  changed(item: T): void {
    this.#changed.add(item);
  }

  /** Resolves when all that has changed until now is durable, or failed to be. */
  save(): Promise<void> {
    const store = this.#store;
    if (store && this.#changed.size > 0) {
      const items = [...this.#changed];
      this.#changed = new Set();
      this.#saving = this.#saving.then(() => this.#saveAll(store, items));
    }
    return this.#saving;
  }

  /** Writes what is left, and no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
    this.#store = undefined;
  }

  async #saveAll(store: PlatformStore, items: readonly T[]): Promise<void> {
    for (let from = 0; from < items.length; from += SLICE) {
      const slice = items.slice(from, from + SLICE);
      try {
        const durable = await store.transaction((transaction) =>
          slice.map((item) => this.#write(item, transaction)),
        );
        for (const done of durable) done?.();
      } catch {
        this.failures++;
        for (const item of slice) this.#changed.add(item);
      }
    }
  }
}
