/** Ledgers on top of the sized network's state: real binary form, linked, with transaction trees that prove. */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { PackedLedger, TransactionBlobs } from '../../engine/codec/packed.ts';
import { sealLedger } from '../../support/chain.ts';
import { Books } from './books.ts';
import { CurrentState } from './current.ts';
import { Draft, Result } from './draft.ts';
import type { Entries } from './entries.ts';
import { Random } from './random.ts';
import { type Context, FEE_DROPS, MAKERS, type Made, MIX, xrpPayment } from './transactions.ts';

/** Index of the ledger that the state is of. */
export const BASE_INDEX = 100_000_000;
/** Close time of it, Ripple epoch seconds: a full hour, less five minutes. */
export const BASE_CLOSE_TIME = 820_000_800 - 300;
const INTERVAL = 4;
const SIGNATURE_BYTES = 71;
const KEY_BYTES = 32;

export interface LedgerPlan {
  readonly ledgers: number;
  readonly transactions: number;
}

/** The ledger that the state is of; it has no transactions. @param accountHash of the state tree, where it is known */
export function baseLedger(accountHash?: Uint8Array): PackedLedger {
  return sealLedger({
    index: BASE_INDEX,
    parentHash: new Uint8Array(32),
    closeTime: BASE_CLOSE_TIME,
    transactions: [],
    ...(accountHash ? { accountHash } : {}),
  });
}

export class LedgerStream {
  readonly state: CurrentState;
  readonly books: Books;
  readonly #random: Random;
  readonly #kinds: readonly (keyof typeof MIX)[];
  #last: PackedLedger;

  /** @param base the ledger that the state is of */
  constructor(entries: Entries, base: PackedLedger = baseLedger()) {
    this.state = new CurrentState(entries);
    this.books = new Books(this.state);
    this.#random = new Random(entries.network.seed);
    this.#kinds = Object.entries(MIX).flatMap(([kind, share]) =>
      Array<keyof typeof MIX>(share).fill(kind as keyof typeof MIX),
    );
    this.#last = base;
  }

  /** The next ledgers. */
  *take({ ledgers, transactions }: LedgerPlan): Generator<PackedLedger> {
    for (let i = 0; i < ledgers; i++) yield this.next(transactions);
  }

  /** @param closeTime Ripple epoch seconds; 4 s after the one before when absent */
  next(transactions: number, closeTime = this.#last.closeTime + INTERVAL): PackedLedger {
    const index = this.#last.ledgerIndex + 1;
    const blobs: TransactionBlobs[] = [];
    for (let i = 0; i < transactions; i++) blobs.push(this.#transaction(index, i));
    this.#last = sealLedger({ index, parentHash: this.#last.hash, closeTime, transactions: blobs });
    return this.#last;
  }

  #transaction(ledger: number, index: number): TransactionBlobs {
    const kind = this.#kinds[this.#random.below(this.#kinds.length)]!;
    let context = this.#context();
    let made = MAKERS[kind](context);
    if (!made) {
      context = this.#context();
      made = xrpPayment(context);
    }
    return this.#sign(made, context.draft, ledger, index);
  }

  #context(): Context {
    return { state: this.state, books: this.books, random: this.#random, draft: new Draft() };
  }

  #sign(
    { sender, fields, result = Result.tesSUCCESS, delivered }: Made,
    draft: Draft,
    ledger: number,
    index: number,
  ) {
    draft.change(sender);
    const { sequence } = sender;
    sender.sequence++;
    sender.drops -= FEE_DROPS;
    const tx = {
      ...fields,
      Account: sender.id,
      Fee: Amount.drops(FEE_DROPS),
      Sequence: sequence,
      LastLedgerSequence: ledger + 20,
      // Nobody verifies the signatures of validated transactions: the ledger's hash stands for them.
      SigningPubKey: `02${this.#random.hex(KEY_BYTES)}`,
      TxnSignature: this.#random.hex(SIGNATURE_BYTES),
    };
    const meta = { TransactionResult: result, ...(delivered ? { DeliveredAmount: delivered } : {}) };
    return draft.finish(tx, meta, ledger, index);
  }
}
