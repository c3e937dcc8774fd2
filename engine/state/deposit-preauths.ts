/**
 * Whom accounts with deposit authorisation let pay them: entries that name an account. Those that name credentials are left out, since
 * which of these a payment brings is not known before it is made.
 *
 *     owner, authorised    20 bytes each, as a table of entries must have them (entry-table.ts)
 *
 * Rule: rippled CredentialHelpers.cpp (`verifyDepositPreauth`). Cost: 44 bytes a row.
 */
import { copyBytes } from '../codec/bytes.ts';
import { EntryType, NodeAction, PreauthNode } from '../codec/changes.ts';
import { hasWholeState, type Store } from '../store.ts';
import type { Accounts } from './accounts.ts';
import type { EntryTable } from './entry-table.ts';
import { ID_BYTES, KeyedEntries } from './keyed-entries.ts';
import type { Table } from './table.ts';

const KEYS = 'parties';

export class DepositPreauths extends KeyedEntries implements EntryTable {
  readonly entryType = EntryType.DepositPreauth;
  readonly #accounts: Pick<Accounts, 'bytes'>;
  /** Without a store: ledgers are applied to the state from the first one on. */
  #isWhole = () => true;

  constructor(table: Table, accounts: Pick<Accounts, 'bytes'>) {
    super(table, KEYS, 2 * ID_BYTES);
    table.linkThrough(table.u32('links'));
    this.#accounts = accounts;
  }

  /** The store says whether the state has all that the ledger has. */
  attach(store: Pick<Store, 'value' | 'ledgerRanges'>): void {
    this.#isWhole = () => hasWholeState(store, store.ledgerRanges());
  }

  /** Whether there are no others: a store of a version without this table, or with a part of the state, does not know those of before. */
  get isComplete(): boolean {
    return this.table.since(KEYS) === 0 && this.#isWhole();
  }

  /** @param owner, sender account ids */
  authorises(owner: number, sender: number): boolean {
    this.key.set(this.#accounts.bytes(owner), 0);
    this.key.set(this.#accounts.bytes(sender), ID_BYTES);
    return this.find() !== 0;
  }

  /** A DepositPreauth node. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const ownerAt = words[at + PreauthNode.accountAt]!;
    const authorisedAt = words[at + PreauthNode.authorizeAt]!;
    if (ownerAt === 0 || authorisedAt === 0) return;
    copyBytes(bytes, ownerAt, this.key, 0, ID_BYTES);
    copyBytes(bytes, authorisedAt, this.key, ID_BYTES, ID_BYTES);
    if (words[at + 1] !== NodeAction.deleted) this.table.markDirty(this.findOrAdd());
    else {
      const row = this.find();
      if (row !== 0) this.remove(row);
    }
  }
}
