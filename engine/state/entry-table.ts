/**
 * A table that follows one type of ledger entry, each entry by itself. `State` holds a list of them: being in the list is
 * all that it takes to be applied from ledgers and snapshots, stored, restored, digested, and filled in older stores.
 *
 * A store of a version without the table is filled from its own ledgers, oldest first, so that rows get the numbers that a
 * replay gives them. For the same reason a new table must not give numbers to anything else: it holds accounts as their
 * 20 bytes, since an account that it interned would have another number in a replay than in a store of before. Entries
 * that no stored ledger changes (those of a snapshot) stay unknown in such a store.
 */
import { Changes, NODE_WORDS } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import { PackedLedger } from '../codec/packed.ts';
import { PRUNED_VALUE, SNAPSHOT_VALUE, type StoreReads } from '../store.ts';
import type { Table } from './table.ts';

export interface EntryTable {
  readonly table: Table;
  /** LedgerEntryType code, see EntryType in codec/changes.ts. */
  readonly entryType: number;
  /**
   * A node of this type.
   * @param bytes of the ledger, or of a page of a snapshot
   * @param words the change set
   * @param at the node's row in it
   * @throws TableFullError
   */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void;
  /** Derives what is not in rows. */
  rebuild(): void;
}

/**
 * Fills a table that the store never had. Cost: reads and walks every stored ledger, once.
 * @returns whether the store's ledgers show all entries that the rest of the state is of: it began without a snapshot and has them all
 */
export function readStoredEntries(
  store: Pick<StoreReads, 'ledger' | 'ledgerRanges' | 'value'>,
  one: EntryTable,
): boolean {
  for (const [first, last] of store.ledgerRanges()) {
    for (let index = first; index <= last; index++) {
      const packed = new PackedLedger(store.ledger(index)!);
      // The hashes of the transactions, which cost most, are not needed.
      const changes = new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES)));
      for (let node = 0; node < changes.nodes; node++) {
        const at = changes.nodeBase + node * NODE_WORDS;
        if (changes.words[at + 2] === one.entryType) one.apply(packed.bytes, changes.words, at);
      }
    }
  }
  return store.value(SNAPSHOT_VALUE) === undefined && store.value(PRUNED_VALUE) === undefined;
}
