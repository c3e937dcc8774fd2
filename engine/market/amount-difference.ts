/**
 * |a - b| of two raw amounts of the same kind, as a raw amount, without BigInt in the common case.
 *
 * XRP and MPT are 64-bit integers: words with borrow. Issued amounts of equal exponent and sign, like nearly all
 * before/after pairs, are subtracted as integers of 54 bits and normalised again: exact. With unequal exponents
 * the exact decimal difference is rounded half to even to 16 digits, which is what the ledger could hold. One that no amount
 * can be, of amounts with opposite signs, which only bytes that no rule of the ledger made can have, is the largest amount.
 */
import {
  AssetKind,
  compareDecimal,
  decimalRaw,
  ISSUED_ZERO_HI,
  POSITIVE,
  rawDecimal,
  subDecimal,
  WORD,
  XRP_EXPONENT,
} from '../codec/amount.ts';

const MANTISSA_MIN = 1e15;
/** The largest amounts: issued, and XRP. */
const ISSUED_MAX = { m: 10n ** 16n - 1n, e: 80 };
const XRP_MAX = { m: 2n ** 61n - 1n, e: XRP_EXPONENT };
const EXACT_HIGH = 0x200000; // words below this high part are exact as a double

/** Writes |a - b| to out[0] (hi), out[1] (lo) and returns the sign of a - b. */
export function amountDifference(
  kind: AssetKind,
  aHi: number,
  aLo: number,
  bHi: number,
  bLo: number,
  out: Uint32Array,
): -1 | 0 | 1 {
  if (kind === AssetKind.issued) return issuedDifference(aHi, aLo, bHi, bLo, out);
  const isXrp = kind === AssetKind.xrp;
  if (isXrp && (aHi & bHi & POSITIVE) === 0) return slowDifference(kind, aHi, aLo, bHi, bLo, out);
  // Both positive: the common sign bit cancels.
  const sign = aHi > bHi || (aHi === bHi && aLo > bLo) ? 1 : aHi === bHi && aLo === bLo ? 0 : -1;
  if (sign < 0) difference(bHi, bLo, aHi, aLo, out);
  else difference(aHi, aLo, bHi, bLo, out);
  if (isXrp) out[0] = out[0]! | POSITIVE;
  return sign;
}

/** a - b for a >= b, as 64-bit words. */
function difference(aHi: number, aLo: number, bHi: number, bLo: number, out: Uint32Array): void {
  const lo = aLo - bLo;
  out[1] = lo;
  out[0] = aHi - bHi - (lo < 0 ? 1 : 0);
}

function issuedDifference(aHi: number, aLo: number, bHi: number, bLo: number, out: Uint32Array): -1 | 0 | 1 {
  const aZero = aLo === 0 && (aHi & 0x3fffff) === 0;
  const bZero = bLo === 0 && (bHi & 0x3fffff) === 0;
  if (aZero || bZero) {
    out[0] = aZero ? (bZero ? ISSUED_ZERO_HI : bHi | POSITIVE) : aHi | POSITIVE;
    out[1] = aZero ? (bZero ? 0 : bLo) : aLo;
    if (aZero && bZero) return 0;
    const positive = aZero ? (bHi & POSITIVE) === 0 : (aHi & POSITIVE) !== 0;
    return positive ? 1 : -1;
  }
  // Same sign and same exponent: compare the whole upper ten bits at once.
  if ((aHi ^ bHi) >>> 22 !== 0) return slowDifference(AssetKind.issued, aHi, aLo, bHi, bLo, out);
  if (aHi === bHi && aLo === bLo) {
    out[0] = ISSUED_ZERO_HI;
    out[1] = 0;
    return 0;
  }
  const aLarger = aHi > bHi || (aHi === bHi && aLo > bLo);
  const mantissaA = aHi & 0x3fffff;
  const mantissaB = bHi & 0x3fffff;
  if (aLarger) difference(mantissaA, aLo, mantissaB, bLo, out);
  else difference(mantissaB, bLo, mantissaA, aLo, out);
  normalise((aHi >>> 22) & 0xff, out);
  return aLarger === ((aHi & POSITIVE) !== 0) ? 1 : -1;
}

/** Brings the mantissa in `out` to 16 digits and adds exponent (+97) and sign. */
function normalise(exponent: number, out: Uint32Array): void {
  if (out[0]! < EXACT_HIGH) {
    let mantissa = out[0]! * WORD + out[1]!;
    // Products above 2^53 are below 2^54 and even (multiples of ten): still exact.
    while (mantissa < MANTISSA_MIN) {
      mantissa *= 10;
      exponent--;
    }
    if (exponent < 1) {
      out[0] = ISSUED_ZERO_HI;
      out[1] = 0;
      return;
    }
    const hi = Math.floor(mantissa / WORD);
    out[0] = hi;
    out[1] = mantissa - hi * WORD;
  }
  out[0] = ISSUED_ZERO_HI | POSITIVE | (exponent << 22) | out[0]!;
}

function slowDifference(
  kind: AssetKind,
  aHi: number,
  aLo: number,
  bHi: number,
  bLo: number,
  out: Uint32Array,
): -1 | 0 | 1 {
  const d = subDecimal(rawDecimal(kind, aHi, aLo), rawDecimal(kind, bHi, bLo));
  const size = d.m < 0n ? { m: -d.m, e: d.e } : d;
  const most = kind === AssetKind.xrp ? XRP_MAX : ISSUED_MAX;
  const [hi, lo] = decimalRaw(kind, compareDecimal(size, most) > 0 ? most : size);
  out[0] = hi;
  out[1] = lo;
  return d.m > 0n ? 1 : d.m < 0n ? -1 : 0;
}
