/**
 * Who activated each account: the sender of the transaction that created it, by account id. Of accounts that are older
 * than the first ledger read it is not known. An account that is deleted and created again has its latest funder.
 *
 * The state has interned both accounts when a ledger comes here, so that no id is given out. Cost: one pass over the nodes
 * of a ledger, and 4 bytes an account. Those whose funder is known, a small part of all, are listed when that is first wanted:
 * one pass over the accounts, in steps, and 4 bytes for each of them.
 */
import { AccountNode, Changes, EntryType, NODE_WORDS, Node, NodeAction, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import { PackedLedger } from '../codec/packed.ts';
import { growTo } from '../columns.ts';
import type { CooperativeTask } from '../event-loop.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import type { Store } from '../store.ts';
import { TableId } from '../table-ids.ts';

export interface FunderAccounts {
  find(bytes: Uint8Array, at: number): number | undefined;
}

/** Accounts that are looked at in one step: about a millisecond. */
const ACCOUNTS_A_STEP = 500_000;

export class Funders {
  readonly table: Table;
  readonly #funders: Uint32Array;
  readonly #accounts: FunderAccounts;
  /** Accounts with a funder, among those below `#listedEnd`. */
  #listed = new Uint32Array(0);
  #listedCount = 0;
  #listedEnd = 1;

  /** @param attached the table of another thread, in which nothing is looked up by bytes */
  constructor(capacity: number, accounts: FunderAccounts, attached?: TableDescription) {
    this.table = attached ? Table.attach(attached) : new Table(TableId.funders, 'funders', capacity);
    this.#funders = this.table.u32('funders');
    this.#accounts = accounts;
    if (!attached) this.table.onNew((store) => this.#fill(store));
  }

  /** Account id; 0: not known. */
  of(account: number): number {
    return this.#funders[account] ?? 0;
  }

  /** Lists the accounts whose funder is known: of all, then of those that came since. */
  *listing(): CooperativeTask<void> {
    while (this.#listedEnd < this.table.count) {
      const end = Math.min(this.table.count, this.#listedEnd + ACCOUNTS_A_STEP);
      for (let id = this.#listedEnd; id < end; id++) if (this.#funders[id] !== 0) this.#list(id);
      this.#listedEnd = end;
      if (end < this.table.count) yield;
    }
  }

  /** Accounts whose funder is known, in no order, once `listing` is through. A view: valid until the next ledger. */
  get listed(): Uint32Array {
    return this.#listed.subarray(0, this.#listedCount);
  }

  #list(account: number): void {
    this.#listed = growTo(this.#listed, this.#listedCount + 1);
    this.#listed[this.#listedCount++] = account;
  }

  /** @throws TableFullError */
  applyLedger(packed: PackedLedger, changes: Changes): void {
    const { words } = changes;
    for (let node = 0; node < changes.nodes; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      if (words[at + Node.entryType] !== EntryType.AccountRoot || words[at + 1] !== NodeAction.created)
        continue;
      const createdAt = words[at + AccountNode.accountAt]!;
      const senderAt = changes.tx(words[at + Node.tx]!, Tx.accountAt);
      if (createdAt === 0 || senderAt === 0) continue;
      this.#set(
        this.#accounts.find(packed.bytes, createdAt) ?? 0,
        this.#accounts.find(packed.bytes, senderAt) ?? 0,
      );
    }
  }

  #set(account: number, funder: number): void {
    if (account === 0 || funder === account) return;
    const { table } = this;
    if (account >= table.count) {
      table.reserve(account + 1);
      table.count = account + 1;
      table.markDirty(0);
    }
    if (this.#funders[account] === 0 && account < this.#listedEnd) this.#list(account);
    this.#funders[account] = funder;
    table.markDirty(account);
  }

  /** For a store of a version without funders: from the ledgers it holds, oldest first. */
  #fill(store: Pick<Store, 'ledger' | 'ledgerRanges'>): void {
    for (const [first, last] of store.ledgerRanges()) {
      for (let index = first; index <= last; index++) {
        const packed = new PackedLedger(store.ledger(index)!);
        // The hashes of the transactions, which cost most, are not needed.
        this.applyLedger(
          packed,
          new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES))),
        );
      }
    }
  }
}
