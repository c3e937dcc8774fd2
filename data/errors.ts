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
  | 'other-kind'
  | 'not-found'
  | 'removed'
  | 'closed'
  | 'earlier-batch-failed'
  | 'bad-batch'
  | 'writer-stopped'
  | 'io';

/** The error of all storage functions. The message has the directory and the remedy. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** Of damaged stores: the damage that was found, without directory and remedy. */
  readonly damage: string | undefined;

  constructor(code: StoreErrorCode, message: string, cause?: unknown, damage?: string) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.code = code;
    this.damage = damage;
  }
}

/** A {@link StoreError} in a message between threads. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
}

const DISK_FULL = ['ENOSPC', 'No space left', 'MDB_MAP_FULL', 'EFBIG', 'File too large', 'EDQUOT', 'quota'];
const SHORT_WRITE = ['Input/output error', 'EIO'];
const READ_ONLY = ['EROFS', 'Read-only file system', 'EACCES', 'Permission denied', 'EPERM', 'not permitted'];
// Of mkdir: the name is that of a file, or the file system makes no directories there (/proc).
const NO_DIRECTORY = [
  'ENOTDIR',
  'Not a directory',
  'already exists, mkdir',
  'no such file or directory, mkdir',
];
const CORRUPT = ['MDB_CORRUPTED', 'MDB_INVALID', 'MDB_PAGE_NOTFOUND', 'MDB_VERSION_MISMATCH', 'MDB_BAD_TXN'];
const READERS = ['MDB_READERS_FULL'];
const FILES = ['EMFILE', 'ENFILE', 'oo many open files'];

/** Turns an error of LMDB or the file system into a {@link StoreError}. */
export function storeError(error: unknown, dir: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const mentions = (words: readonly string[]): boolean => words.some((word) => reason.includes(word));
  const limit = mentions(DISK_FULL) ? reason : mentions(SHORT_WRITE) ? limitMet(dir, DATA_FILE) : undefined;
  if (limit) {
    return new StoreError(
      'disk-full',
      `${dir}: no room to write (${limit}). Free disk space, raise the quota, file size or map size limit, then ` +
        'start again: everything up to the cursor is safe',
      error,
    );
  }
  if (mentions(NO_DIRECTORY)) {
    return new StoreError(
      'read-only',
      `${dir}: cannot be a directory (${reason}). Name another directory`,
      error,
    );
  }
  if (mentions(READ_ONLY)) {
    return new StoreError(
      'read-only',
      `${dir}: cannot be written (${reason}). Give this user write access to the directory, or name another`,
      error,
    );
  }
  if (mentions(CORRUPT)) return corrupt(dir, reason, error);
  if (mentions(READERS)) {
    return new StoreError(
      'io',
      `${dir}: all reader slots are taken (${reason}). Stop other processes that read this store`,
      error,
    );
  }
  if (mentions(FILES)) {
    return new StoreError(
      'io',
      `${dir}: no more files can be opened (${reason}). Raise the limit of open files (ulimit -n), then start again: ` +
        'everything up to the cursor is safe',
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

/** The file is damaged. @param reason the damage that was found */
export function corrupt(dir: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `${dir}: the store is damaged (${reason}). Rebuild it from the ledgers it holds (npm run tool -- rebuild --data ${dir}), ` +
      'or move the directory away and start from a backup, or empty',
    cause,
    reason,
  );
}
