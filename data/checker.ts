/** The main thread's side of the thread that checks a store (check.ts). */
import { Worker } from 'node:worker_threads';
import { replyOf } from './check-reply.ts';

export interface ToCheck {
  readonly dir: string;
  /** Not 0: stop. */
  readonly stop: Int32Array;
}

/** Longest time that a start waits for the check of the whole store. */
const CHECK_WAIT_MS = 2_000;

export class Checker {
  /** Resolves when the whole store has been checked. Rejects with StoreError corrupt. */
  readonly done: Promise<void>;
  /** The same, or after CHECK_WAIT_MS. */
  readonly enough: Promise<void>;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));

  constructor(dir: string) {
    const worker = new Worker(new URL('./check.worker.ts', import.meta.url), {
      workerData: { dir, stop: this.#stop } satisfies ToCheck,
    });
    this.done = replyOf(worker, dir);
    this.done.catch(() => {});
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, CHECK_WAIT_MS);
    timer.unref();
    this.enough = Promise.race([this.done, waited.promise]).finally(() => clearTimeout(timer));
    this.enough.catch(() => {});
  }

  /** Stops the check; the rest is not checked. */
  async stop(): Promise<void> {
    Atomics.store(this.#stop, 0, 1);
    await this.done.catch(() => {});
  }
}
