/** What the writer threads of both stores share: their first message reports success or failure, the last that all is closed. */
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Environment } from './environment.ts';
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

/**
 * In the thread: hands every message to `write` until one asks to close; then closes the environment and confirms that.
 * @param beforeClose called when nothing more is to be written
 */
export function writeUntilClosed<M extends { readonly kind: string }>(
  port: MessagePort,
  { root }: Environment,
  write: (message: Exclude<M, { kind: 'close' }>) => void,
  beforeClose?: () => void,
): void {
  port.on('message', (message: M) => {
    if (message.kind !== 'close') {
      write(message as Exclude<M, { kind: 'close' }>);
      return;
    }
    beforeClose?.();
    void root.close().then(() => {
      port.postMessage({ kind: 'closed' });
      port.close();
    });
  });
}
