/** Maintenance of a store: sizes, copies, and compaction. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkExists,
  type Environment,
  hasStore,
  LMDB_LOCK_FILE,
  openEnvironment,
  type Table,
} from './environment.ts';
import { DATA_FILE, StoreError, storeError } from './errors.ts';
import { FAMILY_NAMES } from './keys.ts';
import { lock } from './lock.ts';
import { checkPlatform, platformDir } from './platform-check.ts';
import { type FamilySize, type FileSizes, fileSizes, sizeOf } from './space.ts';
import { FAMILIES_OF, kindOf, kindOfStore, type StoreKind } from './store-kinds.ts';
import { CHECKS, checkInThread } from './whole-check.ts';
import type { WriterTotals } from './writer.ts';

export interface StoreStats extends FileSizes {
  readonly families: Readonly<Record<string, FamilySize>>;
  readonly writer: Readonly<WriterTotals & { waitingBytes: number }>;
}

export function statsOf(environment: Environment, writer: StoreStats['writer']): StoreStats {
  const families: Record<string, FamilySize> = {};
  for (const [id, name] of FAMILY_NAMES.entries()) families[name] = sizeOf(environment.families[id]!);
  return { families, ...fileSizes(environment), writer };
}

/** Checks everything in a closed store, and in the platform's store in it. @throws StoreError locked, corrupt */
export function checkWhole(dir: string): void {
  checkExists(dir);
  const platform = platformDir(dir);
  const held = [lock(dir)];
  try {
    if (hasStore(platform)) held.push(lock(platform));
    CHECKS[kindOfStore(dir)](dir);
    checkPlatform(platform);
  } finally {
    for (const each of held) each.release();
  }
}

/**
 * Copies a store, in use or not, in one consistent state: page by page, with unused pages. The copy is checked before it
 * gets its name, so that a backup that cannot be opened is detected when it is made.
 * @param target absent or empty directory; it appears complete or not at all
 * @throws StoreError
 */
export async function backupTo(environment: Environment, target: string): Promise<void> {
  await wholeDirectory(target, (partial) => copyPages(environment, partial, 'engine'));
}

/**
 * Copies the store in `dir` to `target`, and the platform's store in it, also while another process writes to them. The
 * platform's store is copied last: ledger events that only its copy has are applied again, which has no effect.
 * @param signal aborted: what was copied is removed; end the process then
 * @throws StoreError
 */
export async function backupStore(dir: string, target: string, signal?: AbortSignal): Promise<void> {
  const copy = async (partial: string) => {
    await copyOpened(dir, partial, await kindInUse(dir));
    const platform = platformDir(dir);
    if (!hasStore(platform)) return;
    mkdirSync(platformDir(partial));
    await copyOpened(platform, platformDir(partial), 'platform');
  };
  await wholeDirectory(target, (partial) => unlessAborted(copy(partial), target, signal));
}

