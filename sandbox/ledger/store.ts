/**
 * The durable data of the embedded network: every closed ledger, the state of the newest one, and the indices for
 * commands about the past.
 *
 * A commit contains one ledger or many, and is durable as a whole when it returns: however the process ends, the store
 * holds the ledgers and the state of one commit, never a mixture. Implementations: `MemoryStore` (tests, dry
 * runs) and data/sandbox-store.ts (LMDB); one contract test runs on both.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { parseNftId } from '../protocol/nft-id.ts';

/** Position of a transaction: ledger index, and index in the order of application. */
export interface Location {
  readonly ledger: number;
  readonly position: number;
}

/** A transaction with its index keys. */
export interface IndexedTransaction {
  readonly hash: Hex;
  /** Accounts that it affects (rippled `getAffectedAccounts`), each once. */
  readonly accounts: readonly AccountId[];
  /** NFTs that it mints, changes, transfers, burns or has offers created or removed for, each once. */
  readonly nfts: readonly Hex[];
}

export interface StoredLedger {
  readonly packed: PackedLedger;
  /** In the order of application, as many as `packed` has. */
  readonly transactions: readonly IndexedTransaction[];
}

/** The new bytes of an entry; undefined bytes: it was deleted. */
export interface StateChange {
  readonly key: Hex;
  readonly bytes: Uint8Array | undefined;
}

/** An account that has started or stopped holding an MPToken entry of an issuance. */
export interface HolderChange {
  readonly issuance: Hex;
  readonly holder: AccountId;
  readonly holds: boolean;
}

export interface LedgerBatch {
  /** Ascending without gaps, starting after the head. */
  readonly ledgers: readonly StoredLedger[];
  /** The changes from the state of the head to the state of the last ledger of the batch. */
  readonly changes: Iterable<StateChange>;
  readonly holders: Iterable<HolderChange>;
  /** The oldest ledgers, to be deleted with their index entries; ascending from the first. */
  readonly dropped?: readonly StoredLedger[];
  /** Named texts stored with the ledgers; each replaces the one of the same name. */
  readonly texts?: ReadonlyMap<string, string>;
}

export interface StateEntry {
  readonly key: Hex;
  readonly bytes: Uint8Array;
}

/** The part of a list of transactions to read. */
export interface TransactionQuery {
  /** Bounds of the ledger index, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Oldest first. */
  readonly forward: boolean;
  /** Position of the last row of the previous page: the answer continues after it. */
  readonly after?: Location;
  /** Maximum number of locations in the answer. */
  readonly limit: number;
}

export interface NftQuery {
  readonly taxon?: number;
  /** The last id of the previous page. */
  readonly after?: Hex;
  readonly limit: number;
}

export interface HolderQuery {
  /** The last account of the previous page. */
  readonly after?: AccountId;
  readonly limit: number;
}

/** The stored data fails its proof. */
export class DamagedStore extends Error {}

export interface SandboxStore {
  /** Index and hash of the newest ledger; undefined while empty. */
  head(): { readonly index: number; readonly hash: Hex } | undefined;
  /** First and last ledger. */
  range(): { readonly first: number; readonly last: number } | undefined;
  /** Durable when it returns. @throws RangeError when the batch does not follow the head; storage errors */
  commit(batch: LedgerBatch): void;
  /** The latest committed text with this name. */
  text(name: string): string | undefined;
  /** The state of the head, in order of keys. */
  state(): Iterable<StateEntry>;
  ledger(index: number): PackedLedger | undefined;
  ledgerIndexOf(hash: Hex): number | undefined;
  /** The newest ledger closed at this time or before it, Ripple epoch seconds. */
  ledgerAt(closeTime: number): number | undefined;
  transaction(hash: Hex): Location | undefined;
  accountTransactions(account: AccountId, query: TransactionQuery): Location[];
  nftTransactions(nft: Hex, query: TransactionQuery): Location[];
  /** All NFTs that an account issued, burnt ones included, in order of taxon and then id. */
  nftsOf(issuer: AccountId, query: NftQuery): Hex[];
  /** Accounts that hold an MPToken entry of an issuance now, in order of their ids. */
  mptHolders(issuance: Hex, query: HolderQuery): AccountId[];
  close(): void | Promise<void>;
}

/** @throws RangeError when a batch does not follow the head or its parts do not fit together. */
export function checkBatch(
  { ledgers, dropped = [] }: LedgerBatch,
  range: { readonly first: number; readonly last: number } | undefined,
): void {
  let before = range?.last;
  for (const [i, { packed }] of dropped.entries())
    if (range === undefined || packed.ledgerIndex !== range.first + i || packed.ledgerIndex >= range.last)
      throw new RangeError(`store: ledger ${packed.ledgerIndex} is not the oldest`);
  for (const { packed, transactions } of ledgers) {
    if (before !== undefined && packed.ledgerIndex !== before + 1)
      throw new RangeError(`store: ledger ${packed.ledgerIndex} after ${before}`);
    if (packed.count !== transactions.length)
      throw new RangeError(
        `store: ledger ${packed.ledgerIndex} with ${transactions.length} of ${packed.count} rows`,
      );
    before = packed.ledgerIndex;
  }
  if (before === undefined || ledgers.length === 0) throw new RangeError('store: a batch without a ledger');
}

/** Sort key of an NFT: issuer (40 digits), taxon (8), id (64), as in Clio's `nfts_by_issuer`. */
export function nftSortKey(id: Hex): Hex {
  const taxon = parseNftId(id).taxon.toString(16).toUpperCase().padStart(8, '0');
  return id.slice(8, 48) + taxon + id;
}
