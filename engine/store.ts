/**
 * The interface of durable storage. `data/` implements it on LMDB and passes it in; the engine never imports that.
 * Everything a ledger changes goes into one batch and becomes durable in one transaction together with the cursor,
 * so that after a crash state, history and cursor agree.
 *
 * Positions: (ledger index, transaction index, entry number) identify where on the ledger something happened. As a
 * key they are fixed width and big-endian, so keys sort as the ledger does.
 */
import type { RowSteps } from './event-loop.ts';
import type { RecordFamily } from './families.ts';

/** The newest ledger of the durable state. */
export interface Cursor {
  /** Ledger index. */
  readonly index: number;
  /** 32-byte ledger hash. */
  readonly hash: Uint8Array;
  /** Ripple epoch seconds. */
  readonly closeTime: number;
}

export interface Position {
  readonly ledger: number;
  readonly tx: number;
  readonly entry: number;
}

/** A range of positions or bucket starts to walk. Bounds are inclusive. */
export interface Walk<K> {
  readonly from?: K;
  readonly to?: K;
  /** true: newest first. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Name of the stored value with the resume point of an incomplete snapshot; null once it is complete. */
export const SNAPSHOT_VALUE = 'snapshot';

/** Name of the stored value that describes what was pruned: {@link Pruned}. undefined: nothing was. */
export const PRUNED_VALUE = 'pruned';

/** Name of the stored value with the index of the first ledger whose trades are kept; undefined: all trades are. */
export const PRUNED_TRADES_VALUE = 'pruned trades';

/** The oldest ledgers are no longer in the store; what followed from them stays. */
export interface Pruned {
  /** Index of the oldest ledger there was. */
  readonly first: number;
  /** First ledger of the stretch without gaps that the oldest stored ledger is in: whether it is stored or not. */
  readonly since: { readonly index: number; readonly closeTime: number };
}

/** Kinds of text kept beside the fixed-width tables. */
export const TextKind = { domain: 1, issuanceMetadata: 2, nftUri: 3, scamMemo: 4 } as const;

export type RecordVisitor = (last: number, value: Uint8Array, key: Uint8Array) => boolean | undefined;

/** Collects everything one or more ledgers write. Byte arguments are copied at once, but for packed ledgers. */
export interface Batch {
  /** Bytes so far; the engine closes a batch when it grows too large. */
  readonly size: number;
  /** A packed ledger; stored compressed. Its bytes may be kept as they are: they must not change any more. */
  ledger(index: number, closeTime: number, packed: Uint8Array): void;
  /** Transaction hash (32 bytes at `at` in `bytes`) -> position. */
  transaction(bytes: Uint8Array, at: number, ledger: number, tx: number): void;
  /** Ledger entry index (32 bytes at `at`) -> position of its latest change. A later call wins. */
  entry(bytes: Uint8Array, at: number, ledger: number, tx: number): void;
  /** A fixed-width trade record, with an index row for each of two tokens and two accounts (equal ids once). */
  trade(
    position: Position,
    record: Uint8Array,
    tokens: readonly [number, number],
    accounts: readonly [number, number],
  ): void;
  /** Upserts. `bucket` is the start of the interval in Ripple epoch seconds. */
  candle(level: number, token: number, bucket: number, record: Uint8Array): void;
  /** A row of the account index (engine/accounts/account-index.ts): `value` has 24 bits, the type and the role. */
  accountTransaction(account: number, ledger: number, tx: number, value: number): void;
  /** A record of any family, by the numbers of its key. A later one with the same key wins. */
  record(family: RecordFamily, key: readonly number[], value: Uint8Array): void;
  /** A block of a table (see engine/state/table.ts). It replaces the row images of the block, those of its batch too. */
  block(table: number, block: number, bytes: Uint8Array): void;
  /** The image of a row of a table: newer than the block that the row is in. */
  row(table: number, row: number, image: Uint8Array): void;
  /**
   * Records how far a checkpoint is, with this batch: 'begin' freezes what is in row images so far, this batch's included;
   * 'end' says that the blocks of all of it have been written, so that those images need no longer be kept.
   */
  checkpoint(step: 'begin' | 'end'): void;
  text(kind: number, id: number, value: string): void;
  /** A small named value (msgpack). */
  value(name: string, value: unknown): void;
}

export interface Store {
  /** undefined: nothing stored yet. */
  readonly cursor: Cursor | undefined;
  batch(): Batch;
  /**
   * Makes a batch durable, with the cursor, in one transaction. Batches become durable in the order of calls.
   * @throws StoreError with a clear reason (disk full, read-only, closed); nothing of the batch is stored then.
   */
  commit(batch: Batch, cursor: Cursor): Promise<void>;

