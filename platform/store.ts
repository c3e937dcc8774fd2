/**
 * Data of the service itself: keys, credits, invoices, users, watch lists. None of it is derived from ledgers, so none
 * of it can be computed again: it is stored durably in transactions of its own. `data/` implements this interface on LMDB.
 *
 * If a ledger event causes a write (a payment adds credits to an account), the event's ledger position is stored in the
 * same transaction, so that the event is applied exactly once, however often it is processed:
 *
 *     crash before the commit    neither write nor position is stored: processing the event again applies it
 *     crash after the commit     both are stored: processing the event again does nothing
 *
 * The two stores have no common transaction. Each cause of writes therefore stores the last ledger that it has completed
 * (`settle`) and, at start, processes the ledgers after it again. The engine's own cursor may be ahead of it or behind it.
 */
import type { Position } from '../engine/store.ts';

/** Text without zero characters, or a whole number from 0 to 2^53 - 1. Numbers sort before texts, texts by their UTF-8. */
export type KeyPart = string | number;

/** Sorted part by part. A walk can be restricted to a prefix, which is the leading parts of a key. */
export type Key = readonly KeyPart[];

export interface Index<T> {
  /** Whether a second row with the same key in this index is refused. */
  readonly unique: boolean;
  /**
   * The keys of a value in this index: none, one or several. They must depend only on the value. The names of a
   * collection's indexes are stored: an index with a new name is built at start. A changed rule under the same name is not
   * detected, and needs a new version of the collection.
   */
  keys(value: T): readonly Key[];
}

/** A collection of rows of one type; the program declares each once, as a constant. */
export interface Collection<T> {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Version of the format of values, from 1. */
  readonly version: number;
  /** `upgrades[i]` converts a value of version i + 1 to version i + 2; there is one fewer than versions. */
  readonly upgrades: readonly ((value: unknown) => unknown)[];
  readonly limits: CollectionLimits;
  readonly indexes: Readonly<Record<string, Index<T>>>;
}

export interface CollectionLimits {
  /** Longest value, packed, in bytes. */
  readonly valueBytes: number;
  readonly rows: number;
}

export interface WalkRange {
  /** Leading parts that all keys share. */
  readonly prefix?: Key;
  /** Start after this key, in the direction of the walk. */
  readonly after?: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Return false to stop. */
export type RowVisitor<T> = (value: T, key: Key) => boolean | undefined;

/** All reads are synchronous. Each returned value is a copy. */
export interface PlatformReads {
  get<T>(collection: Collection<T>, key: Key): T | undefined;
  /** Rows in the order of their keys, as they are when the walk begins. */
  walk<T>(collection: Collection<T>, range: WalkRange, visit: RowVisitor<T>): void;
  /** Rows in the order of an index. `prefix` is a prefix of the index's keys. A row with several keys is visited once per key. */
  walkIndex<T>(
    collection: Collection<T>,
    index: string,
    range: Omit<WalkRange, 'after'>,
    visit: RowVisitor<T>,
  ): void;
}

/** Reads include the transaction's own writes. It is valid until the function that received it returns. */
export interface PlatformTransaction extends PlatformReads {
  /** @throws PlatformError */
  put<T>(collection: Collection<T>, key: Key, value: T): void;
  /** @returns whether there was a row */
  delete<T>(collection: Collection<T>, key: Key): boolean;
}

export interface PlatformStore extends PlatformReads {
  /**
   * Calls `run` when all earlier transactions are durable, and resolves with its result when its own writes are durable.
   * `run` is synchronous: an `await` would let other transactions run in between. If it throws, nothing is stored and the
   * promise rejects with the same error. If the commit fails, nothing is stored and the promise rejects with the storage
   * error.
   */
  transaction<T>(run: (transaction: PlatformTransaction) => T): Promise<T>;
  /**
   * The same for a write that a ledger event causes: it is applied exactly once at each position.
   * @param cause name of the part that reacts to the event, in the form of a collection's name: each has its own positions
   * @returns false if it was applied before, or is settled
   */
  onceAt(
    cause: string,
    position: Position,
    run: (transaction: PlatformTransaction) => void,
  ): Promise<boolean>;
  /**
   * Records that every event of `cause` up to this ledger has been applied: `onceAt` then does nothing for them, and
   * their stored positions are deleted. It never moves back. Call it when the transactions of those events have resolved.
   */
  settle(cause: string, ledger: number): Promise<void>;
  /** The ledger up to which `cause` is settled; after a restart it continues with the next ledger. */
  settled(cause: string): number | undefined;
}

export type PlatformErrorCode =
  | 'duplicate'
  | 'value-too-large'
  | 'transaction-too-large'
  | 'collection-full'
  | 'bad-key'
  | 'bad-value'
  | 'not-declared'
  | 'ended'
  | 'busy'
  /** The disk takes nothing now: full, or not to be written. The next transaction tries again. */
  | 'disk-full'
  | 'read-only';

/** A refused write, or an error of the caller. If it is not caught, nothing of its transaction is stored. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;

  constructor(code: PlatformErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PlatformError';
    this.code = code;
  }
}
