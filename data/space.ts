/** How large a store's file is, and what of it is in use: from LMDB's own counts of pages, which cost microseconds. */
import { dataFile, type Environment, type Table } from './environment.ts';

/** The file of a store. */
export interface FileSizes {
  /** Length of the file. */
  readonly fileBytes: number;
  /** Part of the file that has ever been used; later writes use freed pages within it again. */
  readonly usedBytes: number;
  /** Pages of that part that are free. */
  readonly freeBytes: number;
  /** How far the file may grow. */
  readonly mapBytes: number;
  /** Most reader slots that were in use at one time. */
  readonly readers: number;
}

/** Sizes of a store and of its disk. */
export interface StoreSpace extends FileSizes {
  /** Free on the disk; undefined: the system does not say. */
  readonly diskFreeBytes: number | undefined;
  /** Bytes that the writer thread has written; undefined: the system does not say. */
  readonly writtenBytes: number | undefined;
}

/** Size of one family. */
export interface FamilySize {
  readonly rows: number;
  /** Pages in use, in bytes. */
  readonly bytes: number;
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

/** The list of tables and that of free pages are trees as well; `getStats` of any table has them. */
interface LmdbWholeStats extends LmdbStats {
  readonly root: LmdbStats;
  readonly free: LmdbStats;
}

/** Pages 0 and 1, which name the trees. */
const META_PAGES = 2;

/** @throws StoreError removed */
export function fileSizes(environment: Environment): FileSizes {
  const { meta } = environment;
  const whole = meta.getStats() as LmdbStats;
  const usedBytes = (whole.lastPageNumber + 1) * whole.pageSize;
  return {
    fileBytes: dataFile(environment).size,
    usedBytes,
    freeBytes: Math.max(0, usedBytes - dataBytes(environment)),
    mapBytes: whole.mapSize,
    readers: whole.numReaders,
  };
}

/** Bytes of the pages that are in use. */
export function dataBytes({ meta, families }: Environment): number {
  const { root, free, pageSize } = meta.getStats() as LmdbWholeStats;
  const trees = [...families, meta].reduce((sum, table) => sum + sizeOf(table).bytes, 0);
  return trees + pagesOf(root).bytes + pagesOf(free).bytes + META_PAGES * pageSize;
}

export function sizeOf(table: Table): FamilySize {
  return pagesOf(table.getStats() as LmdbStats);
}

function pagesOf(stats: LmdbStats): FamilySize {
  const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
  return { rows: stats.entryCount, bytes: pages * stats.pageSize };
}
