/**
 * Bounds what streams do between two returns to the event loop.
 *
 * Goal: 100,000 subscribe messages, or 20,000 different subscriptions to serve after one ledger, never stall the
 * loop: jobs run until the turn's milliseconds are spent, then the loop gets its turn. Frames of ledgers come
 * before clients' requests, but each turn runs at least one request. Non-goal: cutting a single
 * job; jobs are small by construction (one message, one frame). Cost: two clock reads a job.
 *
 *     submit -> runs at once while nothing waits and the turn has time left, else waits in order
 *     urgent -> runs in the next turn, before what waits
 */
import { yieldToLoop } from '../engine/event-loop.ts';

export class Work {
  readonly #turnMs: number;
  readonly #fault: (error: unknown) => void;
  readonly #urgent = new Fifo<() => void>();
  readonly #waiting = new Fifo<() => void>();
  #spent = 0;
  #armed = false;

  /** @param fault told about what a job throws; the next job runs all the same. */
  constructor(turnMs: number, fault: (error: unknown) => void) {
    this.#turnMs = turnMs;
    this.#fault = fault;
  }

  /** Jobs that wait. */
  get length(): number {
    return this.#urgent.length + this.#waiting.length;
  }

  submit(job: () => void): void {
    if (this.length === 0 && this.#spent < this.#turnMs) this.#run(job);
    else this.#waiting.push(job);
    this.#arm();
  }

  urgent(job: () => void): void {
    this.#urgent.push(job);
    this.#arm();
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    void yieldToLoop().then(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    this.#spent = 0;
    if (this.length === 0) return;
    let served = false;
    while (this.#spent < this.#turnMs && this.length > 0) {
      const urgent = this.#urgent.shift();
      served ||= urgent === undefined;
      this.#run(urgent ?? this.#waiting.shift()!);
    }
    const waiting = served ? undefined : this.#waiting.shift();
    if (waiting) this.#run(waiting);
    this.#arm();
  }

  #run(job: () => void): void {
    const start = performance.now();
    try {
      job();
    } catch (error) {
      this.#fault(error);
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
