/**
 * Who activated each account: the sender of the transaction that created it, by account id. Of accounts that are older
 * than the first ledger read it is not known. An account that is deleted and created again has its latest funder.
 *
 * The state has interned both accounts when a ledger comes here, so that no id is given out. Cost: one pass over the nodes
 * of a ledger, and 4 bytes an account.
 */
import { AccountNode, Changes, EntryType, NODE_WORDS, Node, NodeAction, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import { PackedLedger } from '../codec/packed.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import type { Store } from '../store.ts';
import { TableId } from '../table-ids.ts';

export interface FunderAccounts {
  find(bytes: Uint8Array, at: number): number | undefined;
}

export class Funders {
  readonly table: Table;
  readonly #funders: Uint32Array;
  readonly #accounts: FunderAccounts;

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
