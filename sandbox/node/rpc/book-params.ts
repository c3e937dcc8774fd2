/** The book that a command reads: `taker_pays`, `taker_gets`, `taker`, `domain` (rippled `BookOffers.cpp`). */

import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  type Hex,
  issued,
  XRP,
} from '../../../engine/codec/arithmetic/asset.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import type { BookSides } from '../../protocol/keylets.ts';
import { expectedField, invalidField, missingField, RpcError, type RpcToken } from './errors.ts';
import { accountIdOf, currencyParam, HASH, MPT_ID } from './params.ts';

interface Side {
  readonly name: 'taker_pays' | 'taker_gets';
  readonly badCurrency: RpcToken;
  readonly badIssuer: RpcToken;
}

const PAYS: Side = { name: 'taker_pays', badCurrency: 'srcCurMalformed', badIssuer: 'srcIsrMalformed' };
const GETS: Side = { name: 'taker_gets', badCurrency: 'dstAmtMalformed', badIssuer: 'dstIsrMalformed' };

/** The object of a side, with the types of its members checked. @throws RpcError */
function sideObject(params: JsonObject, { name }: Side): JsonObject {
  const side = params[name];
  if (!isJsonObject(side)) throw expectedField(name, 'object');
  const { currency, mpt_issuance_id: mpt } = side;
  if (currency === undefined && mpt === undefined) throw missingField(`${name}.currency`);
  if (mpt !== undefined && (currency !== undefined || side.issuer !== undefined)) throw invalidField(name);
  if (typeof (mpt ?? currency) !== 'string') throw expectedField(`${name}.currency`, 'string');
  return side;
}

/** The currency or issuance of a side. @throws RpcError */
function codeOf({ currency, mpt_issuance_id: mpt }: JsonObject, { name, badCurrency }: Side): Hex {
  if (mpt !== undefined) {
    if (!MPT_ID.test(mpt as string))
      throw new RpcError(badCurrency, `Invalid field '${name}.mpt_issuance_id'`);
    return (mpt as string).toUpperCase();
  }
  const code = currencyParam(currency);
  if (code === undefined) throw new RpcError(badCurrency, `Invalid field '${name}.currency', bad currency.`);
  return code;
}

/** @throws RpcError */
function assetOfSide(code: Hex, { issuer }: JsonObject, { name, badIssuer }: Side): Asset {
  if (code.length === 48) return code;
  const field = `${name}.issuer`;
  const id = issuerOf(issuer, field, badIssuer);
  if (code === CURRENCY_XRP) {
    if (id !== ACCOUNT_ZERO)
      throw new RpcError(badIssuer, `Unneeded field '${field}' for XRP currency specification.`);
    return XRP;
  }
  if (id === ACCOUNT_ZERO)
    throw new RpcError(badIssuer, `Invalid field '${field}', expected non-XRP issuer.`);
  return issued(code, id);
}

/** Account zero, the issuer of XRP, when none is named. */
function issuerOf(issuer: Json | undefined, field: string, badIssuer: RpcToken): AccountId {
  if (issuer === undefined) return ACCOUNT_ZERO;
  if (typeof issuer !== 'string') throw expectedField(field, 'string');
  const id = accountIdOf(issuer);
  if (id === undefined) throw new RpcError(badIssuer, `Invalid field '${field}', bad issuer.`);
  if (id === ACCOUNT_ONE) throw new RpcError(badIssuer, `Invalid field '${field}', bad issuer account one.`);
  return id;
}

/** @throws RpcError domainMalformed */
function domainParam({ domain }: JsonObject): Hex | undefined {
  if (domain === undefined) return undefined;
  if (typeof domain === 'string' && HASH.test(domain)) return domain.toUpperCase();
  throw new RpcError('domainMalformed', 'Unable to parse domain.');
}

/** A book, and the taker for whom it is read. */
export interface BookSelection extends BookSides {
  readonly taker?: AccountId;
}

/** @throws RpcError */
export function bookSelection(params: JsonObject): BookSelection {
  for (const { name } of [PAYS, GETS]) if (params[name] === undefined) throw missingField(name);
  const pays = sideObject(params, PAYS);
  const gets = sideObject(params, GETS);
  const paysCode = codeOf(pays, PAYS);
  const getsCode = codeOf(gets, GETS);
  const takerPays = assetOfSide(paysCode, pays, PAYS);
  const takerGets = assetOfSide(getsCode, gets, GETS);
  if (params.taker !== undefined && typeof params.taker !== 'string') throw expectedField('taker', 'string');
  const taker = accountIdOf(params.taker);
  if (params.taker !== undefined && taker === undefined) throw invalidField('taker');
  const domain = domainParam(params);
  if (takerPays === takerGets) throw new RpcError('badMarket');
  return {
    takerPays,
    takerGets,
    ...(domain === undefined ? {} : { domain }),
    ...(taker === undefined ? {} : { taker }),
  };
}
