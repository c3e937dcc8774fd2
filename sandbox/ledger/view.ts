/**
 * Reading and changing the state of a ledger.
 *
 * Goal: the changes of a transaction are collected in a view of its own and become part of the ledger as a whole or not at
 * all; a payment can try paths in views over that view.
 *
 *     closed ledger's state (immutable)  <-  open/next ledger  <-  transaction's view  <-  trial of a path
 *          ReadView                            ApplyView             ApplyView              PaymentView
 *
 * A read entry is never written to. `peek` returns a copy that belongs to the view: changes of it count once the view is
 * applied to the one below; there is no "update" call. An entry that was peeked and not changed has no effect, unless
 * `markDirty` is called for it.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry } from '../protocol/fields.ts';

/** Drops. */
export interface Fees {
  readonly base: bigint;
  readonly reserve: bigint;
  readonly increment: bigint;
}

/** The ledger being built: index and times (Ripple epoch seconds) as in rippled's `LedgerInfo`. */
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
  /** The open ledger: transactions are tried, not recorded permanently (rippled `view.open()`). */
  readonly open: boolean;
  read(key: Hex): Readonly<Entry> | undefined;
  /** The smallest key above `key` and below `before` (if given), deleted entries left out. */
  successor(key: Hex, before?: Hex): Hex | undefined;
  /** What `account` can use of `amount` held, without deferred credits (rippled `balanceHook`). Identity outside payments. */
  balanceHook(account: AccountId, issuer: AccountId, amount: Amount): Amount;
  /** The same for the owner count (rippled `ownerCountHook`). */
  ownerCountHook(account: AccountId, count: number): number;
}

export interface ApplyView extends ReadView {
  /** This view's own writable copy; undefined when there is no entry. */
  peek(key: Hex): Entry | undefined;
  /**
   * Marks the entry as written to even if it stays equal: if the transaction is threaded to it, metadata shows it in full
   * (rippled `update`). Does nothing when there is no entry.
   */
  markDirty(key: Hex): void;
  /** @throws Error when the key is taken. */
  insert(entry: Entry): void;
  /** @throws Error when there is none. */
  erase(key: Hex): void;
  /** XRP that is destroyed, in drops. */
  destroy(drops: bigint): void;
  /** Reports a credit to the view (rippled `creditHook`): payments defer it. */
  creditHook(from: AccountId, to: AccountId, amount: Amount, preCreditBalance: Amount): void;
  /** Reports a change of an owner count (rippled `adjustOwnerCountHook`). */
  adjustOwnerCountHook(account: AccountId, current: number, next: number): void;
}
