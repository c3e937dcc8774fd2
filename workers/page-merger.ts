/**
 * A thread that gives what has been restored pages of 2 MB, while the service already answers (engine/state/huge-pages.ts), with
 * a twentieth of a core. It ends by itself: after some seconds at the main network's size, two minutes where the host has to give
 * the memory first.
 */
import { Worker } from 'node:worker_threads';

/** @param onFault gets what ended the thread early: pages stay small. @returns ends it */
export function mergePages(onFault: (fault: Error) => void): () => Promise<void> {
  if (process.platform !== 'linux') return async () => {};
  const worker = new Worker(new URL('./page-merger.worker.ts', import.meta.url));
  worker.on('error', onFault);
  worker.unref();
  return async () => void (await worker.terminate());
}
