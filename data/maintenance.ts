/** Care of a store: sizes, copies, and giving unused space back. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE, type Environment, LMDB_LOCK_FILE, openEnvironment, type Table } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import { FAMILY_NAMES } from './keys.ts';
import { lock } from './lock.ts';
import type { WriterTotals } from './writer.ts';

export interface FamilySize {
  readonly rows: number;
  /** Pages in use, in bytes. */
  readonly bytes: number;
}

export interface StoreStats {
  readonly families: Readonly<Record<string, FamilySize>>;
  /** Length of the file. */
  readonly fileBytes: number;
  /** Part of the file that has ever been used; later writes use freed pages within it again. */
  readonly usedBytes: number;
  /** How far the file may grow. */
  readonly mapBytes: number;
  /** Reader slots in use. */
  readonly readers: number;
  readonly writer: Readonly<WriterTotals & { waitingBytes: number }>;
}

/** What LMDB tells of one table and of the whole. */
interface LmdbStats {
  readonly pageSize: number;
  readonly entryCount: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly lastPageNumber: number;
  readonly mapSize: number;
  readonly numReaders: number;
}

export function statsOf(environment: Environment, writer: StoreStats['writer']): StoreStats {
  const families: Record<string, FamilySize> = {};
  for (const [id, name] of FAMILY_NAMES.entries()) families[name] = sizeOf(environment.families[id]!);
  const whole = environment.meta.getStats() as LmdbStats;
  return {
    families,
    fileBytes: statSync(join(environment.dir, DATA_FILE)).size,
    usedBytes: (whole.lastPageNumber + 1) * whole.pageSize,
    mapBytes: whole.mapSize,
    readers: whole.numReaders,
    writer,
  };
}

function sizeOf(table: Table): FamilySize {
  const stats = table.getStats() as LmdbStats;
  const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
  return { rows: stats.entryCount, bytes: pages * stats.pageSize };
}

/**
 * Copies a store, in use or not, in one consistent state.
 * @param target absent or empty directory; appears whole or not at all
 * @param compact leave out unused pages: smaller and a little slower
 * @throws StoreError
 */
export async function backupTo(environment: Environment, target: string, compact: boolean): Promise<void> {
  const partial = `${target}.partial`;
  try {
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new StoreError('io', `${target}: not empty. Name a new directory for the copy`);
    }
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    await environment.root.backup(partial, compact);
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw storeError(error, target);
  }
}

/** Copies the store in `dir` to `target`, also while another process writes to it. @throws StoreError */
export async function backupStore(dir: string, target: string, compact = true): Promise<void> {
  const environment = openEnvironment(dir, { readOnly: true });
  try {
    await backupTo(environment, target, compact);
  } finally {
    await environment.root.close();
  }
}

/**
 * Rewrites the store in `dir` without its unused pages. The store must be closed; the new file takes the place of
 * the old one in one rename.
 * @returns length of the file before and after, in bytes
 * @throws StoreError locked while in use
 */
export async function compactStore(dir: string): Promise<{ before: number; after: number }> {
  if (!existsSync(join(dir, DATA_FILE))) {
    throw new StoreError(
      'not-found',
      `${dir}: there is no store here. Name the directory of an existing one`,
    );
  }
  const held = lock(dir);
  const copy = join(dir, 'compacted');
  try {
    rmSync(copy, { recursive: true, force: true });
    const before = statSync(join(dir, DATA_FILE)).size;
    await backupStore(dir, copy, true);
    const after = statSync(join(copy, DATA_FILE)).size;
    renameSync(join(copy, DATA_FILE), join(dir, DATA_FILE));
    // The copy counts its transactions from 1: a lock file that remembers the old count must not outlive it.
    rmSync(join(dir, LMDB_LOCK_FILE), { force: true });
    return { before, after };
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    rmSync(copy, { recursive: true, force: true });
    held.release();
  }
}
