/** Owner counts, the reserve they require, and the spendable rest. Rules: rippled `AccountRootHelpers.cpp`. */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, Fees, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { isPseudoAccountEntry } from './pseudo-accounts.ts';

const OWNER_COUNT_MAX = 0xffff_ffff;
/** Entries that an account may own before a trust line or MPToken needs reserve. */
const FREE_ENTRIES = 2;

/** Reserve of an account with `ownerCount` entries, drops. */
export function accountReserve(fees: Fees, ownerCount: number): bigint {
  return fees.reserve + fees.increment * BigInt(ownerCount);
}

/** Reserve of an account after `added` more entries, drops. */
export function reserveOf(view: ReadView, account: Readonly<Entry>, added = 0): bigint {
  return accountReserve(view.fees, (account.OwnerCount ?? 0) + added);
}

/** Whether an account's balance, after the fee, covers its reserve with `added` more entries. */
export function coversReserve(view: ReadView, account: Readonly<Entry>, added: number): boolean {
  return account.Balance!.drops >= reserveOf(view, account, added);
}

/** Reserve required for one more trust line or MPToken, drops: the first two entries are free. */
export function reserveForHolding(view: ReadView, account: Readonly<Entry>): bigint {
  return (account.OwnerCount ?? 0) < FREE_ENTRIES ? 0n : reserveOf(view, account, 1);
}

/** `count + delta`, clamped to an unsigned 32-bit field as in rippled's `confineOwnerCount`. */
export function confineOwnerCount(count: number, delta: number): number {
  return Math.min(Math.max(count + delta, 0), OWNER_COUNT_MAX);
}

/** Changes the owner count of an account (or loan broker) whose entry the caller has peeked. */
export function adjustOwnerCount(view: ApplyView, account: Entry, delta: number): void {
  if (delta === 0) return;
  const current = account.OwnerCount ?? 0;
  const next = confineOwnerCount(current, delta);
  if (account.LedgerEntryType === 'AccountRoot') view.adjustOwnerCountHook(account.Account!, current, next);
  account.OwnerCount = next;
  // One more and one less is no change, but it was written to.
  view.markDirty(account.index);
}

/** The same by the account's id. Does nothing when there is no such account. */
export function adjustOwnerCountOf(view: ApplyView, account: AccountId, delta: number): void {
  const entry = view.peek(keylets.account(account));
  if (entry) adjustOwnerCount(view, entry, delta);
}

/**
 * XRP an account may spend: its balance above the reserve, never below zero; zero without an account.
 * @param ownerCountAdjustment entries about to be added (or, negative, removed).
 */
export function xrpLiquid(view: ReadView, account: AccountId, ownerCountAdjustment: number): Amount {
  const entry = view.read(keylets.account(account));
  if (!entry) return Amount.drops(0n);
  const count = confineOwnerCount(view.ownerCountHook(account, entry.OwnerCount ?? 0), ownerCountAdjustment);
  const reserve = isPseudoAccountEntry(entry) ? 0n : accountReserve(view.fees, count);
  const balance = view.balanceHook(account, ACCOUNT_ZERO, entry.Balance!).drops;
  return Amount.drops(balance < reserve ? 0n : balance - reserve);
}
