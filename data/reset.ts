/** Deletes stores. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LMDB_LOCK_FILE } from './environment.ts';
import { DATA_FILE, storeError } from './errors.ts';
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

/**
 * Removes the store of a network in a folder. What else is there stays, the platform's store in it too.
 * @throws StoreError locked, read-only, io
 */
export function removeStore(dir: string): void {
  const held = lock(dir);
  try {
    // The lock file first: by a kill, it may not be left beside another data file (maintenance.ts, replaceFile).
    for (const file of [LMDB_LOCK_FILE, DATA_FILE]) rmSync(join(dir, file), { force: true });
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    held.release();
  }
}
