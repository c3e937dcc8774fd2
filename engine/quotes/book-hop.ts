/**
 * One hop of a strand: through the offers between two tokens, those of the book and those of the pool.
 *
 *     in  --(transfer fee of the token in, when it comes from a holder)-->  owners of offers, the pool
 *     out <--------------------------------------------------------------
 *
 * One run takes offers of one quality only: the pool's one offer, or those of the best directory. The strand runs the hop
 * again for more, so that strands compete quality by quality. Every rounding is in favour of the offer's owner.
 * Rules: rippled BookStep.cpp (payments: transfer fees of what offers give are the taker's), OfferStream.cpp.
 *
 * Cost: an offer is some ten look-ups and two multiplications; see pool-source.ts for a pool's.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { Amount as Amounts } from '../codec/arithmetic/amount.ts';
import { PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { composed, getRate, type InOut } from '../codec/arithmetic/quality.ts';
import { Sum, scaled } from '../codec/arithmetic/ratio.ts';
import { XRP } from '../state/tokens.ts';
import { zeroOf } from './amounts.ts';
import type { LineEnd, Pass } from './end-hops.ts';
import { type Hop, HopError, UnsupportedError } from './hop.ts';
import { isAuthorized, isDeepFrozen } from './line-rules.ts';
import { BookOffer, isTiny, type TakenOffer } from './offers.ts';
import type { PaymentState } from './payment-state.ts';
import type { PoolContext } from './pool-context.ts';
import { PoolSource } from './pool-source.ts';
import type { LedgerRules } from './rules.ts';

/** Offers that one run looks at (rippled `MaxOffersToConsume`). */
const OFFERS_MAX = 1000;

/** What one offer received and gave in a run, without the transfer fee of what goes in. */
export interface TakenPart extends InOut {
  /** Row of the offer; undefined: the pool's. */
  readonly offer: number | undefined;
}

/** How much of an offer is taken: by the offer, and by the hop (with the transfer fee of what goes in). */
interface Share {
  readonly offer: InOut;
  readonly hop: InOut;
  /** What the owner gives. */
  readonly gives: Amount;
}

type Take = (offer: TakenOffer, share: Share) => boolean;

export interface BookHopContext {
  readonly view: PaymentState;
  readonly rules: LedgerRules;
  readonly pools: PoolContext;
  /** Transfer rate on what goes in, in billionths. */
  readonly rateIn: number;
  /** The hop before, where it may pass on paper of the sender's own, of which no fee is taken. */
  readonly before?: LineEnd | undefined;
}

export class BookHop implements Hop {
  readonly tokenIn: number;
  readonly tokenOut: number;
  flown: InOut | undefined;
  inactive = false;
  offersUsed = 0;
  /** Of the last run. */
  parts: TakenPart[] = [];
  readonly #book: number | undefined;
  readonly #pool: PoolSource | undefined;
  readonly #rules: LedgerRules;
  readonly #rate: number;
  readonly #before: LineEnd | undefined;
  /** Transfer rate of the run. */
  #rateIn: number;
  /** Offers at the beginning of the list that the payment has deleted. */
  #from = 0;

  constructor({ view, rules, pools, rateIn, before }: BookHopContext, tokenIn: number, tokenOut: number) {
    this.tokenIn = tokenIn;
    this.tokenOut = tokenOut;
    this.#book = view.market.books.book(tokenIn, tokenOut);
    this.#pool = PoolSource.find(view, [tokenIn, tokenOut], pools, rules);
    this.#rules = rules;
    this.#rate = rateIn;
    this.#rateIn = rateIn;
    this.#before = before;
  }

