/**
 * Threading: every transaction that affects an entry writes its hash there (`PreviousTxnID`), so that an entry's history
 * can be walked backwards; a transaction that creates or deletes an entry is also threaded to its owner accounts.
 * Rules: rippled `ApplyStateTable.cpp`, `STLedgerEntry.cpp`; amendment fixPreviousTxnID.
 */

import { type AccountId, HASH_ZERO, type Hex, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, EntryType } from '../protocol/fields.ts';

/** Types that got `PreviousTxnID` by amendment fixPreviousTxnID (2024). */
const THREADED_LATE: ReadonlySet<EntryType> = new Set<EntryType>([
  'DirectoryNode',
  'Amendments',
  'FeeSettings',
  'NegativeUNL',
  'AMM',
]);

/** The previous transaction of an entry. */
export interface Previous {
  readonly hash: Hex;
  readonly ledgerIndex: number;
}

/** Whether entries of a type carry the hash of the last transaction. */
export function isThreaded(type: EntryType, rules: Rules): boolean {
  if (type === 'LedgerHashes') return false;
  return !THREADED_LATE.has(type) || rules.enabled('fixPreviousTxnID');
}

/** Writes zeros into an entry that is new in an open ledger: it gets its transaction when the ledger closes. */
export function unthreaded(entry: Entry): void {
  if (entry.LedgerEntryType === 'LedgerHashes' || THREADED_LATE.has(entry.LedgerEntryType)) return;
  entry.PreviousTxnID ??= HASH_ZERO;
  entry.PreviousTxnLgrSeq ??= 0;
}

/** Writes this transaction into an entry. @returns the previous one, undefined when there was none or it is this one. */
export function thread(entry: Entry, hash: Hex, ledgerIndex: number): Previous | undefined {
  const before = entry.PreviousTxnID;
  if (before === hash) return undefined;
  // Zeros, as in the genesis account: no transaction.
  const previous =
    before === undefined || before === HASH_ZERO
      ? undefined
      : { hash: before, ledgerIndex: entry.PreviousTxnLgrSeq ?? 0 };
  entry.PreviousTxnID = hash;
  entry.PreviousTxnLgrSeq = ledgerIndex;
  return previous;
}

/** The accounts that an entry's creation or deletion is threaded to; of a check its destination since fixCheckThreading. */
export function ownersOf(entry: Readonly<Entry>, rules: Rules): readonly AccountId[] {
  switch (entry.LedgerEntryType) {
    case 'AccountRoot':
      return [];
    case 'Check':
      if (!rules.enabled('fixCheckThreading')) return entry.Account === undefined ? [] : [entry.Account];
      return [entry.Account, entry.Destination].filter((account) => account !== undefined);
    case 'RippleState':
      return [entry.LowLimit, entry.HighLimit].flatMap((limit) => (limit ? [issuerOf(limit.asset)] : []));
    default:
      return [entry.Account, entry.Destination].filter((account) => account !== undefined);
  }
}
