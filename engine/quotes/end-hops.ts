/**
 * The ends of a strand: what leaves the sender, what reaches the receiver over its trust line. Balances and limits of the two
 * are not looked at: a quote is for whoever has enough (see quote.ts). Rules: rippled DirectStep.cpp, XRPEndpointStep.cpp.
 */
import { Amount } from '../codec/arithmetic/amount.ts';
import { NO_ISSUE, PARITY } from '../codec/arithmetic/amount-arithmetic.ts';
import { getRate, type InOut, QUALITY_ONE } from '../codec/arithmetic/quality.ts';
import { least, scaled } from '../codec/arithmetic/ratio.ts';
import type { Hop } from './hop.ts';
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

/**
 * An issuer pays the receiver what came from others: its transfer fee is taken. The receiver cannot spend it within the payment, but
 * it changes how what is left for its own offers is rounded.
 */
export class IssuerEnd implements Hop {
  readonly inactive = false;
  readonly offersUsed = 0;
  flown: InOut | undefined;
  readonly #rate: number;
  readonly #bound: bigint;
  readonly #token: number;
  readonly #receiver: number | undefined;

  /**
   * @param rate the issuer's transfer rate in billionths; 1,000,000,000: no fee
   * @param receiver undefined: an account without offers
   */
  constructor(rate: number, token: number, receiver: number | undefined) {
    this.#rate = rate;
    this.#token = token;
    this.#receiver = receiver;
    this.#bound = getRate(
      Amount.issued(NO_ISSUE, BigInt(PARITY), 0),
      Amount.issued(NO_ISSUE, BigInt(rate), 0),
    );
  }

  rev(view: PaymentState, _before: PaymentState, _removals: Set<number>, out: Amount): InOut {
    return this.#pay(view, { in: scaled(out, this.#rate, PARITY, true), out });
  }

  fwd(view: PaymentState, _before: PaymentState, _removals: Set<number>, input: Amount): InOut {
    const out = scaled(input, PARITY, this.#rate, false);
    const reverse = this.flown!;
    // Rounding can let this pass deliver more than the reverse pass asked for; then the result of that one counts.
    const isFar = isMuchLarger(input, reverse.in);
    return this.#pay(view, { in: input, out: isFar ? out : least(reverse.out, out) });
  }

  #pay(view: PaymentState, flown: InOut): InOut {
    this.flown = flown;
    if (this.#receiver !== undefined) view.credit(this.#receiver, this.#token, flown.out);
    return flown;
  }

  bound(): bigint {
    return this.#bound;
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
