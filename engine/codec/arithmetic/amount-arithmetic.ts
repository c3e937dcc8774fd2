/**
 * Products and quotients of amounts, digit for digit as in rippled (`STAmount.cpp`, `Rate2.cpp`, `IOUAmount.cpp`).
 *
 * Goal: the same last digit. Offers are crossed with these functions, so a digit decides who is paid. Non-goal: one clean
 * rule; there are four generations of rounding here and each is still used somewhere.
 *
 *     multiply        product of two numbers of 16 digits, half to even (fixUniversalNumber)
 *     divide          17 more digits than needed, truncated, plus 5 in the last place, then half to even
 *     mulRound,       truncated toward or away from zero, with a rippled bug: the remainder is not tracked in the
 *     divRound        last digit, so a fraction below 0.1 of a drop is not rounded up. A result that is not to be
 *                     rounded away from zero is rounded half to even for its asset (since fixUniversalNumber).
 *     mulRoundStrict, the same with all digits counted and the direction kept to the end (fixReducedOffersV1)
 *     divRoundStrict
 *
 * "Up" is away from zero for a positive result: rounding up a negative result truncates it. The unit of the result is
 * `asset`; the units of the operands do not matter. Mantissas of XRP and MPT amounts are first extended to 16 digits.
 *
 *     mantissas  10^15..10^16 x 10^15..10^16  ->  / 10^14  ->  10^16..10^18  ->  asset (16 digits, or whole units)
 *
 * Cost: one bigint product and quotient, about 1 us.
 */
import { Amount, AmountError, comparable, EXPONENT_MIN, MANTISSA_MAX, MANTISSA_MIN } from './amount.ts';
import { ACCOUNT_ONE, type Asset, issued, XRP } from './asset.ts';
import { INT64_MAX, type Rounding, tenTo } from './decimal.ts';
import { type Scale, SMALL_SCALE } from './number-scale.ts';

/** Currency and issuer one: the asset of rates and qualities, which are not amounts of any asset (rippled `noIssue`). */
export const NO_ISSUE: Asset = issued(ACCOUNT_ONE, ACCOUNT_ONE);

/** A rate of 1: transfer rates and qualities of trust lines are in billionths. */
export const PARITY = 1_000_000_000;

const UINT64_MAX = 2n ** 64n - 1n;
const TEN_TO_14 = tenTo(14);
const TEN_TO_17 = tenTo(17);

const magnitudeOf = (value: bigint): bigint => (value < 0n ? -value : value);

/** An operand's magnitude with its exponent; that of XRP and MPTs extended to 16 digits. */
function operand(amount: Amount): { value: bigint; exponent: number } {
  let value = magnitudeOf(amount.mantissa);
  let { exponent } = amount;
  if (!amount.isIssued)
    while (value < MANTISSA_MIN) {
      value *= 10n;
      exponent--;
    }
  return { value, exponent };
}

/** Whole units times whole units; undefined for other operands. */
function wholeProduct(a: Amount, b: Amount, asset: Asset): Amount | undefined {
  if (a.isNative && b.isNative && asset === XRP)
    return boundedProduct(a.mantissa, b.mantissa, asset, 3_000_000_000n, 2_095_475_792n);
  if (a.isMpt && b.isMpt && asset.length === 48)
    return boundedProduct(a.mantissa, b.mantissa, asset, 3_037_000_499n, 2_147_483_648n);
  return undefined;
}

function boundedProduct(a: bigint, b: bigint, asset: Asset, rootMax: bigint, highMax: bigint): Amount {
  const [low, high] = a < b ? [a, b] : [b, a];
  if (low < 0n || low > rootMax || (high >> 32n) * low > highMax) throw new AmountError('amount overflow');
  return Amount.of(asset, low * high, 0);
}

/**
 * `a * b` in units of `asset`.
 * @throws AmountError on overflow.
 */
export function multiply(a: Amount, b: Amount, asset: Asset, scale: Scale = SMALL_SCALE): Amount {
  if (a.isZero || b.isZero) return Amount.zero(asset);
  const whole = wholeProduct(a, b, asset);
  if (whole) return whole;
  const product = scale.mul(scale.of(a), scale.of(b));
  return Amount.of(asset, product.mantissa, product.exponent);
}

/**
 * `a / b` in units of `asset`.
 * @throws AmountError on overflow and when `b` is zero.
 */
