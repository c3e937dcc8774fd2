/** Maintenance of a store: sizes, copies, and compaction. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from './check.ts';
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
import { PLATFORM_FAMILY_NAMES } from './platform-keys.ts';
import { type FamilySize, type FileSizes, fileSizes, sizeOf } from './space.ts';
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

/** The properties of a kind of store that copies need. */
interface StoreKind {
  readonly families: readonly string[];
  /** Checks everything. @throws StoreError corrupt */
  check(dir: string): void;
}

const ENGINE: StoreKind = { families: FAMILY_NAMES, check: checkStore };
const PLATFORM: StoreKind = { families: PLATFORM_FAMILY_NAMES, check: checkPlatform };

/**
 * Copies a store, in use or not, in one consistent state: page by page, with unused pages. The copy is checked before it
 * gets its name, so that a backup that cannot be opened is detected when it is made.
 * @param target absent or empty directory; it appears complete or not at all
 * @throws StoreError
 */
export async function backupTo(environment: Environment, target: string): Promise<void> {
  await wholeDirectory(target, (partial) => copyPages(environment, partial, ENGINE));
}

/**
 * Copies the store in `dir` to `target`, and the platform's store in it, also while another process writes to them. The
 * platform's store is copied last: ledger events that only its copy has are applied again, which has no effect.
 * @throws StoreError
 */
export async function backupStore(dir: string, target: string): Promise<void> {
  await wholeDirectory(target, async (partial) => {
    await copyOpened(dir, partial, ENGINE);
    const platform = platformDir(dir);
    if (!hasStore(platform)) return;
    mkdirSync(platformDir(partial));
    await copyOpened(platform, platformDir(partial), PLATFORM);
  });
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

async function copyOpened(dir: string, target: string, kind: StoreKind): Promise<void> {
  const environment = openEnvironment(dir, { readOnly: true, families: kind.families });
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
  kind.check(target);
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
    if (!hasStore(platform)) return await compactFile(dir, ENGINE);
    held.push(lock(platform));
    const sizes = [await compactFile(dir, ENGINE), await compactFile(platform, PLATFORM)];
    const sum = (pick: (sizes: Compacted) => number) => sizes.reduce((total, each) => total + pick(each), 0);
    return { before: sum(({ before }) => before), after: sum(({ after }) => after) };
  } finally {
    for (const each of held) each.release();
  }
}

async function compactFile(dir: string, kind: StoreKind): Promise<Compacted> {
  const path = join(dir, DATA_FILE);
  const copy = join(dir, 'compacted');
  try {
    rmSync(copy, { recursive: true, force: true });
    kind.check(dir);
    const before = statSync(path).size;
    await copyRows(dir, copy, kind.families);
    const after = statSync(join(copy, DATA_FILE)).size;
    renameSync(join(copy, DATA_FILE), path);
    // The copy counts its transactions from 0 again: a lock file with the old count must be removed.
    rmSync(join(dir, LMDB_LOCK_FILE), { force: true });
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
