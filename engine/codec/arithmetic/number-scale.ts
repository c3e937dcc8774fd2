/**
 * The decimal arithmetic of the ledger: a mantissa of fixed digits, an exponent, and one rounding at the end.
 *
 * Goal: the same bits as rippled's class `Number`, in each of its two mantissa scales and four rounding modes.
 * Non-goals: speed for its own sake (amounts with equal exponents never come here), numbers of other bases.
 *
 *     value = mantissa * 10^exponent
 *
 *     small   10^15 <= |mantissa| < 10^16    used on mainnet (fixUniversalNumber)
 *     large   10^18 <= |mantissa| < 10^19    used for vaults (SingleAssetVault, fixCleanup3_2_0, 3_3_0);
 *                                            above 2^63 - 1 the last digit is 0, so that a signed 64-bit integer
 *                                            with one digit less holds it
 *
 * The large scale rounds the exact result once: every operation first computes it exactly (a sum, a product, a
 * quotient with enough digits and a flag for the remainder) and passes it to `round`.
 *
 * The small scale is older and not always exact, and results of mainnet depend on that:
 *
 *     sum         digits shifted out of the smaller number are kept as a fraction of 16 digits, with the sign of the
 *                 number they came from. Toward zero a difference is therefore not rounded toward zero, and a sum of
 *                 two negative numbers of one exponent is rounded as if it were positive.
 *     quotient    is truncated after 17 further digits, the remainder is dropped.
 *
 * Cost: a sum or product takes a few bigint operations (0.3 to 1 us), a root some iterations of Newton's method.
 */
import {
  ABOVE_INT64_MAX,
  type Decimal,
  digitsOf,
  EXPONENT_MAX,
  EXPONENT_MIN,
  GUARD_DIGITS,
  GUARD_HALF,
  type Guard,
  guardOf,
  guardVerdict,
  INT64_MAX,
  NUM_ZERO,
  Num,
  OVERFLOW,
  placed,
  type Rounding,
  tenTo,
  toInt64,
} from './decimal.ts';

/** Integers that are kept as numbers: constants of formulas, and the thousand trading fees. */
const INTEGERS_MAX = 2048;
/** Integers below this are exact in both scales. */
const EXACT_BELOW = 1e15;

/** The arithmetic in one mantissa scale. All methods take and return numbers of this scale, see `of`. */
export class Scale {
  /** Digits of a mantissa: 16 or 19. */
  readonly digits: number;
  readonly #large: boolean;
  readonly #min: bigint;
  readonly #max: bigint;
  /** Products of two mantissas from here on have twice the digits of one; below it one less. */
  readonly #productHigh: bigint;
  /** Further digits that a quotient is computed with. */
  readonly #quotientDigits: number;
  /** Quotients from here on have those digits and one more than them; below it one less. */
  readonly #quotientHigh: bigint;
  /** Those that formulas name. */
  readonly #integers = new Map<number, Num>();
  readonly one: Num;

