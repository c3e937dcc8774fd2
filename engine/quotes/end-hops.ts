/**
 * The ends of a strand: what leaves the sender, what reaches the receiver over its trust line. Balances and limits of the two
 * are not looked at: a quote is for whoever has enough (see quote.ts). Rules: rippled DirectStep.cpp, XRPEndpointStep.cpp.
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import { NO_ISSUE, PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { getRate, type InOut, QUALITY_ONE } from '../codec/arithmetic/quality.ts';
import { least, scaled } from '../codec/arithmetic/ratio.ts';
import { acceptedRate, returnRate } from './arrival.ts';
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

/** What a run moves over the receiver's line, with its input and output. */
interface Flown extends InOut {
  readonly moved: Amount;
}

/** Billionths: input for what moves, and output for it. `most` moves at most; undefined: any amount. */
interface Terms {
  readonly into: number;
  readonly outOf: number;
  readonly most: Amount | undefined;
}

/**
 * An issuer pays the receiver what came from others: its transfer fee is taken, and the receiver may accept it below face value
 * (arrival.ts). What the receiver owes is returned to it first, in rounds of their own. The receiver cannot spend it within the
 * payment, but it changes how what is left for its own offers is rounded.
 */
export class IssuerEnd implements Hop {
  readonly inactive = false;
  readonly offersUsed = 0;
  flown: Flown | undefined;
  readonly #token: number;
  readonly #receiver: number | undefined;
  readonly #issued: Terms;
  readonly #returned: number;
  /** Of the last run. */
  #last: Terms | undefined;

  /** @param receiver undefined: an account without a line and without offers */
  constructor(market: Market, token: number, receiver: number | undefined) {
    this.#token = token;
    this.#receiver = receiver;
    const outOf = acceptedRate(market, receiver, token);
    this.#issued = { into: transferRate(market, token), outOf, most: undefined };
    this.#returned = returnRate(market, receiver, token);
  }

  rev(view: PaymentState, _before: PaymentState, _removals: Set<number>, out: Amount): InOut {
    const { into, outOf, most } = this.#termsNow(view);
    const wanted = scaled(out, PARITY, outOf, true);
    const isLimited = most !== undefined && wanted.compare(most) > 0;
    const moved = isLimited ? most : wanted;
    const given = isLimited ? scaled(moved, outOf, PARITY, false) : out;
    return this.#pay(view, { in: scaled(moved, into, PARITY, true), moved, out: given });
  }

  fwd(view: PaymentState, _before: PaymentState, _removals: Set<number>, input: Amount): InOut {
    const { into, outOf, most } = this.#termsNow(view);
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

  /** Of the terms of the last run, as the ledger sorts strands: also where what the receiver owed has been returned since. */
  bound(view: PaymentState): bigint {
    const { into, outOf } = this.#last ?? this.#terms(view);
    return getRate(Amount.issued(NO_ISSUE, BigInt(outOf), 0), Amount.issued(NO_ISSUE, BigInt(into), 0));
  }

  #termsNow(view: PaymentState): Terms {
    this.#last = this.#terms(view);
    return this.#last;
  }

  #terms(view: PaymentState): Terms {
    const receiver = this.#receiver;
    const most = receiver === undefined ? undefined : view.owed(receiver, this.#token);
    return most ? { into: this.#returned, outOf: PARITY, most } : this.#issued;
  }

  #pay(view: PaymentState, flown: Flown): InOut {
    this.flown = flown;
    if (this.#receiver !== undefined) view.credit(this.#receiver, this.#token, flown.moved);
    return flown;
  }
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
