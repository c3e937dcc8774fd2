/** Worker thread: proves one packed ledger and extracts its change set. Shared memory in, shared memory out. */
import { prepare } from '../engine/ledger/prepare.ts';

export default function prepareTask(buffer: SharedArrayBuffer): ReturnType<typeof prepare> {
  return prepare(new Uint8Array(buffer), true);
}
