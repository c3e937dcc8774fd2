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
 * amounts depend on it, those of drops do not.
 *
 * Payments ask for the total after each part: the sums of the smaller parts are kept, so that only those of the larger ones are
 * computed again, and none where the order does not matter.
 */
export class Sum {
  readonly #zero: Amount;
  readonly #scale: Scale;
  readonly #parts: Amount[] = [];
  /** Of the first part, of the first two, and so on, as far as they are known. Of drops: of all parts, if there is any. */
  readonly #sums: Amount[] = [];

  /** @param scale the arithmetic in use. */
  constructor(zero: Amount, scale: Scale) {
    this.#zero = zero;
    this.#scale = scale;
  }

  add(amount: Amount): void {
    const at = this.#place(amount);
    this.#parts.splice(at, 0, amount);
    if (!this.#zero.isNative) this.#forget(at);
    else this.#sums[0] = this.#sums[0]?.add(amount, this.#scale) ?? amount;
  }

  /** Removes one part with this number. */
  remove(amount: Amount): void {
    const at = this.#parts.findIndex((part) => sameNumber(part, amount));
    if (at < 0) return;
    this.#parts.splice(at, 1);
    if (!this.#zero.isNative) this.#forget(at);
    else this.#sums[0] = this.#sums[0]!.sub(amount, this.#scale);
  }

  get total(): Amount {
    const [parts, sums] = [this.#parts, this.#sums];
    if (!this.#zero.isNative)
      for (let i = sums.length; i < parts.length; i++)
        sums.push(i === 0 ? parts[0]! : sums[i - 1]!.add(parts[i]!, this.#scale));
    return sums.at(-1) ?? this.#zero;
  }

  /** After those that are not more. */
  #place(amount: Amount): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#parts[middle]!.compare(amount) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The part at this place is another one. */
  #forget(at: number): void {
    if (at < this.#sums.length) this.#sums.length = at;
  }
}
