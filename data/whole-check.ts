/** The check of a whole store that no process writes to, by its kind, on this thread or in one of its own. */
import { Worker } from 'node:worker_threads';
import { checkPages, checkStore } from './check.ts';
import type { CheckReply } from './checker.ts';
import { StoreError } from './errors.ts';
import { checkPlatform } from './platform-check.ts';
import type { StoreKind } from './store-kinds.ts';

/** @throws StoreError corrupt */
export const CHECKS: Readonly<Record<StoreKind, (dir: string) => void>> = {
  engine: checkStore,
  platform: checkPlatform,
  network: (dir) => checkPages(dir, [], Number.POSITIVE_INFINITY),
};

export interface ToCheckWhole {
  readonly dir: string;
  readonly kind: StoreKind;
}

/** @throws StoreError corrupt */
export async function checkInThread(dir: string, kind: StoreKind): Promise<void> {
  const worker = new Worker(new URL('./whole-check.worker.ts', import.meta.url), {
    workerData: { dir, kind } satisfies ToCheckWhole,
  });
  const reply = await new Promise<CheckReply>((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', () => reject(new StoreError('io', `${dir}: the thread that checks the store ended`)));
  });
  await worker.terminate();
  if (reply.kind === 'damaged') throw new StoreError(reply.failure.code, reply.failure.message);
}
