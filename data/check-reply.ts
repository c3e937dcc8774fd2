/** What a thread that checks a store answers: both of its ends. */
import { parentPort, type Worker } from 'node:worker_threads';
import { type Failure, StoreError, storeError } from './errors.ts';

type CheckReply = { readonly kind: 'whole' } | { readonly kind: 'damaged'; readonly failure: Failure };

/** In the thread: runs the check of the store in `dir`, and answers what came of it. */
export async function replyWith(dir: string, check: () => void | Promise<void>): Promise<void> {
  // The main thread terminates it: if it ended by itself, its exit could arrive before its last message.
  parentPort!.on('message', () => {});
  const reply = (message: CheckReply): void => parentPort!.postMessage(message);
  try {
    await check();
    reply({ kind: 'whole' });
  } catch (error) {
    const { code, message } = storeError(error, dir);
    reply({ kind: 'damaged', failure: { code, message } });
  }
}

/** On the main thread: resolves when the store is whole, and ends the thread. Rejects with StoreError */
export function replyOf(worker: Worker, dir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (reply: CheckReply) => {
      void worker.terminate();
      if (reply.kind === 'whole') resolve();
      else reject(new StoreError(reply.failure.code, reply.failure.message));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new StoreError('io', `${dir}: the thread that checks the store ended`)));
  });
}
