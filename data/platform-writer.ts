/**
 * The main thread's side of the platform's writer thread. One group at a time: the store sends the next one when the
 * previous one is durable. The sync of a commit takes milliseconds, on a busy disk a hundred of them: in a thread of its
 * own it does not delay requests. A thread that ends unasked is replaced by the store, which finds out what it had made durable.
 */
import { Worker } from 'node:worker_threads';
import { type Failure, StoreError } from './errors.ts';
import type { RowGroup } from './platform-write.ts';
import { firstReply } from './writer-thread.ts';

export interface PlatformWriterOptions {
  readonly dir: string;
  readonly network: string;
}

export type ToPlatformWriter = ({ readonly kind: 'write' } & RowGroup) | { readonly kind: 'close' };

export type PlatformWriterReply =
  | { readonly kind: 'open' }
  | { readonly kind: 'durable' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'closed' };

/** A thread that has failed ends at once, ms. It is not ended by force: within a transaction it would leave the store locked. */
const END_LIMIT_MS = 10_000;
/** A thread opens the store in milliseconds; one that takes longer than this, ms, is not waited for. */
const START_LIMIT_MS = 30_000;

export class PlatformWriter {
  readonly #options: PlatformWriterOptions;
  #worker: Worker;
  #stopped: StoreError | undefined;
  #hasEnded = false;
  #exited = Promise.resolve();
  #waiting: { resolve(): void; reject(error: StoreError): void } | undefined;

  private constructor(options: PlatformWriterOptions, worker: Worker) {
    this.#options = options;
    this.#worker = worker;
    this.#listen(worker);
  }

  /** Starts the thread, which opens the store (and creates it if necessary). @throws StoreError */
  static async start(options: PlatformWriterOptions): Promise<PlatformWriter> {
    const worker = newThread(options);
    await firstReply<PlatformWriterReply>(worker);
    return new PlatformWriter(options, worker);
  }

  /** The thread has ended unasked: nothing is written until {@link restart}. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when a thread that has failed does nothing more. @throws StoreError where it goes on */
  async ended(): Promise<void> {
    const { promise, reject } = Promise.withResolvers<void>();
    const goesOn = () => reject(stopped(this.#options, 'failed, and does not end'));
    const timer = setTimeout(goesOn, END_LIMIT_MS);
    await Promise.race([this.#exited, promise]).finally(() => clearTimeout(timer));
  }

  /** Another thread in the place of one that has ended. @throws StoreError */
  async restart(): Promise<void> {
    const worker = await startAnother(this.#options);
    this.#worker = worker;
    this.#stopped = undefined;
    this.#hasEnded = false;
    this.#listen(worker);
  }

  #listen(worker: Worker): void {
    const stop = (how: string) => worker === this.#worker && this.#stop(how);
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (reply: PlatformWriterReply) => worker === this.#worker && this.#receive(reply));
    worker.on('error', (error) => stop(`failed: ${error instanceof Error ? error.message : String(error)}`));
    worker.on('exit', (code) => stop(`ended with code ${code}`));
  }

  /** Resolves when the group is durable. @throws StoreError; nothing of it is stored then */
  write(group: RowGroup): Promise<void> {
    return this.#send({ kind: 'write', ...group });
  }

  /** Ends the thread after everything was written. */
  async close(): Promise<void> {
    if (this.#stopped) return;
    await this.#send({ kind: 'close' });
  }

  #send(message: ToPlatformWriter): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#stopped) throw this.#stopped;
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(message);
    });
  }

  #receive(reply: PlatformWriterReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (reply.kind === 'closed')
      this.#stopped = new StoreError('closed', `${this.#options.dir}: the store is closed`);
    if (reply.kind === 'failed') waiting?.reject(new StoreError(reply.failure.code, reply.failure.message));
    else waiting?.resolve();
  }

  #stop(how: string): void {
    if (!this.#stopped) {
      this.#hasEnded = true;
      this.#stopped = stopped(this.#options, how);
    }
    this.#waiting?.reject(this.#stopped);
    this.#waiting = undefined;
  }
}

const stopped = ({ dir }: PlatformWriterOptions, how: string) =>
  new StoreError(
    'writer-stopped',
    `${dir}: the writer thread ${how}. Every transaction that has resolved is safe; the next one starts another thread`,
  );

const newThread = (options: PlatformWriterOptions): Worker =>
  new Worker(new URL('./platform-writer.worker.ts', import.meta.url), { workerData: options });

/** @throws StoreError */
async function startAnother(options: PlatformWriterOptions): Promise<Worker> {
  const worker = newThread(options);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(stopped(options, 'did not start in time'));
    worker.once('message', () => worker.postMessage({ kind: 'close' } satisfies ToPlatformWriter));
  }, START_LIMIT_MS);
  try {
    await Promise.race([firstReply<PlatformWriterReply>(worker), promise]);
    return worker;
  } catch (error) {
    throw error instanceof StoreError
      ? error
      : stopped(options, `did not start: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
  }
}
