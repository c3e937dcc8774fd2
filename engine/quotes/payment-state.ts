/**
 * The ledger as a payment changes it: balances of owners and pools, what is left of offers. Three layers, each with only
 * what it changed:
 *
 *     columns of the state  <-  the payment so far  <-  one strand's trial, merged into the payment or dropped
 *
 * What an account receives within a payment it cannot spend within it: what it can spend is its balance before, less what it
 * paid since. And reserve that a consumed offer frees stays locked until the payment is over (rippled PaymentSandbox.cpp).
 *
 * The payment's fee is taken before: the sender's own offers of XRP have that much less.
 *
 * Non-goal: lines that are deleted when they become empty (the owner count that this frees cannot be used in the payment).
 * Cost: two look-ups of small maps a read.
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import type { Scale } from '../codec/arithmetic/number-scale.ts';
import type { InOut } from '../codec/arithmetic/quality.ts';
import { XRP } from '../state/tokens.ts';
import { accountAndToken, amountOf, keyWithToken, zeroOf } from './amounts.ts';
import { isFrozen } from './line-rules.ts';
import type { Market } from './market.ts';

interface Holding {
  /** Of this account in this token now. */
  balance: Amount;
  /** Before this layer's first change of it. */
  readonly original: Amount;
  /** Paid in this layer. */
  debits: Amount;
  /** Received in this layer, while it owed: what the issuer paid it of its own. */
  credits: Amount;
}

interface OwnerCount {
  now: number;
  /** The most at any moment of the payment: reserve for it stays locked. */
  most: number;
}

/**
 * Lines between two accounts of which each issues a token of the payment in the same currency: what the one holds of the other is what
 * the other owes. By the one's name for the line the other's, under which it is kept (`keyWithToken`).
 */
export type SharedLines = ReadonlyMap<number, number>;

/** Offers and lines as they are in one layer. */
export class PaymentState {
  readonly market: Market;
  readonly #below: PaymentState | undefined;
  readonly #scale: Scale;
  readonly #payer: number | undefined;
  readonly #shared: SharedLines | undefined;
  readonly #holdings = new Map<number, Holding>();
  readonly #offers = new Map<number, InOut | undefined>();
  readonly #owners = new Map<number, OwnerCount>();

  private constructor(
    market: Market,
    scale: Scale,
    payer: number | undefined,
    shared: SharedLines | undefined,
    below: PaymentState | undefined,
  ) {
    this.market = market;
    this.#scale = scale;
    this.#payer = payer;
    this.#shared = shared;
    this.#below = below;
  }

  /**
   * @param scale the arithmetic of the ledger's numbers
   * @param payer who pays the fee; undefined: an account without offers
   * @param shared undefined: there are none
   */
  static of(market: Market, scale: Scale, payer: number | undefined, shared?: SharedLines): PaymentState {
    return new PaymentState(market, scale, payer, shared, undefined);
  }

  /** What accounts have more (1) or less (-1) of a token than before the payment. Of the lowest layer. */
  *changes(): Generator<{ readonly account: number; readonly token: number; readonly sign: number }> {
    for (const [key, { balance, original }] of this.#holdings) {
      const sign = balance.compare(original);
      if (sign !== 0) yield { ...accountAndToken(key), sign };
    }
  }

