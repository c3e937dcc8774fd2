/**
 * A step through the offers between two assets, including a pool's.
 *
 *     in  --(transfer fee of the asset in, when the step before redeems)-->  offer's owner
 *     out <--(transfer fee of the asset out, when owners pay it)-----------  offer's owner
 *
 * One run consumes offers of one quality only: the pool's one offer or those of the best directory. The strand runs the
 * step again for more, so that strands compete quality by quality.
 *
 * Every rounding favours the offer's owner, so that the remainder of an offer is never worse than its directory's quality.
 * Rules: rippled BookStep.cpp. Cost: an offer is a dozen reads, two transfers and (consumed) a deletion.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type AccountId, type Hex, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import { QUALITY_ONE } from '../../engine/codec/arithmetic/quality.ts';
import { Sum } from '../../engine/codec/arithmetic/ratio.ts';
import { requireAuth } from '../assets/authorisation.ts';
import type { ReadView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { AmmLiquidity } from './amm-liquidity.ts';
import type { AmmOffer } from './amm-offer.ts';
import { type BookTaker, CrossingTaker, type OfferKind, PaymentTaker, rateTowards } from './book-taker.ts';
import { baseOf, bestPlace } from './book-tip.ts';
import { OfferStream } from './offer-stream.ts';
import { setsNoRipple } from './path-checks.ts';
import type { PaymentView } from './payment-view.ts';
import { QualityFunction } from './quality-function.ts';
import type { OrderBook, Step, StrandContext } from './step.ts';
import { type Bound, type Debt, type Direction, FlowError, type InOut, type Made } from './step.ts';
import { type Share, shareOf } from './taken-share.ts';
import type { TakerOffer } from './taker-offer.ts';

/** Offers that one run looks at; before fix1515 (2019) twice as many, and then the strand delivered nothing. */
const OFFERS_MAX = 1000;
const OFFERS_MAX_OLD = 2000;

/** Consumes a share of an offer, and returns whether to go on. */
type Take = (offer: TakerOffer, share: Share) => boolean;

export class BookStep implements Step {
  readonly kind = 'book';
  readonly from: AccountId;
  readonly to: AccountId;
  inactive = false;
  offersUsed = 0;
  flown: InOut | undefined;
  readonly #base: Hex;
  readonly #end: Hex;
  readonly #taker: BookTaker;
  readonly #pool: AmmLiquidity | undefined;
  readonly #previous: Step | undefined;
  readonly #destination: AccountId;
  readonly #ownerPays: boolean;

  private constructor(
    context: StrandContext,
    readonly book: OrderBook,
  ) {
    this.from = issuerOf(book.in);
    this.to = issuerOf(book.out);
    this.#base = baseOf(book);
    this.#end = keylets.nextQualityBase(this.#base);
    this.#taker =
      context.crossing === 'no' ? new PaymentTaker(context, book) : new CrossingTaker(context, book);
    this.#pool = AmmLiquidity.find(context.view, book.in, book.out, context.amm);
    this.#previous = context.previous;
    this.#destination = context.destination;
    this.#ownerPays = context.ownerPaysTransferFee;
  }

  static make(context: StrandContext, book: OrderBook): Made {
    const failure = check(context, book);
    return failure === 'tesSUCCESS' ? new BookStep(context, book) : { failure };
  }

