/** Worker thread: proves a batch of packed ledgers and extracts their change sets. Shared memory in, shared memory out. */
import { prepare } from '../engine/ledger/prepare.ts';

export default function prepareTask(buffers: readonly SharedArrayBuffer[]): ReturnType<typeof prepare>[] {
  return buffers.map((buffer) => prepare(new Uint8Array(buffer), true));
}