export function divide(a: Amount, b: Amount, asset: Asset): Amount {
  if (b.isZero) throw new AmountError('division by zero');
  if (a.isZero) return Amount.zero(asset);
  const numerator = operand(a);
  const denominator = operand(b);
  const quotient = (numerator.value * TEN_TO_17) / denominator.value;
  if (quotient > UINT64_MAX) throw new AmountError('amount overflow');
  const magnitude = quotient + 5n;
  const negative = a.mantissa < 0n !== b.mantissa < 0n;
  return Amount.of(asset, negative ? -magnitude : magnitude, numerator.exponent - denominator.exponent - 17);
}

/** Shortens an intermediate value for its asset, rounding away from zero: rippled `canonicalizeRound`. */
function cutLoosely(whole: boolean, value: bigint, exponent: number): { value: bigint; exponent: number } {
  if (!whole) return cutIssued(value, exponent);
  if (exponent >= 0) return { value, exponent };
  const cuts = -exponent - 1;
  return { value: (value / tenTo(cuts) + (cuts >= 2 ? 9n : 10n)) / 10n, exponent: 0 };
}

/** The same with all dropped digits counted: `canonicalizeRoundStrict`. */
function cutStrictly(
  whole: boolean,
  value: bigint,
  exponent: number,
  up: boolean,
): { value: bigint; exponent: number } {
  if (!whole) return cutIssued(value, exponent);
  if (exponent >= 0) return { value, exponent };
  const unit = tenTo(-exponent - 1);
  const kept = value / unit;
  const more = kept * unit !== value;
  return { value: (kept + (more && up ? 10n : 9n)) / 10n, exponent: 0 };
}

function cutIssued(value: bigint, exponent: number): { value: bigint; exponent: number } {
  if (value <= MANTISSA_MAX) return { value, exponent };
  let v = value;
  let e = exponent;
  while (v > 10n * MANTISSA_MAX) {
    v /= 10n;
    e++;
  }
  return { value: (v + 9n) / 10n, exponent: e + 1 };
}

/** The result, or the smallest positive amount if rounding up gave zero. */
function finish(
  asset: Asset,
  negative: boolean,
  value: bigint,
  exponent: number,
  up: boolean,
  mode: Rounding,
): Amount {
  const result = Amount.of(asset, negative ? -value : value, exponent, mode);
  if (!up || negative || !result.isZero) return result;
  return asset.length === 80 ? Amount.issued(asset, MANTISSA_MIN, EXPONENT_MIN) : Amount.of(asset, 1n, 0);
}

function product(a: Amount, b: Amount, asset: Asset, up: boolean, strict: boolean): Amount {
  if (a.isZero || b.isZero) return Amount.zero(asset);
  const whole = wholeProduct(a, b, asset);
  if (whole) return whole;
  const x = operand(a);
  const y = operand(b);
  const negative = a.mantissa < 0n !== b.mantissa < 0n;
  const away = negative !== up;
  let value = (x.value * y.value + (away ? TEN_TO_14 - 1n : 0n)) / TEN_TO_14;
  if (value > UINT64_MAX) throw new AmountError('amount overflow');
  let exponent = x.exponent + y.exponent + 14;
  if (away) {
    const integral = asset.length !== 80;
    ({ value, exponent } = strict
      ? cutStrictly(integral, value, exponent, up)
      : cutLoosely(integral, value, exponent));
  }
  return finish(asset, negative, value, exponent, up, strict ? 'zero' : 'nearest');
}

function quotient(a: Amount, b: Amount, asset: Asset, up: boolean, strict: boolean): Amount {
  if (b.isZero) throw new AmountError('division by zero');
  if (a.isZero) return Amount.zero(asset);
  const x = operand(a);
  const y = operand(b);
  const negative = a.mantissa < 0n !== b.mantissa < 0n;
  const away = negative !== up;
  let value = (x.value * TEN_TO_17 + (away ? y.value - 1n : 0n)) / y.value;
  if (value > UINT64_MAX) throw new AmountError('amount overflow');
  let exponent = x.exponent - y.exponent - 17;
  // The strict division also uses the loose rounding here.
  if (away) ({ value, exponent } = cutLoosely(asset.length !== 80, value, exponent));
  return finish(asset, negative, value, exponent, up, strict ? (away ? 'up' : 'down') : 'nearest');
}

/** `a * b` in units of `asset`, rounded. @throws AmountError on overflow. */
export const mulRound = (a: Amount, b: Amount, asset: Asset, up: boolean): Amount =>
  product(a, b, asset, up, false);
export const mulRoundStrict = (a: Amount, b: Amount, asset: Asset, up: boolean): Amount =>
  product(a, b, asset, up, true);
/** `a / b` in units of `asset`, rounded. @throws AmountError on overflow and when `b` is zero. */
export const divRound = (a: Amount, b: Amount, asset: Asset, up: boolean): Amount =>
  quotient(a, b, asset, up, false);
