/** Errors of storage, with messages that say what to do. */
import { limitMet } from './disk.ts';

/** LMDB's data file in a store's directory. */
export const DATA_FILE = 'data.mdb';

export type StoreErrorCode =
  | 'disk-full'
  | 'read-only'
  | 'locked'
  | 'corrupt'
  | 'newer-schema'
  | 'older-schema'
  | 'other-network'
  | 'not-found'
  | 'closed'
  | 'earlier-batch-failed'
  | 'bad-batch'
  | 'writer-stopped'
  | 'io';

/** What storage throws. The message names the directory and the remedy. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** What was seen, without directory and remedy; of damaged stores. */
  readonly damage: string | undefined;

  constructor(code: StoreErrorCode, message: string, cause?: unknown, damage?: string) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.code = code;
    this.damage = damage;
  }
}

/** A {@link StoreError} as it travels between threads. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
}

const DISK_FULL = ['ENOSPC', 'No space left', 'MDB_MAP_FULL', 'EFBIG', 'File too large', 'EDQUOT', 'quota'];
const SHORT_WRITE = ['Input/output error', 'EIO'];
const READ_ONLY = ['EROFS', 'Read-only file system', 'EACCES', 'Permission denied', 'EPERM', 'not permitted'];
const NO_DIRECTORY = ['ENOTDIR', 'Not a directory'];
const CORRUPT = ['MDB_CORRUPTED', 'MDB_INVALID', 'MDB_PAGE_NOTFOUND', 'MDB_VERSION_MISMATCH', 'MDB_BAD_TXN'];
const READERS = ['MDB_READERS_FULL'];

/** Turns whatever LMDB or the file system threw into a {@link StoreError}. */
export function storeError(error: unknown, dir: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const says = (words: readonly string[]): boolean => words.some((word) => reason.includes(word));
  const limit = says(DISK_FULL) ? reason : says(SHORT_WRITE) ? limitMet(dir, DATA_FILE) : undefined;
  if (limit) {
    return new StoreError(
      'disk-full',
      `${dir}: no room to write (${limit}). Free disk space, raise the quota, file size or map size limit, then ` +
        'start again: everything up to the cursor is safe',
      error,
    );
  }
  if (says(NO_DIRECTORY)) {
    return new StoreError(
      'read-only',
      `${dir}: cannot be a directory (${reason}). Name another directory`,
      error,
    );
  }
  if (says(READ_ONLY)) {
    return new StoreError(
      'read-only',
      `${dir}: cannot be written (${reason}). Give this user write access to the directory, or name another`,
      error,
    );
  }
  if (says(CORRUPT)) return corrupt(dir, reason, error);
  if (says(READERS)) {
    return new StoreError(
      'io',
      `${dir}: all reader slots are taken (${reason}). Stop other processes that read this store`,
      error,
    );
  }
  return new StoreError(
    'io',
    `${dir}: reading or writing failed (${reason}). Check free space, the file size limit (ulimit -f) and the ` +
      'health of the disk: everything up to the cursor is safe',
    error,
  );
}

/** The file is damaged. @param reason what was seen */
export function corrupt(dir: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `${dir}: the store is damaged (${reason}). Rebuild it from the ledgers it holds (npm run tool -- rebuild --data ${dir}), ` +
      'or move the directory away and start from a backup, or empty',
    cause,
    reason,
  );
}
