/**
 * The difference between consuming a book for a payment and for an offer that crosses it.
 *
 *     payment    any quality; every fee is charged
 *     crossing   only qualities as good as the offer's; the taker's own offers at such a quality are removed, not
 *                consumed; no transfer fee where the taker would pay itself
 *
 * Rules: rippled BookStep.cpp, `BookPaymentStep` and `BookOfferCrossingStep`.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type AccountId, type Asset, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import { composed, getRate } from '../../engine/codec/arithmetic/quality.ts';
import { transferRate } from '../assets/rates.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Debt, OrderBook, Step, StrandContext } from './step.ts';
import type { TakerOffer } from './taker-offer.ts';

export type OfferKind = 'book' | 'pool';

export interface BookTaker {
  /** Whether the taker's own offer must be removed. */
  removesOwn(offer: TakerOffer): boolean;
  takes(quality: bigint): boolean;
  /** The book quality that limits a pool's offer; undefined: no limit, the pool offers all it has. */
  poolThreshold(best: bigint, poolAlone: boolean): bigint | undefined;
  /** Transfer rate on what goes into an offer of `owner`. */
  rateIn(owner: AccountId, rate: number): number;
  /** Transfer rate on what comes out of it. */
  rateOut(owner: AccountId, rate: number): number;
  /** An upper bound of the quality with fees. */
  adjusted(view: ReadView, quality: bigint, previous: Debt, kind: OfferKind, poolAlone: boolean): bigint;
}

/** The issuer's transfer rate, none when the issuer is the strand's destination. */
export function rateTowards(view: ReadView, asset: Asset, destination: AccountId): number {
  return isXrp(asset) || issuerOf(asset) === destination ? PARITY : transferRate(view, asset);
}

/** `quality` with both rates applied. */
function withRates(quality: bigint, rateIn: number, rateOut: number): bigint {
  if (rateIn === PARITY && rateOut === PARITY) return quality;
  return composed(getRate(Amount.drops(rateOut), Amount.drops(rateIn)), quality);
}

export class PaymentTaker implements BookTaker {
  readonly #context: StrandContext;
  readonly #book: OrderBook;

  constructor(context: StrandContext, book: OrderBook) {
    this.#context = context;
    this.#book = book;
  }

  removesOwn(): boolean {
    return false;
  }

  takes(): boolean {
    return true;
  }

  poolThreshold(best: bigint): bigint {
    return best;
  }

  rateIn(_owner: AccountId, rate: number): number {
    return rate;
  }

  rateOut(_owner: AccountId, rate: number): number {
    return rate;
  }

  adjusted(view: ReadView, quality: bigint, previous: Debt, kind: OfferKind): bigint {
    const { destination, ownerPaysTransferFee } = this.#context;
    const rateIn = previous === 'redeems' ? rateTowards(view, this.#book.in, destination) : PARITY;
    const ownerPays = ownerPaysTransferFee && kind === 'book';
    const rateOut = ownerPays ? rateTowards(view, this.#book.out, destination) : PARITY;
    return withRates(quality, rateIn, rateOut);
  }
}

export class CrossingTaker implements BookTaker {
  readonly #context: StrandContext;
  readonly #book: OrderBook;
  readonly #previous: Step | undefined;
  readonly #threshold: bigint;

  /** @throws Error without a limit quality: an offer always has one. */
  constructor(context: StrandContext, book: OrderBook) {
    this.#context = context;
    this.#book = book;
    this.#previous = context.previous;
    if (context.limitQuality === undefined) throw new Error('an offer crosses at a quality');
    this.#threshold = context.limitQuality;
  }

  /** Only in a direct book: bridged through XRP the own offer is consumed. */
  removesOwn(offer: TakerOffer): boolean {
    const { isDefaultPath, source, destination } = this.#context;
    const own = offer.owner === source && offer.owner === destination;
    return own && isDefaultPath && offer.quality <= this.#threshold;
  }

  takes(quality: bigint): boolean {
    return !this.#context.isDefaultPath || quality <= this.#threshold;
  }

  /**
   * A pool alone is not limited by a book whose best offer the taker would not accept; the wanted quality then limits the
   * output instead.
   */
  poolThreshold(best: bigint, poolAlone: boolean): bigint | undefined {
    return poolAlone && this.#threshold < best ? undefined : best;
  }

  rateIn(owner: AccountId, rate: number): number {
    return this.#previous?.kind === 'direct' && this.#previous.from === owner ? PARITY : rate;
  }

  rateOut(owner: AccountId, rate: number): number {
    return this.#previous?.book && owner === this.#context.destination ? PARITY : rate;
  }

  /** Offers count without fees, or it would not be an upper bound. A pool alone has a variable quality: its fee is included. */
  adjusted(view: ReadView, quality: bigint, previous: Debt, kind: OfferKind, poolAlone: boolean): bigint {
    if (!view.rules.enabled('fixAMMv1_1') || kind === 'book' || !poolAlone) return quality;
    const { destination } = this.#context;
    const rateIn = previous === 'redeems' ? rateTowards(view, this.#book.in, destination) : PARITY;
    return withRates(quality, rateIn, PARITY);
  }
}
