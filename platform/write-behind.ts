/**
 * Writes what changes with requests, behind them: whoever changes something says so, and at most so much later (and when
 * the service stops) it is written, a slice in each transaction, so that no write holds the thread up for long.
 *
 * A crash loses what was changed since. What may not be lost is written in a transaction of its own.
 */
import type { PlatformStore, PlatformTransaction } from './store.ts';

/** Puts what changed into a transaction. */
export type WriteItems<T> = (items: readonly T[], transaction: PlatformTransaction) => void;

export interface WritePlan {
  /** Longest time that a change waits before it is handed to the store, ms; undefined: until `save` is called. */
  readonly everyMs?: number;
  /** Items written in one transaction. */
  readonly slice: number;
}

export class WriteBehind<T> {
  readonly #write: WriteItems<T>;
  readonly #plan: WritePlan;
  #changed = new Set<T>();
  #store: PlatformStore | undefined;
  #timer: Timer | undefined;
  #saving: Promise<boolean> = Promise.resolve(true);

  constructor(plan: WritePlan, write: WriteItems<T>) {
    this.#plan = plan;
    this.#write = write;
  }

  attach(store: PlatformStore): void {
    this.#store = store;
    if (this.#plan.everyMs === undefined) return;
    this.#timer = setInterval(() => void this.save(), this.#plan.everyMs);
    this.#timer.unref();
  }

  changed(item: T): void {
    this.#changed.add(item);
  }

  /** Resolves when all that has changed until now is durable: true; or not: it is written with the next. */
  save(): Promise<boolean> {
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

  async #saveAll(store: PlatformStore, items: readonly T[]): Promise<boolean> {
    let isDurable = true;
    for (let from = 0; from < items.length; from += this.#plan.slice) {
      const slice = items.slice(from, from + this.#plan.slice);
      try {
        await store.transaction((transaction) => this.#write(slice, transaction));
      } catch {
        isDurable = false;
        for (const item of slice) this.#changed.add(item);
      }
    }
    return isDurable;
  }
}
