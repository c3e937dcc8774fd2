/** Prepares ledgers as workers/prepare.worker.ts does, and ends in the middle of a batch with one of `ENDS_AT`, and of every page. */
import { PackedLedger } from '../../engine/codec/packed.ts';
import type { PageTask } from '../../engine/ledger/source.ts';
import prepareTask from '../../workers/prepare.worker.ts';

/** Number of transactions of a ledger that ends the thread. */
export const ENDS_AT = 3;

export default function endingTask(buffers: readonly SharedArrayBuffer[]): ReturnType<typeof prepareTask> {
  for (const buffer of buffers)
    if (new PackedLedger(new Uint8Array(buffer)).count === ENDS_AT) process.exit(1);
  return prepareTask(buffers);
}

export function provePageTask(_: PageTask): never {
  process.exit(1);
}
