/** The check of a whole store that no process writes to, by its kind, on this thread or in one of its own. */
import { Worker } from 'node:worker_threads';
import { checkPages, checkStore } from './check.ts';
import { replyOf } from './check-reply.ts';
import { checkPlatform } from './platform-check.ts';
import type { StoreKind } from './store-kinds.ts';

/** @throws StoreError corrupt */
export const CHECKS: Readonly<Record<StoreKind, (dir: string) => void>> = {
  engine: checkStore,
  platform: checkPlatform,
  network: (dir) => checkPages(dir, 'network', [], Number.POSITIVE_INFINITY),
};

export interface ToCheckWhole {
  readonly dir: string;
  readonly kind: StoreKind;
}

/** Rejects with StoreError corrupt. */
export function checkInThread(dir: string, kind: StoreKind): Promise<void> {
  const workerData = { dir, kind } satisfies ToCheckWhole;
  return replyOf(new Worker(new URL('./whole-check.worker.ts', import.meta.url), { workerData }), dir);
}
