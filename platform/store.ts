/**
 * What the service itself owns: keys, credits, invoices, users, watch lists. None of it follows from ledgers, so none of
 * it can be computed again: it is durable in transactions of its own. `data/` implements this on LMDB and hands it in.
 *
 * Where a ledger event causes a write (a payment fills an account with credits), the event's ledger position is stored in
 * the same transaction, so that the event has its effect exactly once however often it is seen:
 *
 *     crash before the commit    neither write nor position is stored: the event, seen again, is applied
 *     crash after the commit     both are stored: the event, seen again, does nothing
 *
 * The two stores have no transaction in common. A cause of writes therefore keeps how far it has come (`settle`) and, at
 * start, goes through the ledgers behind that once more; the engine's own cursor may be ahead of it or behind it.
 */
import type { Position } from '../engine/store.ts';

/** Text without zero characters, or a whole number from 0 to 2^53 - 1. Numbers sort before texts, texts by their UTF-8. */
export type KeyPart = string | number;

/** Sorted part by part; the leading parts of a key are a prefix to walk by. */
export type Key = readonly KeyPart[];

export interface Index<T> {
  /** A second row with the same key in this index is refused. */
  readonly unique: boolean;
  /**
   * The keys a value has in this index: none, one or several. Must follow from the value alone. The list of a collection's
   * index names is stored: a new name is filled in at start, but a rule that changes under the same name is not noticed,
   * and needs a new version of the collection.
   */
  keys(value: T): readonly Key[];
}

/** A kind of rows: what the program declares, once, as a constant. */
export interface Collection<T> {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Version of the values' form, from 1. */
  readonly version: number;
  /** `upgrades[i]` makes a value of version i + 2 of one of version i + 1; one fewer than versions. */
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
  /** Leading parts that all keys have in common. */
  readonly prefix?: Key;
  /** Begin behind this key, in the direction of the walk. */
  readonly after?: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Return false to stop. */
export type RowVisitor<T> = (value: T, key: Key) => boolean | undefined;

/** Synchronous. Each value handed out is a copy of its own. */
export interface PlatformReads {
  get<T>(collection: Collection<T>, key: Key): T | undefined;
  /** Rows in the order of their keys, as they are when the walk begins. */
  walk<T>(collection: Collection<T>, range: WalkRange, visit: RowVisitor<T>): void;
  /** Rows in the order of an index. `prefix` is of the index's keys; a row with several keys comes once for each. */
  walkIndex<T>(
    collection: Collection<T>,
    index: string,
    range: Omit<WalkRange, 'after'>,
    visit: RowVisitor<T>,
  ): void;
}

/** Sees what it has written itself. Usable until the function that was given it returns. */
export interface PlatformTransaction extends PlatformReads {
  /** @throws PlatformError */
  put<T>(collection: Collection<T>, key: Key, value: T): void;
  /** @returns whether there was a row */
  delete<T>(collection: Collection<T>, key: Key): boolean;
}

export interface PlatformStore extends PlatformReads {
  /**
   * Runs `run` when all transactions before it are durable, and resolves with what it returned when its own writes are.
   * It is synchronous: an `await` would let others in between. When it throws, nothing of it is stored and the promise
   * rejects with what was thrown; when the commit fails it rejects with the failure of storage, and nothing is stored.
   */
  transaction<T>(run: (transaction: PlatformTransaction) => T): Promise<T>;
  /**
   * The same for what a ledger event causes: at each position once, whatever happens.
   * @param cause name of what reacts to the event, in the form of a collection's name: each has positions of its own
   * @returns false when it was applied before, or is settled
   */
  onceAt(
    cause: string,
    position: Position,
    run: (transaction: PlatformTransaction) => void,
  ): Promise<boolean>;
  /**
   * States that every event of `cause` up to this ledger has been applied: `onceAt` does nothing there any more, and the
   * positions stored for it are dropped. Never moves back. Call it when the transactions of those events have resolved.
   */
  settle(cause: string, ledger: number): Promise<void>;
  /** The ledger up to which `cause` is settled; at start it goes on with the ledger behind this one. */
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
  | 'busy';

/** A write that was refused, or a mistake of the caller. Nothing of its transaction is stored when it is not caught. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;

  constructor(code: PlatformErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PlatformError';
    this.code = code;
  }
}
