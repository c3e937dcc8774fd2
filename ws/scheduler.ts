/**
 * Bounds what streams do between two returns to the event loop.
 *
 * Goal: 100,000 subscribe messages, or 20,000 different subscriptions to serve after one ledger, never stall the
 * event loop: jobs run until the time slice is used up, then control returns to the loop. Frames of ledgers run
 * before clients' requests, but each slice runs at least one request. Non-goal: interrupting a single job; jobs are
 * small by construction (one message, one frame). Cost: two clock reads a job.
 *
 *     submit -> runs immediately if no job waits and the slice has time left, else waits in order
 *     urgent -> runs in the next slice, before waiting requests
 *     drained -> resolves when no urgent job waits
 */
import { yieldTwice } from '../engine/event-loop.ts';

export class Scheduler {
  readonly #timeSliceMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #urgent = new Fifo<() => void>();
  readonly #waiting = new Fifo<() => void>();
  /** Who waits for `drained`, and until when (performance.now). */
  #draining: { readonly resolve: () => void; readonly until: number }[] = [];
  #spent = 0;
  #scheduled = false;

  /** @param onError called with what a job throws; the next job still runs. */
  constructor(timeSliceMs: number, onError: (error: unknown) => void) {
    this.#timeSliceMs = timeSliceMs;
    this.#onError = onError;
  }

  /** Number of waiting jobs. */
  get length(): number {
    return this.#urgent.length + this.#waiting.length;
  }

  submit(job: () => void): void {
    if (this.length === 0 && this.#spent < this.#timeSliceMs) this.#run(job);
    else this.#waiting.push(job);
    this.#schedule();
  }

  urgent(job: () => void): void {
    this.#urgent.push(job);
    this.#schedule();
  }

  /** A job goes on after it has returned: what it fails with is as what it throws. */
  watch(rest: Promise<void>): void {
    rest.catch(this.#onError);
  }

  /** Resolves at the end of the slice that leaves no urgent job, or that ends more than `ms` from now. */
  drained(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#draining.push({ resolve, until: performance.now() + ms });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void yieldTwice().then(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#scheduled = false;
    this.#spent = 0;
    if (this.length === 0) {
      this.#resolveDrained();
      return;
    }
    let served = false;
    while (this.#spent < this.#timeSliceMs && this.length > 0) {
      const urgent = this.#urgent.shift();
      served ||= urgent === undefined;
      this.#run(urgent ?? this.#waiting.shift()!);
    }
    const waiting = served ? undefined : this.#waiting.shift();
    if (waiting) this.#run(waiting);
    this.#resolveDrained();
    this.#schedule();
  }

  #resolveDrained(): void {
    if (this.#draining.length === 0) return;
    const now = performance.now();
    const isDrained = this.#urgent.length === 0;
    this.#draining = this.#draining.filter(({ resolve, until }) => {
      const isOver = isDrained || now >= until;
      if (isOver) resolve();
      return !isOver;
    });
  }

  #run(job: () => void): void {
    const start = performance.now();
    try {
      job();
    } catch (error) {
      this.#onError(error);
    }
    this.#spent += performance.now() - start;
  }
}

/** A queue whose shift is O(1): V8's and JSC's array shift moves every element. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
