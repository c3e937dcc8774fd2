/**
 * Reading and changing the state of a ledger.
 *
 * Goal: what a transaction does is gathered in a view of its own and becomes part of the ledger whole or not at all;
 * a payment can try paths in views upon that view.
 *
 *     closed ledger's state (immutable)  <-  open/next ledger  <-  transaction's view  <-  trial of a path
 *          ReadView                            ApplyView             ApplyView              PaymentView
 *
 * An entry that is read is never written to. `peek` gives a copy that belongs to the view: what is written to it
 * counts once the view is applied to the one below; nobody says "update". An entry that was peeked and not changed
 * leaves no trace, unless it is said to be touched.
 */
import type { Rules } from '../protocol/amendments.ts';
import type { Amount } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';

/** Drops. */
export interface Fees {
  readonly base: bigint;
  readonly reserve: bigint;
  readonly increment: bigint;
}

/** The ledger being built upon: index and times (Ripple epoch seconds) as rippled's `LedgerInfo`. */
export interface ViewHeader {
  /** Index of the ledger this view is for. */
  readonly index: number;
  readonly parentHash: Hex;
  readonly parentCloseTime: number;
  readonly closeTime: number;
  readonly totalDrops: bigint;
}

export interface ReadView {
  readonly header: ViewHeader;
  readonly rules: Rules;
  readonly fees: Fees;
  /** The open ledger: transactions are tried, not recorded for good (rippled `view.open()`). */
  readonly open: boolean;
  read(key: Hex): Readonly<Entry> | undefined;
  /** The smallest key above `key` and below `before` (when given), deleted entries left out. */
  successor(key: Hex, before?: Hex): Hex | undefined;
  /** What `account` may count on of `amount` held, after credits put off (rippled `balanceHook`). Identity outside payments. */
  balanceHook(account: AccountId, issuer: AccountId, amount: Amount): Amount;
  /** Likewise for the owner count (rippled `ownerCountHook`). */
  ownerCountHook(account: AccountId, count: number): number;
}

export interface ApplyView extends ReadView {
  /** This view's own copy, to be written to; undefined when there is none. */
  peek(key: Hex): Entry | undefined;
  /**
   * Says that the entry was written to even if it stays as it is: should the transaction be threaded to it, metadata
   * shows it whole (rippled `update`). Nothing when there is none.
   */
  touch(key: Hex): void;
  /** @throws Error when the key is taken. */
  insert(entry: Entry): void;
  /** @throws Error when there is none. */
  erase(key: Hex): void;
  /** XRP that leaves the ledger for good, in drops. */
  destroy(drops: bigint): void;
  /** Tells a credit to the view (rippled `creditHook`): payments put it off. */
  creditHook(from: AccountId, to: AccountId, amount: Amount, preCreditBalance: Amount): void;
  /** Tells a change of an owner count (rippled `adjustOwnerCountHook`). */
  adjustOwnerCountHook(account: AccountId, current: number, next: number): void;
}
