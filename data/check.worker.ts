/** The thread that checks a whole store during the start. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkAll } from './check.ts';
import type { CheckReply, ToCheck } from './checker.ts';
import { openEnvironment } from './environment.ts';
import { storeError } from './errors.ts';

const { dir, stop } = workerData as ToCheck;
// The main thread terminates it: if it ended by itself, its exit could arrive before its last message.
parentPort!.on('message', () => {});
const reply = (message: CheckReply): void => parentPort!.postMessage(message);

try {
  const { root } = openEnvironment(dir, { readOnly: true });
  try {
    root.resetReadTxn();
    const snapshot = root.useReadTransaction();
    try {
      checkAll(dir, true, () => Atomics.load(stop, 0) !== 0);
    } finally {
      snapshot.done();
    }
  } finally {
    await root.close();
  }
  reply({ kind: 'whole' });
} catch (error) {
  const { code, message } = storeError(error, dir);
  reply({ kind: 'damaged', failure: { code, message } });
}
