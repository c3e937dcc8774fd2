/**
 * The main thread's end of the writer thread: one batch at the writer, the next ones in a queue.
 *
 *     commit(a), commit(b), commit(c)          order of calls = order of commits
 *        |         queue: b, c
 *        v
 *     writer thread: sort, compress, one transaction, sync  ->  'durable'  ->  snapshot moves, promise resolves
 *
 * Only one batch is at the writer at a time, so that the readers' snapshot after an acknowledgement holds exactly
 * what was acknowledged; the round trip it costs is microseconds beside a sync.
 *
 * When a batch fails, those behind it fail too: storing them would leave a gap. The failed batch itself may be
 * committed again (a full disk may have been cleared); anything else is refused until that has worked.
 */
import { Worker } from 'node:worker_threads';
import type { Cursor } from '../engine/store.ts';
import type { CheckpointStep, PackedBatch } from './batch.ts';
import { writtenBy } from './disk.ts';
import { type Failure, StoreError } from './errors.ts';
import type { HistoryLimits, LoggedRows } from './history-merge.ts';
import { FAMILY_NAMES, writeCursor } from './keys.ts';
import type { KeptParts } from './pruning.ts';
import type { Written } from './write.ts';
import { firstReply } from './writer-thread.ts';

export interface WriterOptions {
  readonly dir: string;
  readonly network: string;
  readonly mapSize?: number;
  readonly history?: Partial<HistoryLimits>;
  readonly keep?: KeptParts;
}

/** A chunk of a batch, read in place by the writer. */
export interface SentChunk {
  readonly buffer: SharedArrayBuffer;
  readonly used: number;
}

export type ToWriter =
  | {
      readonly kind: 'write';
      readonly id: number;
      readonly ledgers: ReadonlyMap<number, SharedArrayBuffer>;
      readonly rows: readonly SentChunk[];
      readonly history: readonly SentChunk[];
      readonly images: readonly SentChunk[];
      readonly checkpoints: readonly CheckpointStep[];
      readonly cursor: Uint8Array;
    }
  /** Begin with what is not to be kept, before any batch. */
  | { readonly kind: 'prune' }
  | { readonly kind: 'close' };

export type WriterReply =
  | {
      readonly kind: 'open';
      readonly migrated: readonly string[];
      readonly pending: readonly LoggedRows[];
      /** Where the system counts what the thread writes (disk.ts). */
      readonly counters: string | undefined;
    }
  | { readonly kind: 'durable'; readonly id: number; readonly written: Written }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  /** Ledgers were pruned between two batches. */
  | { readonly kind: 'pruned' }
  | { readonly kind: 'closed' };

/** Running totals of the writer. */
export interface WriterTotals {
  /** Bytes of keys and values put into each family; merges and checkpoints included. */
  putBytes: Readonly<Record<string, number>>;
  batches: number;
  rows: number;
  bytes: number;
  sortMs: number;
  compressMs: number;
  transactionMs: number;
}

/** More batches in line than this means that a caller does not wait for its promises. */
const WAITING_MAX = 64;

interface Waiting {
  readonly batch: PackedBatch;
  readonly cursor: Uint8Array;
  resolve(): void;
  reject(error: StoreError): void;
}

export class Writer {
  readonly totals: WriterTotals = {
    putBytes: {},
    batches: 0,
    rows: 0,
    bytes: 0,
    sortMs: 0,
    compressMs: 0,
    transactionMs: 0,
  };
  readonly #dir: string;
  readonly #worker: Worker;
  readonly #counters: string | undefined;
  /** Called when a batch is durable, before its promise resolves, and without one when ledgers were pruned. */
  readonly #onDurable: (written?: Written) => void;
  readonly #line: Waiting[] = [];
  #id = 0;
  #busy = false;
  #failed: PackedBatch | undefined;
  #stopped: StoreError | undefined;
  #ended = false;
  #idle: (() => void) | undefined;
  #onClosed: (() => void) | undefined;

