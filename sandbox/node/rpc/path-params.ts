/** The parameters of `ripple_path_find` and `path_find create`, in the order in which rippled checks them. */

import { Amount, AmountError } from '../../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  isMpt,
  issued,
  XRP,
} from '../../../engine/codec/arithmetic/asset.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import type { ReadView } from '../../ledger/view.ts';
import {
  isUnbounded,
  type PathQuestion,
  SOURCE_ASSETS_MAX,
  withinSendMax,
} from '../../paths/path-request.ts';
import * as keylets from '../../protocol/keylets.ts';
import { RpcError, type RpcToken } from './errors.ts';
import { ACCOUNT_HEX, accountIdOf, currencyParam, HASH } from './params.ts';

/** @throws RpcError */
export function pathQuestion(params: JsonObject): PathQuestion {
  requireMembers(params);
  const source = accountIdOf(params.source_account);
  if (source === undefined) throw new RpcError('srcActMalformed');
  const destination = accountIdOf(params.destination_account);
  if (destination === undefined) throw new RpcError('dstActMalformed');
  const deliver = amountIn(params.destination_amount, 'dstAmtMalformed');
  const { send_max: limit } = params;
  // A limit on what is spent is valid only with an unlimited amount to deliver.
  if (limit !== undefined && !isUnbounded(deliver)) throw new RpcError('dstAmtMalformed');
  const sendMax = limit === undefined ? undefined : amountIn(limit, 'sendMaxMalformed');
  const sourceAssets = sourceAssetsIn(params.source_currencies, source, sendMax?.asset);
  return { source, destination, deliver, sendMax, sourceAssets, domain: domainIn(params.domain) };
}

function requireMembers(params: JsonObject): void {
  if (params.source_account === undefined) throw new RpcError('srcActMissing');
  if (params.destination_account === undefined) throw new RpcError('dstActMissing');
  if (params.destination_amount === undefined) throw new RpcError('dstAmtMissing');
}

/** Above zero, or -1; of an asset that paths can deliver. */
function amountIn(json: Json | undefined, malformed: RpcToken): Amount {
  try {
    const amount = Amount.parse(json);
    const lacksIssuer = amount.isIssued && (amount.issuer === ACCOUNT_ZERO || amount.issuer === ACCOUNT_ONE);
    if (!isMpt(amount.asset) && !lacksIssuer && (amount.signum > 0 || isUnbounded(amount))) return amount;
  } catch (fault) {
    if (!(fault instanceof AmountError)) throw fault;
  }
  throw new RpcError(malformed);
}

function sourceAssetsIn(json: Json | undefined, source: AccountId, sendMax: Asset | undefined): Asset[] {
  if (json === undefined) return [];
  if (!Array.isArray(json) || json.length === 0 || json.length > SOURCE_ASSETS_MAX)
    throw new RpcError('srcCurMalformed');
  const assets = [...new Set(json.map((each) => sourceAsset(each, source)))];
  if (sendMax === undefined) return assets;
  const within = withinSendMax(assets, sendMax, source);
  if (within === undefined) throw new RpcError('srcIsrMalformed');
  return within;
}

/** A currency without issuer means the sender's: of any issuer the sender trusts. */
function sourceAsset(json: Json, source: AccountId): Asset {
  if (!isJsonObject(json) || typeof json.currency !== 'string') throw new RpcError('srcCurMalformed');
  const currency = currencyParam(json.currency);
  if (currency === undefined || json.mpt_issuance_id !== undefined) throw new RpcError('srcCurMalformed');
  const issuer = json.issuer === undefined ? ACCOUNT_ZERO : issuerIn(json.issuer);
  if (issuer === undefined) throw new RpcError('srcIsrMalformed');
  if (currency !== CURRENCY_XRP) return issued(currency, issuer === ACCOUNT_ZERO ? source : issuer);
  if (issuer !== ACCOUNT_ZERO) throw new RpcError('srcCurMalformed');
  return XRP;
}

const issuerIn = (json: Json): AccountId | undefined =>
  typeof json === 'string' && ACCOUNT_HEX.test(json) ? json.toUpperCase() : accountIdOf(json);

function domainIn(json: Json | undefined): string | undefined {
  if (json === undefined) return undefined;
  if (typeof json !== 'string' || !HASH.test(json)) throw new RpcError('domainMalformed');
  return json.toUpperCase();
}

/** Checks of a request against the ledger before a search. @throws RpcError */
export function checkAccounts(view: ReadView, { source, destination, deliver }: PathQuestion): void {
  if (!view.read(keylets.account(source))) throw new RpcError('srcActNotFound');
  if (view.read(keylets.account(destination))) return;
  // A new account can only be funded with XRP, and with its reserve.
  if (!deliver.isNative) throw new RpcError('actNotFound');
  if (!isUnbounded(deliver) && deliver.drops < view.fees.reserve) throw new RpcError('dstAmtMalformed');
}
