/**
 * The pool that proves and extracts ledgers beside the main thread. Threads are started once and never recycled;
 * packed ledger and change set lie on SharedArrayBuffers, so a task costs two small messages and no copy.
 */
import { Piscina } from 'piscina';
import { PackedLedger } from '../engine/codec/packed.ts';
import { type Prepared, type Preparer, prepare, prepared } from '../engine/ledger/prepare.ts';

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

/**
 * @param workers number of threads; 0 does the same work inline on the calling thread.
 * @throws RangeError on a number that is no count of threads.
 */
export function preparePool(workers: number): Preparer {
  if (!Number.isInteger(workers) || workers < 0 || workers > 64)
    throw new RangeError(`preparePool: ${workers} workers; give a whole number from 0 to 64`);
  if (workers === 0) return inline;
  const pool = new Piscina({
    filename: new URL('./prepare.worker.ts', import.meta.url).href,
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
  });
  return {
    async prepare(packed): Promise<Prepared> {
      const ledger = onSharedMemory(packed);
      return prepared(ledger, await pool.run(ledger.bytes.buffer));
    },
    async close() {
      await pool.destroy();
    },
  };
}
