/**
 * Amounts in three forms: the raw 8 bytes of the ledger, exact decimals for arithmetic, text for output.
 *
 * Raw = (hi, lo), the two unsigned 32-bit words, big-endian. What they mean depends on the asset kind:
 *   xrp     bit 62 positive, the 62 bits below it drops; values here are in XRP, not drops, unless named drops
 *   issued  bit 63 set, bit 62 positive, 8 bits exponent + 97, 54 bits mantissa (10^15 .. 10^16 - 1);
 *           zero is 80000000 00000000
 *   mpt     a plain 64-bit integer (the sign is in the byte before it, and is positive in every valid amount) of the
 *           issuance's smallest unit: 10^scale of them are one token (its AssetScale, not part of the amount)
 * https://xrpl.org/docs/references/protocol/binary-format#amount-fields
 *
 * Goal: what is shown or compared is exact. `rawNumber` and `divToNumber` are for ranking and charts.
 */

export const AssetKind = { xrp: 0, issued: 1, mpt: 2 } as const;
export type AssetKind = (typeof AssetKind)[keyof typeof AssetKind];

/** m * 10^e, exact. */
export interface Decimal {
  readonly m: bigint;
  readonly e: number;
}

export const ZERO: Decimal = { m: 0n, e: 0 };

export const DROPS_PER_XRP = 1_000_000;

/**
 * XRP rounded to whole drops. What is added up is whole drops, and so is the sum: as doubles it has rounding errors in its last
 * digits, which a comparison with another answer shows.
 */
export function wholeDrops(xrp: number): number {
  return Math.round(xrp * DROPS_PER_XRP) / DROPS_PER_XRP;
}

export const WORD = 2 ** 32;
const EXPONENT_OFFSET = 97;
const EXPONENT_MIN = -96;
const EXPONENT_MAX = 80;
const MANTISSA_MIN = 10n ** 15n;
const MANTISSA_MAX = 10n ** 16n - 1n;
/** XRP = drops * 10^XRP_EXPONENT. */
export const XRP_EXPONENT = -6;
/** High word of zero in the raw form of issued amounts; the low word is 0. */
export const ISSUED_ZERO_HI = 0x80000000;
/** Sign bit in the high word of raw XRP and issued amounts: 1 = positive. */
export const POSITIVE = 0x40000000;

/** Powers up to 10^22 are exact in a double, so multiplying and dividing by one round only once. */
const EXACT_POWER_MAX = 22;
const POWER = Float64Array.from({ length: EXACT_POWER_MAX + 1 }, (_, e) => Number(`1e${e}`));

const ZEROS = '0'.repeat(512);
const zeros = (count: number): string => (count <= 512 ? ZEROS.slice(0, count) : '0'.repeat(count));

/** Kind of the Amount whose first byte is `first`. */
export function amountKind(first: number): AssetKind {
  return first & 0x80 ? AssetKind.issued : first & 0x20 ? AssetKind.mpt : AssetKind.xrp;
}

/** Where the raw 8 bytes of an Amount of this kind begin, counted from its first byte. */
export function amountRawOffset(kind: AssetKind): 0 | 1 {
  return kind === AssetKind.mpt ? 1 : 0;
}

/** Text of an unsigned 64-bit integer. */
export function integerText(hi: number, lo: number): string {
  if (hi === 0) return `${lo}`;
  if (hi < 0x200000) return `${hi * WORD + lo}`;
  return ((BigInt(hi) << 32n) | BigInt(lo)).toString();
}

/** Digits of an issued mantissa (54 bits), computed in two halves of up to nine digits: no BigInt, no double above 2^53. */
export function mantissaText(high22: number, lo: number): string {
  if (high22 === 0) return `${lo}`;
  // 2^32 = 42 * 10^8 + 94967296
  const lowPart = high22 * 94967296 + lo;
  const carry = Math.floor(lowPart / 1e8);
  const low = lowPart - carry * 1e8;
  const high = high22 * 42 + carry;
  const lowText = `${low}`;
  return high === 0 ? lowText : `${high}${zeros(8 - lowText.length)}${lowText}`;
}