  // Restore
  /** Visits the blocks of a table in ascending order, from a block on, until `visit` returns false. */
  blocks(table: number, visit: (block: number, bytes: Uint8Array) => unknown, from?: number): void;
  /** The last block of a table; undefined: it has none. */
  lastBlock(table: number): number | undefined;
  /** Visits the newest image of each row that is newer than its block, in any order and in steps; commit nothing meanwhile. */
  rows(visit: (table: number, row: number, image: Uint8Array) => void): RowSteps;
  value(name: string): unknown;
  text(kind: number, id: number): string | undefined;

  // History; all reads see what is durable, nothing newer. Records passed to visitors are valid during the call only.
  ledger(index: number): Uint8Array | undefined;
  /** Stored index ranges, ascending, inclusive. */
  ledgerRanges(): readonly (readonly [number, number])[];
  /** Last ledger that closed at or before the time (Ripple epoch seconds): also one that was pruned. */
  ledgerAt(closeTime: number): { index: number; closeTime: number } | undefined;
  /** The first ledger whose close time is known: also one that was pruned. */
  firstLedger(): { index: number; closeTime: number } | undefined;
  transaction(hash: Uint8Array): Position | undefined;
  entry(index: Uint8Array): Position | undefined;
  /** Visits trade records; return false from `visit` to stop. */
  trades(walk: Walk<Position>, visit: (position: Position, record: Uint8Array) => boolean | undefined): void;
  tokenTrades(
    token: number,
    walk: Walk<Position>,
    visit: (position: Position, record: Uint8Array) => boolean | undefined,
  ): void;
  accountTrades(
    account: number,
    walk: Walk<Position>,
    visit: (position: Position, record: Uint8Array) => boolean | undefined,
  ): void;
  candles(
    level: number,
    token: number,
    walk: Walk<number>,
    visit: (bucket: number, record: Uint8Array) => boolean | undefined,
  ): void;
  /**
   * Visits the records of a family whose keys begin with some numbers, in the order of their keys.
   * @param walk bounds the number after those
   * @param visit gets the last number of the key, and the whole key (numbers big-endian); false stops
   */
  records(family: RecordFamily, prefix: readonly number[], walk: Walk<number>, visit: RecordVisitor): void;
  close(): Promise<void>;
}

/** The reads of a store. */
export type StoreReads = Omit<Store, 'batch' | 'commit' | 'close'>;

/** What a store no longer holds of the ledgers that were read; undefined: it holds all. */
export function prunedOf(store: Pick<Store, 'value'>): Pruned | undefined {
  return store.value(PRUNED_VALUE) as Pruned | undefined;
}

/**
 * Whether all that the ledger has is in the state: it was read in full once (the snapshot is done), or every ledger from the first one
 * on was, whether it is still stored or not. Else only what changed in the ledgers that were read.
 * @param ranges of ledgers that are held
 */
export function hasWholeState(
  store: Pick<Store, 'value'>,
  ranges: readonly (readonly [number, number])[],
): boolean {
  const isFromTheFirst = ranges.length === 1 && (prunedOf(store)?.since.index ?? ranges[0]![0]) === 1;
  return isFromTheFirst || store.value(SNAPSHOT_VALUE) === null;
}
