/** The start of a thread that opens a store: its first message reports success or failure. */
import type { Worker } from 'node:worker_threads';
import { type Failure, StoreError } from './errors.ts';

/** @throws StoreError when the thread answers with a failure; Error when it ends without an answer */
export async function firstReply<R extends { readonly kind: string }>(
  worker: Worker,
): Promise<Exclude<R, { kind: 'failed' }>> {
  const first = await new Promise<R>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) =>
      reject(new Error(`the writer thread ended with code ${code} while opening`)),
    );
  });
  if (first.kind !== 'failed') return first as Exclude<R, { kind: 'failed' }>;
  await worker.terminate();
  const { code, message } = (first as unknown as { failure: Failure }).failure;
  throw new StoreError(code, message);
}
