/**
 * The ends of a strand: what leaves the sender, what reaches the receiver over its trust line. Balances and limits of the two
 * are not looked at: a quote is for whoever has enough (see quote.ts). Rules: rippled DirectStep.cpp, XRPEndpointStep.cpp.
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import { NO_ISSUE, PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { getRate, type InOut, QUALITY_ONE } from '../codec/arithmetic/quality.ts';
import { least, scaled } from '../codec/arithmetic/ratio.ts';
import { acceptedRate, returnRate } from './arrival.ts';
import { paperRate } from './departure.ts';
import type { Hop } from './hop.ts';
import { transferRate } from './line-rules.ts';
import type { Market } from './market.ts';
import type { PaymentState } from './payment-state.ts';

/** XRP at an end, or a holder who returns a token to its issuer: what goes in comes out. */
export class PlainEnd implements Hop {
  readonly inactive = false;
  readonly offersUsed = 0;
  flown: InOut | undefined;

  rev(_view: PaymentState, _before: PaymentState, _removals: Set<number>, out: Amount): InOut {
    this.flown = { in: out, out };
    return this.flown;
  }

  fwd(_view: PaymentState, _before: PaymentState, _removals: Set<number>, input: Amount): InOut {
    this.flown = { in: input, out: input };
    return this.flown;
  }

  bound(): bigint {
    return QUALITY_ONE;
  }
}

export type Pass = 'reverse' | 'forward';

/** What a run moves over the line, with its input and output. */
interface Flown extends InOut {
  readonly moved: Amount;
}

/** Billionths: input for what moves, and output for it. */
export interface Terms {
  readonly into: number;
  readonly outOf: number;
}

/** One account's line with the issuer: what it moves there and back. */
interface LineUse {
  /** Of paper that its issuer gets back. */
  readonly returned: Terms;
  /** Of paper that is issued. */
  readonly issued: Terms;
  /** The hop before, of whose paper the issuer takes no transfer fee; undefined: all that comes is returned to it. */
  readonly before?: LineEnd | undefined;
  /** How much can be returned; undefined: nothing. */
  returnable(view: PaymentState): Amount | undefined;
  /** How much more can be issued than that; absent: whatever is wanted (see quote.ts for the ends of a payment). */
  issuable?(view: PaymentState): Amount | undefined;
  move(view: PaymentState, amount: Amount): void;
}

/**
 * Over a line where some paper can be returned to its issuer, and more be issued: the former comes first, in rounds of its own.
 */
export class LineEnd implements Hop {
  readonly inactive = false;
  readonly offersUsed = 0;
  flown: Flown | undefined;
  readonly #use: LineUse;
  /** Whether the last run returned paper. */
  #didReturn: boolean | undefined;

  constructor(use: LineUse) {
    this.#use = use;
  }

  rev(view: PaymentState, _before: PaymentState, _removals: Set<number>, out: Amount): InOut {
    const terms = this.#termsNow(view, 'reverse');
    if (!terms) return this.#dry(out);
    const { into, outOf, most } = terms;
    const wanted = scaled(out, PARITY, outOf, true);
    const isLimited = most !== undefined && wanted.compare(most) > 0;
    const moved = isLimited ? most : wanted;
    const given = isLimited ? scaled(moved, outOf, PARITY, false) : out;
    return this.#pay(view, { in: scaled(moved, into, PARITY, true), moved, out: given });
  }

  fwd(view: PaymentState, _before: PaymentState, _removals: Set<number>, input: Amount): InOut {
    const terms = this.#termsNow(view, 'forward');
    if (!terms) return this.#dry(input);
    const { into, outOf, most } = terms;
    const wanted = scaled(input, PARITY, into, false);
    const isLimited = most !== undefined && wanted.compare(most) > 0;
    const moved = isLimited ? most : wanted;
    const spent = isLimited ? scaled(moved, into, PARITY, true) : input;
    const out = scaled(moved, outOf, PARITY, false);
    const reverse = this.flown!;
    // Rounding can let this pass deliver more than the reverse pass asked for; then the result of that one counts.
    if (isMuchLarger(spent, reverse.in)) return this.#pay(view, { in: spent, moved, out });
    return this.#pay(view, { in: spent, moved: least(reverse.moved, moved), out: least(reverse.out, out) });
  }