  constructor(name: 'small' | 'large') {
    this.#large = name === 'large';
    this.digits = this.#large ? 19 : 16;
    this.#min = tenTo(this.digits - 1);
    this.#max = tenTo(this.digits) - 1n;
    this.#productHigh = tenTo(2 * this.digits - 1);
    this.#quotientDigits = this.#large ? 22 : 17;
    this.#quotientHigh = tenTo(this.#quotientDigits);
    this.one = new Num(this.#min, 1 - this.digits);
  }

  readonly zero = NUM_ZERO;

  /**
   * A number of this scale from an integer or from any mantissa and exponent (an Amount).
   * @throws RangeError when the exponent is above 32768; below -32768 the result is zero.
   */
  of(value: bigint | number | Decimal, mode: Rounding = 'nearest'): Num {
    if (typeof value === 'object') return this.normal(value.mantissa, value.exponent, mode);
    if (typeof value === 'bigint') return this.normal(value, 0, mode);
    const known = this.#integers.get(value);
    if (known) return known;
    const made = this.normal(BigInt(value), 0, mode);
    if (this.#integers.size < INTEGERS_MAX && Math.abs(value) < EXACT_BELOW) this.#integers.set(value, made);
    return made;
  }

  /** The number `mantissa * 10^exponent`, rounded to this scale. */
  normal(mantissa: bigint, exponent: number, mode: Rounding = 'nearest'): Num {
    if (mantissa === 0n) return NUM_ZERO;
    const magnitude = mantissa < 0n ? -mantissa : mantissa;
    if (this.#holds(magnitude, exponent)) return new Num(mantissa, exponent);
    return this.#round(mantissa < 0n, magnitude, exponent, false, mode);
  }

  /** Whether it is a mantissa of this scale, with an exponent that it may have. */
  #holds(magnitude: bigint, exponent: number): boolean {
    return (
      magnitude >= this.#min &&
      magnitude <= (this.#large ? INT64_MAX : this.#max) &&
      exponent >= EXPONENT_MIN &&
      exponent <= EXPONENT_MAX
    );
  }

  /**
   * Converts the exact value `magnitude * 10^exponent` (and slightly more if `more`) to the scale.
   * @param digits of the magnitude, where they are known
   * @throws RangeError on overflow.
   */
  #round(
    negative: boolean,
    magnitude: bigint,
    exponent: number,
    more: boolean,
    mode: Rounding,
    digits?: number,
  ): Num {
    if (magnitude === 0n) return NUM_ZERO;
    let m = magnitude;
    let e = exponent;
    let excess = (digits ?? digitsOf(m)) - this.digits;
    if (excess < 0) {
      m *= tenTo(-excess);
      e += excess;
      excess = 0;
    }
    // Most sums, and whole drops: nothing is to be rounded.
    if (excess === 0 && !more && this.#holds(m, e)) return new Num(negative ? -m : m, e);
    if (this.#large && m / tenTo(excess) >= ABOVE_INT64_MAX) excess++;
    const unit = tenTo(excess);
    const kept = m / unit;
    const guard = guardOf(m - kept * unit, excess);
    guard.more ||= more;
    return this.#settle(negative, kept, e + excess, guard, mode);
  }

  /** Rounds by the guard and normalises the result. */
  #settle(negative: boolean, kept: bigint, exponent: number, guard: Guard, mode: Rounding): Num {
    let m = kept;
    let e = exponent;
    if (this.#large && m >= INT64_MAX && m < ABOVE_INT64_MAX) {
      m = this.#acrossGap(m, guard, negative, mode);
    } else {
      const verdict = guardVerdict(guard, negative, mode);
      if (verdict === 1 || (verdict === 0 && (m & 1n) === 1n)) m++;
    }
    while (m < this.#min) {
      m *= 10n;
      e--;
    }
    if (m > this.#max) {
      m /= 10n;
      e++;
    }
    if (e > EXPONENT_MAX) throw new RangeError(OVERFLOW);
    if (e < EXPONENT_MIN) return NUM_ZERO;
    return new Num(negative ? -m : m, e);
  }

  /** Between 2^63 - 1 and the next value that the large scale can represent, three above (fixCleanup3_3_0). */
  #acrossGap(m: bigint, guard: Guard, negative: boolean, mode: Rounding): bigint {
    const exact = m === INT64_MAX && guard.digits === 0n && !guard.more;
    if (exact || mode === 'zero') return INT64_MAX;
    if (mode !== 'nearest') return (mode === 'down') === negative ? ABOVE_INT64_MAX : INT64_MAX;
    // The middle is 1.5 above; a tie is rounded up.
    if (m === INT64_MAX) return INT64_MAX;
    if (m > INT64_MAX + 1n) return ABOVE_INT64_MAX;
    return guard.digits >= GUARD_HALF ? ABOVE_INT64_MAX : INT64_MAX;
  }

  add(a: Num, b: Num, mode: Rounding = 'nearest'): Num {
    if (b.mantissa === 0n) return a;
    if (a.mantissa === 0n) return b;
    if (a.exponent === b.exponent && a.mantissa === -b.mantissa) return NUM_ZERO;
    return this.#large ? this.#addExactly(a, b, mode) : this.#addSmall(a, b, mode);
  }

  sub(a: Num, b: Num, mode: Rounding = 'nearest'): Num {
    return this.add(a, b.negate(), mode);
  }

  /** Beyond this distance the smaller number only affects the rounding. */
  #addExactly(a: Num, b: Num, mode: Rounding): Num {
    const [high, low] = a.exponent >= b.exponent ? [a, b] : [b, a];
    const shift = high.exponent - low.exponent;
    if (shift <= 2 * this.digits + 2) {
      const sum = high.mantissa * tenTo(shift) + low.mantissa;
      return this.#round(sum < 0n, sum < 0n ? -sum : sum, low.exponent, false, mode);
    }
    // Three more digits and then "slightly more or less" represent what is too small to be written out.
    const widened = high.mantissa * 1000n;
    const sameSign = high.mantissa < 0n === low.mantissa < 0n;
    const magnitude = (widened < 0n ? -widened : widened) - (sameSign ? 0n : 1n);
    return this.#round(high.mantissa < 0n, magnitude, high.exponent - 3, true, mode);
  }

  /** rippled's `Number::operator+=` of the small scale; see the head of the file for its peculiarities. */
  #addSmall(a: Num, b: Num, mode: Rounding): Num {
    const [high, low] = a.exponent >= b.exponent ? [a, b] : [b, a];
    // A number further away than this only leaves the information that it was not zero.
    const shift = Math.min(high.exponent - low.exponent, 40);
    const highMagnitude = high.mantissa < 0n ? -high.mantissa : high.mantissa;
    const lowMagnitude = low.mantissa < 0n ? -low.mantissa : low.mantissa;
    const highNegative = high.mantissa < 0n;
    const lowNegative = low.mantissa < 0n;
    const unit = tenTo(shift);
    const shifted = lowMagnitude / unit;
    const dropped = lowMagnitude - shifted * unit;
    // The guard has the sign of the shifted number; with equal exponents it is not set.
    const guardNegative = shift > 0 && lowNegative;
    if (highNegative === lowNegative) {
      const sum = highMagnitude + shifted;
      if (sum <= this.#max) {
        const guard = guardOf(dropped, shift);
        return this.#settleSigned(highNegative, guardNegative, sum, high.exponent, guard, mode);
      }
      const guard = guardOf((sum % 10n) * unit + dropped, shift + 1);
      return this.#settleSigned(highNegative, guardNegative, sum / 10n, high.exponent + 1, guard, mode);
    }
    let rest = highMagnitude - shifted;
    let negative = highNegative;
    if (rest < 0n) {
      rest = -rest;
      negative = lowNegative;
    }
    return this.#subtractGuard(negative, guardNegative, rest, high.exponent, guardOf(dropped, shift), mode);
  }

