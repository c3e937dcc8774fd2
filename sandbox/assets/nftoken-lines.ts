/**
 * Whether an account may be paid for an NFT in an issued currency. Rules: rippled `NFTokenHelpers.cpp`, amendments
 * fixEnforceNFTokenTrustlineV2 and DeepFreeze (XLS-77).
 */

import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** Whether the issuer allows the account to hold its currency: `tecNO_ISSUER`, `tecNO_LINE` or `tecNO_AUTH` if not. */
export function checkLineAuthorized(view: ReadView, account: AccountId, asset: Asset): Result {
  if (!view.rules.enabled('fixEnforceNFTokenTrustlineV2')) return 'tesSUCCESS';
  const issuer = issuerOf(asset);
  const issuerEntry = view.read(keylets.account(issuer));
  if (issuerEntry === undefined) return 'tecNO_ISSUER';
  if (issuer === account || !hasAny(issuerEntry.Flags, Lsf.lsfRequireAuth)) return 'tesSUCCESS';
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  if (line === undefined) return 'tecNO_LINE';
  const authorized = account > issuer ? Lsf.lsfLowAuth : Lsf.lsfHighAuth;
  return !hasAny(line.Flags, authorized) ? 'tecNO_AUTH' : 'tesSUCCESS';
}

/** Whether neither side of the account's trust line set deep freeze: `tecNO_ISSUER` or `tecFROZEN` if one did. */
export function checkLineDeepFrozen(view: ReadView, account: AccountId, asset: Asset): Result {
  if (!view.rules.enabled('DeepFreeze')) return 'tesSUCCESS';
  const issuer = issuerOf(asset);
  if (view.read(keylets.account(issuer)) === undefined) return 'tecNO_ISSUER';
  if (issuer === account) return 'tesSUCCESS';
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  const frozen = Lsf.lsfLowDeepFreeze | Lsf.lsfHighDeepFreeze;
  return !hasAny(line?.Flags, frozen) ? 'tesSUCCESS' : 'tecFROZEN';
}
