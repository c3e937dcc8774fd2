/**
 * The LMDB environment of one network.
 *
 * One named database a family (see keys.ts). Every thread opens its own environment object; within a process
 * they share one LMDB environment. Commits are synchronous: data and the page that makes it current are on
 * disk when a transaction returns (no overlapping sync, no noSync, no noMetaSync).
 *
 * The map is large from the start: it only reserves addresses, the file grows as it is written. So the map never
 * moves under a reader, and the disk is the only limit met in practice.
 */
import { existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type GetOptions, open, type RootDatabase } from 'lmdb';
import { mapBytes } from './address-space.ts';
import { corrupt, DATA_FILE, StoreError, storeError } from './errors.ts';
import { FAMILY_NAMES, familySince } from './keys.ts';
import { PageFile } from './pages.ts';

/** A named database. lmdb's types leave out that `getBinary` takes a transaction to read in. */
export type Table = Omit<Database<Uint8Array, Uint8Array>, 'getBinary'> & {
  getBinary(id: Uint8Array, options?: GetOptions): Buffer | undefined;
};

export interface Environment {
  readonly dir: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  readonly meta: Table;
  /** By family id. */
  readonly families: readonly Table[];
  /** Bytes of keys and values that have been put through `put`, by family id. */
  readonly putBytes: number[];
  /** Number of the data file in its file system. */
  readonly inode: number;
}

export interface EnvironmentOptions {
  readonly readOnly?: boolean;
  /** Largest size of the file in bytes. */
  readonly mapSize?: number;
  /** Names of the families; those of keys.ts by default. */
  readonly families?: readonly string[];
}

/** Threads and processes that may read at once. */
const READERS_MAX = 256;
const DATABASES_MAX = 32;
/** LMDB's own table of readers. */
export const LMDB_LOCK_FILE = 'lock.mdb';

/**
 * Runs of free pages that LMDB looks through for one that fits before it takes new pages at the end of the file. It writes
 * the list that it looked through again with each transaction, 8 to 16 bytes a run. With its default of 50,000, a store that
 * has many short runs (after a checkpoint, or where ledgers were deleted) writes up to 350 kB more a ledger and takes 30 ms
 * longer; with 1,000, runs that fit are not found, and the file grows although a fifth of it is free. (lmdb's types leave
 * the option out.)
 */
const FREE_SPACE = { maxFreeSpaceToLoad: 4000 } as const;
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * Opens the store in `dir`, creating it unless `readOnly`.
 * @throws StoreError not-found, read-only, corrupt, disk-full, io
 */
export function openEnvironment(dir: string, options: EnvironmentOptions = {}): Environment {
  const { readOnly = false, mapSize = mapBytes(dir), families = FAMILY_NAMES } = options;
  if (readOnly) checkExists(dir);
  let root: RootDatabase<Uint8Array, Uint8Array> | undefined;
  try {
    PageFile.open(dir)?.close();
    root = open<Uint8Array, Uint8Array>({
      path: dir,
      noSubdir: false,
      readOnly,
      mapSize,
      maxReaders: READERS_MAX,
      maxDbs: DATABASES_MAX,
      overlappingSync: false,
      ...FREE_SPACE,
      ...BINARY,
    });
    root.readerCheck();
    const table = (name: string): Table => {
      const opened = root!.openDB<Uint8Array, Uint8Array>(name, BINARY) as Table | undefined;
      if (opened === undefined) throw corrupt(dir, `table '${name}' is missing`);
      return opened;
    };
    return {
      dir,
      root,
      meta: table('meta'),
      families: tablesOf(root, families, readOnly, table),
      putBytes: families.map(() => 0),
      inode: statSync(join(dir, DATA_FILE)).ino,
    };
  } catch (error) {
    void root?.close();
    throw storeError(error, dir);
  }
}

/** Those of a store that is not migrated yet end before the first family it lacks. */
function tablesOf(
  root: RootDatabase<Uint8Array, Uint8Array>,
  families: readonly string[],
  readOnly: boolean,
  table: (name: string) => Table,
): Table[] {
  const isThere = (name: string): boolean => root.openDB<Uint8Array, Uint8Array>(name, BINARY) !== undefined;
  const absent = readOnly ? families.findIndex((name) => familySince(name) > 1 && !isThere(name)) : -1;
  return (absent < 0 ? families : families.slice(0, absent)).map(table);
}

/** Puts a row, within a transaction, and counts its bytes. */
export function put(environment: Environment, family: number, key: Uint8Array, value: Uint8Array): void {
  environment.families[family]!.putSync(key, value);
  environment.putBytes[family]! += key.length + value.length;
}

/**
 * The data file as the system sees it. Asked before each commit: what is written to a file that has lost its name ends with
 * the process.
 * @throws StoreError removed
 */
export function dataFile({ dir, inode }: Environment): Stats {
  const found = statSync(join(dir, DATA_FILE), { throwIfNoEntry: false });
  if (found?.ino === inode) return found;
  throw new StoreError(
    'removed',
    `${dir}: ${DATA_FILE} was ${found ? 'replaced' : 'removed'} while it was in use, and can be written no more. Put the ` +
      'folder of before back, or a backup, then start again',
  );
}

export function hasStore(dir: string): boolean {
  return existsSync(join(dir, DATA_FILE));
}

/** @throws StoreError not-found */
export function checkExists(dir: string): void {
  if (hasStore(dir)) return;
  throw new StoreError('not-found', `${dir}: there is no store here. Name the directory of an existing one`);
}