  rev(view: PaymentState, before: PaymentState, removals: Set<number>, out: Amount): InOut {
    this.flown = undefined;
    this.#rateIn = this.#rateOf(view, 'reverse');
    const { numbers } = this.#rules;
    const ins = new Sum(zeroOf(this.tokenIn), numbers);
    const outs = new Sum(zeroOf(this.tokenOut), numbers);
    let remaining = out;
    let result: InOut = { in: ins.total, out: outs.total };
    this.#walk(view, before, removals, (offer, share) => {
      if (remaining.mantissa <= 0n) return false;
      if (share.hop.out.compare(remaining) <= 0) {
        ins.add(share.hop.in);
        outs.add(share.hop.out);
        result = { in: ins.total, out: outs.total };
        remaining = out.sub(result.out, numbers);
        this.#consume(view, offer, share);
        // Also when the amount is reached: going on removes the consumed offer.
        return true;
      }
      const part = this.#limitOut(offer, share, remaining);
      remaining = zeroOf(this.tokenOut);
      ins.add(part.hop.in);
      result = { in: ins.total, out };
      this.#consume(view, offer, part);
      // With few digits an offer can be used up although it was not wanted whole.
      return offer.isConsumed;
    });
    if (remaining.mantissa < 0n) return this.#dry();
    // Rounding can bring the rest to zero before the sum is reached.
    this.flown = remaining.isZero ? { in: result.in, out } : result;
    return this.flown;
  }

  fwd(view: PaymentState, before: PaymentState, removals: Set<number>, input: Amount): InOut {
    const { numbers } = this.#rules;
    const reverse = this.flown!;
    this.#rateIn = this.#rateOf(view, 'forward');
    let ins = new Sum(zeroOf(this.tokenIn), numbers);
    let outs = new Sum(zeroOf(this.tokenOut), numbers);
    let remaining = input;
    let result: InOut = { in: ins.total, out: outs.total };
    this.#walk(view, before, removals, (offer, share) => {
      if (remaining.mantissa <= 0n) return false;
      const whole = share.hop.in.compare(remaining) <= 0;
      let part = whole ? share : this.#limitIn(offer, share, remaining);
      ins.add(whole ? part.hop.in : remaining);
      outs.add(part.hop.out);
      result = { in: whole ? ins.total : input, out: outs.total };
      if (result.out.compare(reverse.out) > 0 && result.in.compare(reverse.in) <= 0) {
        // More output than in the reverse pass for no more input: that output is used if it costs the same input.
        outs.remove(part.hop.out);
        const rest = reverse.out.sub(outs.total, numbers);
        const again = this.#limitOut(offer, share, rest);
        if (again.hop.in.compare(remaining) === 0) {
          result = { in: input, out: reverse.out };
          [ins, outs] = [new Sum(result.in, numbers), new Sum(result.out, numbers)];
          ins.add(result.in);
          outs.add(result.out);
          part = { ...again, hop: { in: remaining, out: rest } };
        } else outs.add(part.hop.out);
      }
      remaining = input.sub(result.in, numbers);
      this.#consume(view, offer, part);
      return whole || offer.isConsumed;
    });
    if (remaining.mantissa < 0n) return this.#dry();
    this.flown = remaining.isZero ? { in: input, out: result.out } : result;
    return this.flown;
  }

  bound(view: PaymentState): bigint | undefined {
    const best = this.#bestQuality(view);
    const offer = this.#pool?.offer(view, best);
    const quality = offer && (best === undefined || offer.quality < best) ? offer.quality : best;
    const rate = this.#rateOf(view, 'forward');
    if (quality === undefined || rate === PARITY) return quality;
    return composed(getRate(Amounts.drops(PARITY), Amounts.drops(rate)), quality);
  }

  #rateOf(view: PaymentState, pass: Pass): number {
    return this.#before && !this.#before.doesReturn(view, pass) ? PARITY : this.#rate;
  }

  #dry(): InOut {
    this.flown = { in: zeroOf(this.tokenIn), out: zeroOf(this.tokenOut) };
    return this.flown;
  }

  /** Of the first offer that is listed in the payment so far, usable or not. */
  #bestQuality(view: PaymentState): bigint | undefined {
    const offers = this.#offers(view);
    this.#skipDeleted(view, offers);
    const first = offers[this.#from];
    return first === undefined ? undefined : this.#quality(view, first);
  }

  /** @param payment the payment so far: what is deleted there stays so */
  #skipDeleted(payment: PaymentState, offers: Uint32Array): void {
    while (this.#from < offers.length && payment.isDeleted(offers[this.#from]!)) this.#from += 1;
  }

  #offers(view: PaymentState): Uint32Array {
    return this.#book === undefined ? NO_OFFERS : view.market.books.offers(this.#book);
  }

  #quality({ market: { books } }: PaymentState, offer: number): bigint {
    return (BigInt(books.qualityHi[offer]!) << 32n) | BigInt(books.qualityLo[offer]!);
  }

  /** Runs `take` over the offers of one quality. */
  #walk(view: PaymentState, before: PaymentState, removals: Set<number>, take: Take): void {
    this.parts = [];
    this.offersUsed = 0;
    const offers = this.#usable(view, before, removals);
    const visit = this.#visitor(before, removals, take);
    const first = offers.next();
    const best = first.done ? undefined : first.value.offer.quality;
    const made = this.#pool?.offer(view, best);
    const goOn = made === undefined || visit(made, undefined);
    for (let next = first; goOn && !next.done; next = offers.next())
      if (!visit(next.value.offer, next.value.funds)) break;
    if (this.offersUsed >= OFFERS_MAX) this.inactive = true;
  }

  /** The book's offers that can be taken, best first. Asking for the next one removes the one before. */
  *#usable(
    view: PaymentState,
    before: PaymentState,
    removals: Set<number>,
  ): Generator<{ readonly offer: BookOffer; readonly funds: Amount | undefined }> {
    const { books, fees } = view.market;
    const list = this.#offers(view);
    this.#skipDeleted(before, list);
    for (let i = this.#from; i < list.length; i++) {
      const id = list[i]!;
      const amounts = view.offer(id);
      if (amounts === undefined) continue;
      if (this.offersUsed >= OFFERS_MAX) return;
      this.offersUsed += 1;
      const offer = new BookOffer(id, books.accounts[id]!, this.#quality(view, id), amounts);
      if (books.domainIds[id] !== 0 && !this.#rules.hybridStays)
        throw new UnsupportedError('an offer of a permissioned domain in an open book');
      const isVoid =
        books.expired(id, fees.closeTime) ||
        offer.isConsumed ||
        isDeepFrozen(view.market, offer.owner, this.tokenIn);
      if (isVoid) removals.add(id);
      else {
        const funds = this.#fundsOf(view, offer);
        if ((funds === undefined || funds.mantissa > 0n) && !isTiny(offer, funds)) {
          yield { offer, funds };
        } else if (this.#fundsOf(before, offer)?.compare(funds ?? amounts.out) === 0 || funds === undefined) {
          // It had no funds before the payment.
          removals.add(id);
        }
      }
      view.deleteOffer(id);
    }
  }

  /** undefined: it issues what it gives. */
  #fundsOf(view: PaymentState, offer: BookOffer): Amount | undefined {
    const isIssuer = this.tokenOut !== XRP && view.market.tokens.issuers[this.tokenOut] === offer.owner;
    return isIssuer ? undefined : view.spendable(offer.owner, this.tokenOut);
  }

  /** Handles each offer; it returns true to go on to the next, which removes this one from its book. */
  #visitor(before: PaymentState, removals: Set<number>, take: Take) {
    let quality: bigint | undefined;
    let attempted = false;
    return (offer: TakenOffer, funds: Amount | undefined): boolean => {
      quality ??= offer.quality;
      if (quality !== offer.quality) return false;
      if (!isAuthorized(before.market, offer.owner, this.tokenIn)) {
        if (offer.id !== undefined) removals.add(offer.id);
        // Another quality may be used until something was taken.
        if (!attempted) quality = undefined;
        return true;
      }
      attempted = true;
      return take(offer, this.#shareOf(offer, funds));
    };
  }

  /** All that an offer gives, or as much as its owner has. */
  #shareOf(offer: TakenOffer, funds: Amount | undefined): Share {
    const { amounts } = offer;
    const whole = funds === undefined || funds.compare(amounts.out) >= 0;
    const taken = whole ? amounts : offer.limitOut(amounts, funds, false);
    const out = whole ? amounts.out : funds;
    return { offer: taken, hop: { in: scaled(taken.in, this.#rateIn, PARITY, true), out }, gives: out };
  }

  #limitIn(offer: TakenOffer, share: Share, limit: Amount): Share {
    if (limit.compare(share.hop.in) >= 0) return share;
    const input = scaled(limit, PARITY, this.#rateIn, false);
    const amounts = offer.limitIn(share.offer, input, false);
    return { offer: amounts, hop: { in: limit, out: amounts.out }, gives: amounts.out };
  }

  #limitOut(offer: TakenOffer, share: Share, limit: Amount): Share {
    if (limit.compare(share.hop.out) >= 0) return share;
    const amounts = offer.limitOut(share.offer, limit, true);
    const input = scaled(amounts.in, this.#rateIn, PARITY, true);
    return { offer: amounts, hop: { in: input, out: limit }, gives: limit };
  }

  /** @throws HopError when the offer cannot give this share. */
  #consume(view: PaymentState, offer: TakenOffer, { offer: taken, gives }: Share): void {
    if (!offer.allows(taken)) throw new HopError('more than the offer may give');
    const { issuers } = view.market.tokens;
    if (this.tokenIn === XRP || issuers[this.tokenIn] !== offer.owner)
      view.credit(offer.owner, this.tokenIn, taken.in);
    if (this.tokenOut === XRP || issuers[this.tokenOut] !== offer.owner)
      view.debit(offer.owner, this.tokenOut, gives);
    offer.take(view, taken);
    this.parts.push({ offer: offer.id, in: taken.in, out: taken.out });
  }
}

const NO_OFFERS = new Uint32Array(0);
