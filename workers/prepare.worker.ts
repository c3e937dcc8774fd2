/**
 * Worker thread: proves a batch of packed ledgers and extracts their change sets, or does the same with a page of a
 * snapshot. Shared memory out; of ledgers also in.
 */
import { prepare } from '../engine/ledger/prepare.ts';
import type { PageFault, PageProof, PageTask } from '../engine/ledger/source.ts';
import { provePage } from '../engine/ledger/state-page.ts';

export default function prepareTask(buffers: readonly SharedArrayBuffer[]): ReturnType<typeof prepare>[] {
  return buffers.map((buffer) => prepare(new Uint8Array(buffer), true));
}

export function provePageTask(task: PageTask): PageProof | PageFault {
  return provePage(task, true);
}