/** Plain decimal text of digits * 10^e (digits without sign), no exponent notation, no superfluous zeros. */
export function placePoint(digits: string, e: number): string {
  let length = digits.length;
  if (e < 0) {
    while (length > 1 && e < 0 && digits.charCodeAt(length - 1) === 48) {
      length--;
      e++;
    }
    if (length !== digits.length) digits = digits.slice(0, length);
  }
  if (digits === '0') return '0';
  if (e >= 0) return e === 0 ? digits : digits + zeros(e);
  const point = length + e;
  if (point > 0) return `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `0.${zeros(-point)}${digits}`;
}

/** The negative of a number, but never minus zero. */
const minus = (value: number): number => 0 - value;

const isPositive = (kind: AssetKind, hi: number): boolean => kind === AssetKind.mpt || (hi & POSITIVE) !== 0;

/** The exact value: XRP (not drops), or tokens. @param scale AssetScale of an MPT; other assets have none. */
export function rawDecimal(kind: AssetKind, hi: number, lo: number, scale = 0): Decimal {
  if (kind === AssetKind.issued) {
    const mantissa = (BigInt(hi & 0x3fffff) << 32n) | BigInt(lo);
    if (mantissa === 0n) return ZERO;
    return { m: hi & POSITIVE ? mantissa : -mantissa, e: ((hi >>> 22) & 0xff) - EXPONENT_OFFSET };
  }
  if (kind === AssetKind.mpt) return { m: (BigInt(hi) << 32n) | BigInt(lo), e: minus(scale) };
  const drops = (BigInt(hi & 0x3fffffff) << 32n) | BigInt(lo);
  return { m: hi & POSITIVE ? drops : -drops, e: XRP_EXPONENT };
}

/** The value as a double, for ranking and charts: XRP (not drops), or tokens. @param scale AssetScale of an MPT. */
export function rawNumber(kind: AssetKind, hi: number, lo: number, scale = 0): number {
  if (kind === AssetKind.mpt) {
    const units = hi * WORD + lo;
    if (scale === 0) return units;
    return scale <= EXACT_POWER_MAX ? units / POWER[scale]! : Number(`${integerText(hi, lo)}e-${scale}`);
  }
  let value: number;
  if (kind === AssetKind.xrp) value = ((hi & 0x3fffffff) * WORD + lo) / DROPS_PER_XRP;
  else {
    const mantissa = (hi & 0x3fffff) * WORD + lo;
    if (mantissa === 0) return 0;
    const e = ((hi >>> 22) & 0xff) - EXPONENT_OFFSET;
    if (e < -EXACT_POWER_MAX || e > EXACT_POWER_MAX)
      value = Number(`${mantissaText(hi & 0x3fffff, lo)}e${e}`);
    else value = e < 0 ? mantissa / POWER[-e]! : mantissa * POWER[e]!;
  }
  return hi & POSITIVE || value === 0 ? value : -value;
}

/** Plain decimal text, exact: XRP (not drops), or tokens. @param scale AssetScale of an MPT. */
export function rawText(kind: AssetKind, hi: number, lo: number, scale = 0): string {
  if (kind === AssetKind.mpt) return placePoint(integerText(hi, lo), minus(scale));
  const text =
    kind === AssetKind.xrp
      ? placePoint(integerText(hi & 0x3fffffff, lo), XRP_EXPONENT)
      : placePoint(mantissaText(hi & 0x3fffff, lo), ((hi >>> 22) & 0xff) - EXPONENT_OFFSET);
  return isPositive(kind, hi) || text === '0' ? text : `-${text}`;
}

/** Signed drops of raw XRP: a number where it is exact, else a bigint. */
export function dropsOf(hi: number, lo: number): number | bigint {
  const high = hi & 0x3fffffff;
  const positive = (hi & POSITIVE) !== 0;
  if (high < 0x200000) {
    const drops = high * WORD + lo;
    return positive || drops === 0 ? drops : -drops;
  }
  const drops = (BigInt(high) << 32n) | BigInt(lo);
  return positive ? drops : -drops;
}

/** True for zero, with any sign bit and exponent. */
export function isZero(kind: AssetKind, hi: number, lo: number): boolean {
  if (lo !== 0) return false;
  return (kind === AssetKind.mpt ? hi : kind === AssetKind.xrp ? hi & 0x3fffffff : hi & 0x3fffff) === 0;
}

/** Order of two raw amounts of the same kind: -1, 0 or 1. Issued amounts must be normalised, as on the ledger. */
export function rawCompare(kind: AssetKind, aHi: number, aLo: number, bHi: number, bLo: number): -1 | 0 | 1 {
  if (kind === AssetKind.mpt) return compareWords(aHi, aLo, bHi, bLo);
  const aSign = isZero(kind, aHi, aLo) ? 0 : aHi & POSITIVE ? 1 : -1;
  const bSign = isZero(kind, bHi, bLo) ? 0 : bHi & POSITIVE ? 1 : -1;
  if (aSign !== bSign) return aSign < bSign ? -1 : 1;
  if (aSign === 0) return 0;
  // The exponent is in the bits above the mantissa and the mantissa is normalised: magnitudes compare as integers.
  const a = aHi & 0x3fffffff;
  const b = bHi & 0x3fffffff;
  return aSign > 0 ? compareWords(a, aLo, b, bLo) : compareWords(b, bLo, a, aLo);
}

function compareWords(aHi: number, aLo: number, bHi: number, bLo: number): -1 | 0 | 1 {
  if (aHi !== bHi) return aHi < bHi ? -1 : 1;
  return aLo < bLo ? -1 : aLo > bLo ? 1 : 0;
}

const absolute = (m: bigint): bigint => (m < 0n ? -m : m);

/** Plain decimal text, exact, no exponent notation, no superfluous zeros. */
export function decimalText(d: Decimal): string {
  const text = placePoint(absolute(d.m).toString(), d.e);
  return d.m < 0n ? `-${text}` : text;
}

export function addDecimal(a: Decimal, b: Decimal): Decimal {
  if (a.m === 0n) return b;
  if (b.m === 0n) return a;
  if (a.e === b.e) return { m: a.m + b.m, e: a.e };
  return a.e > b.e
    ? { m: a.m * 10n ** BigInt(a.e - b.e) + b.m, e: b.e }
    : { m: a.m + b.m * 10n ** BigInt(b.e - a.e), e: a.e };
}

export function subDecimal(a: Decimal, b: Decimal): Decimal {
  return addDecimal(a, { m: -b.m, e: b.e });
}

export function mulDecimal(a: Decimal, b: Decimal): Decimal {
  return { m: a.m * b.m, e: a.e + b.e };
}

/** Order of two decimals: -1, 0 or 1. */
export function compareDecimal(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const { m } = subDecimal(a, b);
  return m < 0n ? -1 : m > 0n ? 1 : 0;
}

/** The nearest double, for ranking and charts. */
export function decimalNumber(d: Decimal): number {
  return Number(`${d.m}e${d.e}`);
}

/** a / b to 18 significant digits, as a double; NaN when b is zero. */
export function divToNumber(a: Decimal, b: Decimal): number {
  if (b.m === 0n) return Number.NaN;
  if (a.m === 0n) return 0;
  const shift = Math.max(0, 19 + absolute(b.m).toString().length - absolute(a.m).toString().length);
  return Number(`${(a.m * 10n ** BigInt(shift)) / b.m}e${a.e - b.e - shift}`);
}

/** m / 10^digits, half to even: the rounding of rippled's Number in its default mode. */
function shrink(m: bigint, digits: number): bigint {
  const divisor = 10n ** BigInt(digits);
  const quotient = m / divisor;
  const twice = (m % divisor) * 2n;
  return twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

function words(value: bigint): [number, number] {
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

/**
 * The raw words of a decimal (XRP for kind xrp, not drops). Digits that do not fit are rounded half to even: issued to
 * 16 digits, XRP to drops, MPT to integers. Issued amounts below 10^-81 become zero.
 * @throws RangeError when the value is too large, or negative for MPT.
 */
export function decimalRaw(kind: AssetKind, d: Decimal): [number, number] {
  const magnitude = absolute(d.m);
  if (kind === AssetKind.issued) return issuedRaw(d.m < 0n, magnitude, d.e);
  const e = kind === AssetKind.xrp ? d.e - XRP_EXPONENT : d.e;
  const whole = e >= 0 ? magnitude * 10n ** BigInt(e) : shrink(magnitude, -e);
  if (kind === AssetKind.mpt) {
    if (d.m < 0n && whole !== 0n) throw new RangeError('negative MPT amount');
    if (whole > 0x7fffffffffffffffn) throw new RangeError('MPT amount above 2^63 - 1');
    return words(whole);
  }
  if (whole >= 1n << 61n) throw new RangeError('XRP amount above 2^61 - 1 drops');
  const [hi, lo] = words(whole);
  return d.m < 0n && whole !== 0n ? [hi, lo] : [(hi | POSITIVE) >>> 0, lo];
}

function issuedRaw(negative: boolean, magnitude: bigint, e: number): [number, number] {
  if (magnitude === 0n) return [ISSUED_ZERO_HI, 0];
  const surplus = magnitude.toString().length - 16;
  let mantissa = surplus > 0 ? shrink(magnitude, surplus) : magnitude * 10n ** BigInt(-surplus);
  let exponent = e + surplus;
  if (mantissa > MANTISSA_MAX) {
    mantissa = MANTISSA_MIN; // rounding carried 9.99.. to 10
    exponent++;
  }
  if (exponent < EXPONENT_MIN) return [ISSUED_ZERO_HI, 0];
  if (exponent > EXPONENT_MAX) throw new RangeError('issued amount above 9999999999999999e80');
  const [high22, lo] = words(mantissa);
  const sign = negative ? 0 : POSITIVE;
  return [(ISSUED_ZERO_HI | sign | ((exponent + EXPONENT_OFFSET) << 22) | high22) >>> 0, lo];
}
