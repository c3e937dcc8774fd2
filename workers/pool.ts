/**
 * Where ledgers are proved and extracted: beside the main thread, or on it.
 *
 *     catching up   prepare x n ---> batch ---> thread ---> n results     the hand-over costs once a batch
 *     live, small   prepare -------> here                                 nothing to overlap with: it would only cost
 *
 * Threads are started once and never recycled; packed ledgers and change sets lie on SharedArrayBuffers, so a task costs
 * two small messages and no copy. What comes out is the same bytes whichever way a ledger takes.
 */
import { Piscina } from 'piscina';
import { PackedLedger } from '../engine/codec/packed.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { type Prepared, type Preparer, prepare, prepared } from '../engine/ledger/prepare.ts';

export interface PoolLimits {
  /** Ledgers handed over at once, at most: a quarter of what the follow loop asks for ahead, so that threads overlap. */
  readonly batch: number;
  /**
   * A ledger that is waited for is prepared on the calling thread up to this size: proof and change set of 100
   * transactions take 0.4 ms, so that the loop stands still for 2 ms at most. Mainnet's ledgers are seldom larger.
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

/** Batches a thread has before it: the one in hand and the next, so that it does not wait for the main thread. */
const BATCHES_PER_WORKER = 2;

type Answer = ReturnType<typeof prepare>;

interface Task {
  readonly packed: PackedLedger;
  readonly resolve: (prepared: Prepared) => void;
  readonly reject: (fault: unknown) => void;
}

/** Puts a ledger on shared memory, unless it lies there already and alone. */
function onSharedMemory(packed: PackedLedger): PackedLedger {
  const { bytes } = packed;
  if (bytes.buffer instanceof SharedArrayBuffer && bytes.byteLength === bytes.buffer.byteLength)
    return packed;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return new PackedLedger(copy);
}

const inline: Preparer = {
  async prepare(packed) {
    return prepared(packed, prepare(packed.bytes, false));
  },
  async close() {},
};

class Pool implements Preparer {
  readonly #limits: PoolLimits;
  readonly #pool: Piscina<SharedArrayBuffer[], Answer[]>;
  readonly #waiting: Task[] = [];
  #isDue = false;

  constructor(workers: number, limits: PoolLimits) {
    this.#limits = limits;
    this.#pool = new Piscina({
      filename: new URL('./prepare.worker.ts', import.meta.url).href,
      minThreads: workers,
      maxThreads: workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: BATCHES_PER_WORKER,
    });
  }

  prepare(packed: PackedLedger, isNewest = false): Promise<Prepared> {
    const { inlineTransactions, inlineBytes, batch } = this.#limits;
    if (isNewest && packed.count <= inlineTransactions && packed.bytes.length <= inlineBytes)
      return inline.prepare(packed);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ packed: onSharedMemory(packed), resolve, reject });
      if (this.#waiting.length >= batch) this.#handOver();
      else if (!this.#isDue) {
        this.#isDue = true;
        void yieldToLoop().then(() => this.#handOver());
      }
    });
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #handOver(): void {
    this.#isDue = false;
    const tasks = this.#waiting.splice(0);
    if (tasks.length === 0) return;
    this.#pool.run(tasks.map(({ packed }) => packed.bytes.buffer as SharedArrayBuffer)).then(
      (answers) => {
        for (const [i, { packed, resolve }] of tasks.entries()) resolve(prepared(packed, answers[i]!));
      },
      (fault) => {
        for (const { reject } of tasks) reject(fault);
      },
    );
  }
}

/**
 * @param workers number of threads; 0 does the same work inline on the calling thread.
 * @throws RangeError on a number that is no count of threads.
 */
export function preparePool(workers: number, limits: Partial<PoolLimits> = {}): Preparer {
  if (!Number.isInteger(workers) || workers < 0 || workers > 64)
    throw new RangeError(`preparePool: ${workers} workers; give a whole number from 0 to 64`);
  return workers === 0 ? inline : new Pool(workers, { ...POOL_LIMITS, ...limits });
}