  /** A trial on top of this layer. */
  fork(): PaymentState {
    return new PaymentState(this.market, this.#scale, this.#payer, this.#shared, this);
  }

  /** Makes this trial part of the layer below it. */
  merge(): void {
    const below = this.#below!;
    for (const [key, from] of this.#holdings) {
      const to = below.#holdings.get(key);
      if (!to) below.#holdings.set(key, from);
      else {
        to.balance = from.balance;
        to.debits = to.debits.add(from.debits, this.#scale);
        to.credits = to.credits.add(from.credits, this.#scale);
      }
    }
    for (const [offer, left] of this.#offers) below.#offers.set(offer, left);
    for (const [account, { now, most }] of this.#owners) {
      const before = below.#owners.get(account);
      below.#owners.set(account, { now, most: Math.max(most, before?.most ?? 0) });
    }
  }

  /** What is left of an offer; undefined when it was consumed or removed. */
  offer(id: number): InOut | undefined {
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below)
      if (layer.#offers.has(id)) return layer.#offers.get(id);
    const { books } = this.market;
    return {
      in: amountOf(books.paysTokens[id]!, books.paysHi[id]!, books.paysLo[id]!),
      out: amountOf(books.getsTokens[id]!, books.getsHi[id]!, books.getsLo[id]!),
    };
  }

  /** Whether an offer was consumed or removed. */
  isDeleted(id: number): boolean {
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below)
      if (layer.#offers.has(id)) return layer.#offers.get(id) === undefined;
    return false;
  }

  setOffer(id: number, left: InOut): void {
    this.#offers.set(id, left);
  }

  deleteOffer(id: number): void {
    if (this.isDeleted(id)) return;
    this.#offers.set(id, undefined);
    this.#addOwned(this.market.books.accounts[id]!, -1);
  }

  /** What an account has of a token, whether it can spend it or not. */
  balance(account: number, token: number): Amount {
    const key = keyWithToken(account, token);
    const others = this.#shared?.get(key);
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below) {
      const holding = layer.#holdings.get(others ?? key);
      if (holding) return others === undefined ? holding.balance : holding.balance.negate();
    }
    const { accounts, lines, fees } = this.market;
    if (token === XRP) {
      const fee = account === this.#payer ? BigInt(fees.baseFeeDrops) : 0n;
      return Amount.drops(accounts.balanceDrops(account) - fee);
    }
    const line = lines.find(account, token);
    if (line === undefined) return zeroOf(token);
    const [hi, lo] = lines.balanceRaw(line, token);
    return amountOf(token, hi, lo);
  }

  /**
   * What an account can give of a token that it does not issue: XRP above the reserve; nothing where the issuer froze the
   * line or everything, or one of the two froze it deeply.
   */
  spendable(account: number, token: number): Amount {
    if (token !== XRP && isFrozen(this.market, account, token)) return zeroOf(token);
    const left = this.#unspent(account, token, this.balance(account, token), 'holder');
    if (token !== XRP) return left;
    const drops = left.mantissa - this.#reserve(account);
    return drops > 0n ? Amount.drops(drops) : zeroOf(XRP);
  }

  /** An account pays an amount to the issuer, or XRP. */
  debit(account: number, token: number, amount: Amount): void {
    if (!amount.isZero) this.#move(account, token, amount, 'out');
  }

  /** An account receives an amount; a line that it needs for that is created. */
  credit(account: number, token: number, amount: Amount): void {
    if (amount.isZero) return;
    if (token !== XRP && !this.#hasLine(account, token)) this.#addOwned(account, 1);
    this.#move(account, token, amount, 'in');
  }

  #move(account: number, token: number, amount: Amount, way: 'in' | 'out'): void {
    const key = keyWithToken(account, token);
    const others = this.#shared?.get(key);
    const isOut = (way === 'out') === (others === undefined);
    const holding = this.#holding(account, token, others ?? key, others !== undefined);
    if (isOut) {
      holding.debits = holding.debits.add(amount, this.#scale);
      holding.balance = holding.balance.sub(amount, this.#scale);
    } else {
      if (holding.original.mantissa < 0n) holding.credits = holding.credits.add(amount, this.#scale);
      holding.balance = holding.balance.add(amount, this.#scale);
    }
  }

  /**
   * The part of `amount` that was the account's before the payment and has not been spent by it.
   * @param whose 'issuer': of what the account itself issued to the token's issuer, in the same currency
   */
  #unspent(account: number, token: number, amount: Amount, whose: 'holder' | 'issuer'): Amount {
    const key = keyWithToken(account, token);
    const others = this.#shared?.get(key);
    const isDebited = (whose === 'holder') === (others === undefined);
    let spent: Amount | undefined;
    let original = amount;
    let least = amount;
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below) {
      const holding = layer.#holdings.get(others ?? key);
      if (!holding) continue;
      const now = isDebited ? holding.debits : holding.credits;
      spent = spent ? spent.add(now, this.#scale) : now;
      original = isDebited ? holding.original : holding.original.negate();
      if (original.compare(least) < 0) least = original;
    }
    if (!spent) return amount;
    const left = original.sub(spent, this.#scale);
    const usable = left.compare(least) < 0 ? left : least;
    return token === XRP && usable.mantissa < 0n ? zeroOf(XRP) : usable;
  }

  /**
   * What the issuer of a token can return to an account of its own in the same currency: what it had before the payment, and has
   * not returned since. undefined: nothing.
   */
  owed(account: number, token: number): Amount | undefined {
    const balance = this.balance(account, token);
    if (balance.mantissa >= 0n) return undefined;
    const left = this.#unspent(account, token, balance.negate(), 'issuer');
    return left.mantissa > 0n ? left : undefined;
  }

  /** What an account can return of a token to its issuer: what it had before the payment, and has not spent since. undefined: nothing. */
  held(account: number, token: number): Amount | undefined {
    const left = this.#unspent(account, token, this.balance(account, token), 'holder');
    return left.mantissa > 0n ? left : undefined;
  }

  /** How much of its own an account can issue to a token's issuer that accepts so much of it. undefined: nothing. */
  issuable(account: number, token: number, limit: Amount): Amount | undefined {
    const left = this.#unspent(account, token, this.balance(account, token), 'holder');
    const more = limit.add(left, this.#scale);
    return more.mantissa > 0n ? more : undefined;
  }

  #hasLine(account: number, token: number): boolean {
    const key = keyWithToken(account, token);
    const kept = this.#shared?.get(key) ?? key;
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below)
      if (layer.#holdings.has(kept)) return true;
    return this.market.lines.find(account, token) !== undefined;
  }

  #reserve(account: number): bigint {
    const { fees } = this.market;
    let most = 0;
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below)
      most = Math.max(most, layer.#owners.get(account)?.most ?? 0);
    const count = Math.max(most, this.#ownedNow(account));
    return BigInt(fees.reserveBaseDrops) + BigInt(fees.reserveIncrementDrops) * BigInt(count);
  }

  #ownedNow(account: number): number {
    for (let layer: PaymentState | undefined = this; layer; layer = layer.#below) {
      const count = layer.#owners.get(account);
      if (count) return count.now;
    }
    return this.market.accounts.ownerCount[account]!;
  }

  #addOwned(account: number, by: number): void {
    const before = this.#ownedNow(account);
    const now = Math.max(0, before + by);
    const most = Math.max(this.#owners.get(account)?.most ?? 0, before, now);
    this.#owners.set(account, { now, most });
  }

  /** @param key under which it is kept. @param isOthers by the name of the other account on the line */
  #holding(account: number, token: number, key: number, isOthers: boolean): Holding {
    let holding = this.#holdings.get(key);
    if (!holding) {
      const own = this.balance(account, token);
      const balance = isOthers ? own.negate() : own;
      holding = { balance, original: balance, debits: zeroOf(token), credits: zeroOf(token) };
      this.#holdings.set(key, holding);
    }
    return holding;
  }
}
