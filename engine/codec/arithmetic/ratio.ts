/** Amounts times a ratio of two rates, and sums, with the rounding of the payment engine. */
import type { Amount } from './amount.ts';
import { mulRatio } from './amount-arithmetic.ts';
import type { Scale } from './number-scale.ts';

/** As the protocol's `mulRatio`; a ratio of one leaves the amount unchanged. */
export function scaled(amount: Amount, numerator: number, denominator: number, roundUp: boolean): Amount {
  return numerator === denominator || amount.isZero
    ? amount
    : mulRatio(amount, numerator, denominator, roundUp);
}

/** Equal numbers; the assets may differ in issuer, as they do along a strand. */
export function sameNumber(a: Amount, b: Amount): boolean {
  return a.mantissa === b.mantissa && (a.exponent === b.exponent || a.mantissa === 0n);
}

export function least(a: Amount, b: Amount): Amount {
  return b.compare(a) < 0 ? b : a;
}

/**
 * Amounts summed in ascending order, which loses the least precision. The order is part of the protocol: sums of issued
 * amounts depend on it.
 */
export class Sum {
  readonly #zero: Amount;
  readonly #scale: Scale;
  readonly #parts: Amount[] = [];

  /** @param scale the arithmetic in use. */
  constructor(zero: Amount, scale: Scale) {
    this.#zero = zero;
    this.#scale = scale;
  }

  add(amount: Amount): void {
    let at = this.#parts.length;
    while (at > 0 && this.#parts[at - 1]!.compare(amount) > 0) at -= 1;
    this.#parts.splice(at, 0, amount);
  }

  /** Removes one part with this number. */
  remove(amount: Amount): void {
    const at = this.#parts.findIndex((part) => sameNumber(part, amount));
    if (at >= 0) this.#parts.splice(at, 1);
  }

  get total(): Amount {
    const [first, ...rest] = this.#parts;
    return rest.reduce((sum, part) => sum.add(part, this.#scale), first ?? this.#zero);
  }
}
