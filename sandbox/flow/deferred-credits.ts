/**
 * Credits within a payment, recorded so that they cannot be spent by it: money that arrives at an account during a
 * payment is not available to a later part of the same payment (rippled PaymentSandbox.cpp, `DeferredCredits`).
 */
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, XRP } from '../../engine/codec/arithmetic/asset.ts';
import type { Scale } from '../../engine/codec/arithmetic/number-scale.ts';

/** Both directions between two accounts, seen from the low account. */
interface Credits {
  lowDebits: Amount;
  highDebits: Amount;
  /** The low account's balance before the first credit. */
  readonly lowBalance: Amount;
}

export interface Adjustment {
  /** What the account has paid out, and what it received. */
  readonly debits: Amount;
  readonly credits: Amount;
  /** Its balance before the payment. */
  readonly balance: Amount;
}

function unitOf(asset: Asset): string {
  return asset === XRP ? XRP : asset.slice(0, 40);
}

function relation(a: AccountId, b: AccountId, asset: Asset): string {
  return a < b ? a + b + unitOf(asset) : b + a + unitOf(asset);
}

export class DeferredCredits {
  readonly #scale: Scale;
  readonly #credits = new Map<string, Credits>();
  readonly #ownerCounts = new Map<AccountId, number>();

  /** @param scale the arithmetic in use. */
  constructor(scale: Scale) {
    this.#scale = scale;
  }

  /** `balance` is the sender's before this credit; only the first one between two accounts counts. */
  credit(sender: AccountId, receiver: AccountId, amount: Amount, balance: Amount): void {
    const key = relation(sender, receiver, amount.asset);
    const known = this.#credits.get(key);
    const low = sender < receiver;
    if (!known) {
      const none = Amount.zero(amount.asset);
      const before = balance.withAsset(amount.asset);
      this.#credits.set(
        key,
        low
          ? { lowDebits: amount, highDebits: none, lowBalance: before }
          : { lowDebits: none, highDebits: amount, lowBalance: before.negate() },
      );
    } else if (low)
      known.lowDebits = known.lowDebits.add(amount.withAsset(known.lowDebits.asset), this.#scale);
    else known.highDebits = known.highDebits.add(amount.withAsset(known.highDebits.asset), this.#scale);
  }

  /** Undefined when nothing moved between the two. */
  adjustment(account: AccountId, other: AccountId, asset: Asset): Adjustment | undefined {
    if (this.#credits.size === 0) return undefined;
    const found = this.#credits.get(relation(account, other, asset));
    if (!found) return undefined;
    return account < other
      ? { debits: found.lowDebits, credits: found.highDebits, balance: found.lowBalance }
      : { debits: found.highDebits, credits: found.lowDebits, balance: found.lowBalance.negate() };
  }

  recordOwnerCount(account: AccountId, current: number, next: number): void {
    const most = Math.max(current, next, this.#ownerCounts.get(account) ?? 0);
    this.#ownerCounts.set(account, most);
  }

  /** The largest owner count of the account at any moment of the payment. */
  ownerCount(account: AccountId): number | undefined {
    return this.#ownerCounts.get(account);
  }

  /** Adds these credits to `below`, whose original balances stay. */
  mergeInto(below: DeferredCredits): void {
    for (const [key, from] of this.#credits) {
      const to = below.#credits.get(key);
      if (!to) below.#credits.set(key, { ...from });
      else {
        to.lowDebits = to.lowDebits.add(from.lowDebits.withAsset(to.lowDebits.asset), this.#scale);
        to.highDebits = to.highDebits.add(from.highDebits.withAsset(to.highDebits.asset), this.#scale);
      }
    }
    for (const [account, count] of this.#ownerCounts) below.recordOwnerCount(account, count, count);
  }
}
