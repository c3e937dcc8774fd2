/** Reading the parameters of commands, with rippled's errors. */

import { accountOf, currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  CURRENCY_BAD,
  CURRENCY_XRP,
  type Hex,
  issued,
  XRP,
} from '../../../engine/codec/arithmetic/asset.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import { expectedField, invalidField, missingField, RpcError, type RpcToken } from './errors.ts';

/** A hash, an entry's key or an NFT's id: 256 bits. */
export const HASH = /^[0-9A-Fa-f]{64}$/;
/** The id of an MPT issuance. */
export const MPT_ID = /^[0-9A-Fa-f]{48}$/;
/** An account id in hex, where rippled takes that beside an address. */
export const ACCOUNT_HEX = /^[0-9A-Fa-f]{40}$/;
/** Hex to whole bytes: with an odd number of digits the first digit is a byte of its own, as in rippled (`strUnHex`). */
export const evenHex = (digits: string): Hex =>
  (digits.length % 2 === 0 ? digits : `0${digits}`).toUpperCase();
/** Greatest number of 64 bits, and of 32. */
export const U64_MAX = (1n << 64n) - 1n;
export const U32_MAX = 0xffffffff;

export const isU32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= U32_MAX;

/** An unsigned number of 32 bits, as a number or a text; undefined for other values. */
export function u32Of(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return isU32(number) ? number : undefined;
}

/** An address as account id; undefined when it is not an address. */
export function accountIdOf(value: Json | undefined): AccountId | undefined {
  return typeof value === 'string' ? accountOf(value) : undefined;
}

/** A required address. @throws RpcError invalidParams, or `malformed` when it is not an address */
export function accountParam(
  params: JsonObject,
  name = 'account',
  malformed: RpcToken = 'actMalformed',
): AccountId {
  const value = params[name];
  if (value === undefined) throw missingField(name);
  if (typeof value !== 'string') throw invalidField(name);
  const id = accountIdOf(value);
  if (id === undefined) throw new RpcError(malformed);
  return id;
}

/** A currency code as 20 bytes of hex; "XRP" is currency zero. */
export function currencyParam(value: Json | undefined): Hex | undefined {
  if (value === 'XRP' || value === '') return CURRENCY_XRP;
  const hex = typeof value === 'string' ? currencyOfJson(value) : undefined;
  return hex === CURRENCY_BAD ? undefined : hex;
}

/** An optional boolean. @throws RpcError */
export function booleanParam(params: JsonObject, name: string, fallback = false): boolean {
  const value = params[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw expectedField(name, 'boolean');
  return value;
}

/** An optional unsigned number of 32 bits. @throws RpcError */
export function numberParam(params: JsonObject, name: string): number | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  const number = u32Of(value);
  if (number === undefined) throw expectedField(name, 'unsigned integer');
  return number;
}

export interface LimitRange {
  readonly least: number;
  readonly usual: number;
  readonly most: number;
}

/** Limits of the commands that answer in pages, for callers without admin rights (rippled `Tuning.h`). */
export const LIMITS = {
  accountLines: { least: 10, usual: 200, most: 400 },
  accountChannels: { least: 10, usual: 200, most: 400 },
  accountObjects: { least: 10, usual: 200, most: 400 },
  accountOffers: { least: 10, usual: 200, most: 400 },
  // As in Clio, whose history public clients read.
  accountTransactions: { least: 1, usual: 200, most: 400 },
  accountNfts: { least: 20, usual: 100, most: 400 },
  bookOffers: { least: 1, usual: 60, most: 100 },
  noRippleCheck: { least: 10, usual: 300, most: 400 },
  nftOffers: { least: 50, usual: 250, most: 500 },
  ledgerDataBinary: { least: 1, usual: 2_048, most: 2_048 },
  ledgerDataJson: { least: 1, usual: 256, most: 256 },
} as const satisfies Record<string, LimitRange>;

/**
 * The longest page of an admin, whom rippled does not limit: with rare rows of 8 KB it reaches what a reader may leave
 * unread (node/listener.ts).
 */
const ADMIN_ROWS_MAX = 1_000;

/**
 * `limit`: clamped to its range; an admin's is only clamped to {@link ADMIN_ROWS_MAX} (rippled `readLimitField`).
 * @throws RpcError when it is not a positive integer
 */
export function limitParam(params: JsonObject, { least, usual, most }: LimitRange, admin: boolean): number {
  const value = params.limit;
  if (value === undefined) return usual;
  if (!isU32(value)) throw expectedField('limit', 'unsigned integer');
  if (value === 0) throw invalidField('limit');
  return admin ? Math.min(value, Math.max(most, ADMIN_ROWS_MAX)) : Math.max(least, Math.min(most, value));
}

/**
 * An asset in its JSON form. @returns undefined when it is malformed: each command has its own error for that.
 */
export function assetOf(value: Json | undefined): Asset | undefined {
  if (!isJsonObject(value)) return undefined;
  const { mpt_issuance_id: mpt, currency: code, issuer } = value;
  if (mpt !== undefined)
    return typeof mpt === 'string' && MPT_ID.test(mpt) && code === undefined ? mpt.toUpperCase() : undefined;
  const currency = currencyParam(code);
  if (currency === undefined) return undefined;
  if (currency === CURRENCY_XRP) return issuer === undefined ? XRP : undefined;
  const id = accountIdOf(issuer);
  return id && issued(currency, id);
}
