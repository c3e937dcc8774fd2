/**
 * Amounts of quotes: those of the ledger's arithmetic, without naming the token. Every issued token has the same asset here,
 * since only the number takes part in a calculation; which token it is follows from its place.
 */

import { type Decimal, POSITIVE, XRP_EXPONENT } from '../codec/amount.ts';
import { Amount, EXPONENT_MIN, MANTISSA_MIN } from '../codec/arithmetic/amount.ts';
import { NO_ISSUE } from '../codec/arithmetic/amount-arithmetic.ts';
import { type Asset, XRP as NATIVE } from '../codec/arithmetic/asset.ts';
import { XRP } from '../state/tokens.ts';

/** The largest amounts that can be asked for. Issued ones leave room for a transfer fee below the greatest number. */
const MOST_ISSUED = Amount.issued(NO_ISSUE, 9_999_999_999_999_999n, 70);
const MOST_DROPS = Amount.drops(10n ** 17n);
const LEAST_ISSUED = Amount.issued(NO_ISSUE, MANTISSA_MIN, EXPONENT_MIN);
const ONE_DROP = Amount.drops(1n);
const NO_DROPS = Amount.drops(0n);
const NO_ISSUED = Amount.zero(NO_ISSUE);

/** Exponents of raw issued amounts are stored with this added. */
const EXPONENT_OFFSET = 97;

/** @param token a token id: XRP or an issued one */
export const assetOf = (token: number): Asset => (token === XRP ? NATIVE : NO_ISSUE);
export const zeroOf = (token: number): Amount => (token === XRP ? NO_DROPS : NO_ISSUED);
export const mostOf = (token: number): Amount => (token === XRP ? MOST_DROPS : MOST_ISSUED);
/** The smallest amount above zero of the same kind. */
export const smallestLike = ({ isNative }: Amount): Amount => (isNative ? ONE_DROP : LEAST_ISSUED);

/** The amount of its raw words. @param token XRP or an issued token */
export function amountOf(token: number, hi: number, lo: number): Amount {
  const positive = (hi & POSITIVE) !== 0;
  if (token === XRP) {
    const drops = (BigInt(hi & 0x3fffffff) << 32n) | BigInt(lo);
    return Amount.drops(positive ? drops : -drops);
  }
  const mantissa = (BigInt(hi & 0x3fffff) << 32n) | BigInt(lo);
  if (mantissa === 0n) return NO_ISSUED;
  return Amount.issued(NO_ISSUE, positive ? mantissa : -mantissa, ((hi >>> 22) & 0xff) - EXPONENT_OFFSET);
}

/** Powers of ten that a double holds exactly: one division or multiplication of two exact numbers gives the nearest one. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/** The nearest double: drops, or tokens. */
export function numberOfAmount({ mantissa, exponent }: Amount): number {
  const digits = Number(mantissa);
  const power = EXACT_POWERS[Math.abs(exponent)];
  if (power === undefined || !Number.isSafeInteger(digits)) return Number(`${mantissa}e${exponent}`);
  return exponent < 0 ? digits / power : digits * power;
}

/** The exact value: XRP (not drops), or tokens. */
export function decimalOfAmount({ isNative, mantissa, exponent }: Amount): Decimal {
  return { m: mantissa, e: isNative ? XRP_EXPONENT : mantissa === 0n ? 0 : exponent };
}

/**
 * An amount of a decimal, cut to whole drops or 16 digits.
 * @throws AmountError when it is too large
 */
export function amountOfDecimal(token: number, { m, e }: Decimal): Amount {
  if (m === 0n) return zeroOf(token);
  return Amount.of(assetOf(token), m, token === XRP ? e - XRP_EXPONENT : e, 'down');
}

/** Fewer tokens than this: with one of them another id makes one number. */
const TOKENS = 2 ** 24;

/** An id, of an account or a token, and that of a token in one number. */
export const keyWithToken = (id: number, token: number): number => id * TOKENS + token;

/** The account and the token of such a number. */
export const accountAndToken = (key: number): { readonly account: number; readonly token: number } => ({
  account: Math.floor(key / TOKENS),
  token: key % TOKENS,
});
