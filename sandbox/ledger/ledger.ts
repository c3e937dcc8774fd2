/**
 * A closed ledger: header, state and transactions, all immutable.
 *
 *     genesis ──► NextLedger(parent) ──► transactions are applied to its view ──► close() ──► ClosedLedger
 *
 * close.ts builds a ledger, genesis.ts the first one.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { ledgerHash } from '../../engine/codec/hash.ts';
import { type LedgerHeader, writeHeader } from '../../engine/codec/header.ts';
import { type PackedLedger, packLedger } from '../../engine/codec/packed.ts';
import { type Rules, rulesOfIds } from '../protocol/amendments.ts';
import * as keylets from '../protocol/keylets.ts';
import { NO_AGREED_TIME } from './close-time.ts';
import { type LedgerState, StateView } from './state.ts';
import type { ClosedTransaction } from './transactions.ts';
import type { ViewHeader } from './view.ts';

export class ClosedLedger {
  readonly header: LedgerHeader;
  /** The 118 bytes that are hashed. */
  readonly headerBytes: Uint8Array;
  readonly hash: Hex;
  readonly state: LedgerState;
  /** In the order of application. */
  readonly transactions: readonly ClosedTransaction[];
  readonly rules: Rules;
  /** `release` was called, and this ledger has decoded nothing since. */
  isReleased = false;
  #view: StateView | undefined;
  #packed: PackedLedger | undefined;

  constructor(
    header: LedgerHeader,
    state: LedgerState,
    transactions: readonly ClosedTransaction[],
    rules: Rules,
  ) {
    this.header = header;
    this.headerBytes = writeHeader(header);
    this.hash = hexOf(ledgerHash(this.headerBytes));
    this.state = state;
    this.transactions = transactions;
    this.rules = rules;
  }

  get index(): number {
    return this.header.index;
  }

  /** Ripple epoch seconds. */
  get closeTime(): number {
    return this.header.closeTime;
  }

  /** Whether the close time was agreed upon; always so in a network of one node. */
  get closeTimeAgreed(): boolean {
    return (this.header.closeFlags & NO_AGREED_TIME) === 0;
  }

  /** A view that reads the state. */
  view(): StateView {
    this.#view ??= new StateView(this.state, viewHeaderOf(this.header), this.rules);
    return this.#view;
  }

  /** The ledger as the engine stores and proves it. */
  packed(): PackedLedger {
    this.#packed ??= packLedger(
      this.headerBytes,
      ledgerHash(this.headerBytes),
      this.transactions.map(({ blob, meta }) => ({ tx: blob, meta })),
      false,
    );
    return this.#packed;
  }

  /** Releases what can be computed again, for ledgers that are rarely read. */
  release(): void {
    this.isReleased = true;
    this.#packed = undefined;
    for (const transaction of this.transactions) transaction.releaseFields();
  }
}

/** A header in the form that views use. */
export function viewHeaderOf(header: LedgerHeader): ViewHeader {
  return {
    index: header.index,
    parentHash: hexOf(header.parentHash),
    parentCloseTime: header.parentCloseTime,
    closeTime: header.closeTime,
    totalDrops: header.totalDrops,
  };
}

/** The rules from the amendments enabled in a state. */
export function rulesIn(state: LedgerState): Rules {
  return rulesOfIds(state.read(keylets.amendments())?.Amendments ?? []);
}
