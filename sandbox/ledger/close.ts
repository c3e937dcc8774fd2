/**
 * Building the next ledger (rippled BuildLedger.cpp and `Ledger::setAccepted`): transactions are applied to a table over
 * the parent's state; closing puts the changes into the tree, adds the parent's hash to the skip lists, subtracts the
 * XRP destroyed, and hashes.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import { encodeFields } from '../protocol/encode.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { effectiveCloseTime, NO_AGREED_TIME, nextResolution } from './close-time.ts';
import { ClosedLedger, rulesIn } from './ledger.ts';
import { updateSkipLists } from './skip-list.ts';
import { EntryTable } from './tables.ts';
import { ClosedTransaction, transactionRoot } from './transactions.ts';

/** An applied transaction and its metadata. */
export interface Applied {
  readonly hash: Hex;
  readonly blob: Uint8Array;
  readonly fields: Readonly<TransactionFields>;
  readonly meta: Readonly<Fields>;
}

/** A ledger that is being built. */
export class NextLedger {
  /** What transactions are applied to. */
  readonly view: EntryTable;
  readonly #parent: ClosedLedger;
  readonly #resolution: number;
  readonly #closeTime: number;
  readonly #agreed: boolean;
  readonly #transactions: ClosedTransaction[] = [];

  /** @param closeTime the agreed time, not rounded yet, Ripple epoch seconds; 0 without agreement */
  constructor(parent: ClosedLedger, closeTime: number) {
    const { header } = parent;
    const index = header.index + 1;
    this.#parent = parent;
    this.#resolution = nextResolution(header.closeResolution, parent.closeTimeAgreed, index);
    this.#agreed = closeTime !== 0;
    this.#closeTime = this.#agreed
      ? effectiveCloseTime(closeTime, this.#resolution, header.closeTime)
      : header.closeTime + 1;
    this.view = new EntryTable(parent.view(), {
      header: {
        index,
        parentHash: parent.hash,
        parentCloseTime: header.closeTime,
        closeTime: this.#closeTime,
        totalDrops: header.totalDrops,
      },
    });
  }

  /** Transactions so far: the `TransactionIndex` of the next one. */
  get count(): number {
    return this.#transactions.length;
  }

  /** Records a transaction that was applied to the view; its metadata contains the position `count`. */
  add({ hash, blob, fields, meta }: Applied): void {
    this.#transactions.push(new ClosedTransaction(hash, blob, encodeFields(meta), { fields, meta }));
  }

  /** Closes the ledger. The view must not be used any more. */
  close(): ClosedLedger {
    const parent = this.#parent;
    const index = parent.index + 1;
    const state = parent.state.snapshot();
    for (const { key, action, after } of this.view.changes()) {
      if (action === 'erase') state.erase(key);
      else state.put(after);
    }
    updateSkipLists(state, index, parent.hash);
    const amendments = keylets.amendments();
    const same = state.tree.get(amendments) === parent.state.tree.get(amendments);
    return new ClosedLedger(
      {
        index,
        totalDrops: parent.header.totalDrops - this.view.destroyed,
        parentHash: bytesOf(parent.hash),
        transactionHash: transactionRoot(this.#transactions),
        accountHash: state.tree.hash(),
        parentCloseTime: parent.closeTime,
        closeTime: this.#closeTime,
        closeResolution: this.#resolution,
        closeFlags: this.#agreed ? 0 : NO_AGREED_TIME,
      },
      state,
      this.#transactions,
      same ? parent.rules : rulesIn(state),
    );
  }
}
