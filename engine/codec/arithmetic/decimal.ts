/** Decimal values, the digits that are shifted out of them, and their rounding. See number-scale.ts. */

/** How digits that do not fit are rounded: to the nearest (ties to even), toward zero, toward minus or plus infinity. */
export type Rounding = 'nearest' | 'zero' | 'down' | 'up';

/** A value of the arithmetic. Create it with `Scale.of`; zero has the mantissa 0n. */
export class Num {
  readonly mantissa: bigint;
  readonly exponent: number;
  constructor(mantissa: bigint, exponent: number) {
    this.mantissa = mantissa;
    this.exponent = exponent;
  }

  get isZero(): boolean {
    return this.mantissa === 0n;
  }

  get signum(): -1 | 0 | 1 {
    return this.mantissa === 0n ? 0 : this.mantissa < 0n ? -1 : 1;
  }

  negate(): Num {
    return this.mantissa === 0n ? this : new Num(-this.mantissa, this.exponent);
  }

  abs(): Num {
    return this.mantissa < 0n ? new Num(-this.mantissa, this.exponent) : this;
  }
}

/** Anything with a mantissa and an exponent: a Num, an Amount. */
export interface Decimal {
  readonly mantissa: bigint;
  readonly exponent: number;
}

export const EXPONENT_MIN = -32768;
export const EXPONENT_MAX = 32768;
/** The exponent rippled gives zero, and writes to the ledger. */
export const ZERO_EXPONENT = -2147483648;
export const NUM_ZERO = new Num(0n, ZERO_EXPONENT);
export const INT64_MAX = 2n ** 63n - 1n;
/** The next value above INT64_MAX that the large scale can hold. */
export const ABOVE_INT64_MAX = 9223372036854775810n;

const POWERS: readonly bigint[] = Array.from({ length: 64 }, (_, n) => 10n ** BigInt(n));

/** 10^n for n >= 0. */
export function tenTo(n: number): bigint {
  return POWERS[n] ?? 10n ** BigInt(n);
}

/** Decimal digits of a positive integer. A float estimate is exact within one; a text would cost ten times as much. */
export function digitsOf(value: bigint): number {
  const guess = Math.floor(Math.log10(Number(value)));
  if (value < tenTo(guess)) return guess;
  return value >= tenTo(guess + 1) ? guess + 2 : guess + 1;
}

/** Digits shifted out of a mantissa: a fraction of 16 digits and whether any digits followed them. */
export interface Guard {
  digits: bigint;
  more: boolean;
}
export const GUARD_DIGITS = 16;
export const GUARD_HALF = 5n * 10n ** 15n;

export function guardOf(dropped: bigint, count: number): Guard {
  if (count <= GUARD_DIGITS) return { digits: dropped * tenTo(GUARD_DIGITS - count), more: false };
  const unit = tenTo(count - GUARD_DIGITS);
  const digits = dropped / unit;
  return { digits, more: digits * unit !== dropped };
}

/** Whether the mantissa's magnitude is increased: above half 1, half 0, below half (or exact) -1. */
export function guardVerdict(guard: Guard, negative: boolean, mode: Rounding): -1 | 0 | 1 {
  if (mode === 'zero') return -1;
  if (mode !== 'nearest') {
    const away = (mode === 'down') === negative;
    return away && (guard.digits > 0n || guard.more) ? 1 : -1;
  }
  if (guard.digits !== GUARD_HALF) return guard.digits > GUARD_HALF ? 1 : -1;
  return guard.more ? 1 : 0;
}

export const OVERFLOW = 'number overflow';

/**
 * The integer nearest to a decimal, or the one given by the rounding mode.
 * @throws RangeError when it does not fit a signed 64-bit integer.
 */
export function toInt64(value: Decimal, mode: Rounding = 'nearest'): bigint {
  const { mantissa, exponent } = value;
  if (mantissa === 0n) return 0n;
  const negative = mantissa < 0n;
  const magnitude = negative ? -mantissa : mantissa;
  let whole: bigint;
  if (exponent >= 0) {
    if (exponent > 19) throw new RangeError(OVERFLOW);
    whole = magnitude * tenTo(exponent);
  } else {
    const unit = tenTo(Math.min(-exponent, 60));
    whole = magnitude / unit;
    const verdict = guardVerdict(guardOf(magnitude - whole * unit, Math.min(-exponent, 60)), negative, mode);
    if (verdict === 1 || (verdict === 0 && (whole & 1n) === 1n)) whole++;
  }
  if (whole > INT64_MAX) throw new RangeError(OVERFLOW);
  return negative ? -whole : whole;
}

/** Digits with the decimal point placed by the exponent, without leading and trailing zeros. */
export function placed(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  const point = digits.length + exponent;
  const whole = point > 0 ? digits.slice(0, point) : '0';
  const fraction = (point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