export const divRoundStrict = (a: Amount, b: Amount, asset: Asset, up: boolean): Amount =>
  quotient(a, b, asset, up, true);

const rateAmount = (rate: number): Amount => Amount.issued(NO_ISSUE, BigInt(rate), -9);

/** `amount` times a rate in billionths (`PARITY` is 1). @throws AmountError on overflow. */
export function multiplyRate(amount: Amount, rate: number, scale: Scale = SMALL_SCALE): Amount {
  return rate === PARITY ? amount : multiply(amount, rateAmount(rate), amount.asset, scale);
}

/** `amount` divided by a rate in billionths. @throws AmountError on overflow, or for rate 0. */
export function divideRate(amount: Amount, rate: number): Amount {
  return rate === PARITY ? amount : divide(amount, rateAmount(rate), amount.asset);
}

export function multiplyRateRound(amount: Amount, rate: number, up: boolean, asset = amount.asset): Amount {
  return rate === PARITY ? amount : mulRound(amount, rateAmount(rate), asset, up);
}

export function divideRateRound(amount: Amount, rate: number, up: boolean, asset = amount.asset): Amount {
  return rate === PARITY ? amount : divRound(amount, rateAmount(rate), asset, up);
}

/** The rate of an NFT's transfer fee: the fee is in 1/100,000, as a part of the price. */
export const transferFeeAsRate = (fee: number): number => fee * 10_000;

/** floor(log10(2^63 - 1)) */
const INT64_LOG = 18;

/** The number of multiplications by ten needed to reach `value`. */
function ceilingLog(value: bigint): number {
  return value <= 1n ? 0 : (value - 1n).toString().length;
}

/**
 * `amount * numerator / denominator`, rounded up or down (toward minus infinity); both below 2^32.
 * rippled `mulRatio` of XRPAmount, MPTAmount and IOUAmount.
 * @throws AmountError on overflow, and for denominator 0.
 */
export function mulRatio(amount: Amount, numerator: number, denominator: number, up: boolean): Amount {
  if (denominator === 0) throw new AmountError('division by zero');
  const negative = amount.mantissa < 0n;
  const den = BigInt(denominator);
  const total = magnitudeOf(amount.mantissa) * BigInt(numerator);
  let low = total / den;
  let rest = total - low * den;
  if (!amount.isIssued) {
    if (rest !== 0n && up !== negative) low++;
    if (low > INT64_MAX) throw new AmountError('amount overflow');
    return amount.isNative
      ? Amount.drops(negative ? -low : low)
      : Amount.mpt(amount.asset, negative ? -low : low);
  }
  let { exponent } = amount;
  if (rest !== 0n) {
    const room = INT64_LOG - ceilingLog(low);
    if (room > 0) {
      exponent -= room;
      low *= tenTo(room);
      rest *= tenTo(room);
    }
    const more = rest / den;
    low += more;
    rest -= more * den;
  }
  let inexact = rest !== 0n;
  const shrink = ceilingLog(low) - INT64_LOG;
  if (shrink > 0) {
    const unit = tenTo(shrink);
    const kept = low / unit;
    exponent += shrink;
    inexact ||= kept * unit !== low;
    low = kept;
  }
  const result = Amount.issued(amount.asset, negative ? -low : low, exponent);
  if (!inexact || up === negative) return result;
  const step = negative ? -1n : 1n;
  if (result.isZero) return Amount.issued(amount.asset, step * MANTISSA_MIN, EXPONENT_MIN);
  return Amount.issued(amount.asset, result.mantissa + step, result.exponent);
}

const INT64_MIN = -(2n ** 63n);
const ONE = Amount.issued(NO_ISSUE, 1n, 0);
const LOSS_MAX = Amount.issued(NO_ISSUE, 1n, -4);

/** Whether two amounts can be added without overflow, and without losing the smaller one (rippled `canAdd`). */
export function canAdd(a: Amount, b: Amount, scale: Scale = SMALL_SCALE): boolean {
  if (!comparable(a.asset, b.asset)) return false;
  if (a.isZero || b.isZero) return true;
  if (!a.isIssued) {
    const sum = a.mantissa + b.mantissa;
    return sum <= INT64_MAX && sum >= INT64_MIN;
  }
  const loss = (x: Amount, y: Amount): Amount =>
    divide(x.sub(y, scale).add(y, scale), x, NO_ISSUE).sub(ONE, scale).abs();
  return loss(b, a).add(loss(a, b), scale).compare(LOSS_MAX) <= 0;
}