/** What is being copied goes on until its process ends. @throws Error when the signal is aborted first */
async function unlessAborted(copied: Promise<void>, target: string, signal?: AbortSignal): Promise<void> {
  if (!signal) return copied;
  copied.catch(() => {});
  const aborted = Promise.withResolvers<never>();
  const abort = () =>
    aborted.reject(new StoreError('closed', `${target}: stopped before the copy was complete`));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([copied, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @param fill fills an empty directory, which then takes the name of `target` */
async function wholeDirectory(target: string, fill: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${target}.partial`;
  try {
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new StoreError('io', `${target}: not empty. Name a new directory for the copy`);
    }
    removeEmpty(target);
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    await fill(partial);
    renameSync(partial, target);
  } catch (error) {
    rmQuietly(partial);
    throw storeError(error, target);
  }
}

/** Before hours of copying, which would go to the disk of the directory above it. @throws StoreError */
function removeEmpty(target: string): void {
  try {
    if (existsSync(target)) rmdirSync(target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    throw new StoreError('io', `${target}: a disk is mounted here. Name a new directory in it for the copy`);
  }
}

/** Read through LMDB: another process may write to it. */
async function kindInUse(dir: string): Promise<StoreKind> {
  const { root } = openEnvironment(dir, { readOnly: true, families: [] });
  try {
    // The zero that ends a name is part of the key.
    return kindOf(Array.from(root.getKeys(), (name) => Buffer.from(name).subarray(0, -1).toString()));
  } finally {
    await root.close();
  }
}

async function copyOpened(dir: string, target: string, kind: StoreKind): Promise<void> {
  const environment = openEnvironment(dir, { readOnly: true, families: FAMILIES_OF[kind] });
  try {
    await copyPages(environment, target, kind);
  } finally {
    await environment.root.close();
  }
}

async function copyPages(environment: Environment, target: string, kind: StoreKind): Promise<void> {
  // Never LMDB's compacting copy: with lmdb 3.5.6 the first write to such a copy crashes in the free list
  // (kriszyp/lmdb-js issue 198). compactStore() copies rows instead.
  await environment.root.backup(target, false);
  // In a thread: a large copy takes minutes, and may be stopped meanwhile.
  await checkInThread(target, kind);
}

/** Length of a file before and after, in bytes. */
interface Compacted {
  readonly before: number;
  readonly after: number;
}

/**
 * Rewrites the store in `dir` and the platform's store in it row by row, without unused pages and with the others full.
 * They must be closed; each new file replaces the old one in one rename.
 * @returns the sum of both
 * @throws StoreError locked while in use; disk-full: the old file is not changed
 */
export async function compactStore(dir: string): Promise<Compacted> {
  checkExists(dir);
  const platform = platformDir(dir);
  const held = [lock(dir)];
  try {
    const kind = kindOfStore(dir);
    if (!hasStore(platform)) return await compactFile(dir, kind);
    held.push(lock(platform));
    const sizes = [await compactFile(dir, kind), await compactFile(platform, 'platform')];
    const sum = (pick: (sizes: Compacted) => number) => sizes.reduce((total, each) => total + pick(each), 0);
    return { before: sum(({ before }) => before), after: sum(({ after }) => after) };
  } finally {
    for (const each of held) each.release();
  }
}

/** Folder of the new file, in that of the store. */
const COMPACTED = 'compacted';

/** Removes what a compaction that was cut short has left, which may be as large as the store. The caller holds its lock. */
export function removeUnfinishedCompaction(dir: string): void {
  rmSync(join(dir, COMPACTED), { recursive: true, force: true });
}

/**
 * Another store's file, complete and closed, becomes that of the store in one step; the one of before loses this name. It counts its
 * transactions by itself: no lock file with another count may be left beside it, by a kill either.
 */
export function replaceFile(dir: string, from: string): void {
  rmSync(join(dir, LMDB_LOCK_FILE), { force: true });
  renameSync(join(from, DATA_FILE), join(dir, DATA_FILE));
}

async function compactFile(dir: string, kind: StoreKind): Promise<Compacted> {
  const copy = join(dir, COMPACTED);
  try {
    removeUnfinishedCompaction(dir);
    CHECKS[kind](dir);
    const before = statSync(join(dir, DATA_FILE)).size;
    await copyRows(dir, copy, FAMILIES_OF[kind]);
    const after = statSync(join(copy, DATA_FILE)).size;
    replaceFile(dir, copy);
    return { before, after };
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    rmQuietly(copy);
  }
}

/** Bytes that one transaction of a copy may hold: bounds its memory. */
const COPY_BYTES = 64 * 1024 * 1024;

async function copyRows(from: string, to: string, families: readonly string[]): Promise<void> {
  const source = openEnvironment(from, { readOnly: true, families });
  try {
    const target = openEnvironment(to, { families });
    try {
      for (const [i, table] of source.families.entries()) copyTable(table, target.families[i]!, target);
      copyTable(source.meta, target.meta, target);
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
    // It is left from a failed copy; the next one removes it.
  }
}
