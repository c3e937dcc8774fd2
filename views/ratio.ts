/** Quotients of exact decimals as text: prices and shares. */
import type { Decimal } from '../engine/codec/amount.ts';
import { decimalText } from '../engine/codec/amount.ts';

/** Significant digits of a ledger amount; a price has no more. */
const PRICE_DIGITS = 16;

/** a / b rounded half away from zero to `digits` significant digits. @param b not zero. */
export function quotient(a: Decimal, b: Decimal, digits = PRICE_DIGITS): Decimal {
  if (a.m === 0n) return { m: 0n, e: 0 };
  const length = (m: bigint) => (m < 0n ? -m : m).toString().length;
  // Two digits more than requested, then rounded once.
  const shift = Math.max(0, digits + 2 + length(b.m) - length(a.m));
  const scaled = a.m * 10n ** BigInt(shift);
  const exact = scaled % b.m === 0n;
  // A sticky last digit keeps a remainder from looking like an exact half.
  const rough = (scaled / b.m) * 10n + (exact ? 0n : scaled < 0n === b.m < 0n ? 1n : -1n);
  return roundDecimal({ m: rough, e: a.e - b.e - shift - 1 }, digits);
}

/** Rounds half away from zero to `digits` significant digits. */
export function roundDecimal(d: Decimal, digits = PRICE_DIGITS): Decimal {
  const magnitude = d.m < 0n ? -d.m : d.m;
  const surplus = magnitude.toString().length - digits;
  if (surplus <= 0) return d;
  const divisor = 10n ** BigInt(surplus);
  const m = (magnitude + divisor / 2n) / divisor;
  return { m: d.m < 0n ? -m : m, e: d.e + surplus };
}

/** Rounds towards zero to `decimals` places after the point. */
export function truncateDecimal(d: Decimal, decimals: number): Decimal {
  const surplus = -d.e - decimals;
  return surplus <= 0 ? d : { m: d.m / 10n ** BigInt(surplus), e: d.e + surplus };
}

/** a / b as text, 16 significant digits. */
export function ratioText(a: Decimal, b: Decimal): string {
  return decimalText(quotient(a, b));
}
