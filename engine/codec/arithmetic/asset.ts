/**
 * The asset of an amount, as one string that can be compared with `===` and used as a map key:
 *
 *     'XRP'                                      the native currency
 *     currency (40 hex digits) + issuer (40)     an issued currency
 *     48 hex digits                              an MPT issuance (sequence, 8 digits, then its issuer, 40)
 */
export type Hex = string;
export type AccountId = string;
export type Asset = string;

/** The value of 256-bit fields that refer to nothing. */
export const HASH_ZERO: Hex = '0'.repeat(64);
export const XRP: Asset = 'XRP';
/** Account zero, the issuer of XRP in binary forms (rippled `xrpAccount()`). */
export const ACCOUNT_ZERO: AccountId = '0'.repeat(40);
/** Account one, the issuer in a trust line's balance (rippled `noAccount()`). */
export const ACCOUNT_ONE: AccountId = `${'0'.repeat(39)}1`;
/** Currency zero: XRP in path steps and in the binary form of an Issue. */
export const CURRENCY_XRP: Hex = '0'.repeat(40);
/** The code that reads as "XRP" in three letters: no issued currency may have it (rippled `badCurrency()`). */
export const CURRENCY_BAD: Hex = '0000000000000000000000005852500000000000';

const ISSUED_LENGTH = 80;
const MPT_LENGTH = 48;

export const issued = (currency: Hex, issuer: AccountId): Asset => currency + issuer;
export const isXrp = (asset: Asset): boolean => asset === XRP;
export const isIssued = (asset: Asset): boolean => asset.length === ISSUED_LENGTH;
export const isMpt = (asset: Asset): boolean => asset.length === MPT_LENGTH;

/** The issuer of an issued currency or an MPT issuance; account zero for XRP. */
export function issuerOf(asset: Asset): AccountId {
  if (asset.length === ISSUED_LENGTH) return asset.slice(40);
  return asset.length === MPT_LENGTH ? asset.slice(8) : ACCOUNT_ZERO;
}

/** The currency code of an issued currency; currency zero for XRP, undefined for an MPT. */
export function currencyOf(asset: Asset): Hex | undefined {
  if (asset.length === ISSUED_LENGTH) return asset.slice(0, 40);
  return asset === XRP ? CURRENCY_XRP : undefined;
}

/** Whether its currency code reads as XRP. */
export const isBadCurrency = (asset: Asset): boolean => currencyOf(asset) === CURRENCY_BAD;
