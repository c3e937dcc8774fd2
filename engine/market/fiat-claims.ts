/**
 * Which fiat currency a token claims to stand for, by its currency code. A claim costs nothing and proves nothing: it
 * decides with which prices the token's price is compared (anchors.ts).
 *
 * A code claims a currency when it is the ISO 4217 code, or begins or ends with it and has at most CLAIM_LENGTH
 * characters: USD, RLUSD, USDC, EURC, CNHT. CNH is offshore CNY.
 */
import { currencyName } from '../codec/currency.ts';
import { Fiat } from './figures.ts';

/** Longer names that contain a code are mostly pairs (EURUSD), shares or words (EUROPE). */
const CLAIM_LENGTH = 5;

const CODES: readonly (readonly [code: string, fiat: Fiat])[] = [
  ['USD', Fiat.USD],
  ['EUR', Fiat.EUR],
  ['JPY', Fiat.JPY],
  ['CNY', Fiat.CNY],
  ['CNH', Fiat.CNY],
];

/** @param currency as JSON writes it: three characters or 40 hex digits */
export function claimedFiat(currency: string): Fiat | undefined {
  const name = currencyName(currency);
  if (name.length > CLAIM_LENGTH) return undefined;
  return CODES.find(([code]) => name.startsWith(code) || name.endsWith(code))?.[1];
}
