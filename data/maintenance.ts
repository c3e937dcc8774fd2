/** Maintenance of a store: sizes, copies, and compaction. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from './check.ts';
import { checkExists, type Environment, LMDB_LOCK_FILE, openEnvironment, type Table } from './environment.ts';
import { DATA_FILE, StoreError, storeError } from './errors.ts';
import { FAMILY_NAMES } from './keys.ts';
import { lock } from './lock.ts';
import type { WriterTotals } from './writer.ts';

/** Size of one family. */
interface FamilySize {
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

/** LMDB's statistics of one table and of the whole store. */
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
 * Copies a store, in use or not, in one consistent state: page by page, unused pages too. The copy is looked over before it
 * takes its name: a backup that cannot be opened is found when it is made.
 * @param target absent or empty directory; appears whole or not at all
 * @throws StoreError
 */
export async function backupTo(environment: Environment, target: string): Promise<void> {
  const partial = `${target}.partial`;
  try {
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new StoreError('io', `${target}: not empty. Name a new directory for the copy`);
    }
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    // Never LMDB's compacting copy: with lmdb 3.5.6 the first write to such a copy crashes in the free list
    // (kriszyp/lmdb-js issue 198). compactStore() copies rows instead.
    await environment.root.backup(partial, false);
    checkStore(partial);
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  } catch (error) {
    rmQuietly(partial);
    throw storeError(error, target);
  }
}

/** Copies the store in `dir` to `target`, also while another process writes to it. @throws StoreError */
export async function backupStore(dir: string, target: string): Promise<void> {
  const environment = openEnvironment(dir, { readOnly: true });
  try {
    await backupTo(environment, target);
  } finally {
    await environment.root.close();
  }
}

/**
 * Rewrites the store in `dir` row by row, which leaves out unused pages and fills the others. The store must be
 * closed; the new file takes the place of the old one in one rename.
 * @returns length of the file before and after, in bytes
 * @throws StoreError locked while in use; disk-full: the old file stays as it was
 */
export async function compactStore(dir: string): Promise<{ before: number; after: number }> {
  const path = join(dir, DATA_FILE);
  checkExists(dir);
  const held = lock(dir);
  const copy = join(dir, 'compacted');
  try {
    rmSync(copy, { recursive: true, force: true });
    checkStore(dir);
    const before = statSync(path).size;
    await copyRows(dir, copy);
    const after = statSync(join(copy, DATA_FILE)).size;
    renameSync(join(copy, DATA_FILE), path);
    // The copy counts its transactions anew: a lock file that remembers the old count must not outlive it.
    rmSync(join(dir, LMDB_LOCK_FILE), { force: true });
    return { before, after };
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    rmQuietly(copy);
    held.release();
  }
}

/** Bytes that one transaction of a copy may hold: bounds its memory. */
const COPY_BYTES = 64 * 1024 * 1024;

async function copyRows(from: string, to: string): Promise<void> {
  const source = openEnvironment(from, { readOnly: true });
  try {
    const target = openEnvironment(to);
    try {
      const tables = [...source.families, source.meta];
      const copies = [...target.families, target.meta];
      for (const [i, table] of tables.entries()) copyTable(table, copies[i]!, target);
    } finally {
      await target.root.close();
    }
  } finally {
    await source.root.close();
  }
}

function copyTable(table: Table, copy: Table, target: Environment): void {
  const rows = table.getRange({ start: Buffer.alloc(1) })[Symbol.iterator]();
  for (let more = true; more; ) {
    target.root.transactionSync(() => {
      for (let bytes = 0; bytes < COPY_BYTES; ) {
        const next = rows.next();
        if (next.done) {
          more = false;
          return;
        }
        const { key, value } = next.value;
        copy.putSync(key, value, { append: true });
        bytes += key.length + value.length;
      }
    });
  }
}

function rmQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left over from a copy that failed already; the next one removes it.
  }
}