  private constructor(
    dir: string,
    worker: Worker,
    counters: string | undefined,
    onDurable: (written?: Written) => void,
  ) {
    this.#dir = dir;
    this.#counters = counters;
    this.#worker = worker;
    this.#onDurable = onDurable;
    worker.on('message', (reply: WriterReply) => this.#receive(reply));
    worker.on('error', (error) =>
      this.#stop(`failed: ${error instanceof Error ? error.message : String(error)}`),
    );
    worker.on('exit', (code) => this.#stop(`ended with code ${code}`));
  }

  /** Keeps batches in line until it resolves; when it rejects, none of them is written. */
  hold(until: Promise<void>): void {
    this.#busy = true;
    until.then(
      () => {
        this.#busy = false;
        this.#next();
      },
      (error: StoreError) => {
        this.#stopped = error;
        this.#fail(error);
        this.#idle?.();
      },
    );
  }

  /** Starts the thread, which opens (and where due creates or migrates) the store. @throws StoreError */
  static async start(
    options: WriterOptions,
    onDurable: (written?: Written) => void,
  ): Promise<{ writer: Writer; migrated: readonly string[]; pending: readonly LoggedRows[] }> {
    const worker = new Worker(new URL('./writer.worker.ts', import.meta.url), { workerData: options });
    const first = await firstReply<WriterReply>(worker);
    if (first.kind !== 'open') throw new StoreError('io', `${options.dir}: the writer thread gave no answer`);
    return {
      writer: new Writer(options.dir, worker, first.counters, onDurable),
      migrated: first.migrated,
      pending: first.pending,
    };
  }

  /** Bytes that the thread has written to the disk since it was started; undefined: not known. */
  get writtenBytes(): number | undefined {
    return writtenBy(this.#counters);
  }

  /** Bytes handed over and not yet durable. */
  get waitingBytes(): number {
    return this.#line.reduce((sum, { batch }) => sum + batch.size, 0);
  }

  write(batch: PackedBatch, cursor: Cursor): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#stopped) throw this.#stopped;
      if (this.#failed && this.#failed !== batch) {
        throw new StoreError(
          'earlier-batch-failed',
          `${this.#dir}: an earlier batch could not be stored. Hand that one in again, or open the store again`,
        );
      }
      if (cursor.hash.length !== 32)
        throw new StoreError('bad-batch', `cursor hash of ${cursor.hash.length} bytes`);
      if (this.#line.length >= WAITING_MAX) {
        throw new StoreError(
          'bad-batch',
          `${this.#dir}: ${WAITING_MAX} batches wait: await commit() before the next`,
        );
      }
      if (this.#line.some((waiting) => waiting.batch === batch)) {
        throw new StoreError('bad-batch', 'this batch waits in line already');
      }
      batch.seal();
      this.#failed = undefined;
      this.#line.push({ batch, cursor: writeCursor(cursor), resolve, reject });
      this.#next();
    });
  }

  /** Resolves when everything handed over is durable or has failed. */
  drained(): Promise<void> {
    if (this.#line.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const before = this.#idle;
      this.#idle = () => {
        before?.();
        resolve();
      };
    });
  }

  /** Begins to prune what the store was opened with; otherwise that begins after the first batch. */
  prune(): void {
    if (!this.#stopped && !this.#ended) this.#worker.postMessage({ kind: 'prune' } satisfies ToWriter);
  }

  /** Writes what is in line, then ends the thread. */
  async close(): Promise<void> {
    if (this.#ended) return;
    await this.drained();
    if (this.#ended) return;
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve;
    });
    this.#stopped = new StoreError('closed', `${this.#dir}: the store is closed`);
    this.#worker.postMessage({ kind: 'close' } satisfies ToWriter);
    await closed;
  }

  #next(): void {
    const first = this.#line[0];
    if (this.#busy) return;
    if (!first) {
      this.#idle?.();
      this.#idle = undefined;
      return;
    }
    this.#busy = true;
    this.#id++;
    const { ledgers, chunks, history, images, checkpoints } = first.batch;
    const sent = ({ buffer, used }: SentChunk): SentChunk => ({ buffer, used });
    this.#worker.postMessage({
      kind: 'write',
      id: this.#id,
      ledgers,
      rows: chunks.map(sent),
      history: history.map(sent),
      images: images.map(sent),
      checkpoints,
      cursor: first.cursor,
    } satisfies ToWriter);
  }

  #receive(reply: WriterReply): void {
    if (reply.kind === 'closed') this.#onClosed?.();
    // While a batch is at the writer it may be durable and not acknowledged: readers move on with its acknowledgement.
    if (reply.kind === 'pruned' && !this.#busy && !this.#ended) this.#onDurable();
    if (reply.kind !== 'durable' && reply.kind !== 'failed') return;
    this.#busy = false;
    if (reply.kind === 'failed') this.#fail(new StoreError(reply.failure.code, reply.failure.message));
    else this.#durable(reply.written);
    this.#next();
  }

  #durable(written: Written): void {
    const { cost } = written;
    const { batch, resolve } = this.#line.shift()!;
    this.totals.batches++;
    this.totals.bytes += batch.size;
    this.totals.rows += batch.rows;
    this.totals.putBytes = Object.fromEntries(cost.putBytes.map((bytes, id) => [FAMILY_NAMES[id]!, bytes]));
    this.totals.sortMs += cost.sortMs;
    this.totals.compressMs += cost.compressMs;
    this.totals.transactionMs += cost.transactionMs;
    batch.release();
    this.#onDurable(written);
    resolve();
  }

  #fail(error: StoreError): void {
    const line = this.#line.splice(0);
    this.#failed = line[0]?.batch;
    line[0]?.reject(error);
    for (const { reject } of line.slice(1)) {
      reject(
        new StoreError('earlier-batch-failed', `not stored, as the batch before it failed: ${error.message}`),
      );
    }
  }

  /** The thread has ended. */
  #stop(how: string): void {
    this.#ended = true;
    if (!this.#stopped) {
      this.#stopped = new StoreError(
        'writer-stopped',
        `${this.#dir}: the writer thread ${how}. Restart the program: everything up to the cursor is safe`,
      );
      this.#fail(this.#stopped);
    }
    this.#onClosed?.();
    this.#idle?.();
  }
}
