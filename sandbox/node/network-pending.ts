/**
 * Transactions between submission and a closed ledger, beside the queue:
 *
 *     held    came too early (`ter`): the account is not funded, or earlier sequences are missing. Tried again after
 *             each close, and when the transaction before them is applied (rippled LedgerMaster's held transactions).
 *     local   were submitted here: put into every new open ledger until a closed one contains them, their sequence has
 *             passed, or five ledgers have closed (rippled LocalTxs.cpp).
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { compareInAccount } from '../apply/canonical.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { ReadView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';
import { sequenceOf, usesTicket } from '../protocol/sequence.ts';

/** Maximum number of held transactions; more are dropped. */
const HELD_MAX = 2000;
/** Local transactions kept at most. */
const LOCAL_MAX = 5000;
/** Ledgers that a transaction is kept for. */
const KEPT_LEDGERS = 5;

export class HeldTransactions {
  readonly #accounts = new Map<AccountId, Map<Hex, { transaction: ParsedTransaction; until: number }>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param index the open ledger @returns whether there was room */
  add(transaction: ParsedTransaction, index: number): boolean {
    const { Account } = transaction.fields;
    const held = this.#accounts.get(Account) ?? new Map();
    if (held.has(transaction.hash)) return true;
    if (this.#size >= HELD_MAX) return false;
    this.#accounts.set(Account, held);
    held.set(transaction.hash, { transaction, until: index + KEPT_LEDGERS });
    this.#size++;
    return true;
  }

  /** Takes out a transaction of an account that can apply now: with the next sequence, or with an existing ticket. */
  takeNext(account: AccountId, view: ReadView): ParsedTransaction | undefined {
    const held = this.#accounts.get(account);
    if (held === undefined) return undefined;
    const next = view.read(keylets.account(account))?.Sequence;
    for (const { transaction } of held.values()) {
      const { fields } = transaction;
      const due = usesTicket(fields)
        ? view.read(keylets.ticket(account, sequenceOf(fields))) !== undefined
        : sequenceOf(fields) === next;
      if (!due) continue;
      this.#drop(account, held, transaction.hash);
      return transaction;
    }
    return undefined;
  }

  /** All of them, by account and then sequence. */
  all(): ParsedTransaction[] {
    return [...this.#accounts.keys()]
      .sort()
      .flatMap((account) =>
        [...this.#accounts.get(account)!.values()]
          .map(({ transaction }) => transaction)
          .sort(compareInAccount),
      );
  }

  /** Drops those held too long, or past their last ledger. @param index the open ledger */
  sweep(index: number): void {
    for (const [account, held] of this.#accounts)
      for (const [hash, { transaction, until }] of held)
        if (index > until || index > (transaction.fields.LastLedgerSequence ?? index))
          this.#drop(account, held, hash);
  }

  remove({ fields, hash }: ParsedTransaction): void {
    const held = this.#accounts.get(fields.Account);
    if (held?.has(hash)) this.#drop(fields.Account, held, hash);
  }

  #drop(account: AccountId, held: Map<Hex, unknown>, hash: Hex): void {
    held.delete(hash);
    this.#size--;
    if (held.size === 0) this.#accounts.delete(account);
  }
}

export class LocalTransactions {
  readonly #kept = new Map<Hex, { readonly transaction: ParsedTransaction; readonly until: number }>();

  get size(): number {
    return this.#kept.size;
  }

  /** @param index the open ledger it was submitted to */
  add(transaction: ParsedTransaction, index: number): void {
    if (this.#kept.size >= LOCAL_MAX) return;
    this.#kept.set(transaction.hash, { transaction, until: index + KEPT_LEDGERS });
  }

  /** Drops transactions that a closed ledger contains or has made too late. */
  sweep(ledger: ClosedLedger): void {
    for (const { hashText } of ledger.transactions) this.#kept.delete(hashText);
    const view = ledger.view();
    for (const [hash, { transaction, until }] of this.#kept)
      if (ledger.index >= until || isPast(view, transaction, ledger.index)) this.#kept.delete(hash);
  }

  /** In canonical order within accounts, accounts in the order they first submitted. */
  all(): ParsedTransaction[] {
    const accounts = new Map<AccountId, ParsedTransaction[]>();
    for (const { transaction } of this.#kept.values()) {
      const list = accounts.get(transaction.fields.Account) ?? [];
      accounts.set(transaction.fields.Account, list);
      list.push(transaction);
    }
    return [...accounts.values()].flatMap((list) => list.sort(compareInAccount));
  }
}

/** Whether a transaction can no longer get in: its last ledger or its sequence has passed, or its ticket is used. */
function isPast(view: ReadView, { fields }: ParsedTransaction, index: number): boolean {
  if ((fields.LastLedgerSequence ?? index + 1) <= index) return true;
  const next = view.read(keylets.account(fields.Account))?.Sequence;
  if (next === undefined) return false;
  if (!usesTicket(fields)) return sequenceOf(fields) < next;
  return (
    sequenceOf(fields) < next && view.read(keylets.ticket(fields.Account, sequenceOf(fields))) === undefined
  );
}
