/**
 * The offers of a book from the best on, for a step to consume. It removes offers that cannot be consumed:
 *
 *     expired, empty, deep frozen, out of its domain        permanently, also when the payment fails
 *     without funds, or so small that its quality broke     permanently if it was so before the payment,
 *                                                           otherwise only if the payment succeeds
 *
 * Moving on deletes the current offer. Order and conditions are the protocol's (rippled OfferStream.cpp).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type Hex, isIssued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { ceilOut, ceilOutStrict, qualityOf } from '../../engine/codec/arithmetic/quality.ts';
import { offerInDomain } from '../assets/credentials.ts';
import { hasExpired } from '../assets/expiry.ts';
import { isDeepFrozen } from '../assets/freeze.ts';
import { accountHolds } from '../assets/funds.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { BookTip } from './book-tip.ts';
import type { PaymentView } from './payment-view.ts';
import type { InOut, OrderBook } from './step.ts';
import { BookOffer } from './taker-offer.ts';

const SMALLEST_ISSUED_MANTISSA = 1_000_000_000_000_000n;
const SMALLEST_ISSUED_EXPONENT = -96;

export class OfferStream {
  readonly #view: PaymentView;
  readonly #before: PaymentView;
  readonly #book: OrderBook;
  readonly #limit: number;
  /** Offers that must be removed permanently. */
  readonly removals = new Set<Hex>();
  readonly #tip: BookTip;
  #count = 0;
  #offer: BookOffer | undefined;
  #funds: Amount | undefined;

  /** `before` is the state before the strand. At most `limit` offers are looked at. */
  constructor(view: PaymentView, before: PaymentView, book: OrderBook, base: Hex, limit: number) {
    this.#view = view;
    this.#before = before;
    this.#book = book;
    this.#limit = limit;
    this.#tip = new BookTip(view, base);
  }

  /** The current offer. */
  get offer(): BookOffer {
    return this.#offer!;
  }

  /** The owner's funds of the asset it gives. */
  get ownerFunds(): Amount {
    return this.#funds!;
  }

  /** Offers looked at so far. */
  get count(): number {
    return this.#count;
  }

  /** Moves to the next usable offer. False when there is none, or the limit is reached. */
  step(): boolean {
    for (;;) {
      this.#funds = undefined;
      if (!this.#tip.step()) return false;
      if (this.#count >= this.#limit) return false;
      this.#count += 1;
      const { entry } = this.#tip;
      if (!entry) this.#unlist();
      else if (this.#isValid(entry)) return true;
    }
  }

  /** Whether the offer at the tip can be consumed; if so it becomes the current offer. */
  #isValid(entry: Entry): boolean {
    const view = this.#view;
    const offer = new BookOffer(entry, this.#tip.place.quality, view.rules);
    if (this.#isVoid(entry, offer)) {
      this.removals.add(entry.index);
      return false;
    }
    const funds = fundsOf(view, offer);
    if (funds.mantissa > 0n && !isTiny(view, offer, funds)) {
      this.#offer = offer;
      this.#funds = funds;
      return true;
    }
    // Did it lose its funds in this payment, or had it none before?
    const original = fundsOf(this.#before, offer);
    if (original.compare(funds) === 0) this.removals.add(entry.index);
    return false;
  }

  #isVoid(entry: Entry, offer: BookOffer): boolean {
    const view = this.#view;
    if (hasExpired(view, entry.Expiration)) return true;
    if (offer.isConsumed || isDeepFrozen(view, offer.owner, this.#book.in)) return true;
    if (entry.DomainID === undefined) return false;
    // A hybrid offer stays valid in the open book when its owner leaves the domain (fixCleanup3_3_0).
    if (this.#book.domain === undefined && view.rules.enabled('fixCleanup3_3_0')) return false;
    return !offerInDomain(view, entry.index, entry.DomainID);
  }

  /** Removes a listed offer that is not in the ledger. */
  #unlist(): void {
    const { page: key, offer } = this.#tip.place;
    for (const view of [this.#view, this.#before]) {
      const page = view.peek(key);
      if (page?.Indexes?.includes(offer)) page.Indexes = page.Indexes.filter((index) => index !== offer);
    }
  }
}

function fundsOf(view: ReadView, offer: BookOffer): Amount {
  if (offer.isFunded) return offer.amounts.out;
  return accountHolds(view, offer.owner, offer.amounts.out.asset, { freeze: 'zero', auth: 'zero' });
}

/**
 * An offer whose owner's funds leave so little of it that its quality would fall below its book's quality blocks the
 * book: one that asks for one drop, or for the smallest issued amount (fixRmSmallIncreasedQOffers, 2021).
 */
function isTiny(view: ReadView, offer: BookOffer, funds: Amount): boolean {
  const { rules } = view;
  if (!rules.enabled('fixRmSmallIncreasedQOffers')) return false;
  const { in: pays, out: gets } = offer.amounts;
  if (gets.isNative) return false;
  if (!pays.isNative && !isLess(pays, gets)) return false;
  const left = effective(view, offer, funds);
  if (left.in.mantissa <= 0n || left.out.mantissa <= 0n) return true;
  const { asset } = pays;
  const smallest = isIssued(asset)
    ? Amount.issued(asset, SMALLEST_ISSUED_MANTISSA, SMALLEST_ISSUED_EXPONENT)
    : Amount.of(asset, 1n, 0);
  if (left.in.compare(smallest) > 0) return false;
  return qualityOf(left.in, left.out) > offer.quality;
}

/** Compares two positive issued amounts as numbers. */
function isLess(a: Amount, b: Amount): boolean {
  return a.exponent === b.exponent ? a.mantissa < b.mantissa : a.exponent < b.exponent;
}

function effective({ rules }: ReadView, offer: BookOffer, funds: Amount): InOut {
  const { amounts } = offer;
  if (offer.owner === issuerOf(amounts.out.asset) || funds.compare(amounts.out) >= 0) return amounts;
  if (rules.enabled('fixReducedOffersV1')) return ceilOutStrict(offer.quality, amounts, funds, false);
  return ceilOut(offer.quality, amounts, funds);
}