  rev(view: PaymentView, before: PaymentView, removals: Set<Hex>, requested: Amount): InOut {
    this.flown = undefined;
    const { numbers } = view.rules;
    const out = requested.withAsset(this.book.out);
    const ins = new Sum(Amount.zero(this.book.in), numbers);
    const outs = new Sum(Amount.zero(this.book.out), numbers);
    let remaining = out;
    let result: InOut = { in: ins.total, out: outs.total };
    const dried = this.#walk(view, before, removals, 'reverse', (offer, share) => {
      if (remaining.mantissa <= 0n) return false;
      if (share.step.out.compare(remaining) <= 0) {
        ins.add(share.step.in);
        outs.add(share.step.out);
        result = { in: ins.total, out: outs.total };
        remaining = out.sub(result.out, numbers);
        this.#consume(view, offer, share);
        // Also when the amount is reached: going on removes the consumed offer.
        return true;
      }
      const part = share.limitOut(offer, remaining);
      remaining = Amount.zero(this.book.out);
      ins.add(part.step.in);
      outs.add(remaining);
      result = { in: ins.total, out };
      this.#consume(view, offer, part);
      // With few digits an offer can be fully consumed although it was not fully wanted.
      return offer.isConsumed;
    });
    if (dried || remaining.mantissa < 0n) return this.#dry();
    // Rounding can bring the rest to zero before the sum is reached.
    this.flown = remaining.isZero ? { in: result.in, out } : result;
    return this.flown;
  }

  fwd(view: PaymentView, before: PaymentView, removals: Set<Hex>, given: Amount): InOut {
    const { numbers } = view.rules;
    const input = given.withAsset(this.book.in);
    const reverse = this.flown!;
    let ins = new Sum(Amount.zero(this.book.in), numbers);
    let outs = new Sum(Amount.zero(this.book.out), numbers);
    let remaining = input;
    let result: InOut = { in: ins.total, out: outs.total };
    const dried = this.#walk(view, before, removals, 'forward', (offer, share) => {
      if (remaining.mantissa <= 0n) return false;
      const whole = share.step.in.compare(remaining) <= 0;
      let part = whole ? share : share.limitIn(offer, remaining);
      ins.add(whole ? part.step.in : remaining);
      outs.add(part.step.out);
      result = { in: whole ? ins.total : input, out: outs.total };
      if (result.out.compare(reverse.out) > 0 && result.in.compare(reverse.in) <= 0) {
        // More output than in the reverse pass for no more input: that output is used if it costs the same input.
        outs.remove(part.step.out);
        const rest = reverse.out.sub(outs.total, numbers);
        const again = share.limitOut(offer, rest);
        if (again.step.in.compare(remaining) === 0) {
          result = { in: input, out: reverse.out };
          [ins, outs] = [new Sum(result.in, numbers), new Sum(result.out, numbers)];
          ins.add(result.in);
          outs.add(result.out);
          part = again.withStep({ in: remaining, out: rest });
        } else outs.add(part.step.out);
      }
      remaining = input.sub(result.in, numbers);
      this.#consume(view, offer, part);
      return whole || offer.isConsumed;
    });
    if (dried || remaining.mantissa < 0n) return this.#dry();
    this.flown = remaining.isZero ? { in: input, out: result.out } : result;
    return this.flown;
  }

  debt(): Debt {
    return this.#ownerPays ? 'issues' : 'redeems';
  }

  bound(view: ReadView, previous: Debt): Bound {
    const tip = this.#tip(view);
    if (tip === undefined) return { quality: undefined, debt: this.debt() };
    const [quality, kind]: [bigint, OfferKind] =
      typeof tip === 'bigint' ? [tip, 'book'] : [tip.quality, 'pool'];
    return {
      quality: this.#taker.adjusted(view, quality, previous, kind, this.#poolAlone),
      debt: this.debt(),
    };
  }

  qualityFunction(view: ReadView, previous: Debt): QualityFunction | undefined {
    const tip = this.#tip(view);
    if (tip === undefined) return undefined;
    const { rules } = view;
    const own = typeof tip === 'bigint' ? QualityFunction.constant(rules, tip) : tip.qualityFunction();
    if (own.quality !== undefined) {
      const quality = this.#taker.adjusted(view, own.quality, previous, 'book', this.#poolAlone);
      return QualityFunction.constant(rules, quality);
    }
    const fees = this.#taker.adjusted(view, QUALITY_ONE, previous, 'pool', this.#poolAlone);
    return fees === QUALITY_ONE ? own : QualityFunction.constant(rules, fees).combine(own);
  }

  get pooled(): boolean {
    return this.#pool !== undefined;
  }

  lineQualityIn(): number {
    return PARITY;
  }

  equals(other: Step): boolean {
    if (!(other instanceof BookStep)) return false;
    const { in: input, out, domain } = other.book;
    return input === this.book.in && out === this.book.out && domain === this.book.domain;
  }

  get #poolAlone(): boolean {
    return this.#pool !== undefined && !this.#pool.context.multiPath;
  }

  #dry(): InOut {
    this.flown = { in: Amount.zero(this.book.in), out: Amount.zero(this.book.out) };
    return this.flown;
  }

  /** The better of the book's best quality and the pool's offer. */
  #tip(view: ReadView): bigint | AmmOffer | undefined {
    const best = bestPlace(view, this.#base, this.#end)?.quality;
    const threshold =
      best !== undefined && view.rules.enabled('fixAMMv1_1')
        ? this.#taker.poolThreshold(best, this.#poolAlone)
        : undefined;
    // Pools are not used in domains; an unavailable pool must not raise the bound either (fixCleanup3_3_0).
    const shut = this.book.domain !== undefined && view.rules.enabled('fixCleanup3_3_0');
    const offer = shut ? undefined : this.#pool?.offer(view, threshold);
    return offer && (best === undefined || offer.quality < best) ? offer : best;
  }

  /**
   * Runs `take` over the offers of one quality.
   * @returns true when the run delivers nothing because it met too many offers (before fix1515)
   */
  #walk(
    view: PaymentView,
    before: PaymentView,
    removals: Set<Hex>,
    direction: Direction,
    take: Take,
  ): boolean {
    const previous = this.#previous ? this.#previous.debt(view, direction) : 'issues';
    const most = view.rules.enabled('fix1515') ? OFFERS_MAX : OFFERS_MAX_OLD;
    const offers = new OfferStream(view, before, this.book, this.#base, most);
    const rates = {
      in: previous === 'redeems' ? rateTowards(view, this.book.in, this.#destination) : PARITY,
      out: this.#ownerPays ? rateTowards(view, this.book.out, this.#destination) : PARITY,
    };
    const visit = this.#visitor(before, offers, rates, take);
    if (offers.step()) {
      if (this.#visitPool(view, offers.offer.quality, visit))
        do if (!visit(offers.offer)) break;
        while (offers.step());
    } else this.#visitPool(view, undefined, visit);
    for (const key of offers.removals) removals.add(key);
    this.offersUsed = offers.count;
    if (offers.count < most) return false;
    if (most === OFFERS_MAX) this.inactive = true;
    return most !== OFFERS_MAX;
  }

  /** Whether to continue with the book after the pool. Pools are not used in domains. */
  #visitPool(view: PaymentView, best: bigint | undefined, visit: (offer: TakerOffer) => boolean): boolean {
    if (this.book.domain !== undefined) return true;
    const threshold =
      best !== undefined && view.rules.enabled('fixAMMv1_1')
        ? this.#taker.poolThreshold(best, this.#poolAlone)
        : best;
    const offer = this.#pool?.offer(view, threshold);
    return !offer || visit(offer);
  }

  /** The function that handles each offer; it returns true to go on to the next (and so remove this one from its book). */
  #visitor(
    before: PaymentView,
    offers: OfferStream,
    rates: { readonly in: number; readonly out: number },
    take: Take,
  ): (offer: TakerOffer) => boolean {
    const taker = this.#taker;
    let quality: bigint | undefined;
    let attempted = false;
    const remove = (offer: TakerOffer): true => {
      if (offer.key !== undefined) offers.removals.add(offer.key);
      // Another quality may be used until something was consumed.
      if (!attempted) quality = undefined;
      return true;
    };
    return (offer) => {
      quality ??= offer.quality;
      if (quality !== offer.quality) return false;
      if (taker.removesOwn(offer)) return remove(offer);
      if (requireAuth(before, this.book.in, offer.owner) !== 'tesSUCCESS') return remove(offer);
      if (!taker.takes(offer.quality)) return false;
      const share = shareOf(offer, offer.isFunded ? undefined : offers.ownerFunds, {
        in: taker.rateIn(offer.owner, rates.in),
        out: offer.ownerPaysFee ? taker.rateOut(offer.owner, rates.out) : PARITY,
      });
      attempted = true;
      return take(offer, share);
    };
  }

  /** @throws FlowError when the offer cannot be consumed by this share, or a transfer fails. */
  #consume(view: PaymentView, offer: TakerOffer, share: Share): void {
    if (!offer.allows(share.offer) && view.rules.enabled('fixAMMOverflowOffer'))
      throw new FlowError('tecINVARIANT_FAILED', 'more than the offer may give');
    const paid = offer.send(view, this.from, offer.owner, share.offer.in.withAsset(this.book.in));
    if (paid !== 'tesSUCCESS') throw new FlowError(paid, 'payment to the offer failed');
    const given = offer.send(view, offer.owner, this.to, share.ownerGives.withAsset(this.book.out));
    if (given !== 'tesSUCCESS') throw new FlowError(given, 'payment of the offer failed');
    offer.consume(share.offer);
  }
}

function check(context: StrandContext, book: OrderBook): Result {
  const { view, seenDirect, seenBookOuts, previous } = context;
  if (book.in === book.out) return 'temBAD_PATH';
  // With one asset as output of two books, consuming from one could unfund offers of the other.
  const seen = seenBookOuts.has(book.out) || seenDirect[0].has(book.out) || seenDirect[1].has(book.out);
  seenBookOuts.add(book.out);
  if (seen) return 'temBAD_PATH_LOOP';
  for (const asset of [book.in, book.out])
    if (!isXrp(asset) && !view.read(keylets.account(issuerOf(asset)))) return 'tecNO_ISSUER';
  if (previous?.kind !== 'direct') return 'tesSUCCESS';
  const issuer = issuerOf(book.in);
  const line = view.read(keylets.line(previous.from, issuer, book.in.slice(0, 40)));
  if (!line) return 'terNO_LINE';
  return setsNoRipple(line, issuer, previous.from) ? 'terNO_RIPPLE' : 'tesSUCCESS';
}
