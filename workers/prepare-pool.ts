/**
 * Proves ledgers and extracts their change sets: in worker threads, or on the calling thread.
 *
 *     catching up   prepare x n ---> batch ---> thread ---> n results     the hand-over costs once a batch
 *     live, small   prepare -------> calling thread                       there is no other work to overlap with
 *
 * Threads are started once and never recycled; packed ledgers and change sets lie on SharedArrayBuffers, so a task costs
 * two small messages and no copy. The result has the same bytes either way.
 *
 * What a thread did not answer, because it ended or the reader failed, is prepared once more on the calling thread: nothing is lost with
 * a thread, a new one takes its place (where none can be started, the calling thread does all), and a ledger that cannot be read fails there
 * for the same reason.
 */
import { Piscina } from 'piscina';
import { onSharedMemory } from '../engine/codec/bytes.ts';
import { PackedLedger } from '../engine/codec/packed.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import {
  inlinePreparer,
  type Prepared,
  type Preparer,
  type prepare,
  prepared,
} from '../engine/ledger/prepare.ts';
import type { PageFault, PageProof, PageTask } from '../engine/ledger/source.ts';

export interface PoolLimits {
  /** Ledgers handed over at once, at most: a quarter of what the follow loop requests ahead, so that threads overlap. */
  readonly batch: number;
  /**
   * A ledger that is waited for is prepared on the calling thread up to this size: proof and change set of 100
   * transactions take 0.4 ms, so that the event loop is blocked for 2 ms at most. Ledgers of the main network are seldom larger.
   */
  readonly inlineTransactions: number;
  /** The same in bytes, for transactions with large metadata. */
  readonly inlineBytes: number;
}

export const POOL_LIMITS: PoolLimits = {
  batch: 8,
  inlineTransactions: 400,
  inlineBytes: 512 * 1024,
};

/** Batches a thread has: the one it works on and the next, so that it does not wait for the main thread. */
const BATCHES_PER_WORKER = 2;

type Result = ReturnType<typeof prepare>;

export interface PoolParts {
  /** A batch or page was not answered. */
  readonly onFault?: (fault: unknown) => void;
  /** What the threads run; those of tests may end early. */
  readonly filename?: string;
}

interface Task {
  readonly packed: PackedLedger;
  readonly resolve: (prepared: Prepared) => void;
  readonly reject: (fault: unknown) => void;
}

/** The same ledger on memory that a thread reads in place. */
function shareable(packed: PackedLedger): PackedLedger {
  const buffer = onSharedMemory(packed.bytes);
  return buffer === packed.bytes.buffer ? packed : new PackedLedger(new Uint8Array(buffer));
}

type Threads = Piscina<SharedArrayBuffer[] | PageTask, Result[] | PageProof | PageFault>;

class Pool implements Preparer {
  readonly #limits: PoolLimits;
  /** undefined: no thread could be started in place of those that have ended. */
  #pool: Threads | undefined;
  readonly #onFault: (fault: unknown) => void;
  readonly #waiting: Task[] = [];
  #isScheduled = false;
  #closed = false;

  constructor(workers: number, limits: PoolLimits, { onFault = () => {}, filename }: PoolParts) {
    this.#limits = limits;
    this.#onFault = onFault;
    const pool: Threads = new Piscina({
      filename: filename ?? new URL('./prepare.worker.ts', import.meta.url).href,
      minThreads: workers,
      maxThreads: workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: BATCHES_PER_WORKER,
    });
    // Of a thread that had nothing to do.
    pool.on('error', onFault);
    // The next one is started after this.
    pool.on('workerDestroy', () => void yieldToLoop().then(() => this.#giveUp(pool)));
    this.#pool = pool;
  }

  prepare(packed: PackedLedger, isNewest = false): Promise<Prepared> {
    const { inlineTransactions, inlineBytes, batch } = this.#limits;
    if (isNewest && packed.count <= inlineTransactions && packed.bytes.length <= inlineBytes)
      return inlinePreparer.prepare(packed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ packed: shareable(packed), resolve, reject });
      if (this.#waiting.length >= batch) this.#handOver();
      else if (!this.#isScheduled) {
        this.#isScheduled = true;
        void yieldToLoop().then(() => this.#handOver());
      }
    });
  }

  async provePage(task: PageTask): Promise<PageProof | PageFault> {
    const answer = (await this.#ask(task, 'provePageTask')) as PageProof | PageFault | undefined;
    return answer ?? inlinePreparer.provePage(task);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }

  /** What a thread answers; undefined: it gave no answer. @throws the fault when the pool is closed */
  async #ask(task: SharedArrayBuffer[] | PageTask, name = 'default') {
    const pool = this.#pool;
    // A pool that has been destroyed would begin again.
    if (this.#closed) throw new Error('the service is stopping');
    try {
      return await pool?.run(task, { name });
    } catch (fault) {
      if (this.#closed) throw fault;
      if (pool === this.#pool) this.#onFault(fault);
      return undefined;
    }
  }

  /** A thread that ends before it has begun is not started again: what waits for one would wait for ever. */
  #giveUp(pool: Threads): void {
    if (this.#closed || pool !== this.#pool || pool.threads.length > 0) return;
    this.#pool = undefined;
    this.#onFault(new Error('no thread can be started'));
    void pool.destroy();
  }

  #handOver(): void {
    this.#isScheduled = false;
    const tasks = this.#waiting.splice(0);
    if (tasks.length === 0) return;
    void this.#prepareAll(tasks);
  }

  async #prepareAll(tasks: readonly Task[]): Promise<void> {
    try {
      const buffers = tasks.map(({ packed }) => packed.bytes.buffer as SharedArrayBuffer);
      const answers = (await this.#ask(buffers)) as Result[] | undefined;
      for (const [i, { packed, resolve, reject }] of tasks.entries())
        if (answers) resolve(prepared(packed, answers[i]!));
        else {
          await inlinePreparer.prepare(packed).then(resolve, reject);
          await yieldToLoop();
        }
    } catch (fault) {
      for (const { reject } of tasks) reject(fault);
    }
  }
}

/**
 * @param workers number of threads; 0: the calling thread does the same work.
 * @throws RangeError when it is not a whole number from 0 to 64
 */
export function preparePool(
  workers: number,
  limits: Partial<PoolLimits> = {},
  parts: PoolParts = {},
): Preparer {
  if (!Number.isInteger(workers) || workers < 0 || workers > 64)
    throw new RangeError(`preparePool: ${workers} workers; give a whole number from 0 to 64`);
  return workers === 0 ? inlinePreparer : new Pool(workers, { ...POOL_LIMITS, ...limits }, parts);
}
