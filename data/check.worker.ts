/** The thread that checks a whole store during the start. */
import { workerData } from 'node:worker_threads';
import { checkAll } from './check.ts';
import { replyWith } from './check-reply.ts';
import type { ToCheck } from './checker.ts';
import { openEnvironment } from './environment.ts';

const { dir, stop } = workerData as ToCheck;

await replyWith(dir, async () => {
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
});
