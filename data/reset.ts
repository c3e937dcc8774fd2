/** Deletes stores. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { storeError } from './errors.ts';
import { type Lock, lock } from './lock.ts';

/**
 * Removes a folder with the stores in it, unless one of them is in use: all are locked before any is removed.
 * @param stores names of folders in `dir`
 * @throws StoreError locked, read-only, io; nothing is removed when locked
 */
export function removeStores(dir: string, stores: readonly string[]): void {
  const held: Lock[] = [];
  try {
    for (const name of stores) if (existsSync(join(dir, name))) held.push(lock(join(dir, name)));
    rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    for (const each of held) each.release();
  }
}
