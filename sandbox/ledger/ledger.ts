/**
 * A closed ledger: header, state and transactions, none of which ever changes again.
 *
 *     genesis ──► NextLedger(parent) ──► transactions are applied to its view ──► close() ──► ClosedLedger
 *
 * The rules of making one are in close.ts, of the first one in genesis.ts.
 */
import { hexOf } from '../../engine/codec/bytes.ts';
import { ledgerHash } from '../../engine/codec/hash.ts';
import { type LedgerHeader, writeHeader } from '../../engine/codec/header.ts';
import { type PackedLedger, packLedger } from '../../engine/codec/packed.ts';
import { type Rules, rulesOfIds } from '../protocol/amendments.ts';
import type { Hex } from '../protocol/asset.ts';
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
  /** `forget` has been called and nothing was made again by this ledger itself. */
  slim = false;
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

  /** The state as a view that reads it. */
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

  /** Lets go what can be made again, for ledgers that few will ask for. */
  forget(): void {
    this.slim = true;
    this.#packed = undefined;
    for (const transaction of this.transactions) transaction.forget();
  }
}

/** A header as views tell it. */
export function viewHeaderOf(header: LedgerHeader): ViewHeader {
  return {
    index: header.index,
    parentHash: hexOf(header.parentHash),
    parentCloseTime: header.parentCloseTime,
    closeTime: header.closeTime,
    totalDrops: header.totalDrops,
  };
}

/** The rules that the state of a ledger has enabled. */
export function rulesIn(state: LedgerState): Rules {
  return rulesOfIds(state.read(keylets.amendments())?.Amendments ?? []);
}