  #settleSigned(
    negative: boolean,
    guardNegative: boolean,
    magnitude: bigint,
    exponent: number,
    guard: Guard,
    mode: Rounding,
  ): Num {
    const verdict = guardVerdict(guard, guardNegative, mode);
    const m = verdict === 1 || (verdict === 0 && (magnitude & 1n) === 1n) ? magnitude + 1n : magnitude;
    return this.#round(negative, m, exponent, false, mode);
  }

  #subtractGuard(
    negative: boolean,
    guardNegative: boolean,
    magnitude: bigint,
    exponent: number,
    guard: Guard,
    mode: Rounding,
  ): Num {
    let m = magnitude;
    let e = exponent;
    if (guard.digits === 0n) {
      const missing = this.digits - digitsOf(m);
      m *= tenTo(missing);
      e -= missing;
    }
    while (m < this.#min) {
      const digit = guard.digits / tenTo(GUARD_DIGITS - 1);
      guard.digits = (guard.digits - digit * tenTo(GUARD_DIGITS - 1)) * 10n;
      m = m * 10n - digit;
      e--;
    }
    const verdict = guardVerdict(guard, guardNegative, mode);
    if (verdict === 1 || (verdict === 0 && (m & 1n) === 1n)) m--;
    return this.#round(negative, m, e, false, mode);
  }

  mul(a: Num, b: Num, mode: Rounding = 'nearest'): Num {
    const product = a.mantissa * b.mantissa;
    if (product === 0n) return NUM_ZERO;
    const negative = product < 0n;
    const magnitude = negative ? -product : product;
    const digits = 2 * this.digits - (magnitude < this.#productHigh ? 1 : 0);
    return this.#round(negative, magnitude, a.exponent + b.exponent, false, mode, digits);
  }

  /** @throws RangeError when `b` is zero, or on overflow. */
  div(a: Num, b: Num, mode: Rounding = 'nearest'): Num {
    if (b.mantissa === 0n) throw new RangeError('number: divided by zero');
    if (a.mantissa === 0n) return NUM_ZERO;
    const negative = a.mantissa < 0n !== b.mantissa < 0n;
    const further = this.#quotientDigits;
    const numerator = (a.mantissa < 0n ? -a.mantissa : a.mantissa) * tenTo(further);
    const denominator = b.mantissa < 0n ? -b.mantissa : b.mantissa;
    const quotient = numerator / denominator;
    const more = this.#large && quotient * denominator !== numerator;
    const digits = further + (quotient < this.#quotientHigh ? 0 : 1);
    return this.#round(negative, quotient, a.exponent - b.exponent - further, more, mode, digits);
  }

  compare(a: Num, b: Num): -1 | 0 | 1 {
    if (a.signum !== b.signum) return a.signum < b.signum ? -1 : 1;
    if (a.exponent !== b.exponent && a.mantissa !== 0n)
      return a.exponent < b.exponent === a.mantissa > 0n ? -1 : 1;
    return a.mantissa === b.mantissa ? 0 : a.mantissa < b.mantissa ? -1 : 1;
  }

  equals(a: Num, b: Num): boolean {
    return a.mantissa === b.mantissa && (a.exponent === b.exponent || a.mantissa === 0n);
  }

  max(a: Num, b: Num): Num {
    return this.compare(b, a) > 0 ? b : a;
  }

  /** The same mantissa with a changed exponent. Zero below the minimum exponent. */
  #shift(value: Num, by: number): Num {
    const exponent = value.exponent + by;
    if (exponent >= EXPONENT_MAX) throw new RangeError(OVERFLOW);
    return exponent < EXPONENT_MIN ? NUM_ZERO : new Num(value.mantissa, exponent);
  }

  /** The integer part. */
  truncate(value: Num): Num {
    if (value.exponent >= 0 || value.mantissa === 0n) return value;
    if (-value.exponent >= this.digits) return NUM_ZERO;
    return this.normal(value.mantissa / tenTo(-value.exponent), 0);
  }

  /**
   * `value` to a power, an integer of 0 or more.
   * @throws RangeError on overflow.
   */
  power(value: Num, n: number, mode: Rounding = 'nearest'): Num {
    if (n === 0) return this.one;
    if (n === 1) return value;
    const half = this.power(value, Math.floor(n / 2), mode);
    const square = this.mul(half, half, mode);
    return n % 2 === 0 ? square : this.mul(square, value, mode);
  }

  /**
   * The square root as computed by rippled's `root2`: Newton's method from a quadratic fit for numbers in (0, 1).
   * @throws RangeError for a negative number.
   */
  sqrt(value: Num, mode: Rounding = 'nearest'): Num {
    if (value.mantissa < 0n) throw new RangeError('number: root of a negative');
    if (value.mantissa === 0n || this.equals(value, this.one)) return value;
    const half = Math.ceil((value.exponent + this.digits) / 2);
    const unit = this.#shift(value, -2 * half);
    // (-60 x^2 + 144 x + 18) / 105
    const steep = this.add(this.mul(this.of(-60), unit, mode), this.of(144), mode);
    const fitted = this.div(this.add(this.mul(steep, unit, mode), this.of(18), mode), this.of(105), mode);
    const two = this.of(2);
    const root = this.#settled(fitted, (guess) =>
      this.div(this.add(guess, this.div(unit, guess, mode), mode), two, mode),
    );
    return this.#shift(root, half);
  }

  /** Iterates until the value is stable, or alternates between two, as in rippled. */
  #settled(first: Num, next: (guess: Num) => Num): Num {
    let [before, guess] = [NUM_ZERO, first];
    for (;;) {
      const after = next(guess);
      if (this.equals(after, guess) || this.equals(after, before)) return after;
      [before, guess] = [guess, after];
    }
  }

  toInt64(value: Num, mode: Rounding = 'nearest'): bigint {
    return toInt64(value, mode);
  }

  /** The number as rippled prints it: plain for small exponents, else scientific without trailing zeros. */
  text(value: Num): string {
    if (value.mantissa === 0n) return '0';
    const sign = value.mantissa < 0n ? '-' : '';
    const digits = (value.mantissa < 0n ? -value.mantissa : value.mantissa).toString();
    const { exponent } = value;
    if (exponent !== 0 && (exponent < -(this.digits + 9) || exponent > 11 - this.digits)) {
      const kept = digits.replace(/0+$/, '');
      const trimmed = Math.min(digits.length - kept.length, EXPONENT_MAX - exponent);
      return `${sign}${digits.slice(0, digits.length - trimmed)}e${exponent + trimmed}`;
    }
    return sign + placed(digits, exponent);
  }
}

export const SMALL_SCALE = new Scale('small');
export const LARGE_SCALE = new Scale('large');
