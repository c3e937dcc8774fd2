/**
 * The view of a payment: an entry table that defers credits.
 *
 *     ledger  <-  transaction's table  <-  payment's view  <-  one strand's trial
 *
 * What an account receives within the payment cannot be spent until the payment is over, and an account that frees
 * reserve within it keeps the higher reserve. Both only through the hooks of `accountHolds` and `xrpLiquid`;
 * the entries themselves change at once (rippled PaymentSandbox.cpp).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ReadView } from '../ledger/view.ts';
import { DeferredCredits } from './deferred-credits.ts';

export class PaymentView extends EntryTable {
  readonly #below: PaymentView | undefined;
  readonly #deferred: DeferredCredits;

  constructor(below: ReadView) {
    super(below);
    this.#deferred = new DeferredCredits(below.rules.numbers);
    this.#below = below instanceof PaymentView ? below : undefined;
  }

  /**
   * The part of `amount` that was the account's own before the payment and is not spent by it. Computed as original
   * balance minus debits, which loses no digits where (balance + credit) - credit would.
   */
  override balanceHook(account: AccountId, issuer: AccountId, amount: Amount): Amount {
    let debits: Amount | undefined;
    let original = amount;
    let least = amount;
    for (let view: PaymentView | undefined = this; view; view = view.#below) {
      const adjustment = view.#deferred.adjustment(account, issuer, amount.asset);
      if (!adjustment) continue;
      const paid = adjustment.debits.withAsset(amount.asset);
      debits = debits ? debits.add(paid, this.rules.numbers) : paid;
      original = adjustment.balance.withAsset(amount.asset);
      if (original.compare(least) < 0) least = original;
    }
    if (!debits) return amount;
    const left = original.sub(debits, this.rules.numbers);
    const usable = left.compare(least) < 0 ? left : least;
    // XRP credited and then debited within the payment is below zero here; it is not a debt.
    return amount.asset === XRP && usable.mantissa < 0n ? Amount.zero(XRP) : usable;
  }

  override ownerCountHook(account: AccountId, count: number): number {
    let most = count;
    for (let view: PaymentView | undefined = this; view; view = view.#below)
      most = Math.max(most, view.#deferred.ownerCount(account) ?? 0);
    return most;
  }

  override creditHook(from: AccountId, to: AccountId, amount: Amount, balance: Amount): void {
    this.#deferred.credit(from, to, amount, balance);
  }

  override adjustOwnerCountHook(account: AccountId, current: number, next: number): void {
    this.#deferred.recordOwnerCount(account, current, next);
  }

  /** Makes this trial part of the payment below it. */
  merge(): void {
    const below = this.#below;
    if (!below) throw new Error('a payment view is merged into the payment view below it');
    this.applyTo(below);
    this.#deferred.mergeInto(below.#deferred);
  }
}