  /** Of the terms of the last run, as the ledger sorts strands: also where what could be returned has been since. */
  bound(view: PaymentState): bigint {
    const { into, outOf } = this.doesReturn(view, 'forward')
      ? this.#use.returned
      : this.#issued(view, 'forward');
    return getRate(Amount.issued(NO_ISSUE, BigInt(outOf), 0), Amount.issued(NO_ISSUE, BigInt(into), 0));
  }

  /** Whether what moves is returned: in a reverse pass as the payment is now, else as in the last run. */
  doesReturn(view: PaymentState, pass: Pass): boolean {
    const last = pass === 'forward' ? this.#didReturn : undefined;
    return last ?? this.#use.returnable(view) !== undefined;
  }

  /** `most` moves at most; undefined: any amount. @returns undefined when nothing can move */
  #termsNow(view: PaymentState, pass: Pass): (Terms & { readonly most: Amount | undefined }) | undefined {
    const returnable = this.#use.returnable(view);
    this.#didReturn = returnable !== undefined;
    const terms = returnable ? this.#use.returned : this.#issued(view, pass);
    if (returnable || !this.#use.issuable) return { ...terms, most: returnable };
    const most = this.#use.issuable(view);
    return most && { ...terms, most };
  }

  #dry(asked: Amount): InOut {
    const none = Amount.zero(asked.asset);
    this.flown = { in: none, moved: none, out: none };
    return this.flown;
  }

  #issued(view: PaymentState, pass: Pass): Terms {
    const { issued, before } = this.#use;
    return before && !before.doesReturn(view, pass) ? { ...issued, into: PARITY } : issued;
  }

  #pay(view: PaymentState, flown: Flown): InOut {
    this.flown = flown;
    this.#use.move(view, flown.moved);
    return flown;
  }
}

/**
 * An issuer pays the receiver what came from others: its transfer fee is taken, and the receiver may accept it below face value
 * (arrival.ts). What the receiver owes is returned to it first. The receiver cannot spend it within the payment, but it changes how
 * what is left for its own offers is rounded.
 * @param receiver undefined: an account without a line and without offers
 */
export function issuerEnd(market: Market, token: number, receiver: number | undefined): LineEnd {
  return new LineEnd(useOf(market, token, receiver));
}

const useOf = (market: Market, token: number, receiver: number | undefined): LineUse => ({
  returned: { into: returnRate(market, receiver, token), outOf: PARITY },
  issued: { into: transferRate(market, token), outOf: acceptedRate(market, receiver, token) },
  returnable: (view) => (receiver === undefined ? undefined : view.owed(receiver, token)),
  move: (view, amount) => {
    if (receiver !== undefined) view.credit(receiver, token, amount);
  },
});

/**
 * The same where what comes is paid by a sender whom the issuer trusts, without a book between.
 * @param before the sender's hop
 */
export function issuerEndAfter(
  before: LineEnd,
  market: Market,
  token: number,
  [sender, receiver]: readonly [number, number | undefined],
): LineEnd {
  const into = Math.max(returnRate(market, receiver, token), paperRate(market, sender, token));
  return new LineEnd({ ...useOf(market, token, receiver), returned: { into, outOf: PARITY }, before });
}

/**
 * A sender whom the issuer trusts: it returns what it holds first, then it pays with paper of its own (departure.ts).
 * @param isLast the issuer is who is paid: it never takes paper above face value then
 */
export function trustedEnd(market: Market, token: number, sender: number, isLast = false): LineEnd {
  const rate = paperRate(market, sender, token);
  return new LineEnd({
    returned: { into: PARITY, outOf: PARITY },
    issued: { into: PARITY, outOf: isLast ? Math.min(rate, PARITY) : rate },
    returnable: (view) => view.held(sender, token),
    move: (view, amount) => view.debit(sender, token, amount),
  });
}

/** A billionth of a token: a difference of input up to this is rounding. */
const ROUNDING = Amount.issued(NO_ISSUE, 1n, -9);

function isMuchLarger(now: Amount, then: Amount): boolean {
  if (now.compare(then) <= 0 || now.sub(then).compare(ROUNDING) <= 0) return false;
  return (
    now.exponent !== then.exponent ||
    then.mantissa === 0n ||
    Number(now.mantissa) / Number(then.mantissa) > 1.01
  );
}
