/**
 * The main thread's side of the platform's writer thread. One group at a time: the store sends the next one when the
 * previous one is durable. The sync of a commit takes milliseconds, on a busy disk a hundred of them: in a thread of its
 * own it does not delay requests.
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

export class PlatformWriter {
  readonly #dir: string;
  readonly #worker: Worker;
  #stopped: StoreError | undefined;
  #waiting: { resolve(): void; reject(error: StoreError): void } | undefined;

  private constructor(dir: string, worker: Worker) {
    this.#dir = dir;
    this.#worker = worker;
    worker.on('message', (reply: PlatformWriterReply) => this.#receive(reply));
    worker.on('error', (error) =>
      this.#stop(`failed: ${error instanceof Error ? error.message : String(error)}`),
    );
    worker.on('exit', (code) => this.#stop(`ended with code ${code}`));
  }

  /** Starts the thread, which opens the store (and creates it if necessary). @throws StoreError */
  static async start(options: PlatformWriterOptions): Promise<PlatformWriter> {
    const worker = new Worker(new URL('./platform-writer.worker.ts', import.meta.url), {
      workerData: options,
    });
    await firstReply<PlatformWriterReply>(worker);
    return new PlatformWriter(options.dir, worker);
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
      this.#stopped = new StoreError('closed', `${this.#dir}: the store is closed`);
    if (reply.kind === 'failed') waiting?.reject(new StoreError(reply.failure.code, reply.failure.message));
    else waiting?.resolve();
  }

  #stop(how: string): void {
    this.#stopped ??= new StoreError(
      'writer-stopped',
      `${this.#dir}: the writer thread ${how}. Restart the program: every transaction that has resolved is safe`,
    );
    this.#waiting?.reject(this.#stopped);
    this.#waiting = undefined;
  }
}
