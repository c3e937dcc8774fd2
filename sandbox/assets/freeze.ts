/**
 * Restrictions of transfers: global, individual and deep freeze of issued currencies, locks of MPTs, and the freezes that
 * LP tokens and vault shares inherit from their assets. Rules: rippled `View.cpp`, `TokenHelpers.cpp`,
 * `RippleStateHelpers.cpp`, `MPTokenHelpers.cpp`; XLS-33, XLS-65, XLS-77.
 */

import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { assetOfHolding } from './holding-asset.ts';

/** Maximum nesting of shares of shares (rippled `maxAssetCheckDepth`). */
export const ASSET_DEPTH_MAX = 5;

function lineOf(view: ReadView, account: AccountId, asset: Asset): Readonly<Entry> | undefined {
  return view.read(keylets.line(account, issuerOf(asset), currencyOf(asset)!));
}

/** Whether the issuer has frozen all it issued. @param issuerOrAsset an account id, or an asset (MPT: the issuance is locked). */
export function isGlobalFrozen(view: ReadView, issuerOrAsset: AccountId | Asset): boolean {
  if (isXrp(issuerOrAsset)) return false;
  if (isMpt(issuerOrAsset))
    return hasAny(view.read(keylets.mptIssuance(issuerOrAsset))?.Flags, Lsf.lsfMPTLocked);
  const issuer = issuerOrAsset.length === 40 ? issuerOrAsset : issuerOf(issuerOrAsset);
  return hasAny(view.read(keylets.account(issuer))?.Flags, Lsf.lsfGlobalFreeze);
}

/** Whether the issuer has frozen this account's line (or MPT holding). */
export function isIndividualFrozen(view: ReadView, account: AccountId, asset: Asset): boolean {
  if (isXrp(asset)) return false;
  if (isMpt(asset)) return hasAny(view.read(keylets.mptoken(asset, account))?.Flags, Lsf.lsfMPTLocked);
  const issuer = issuerOf(asset);
  if (issuer === account) return false;
  return hasAny(lineOf(view, account, asset)?.Flags, issuer > account ? Lsf.lsfHighFreeze : Lsf.lsfLowFreeze);
}

/** Whether the account may not send the asset. */
export function isFrozen(view: ReadView, account: AccountId, asset: Asset, depth = 0): boolean {
  if (isXrp(asset)) return false;
  if (isGlobalFrozen(view, asset) || isIndividualFrozen(view, account, asset)) return true;
  return isMpt(asset) && isVaultPseudoAccountFrozen(view, account, asset, depth);
}

/** Whether one of the accounts may not send the asset. */
export function isAnyFrozen(
  view: ReadView,
  accounts: readonly AccountId[],
  asset: Asset,
  depth = 0,
): boolean {
  return accounts.some((account) => isFrozen(view, account, asset, depth));
}

/** Whether the account may neither send nor receive the asset: one side set deep freeze, or the MPT is locked. */
export function isDeepFrozen(view: ReadView, account: AccountId, asset: Asset, depth = 0): boolean {
  if (isXrp(asset)) return false;
  if (isMpt(asset)) return isFrozen(view, account, asset, depth);
  if (issuerOf(asset) === account) return false;
  return hasAny(lineOf(view, account, asset)?.Flags, Lsf.lsfHighDeepFreeze | Lsf.lsfLowDeepFreeze);
}

/** `tecFROZEN` (issued) or `tecLOCKED` (MPT) when the account may not send. */
export function checkFrozen(view: ReadView, account: AccountId, asset: Asset): Result {
  if (!isFrozen(view, account, asset)) return 'tesSUCCESS';
  return isMpt(asset) ? 'tecLOCKED' : 'tecFROZEN';
}

/** `tecFROZEN` (issued) or `tecLOCKED` (MPT) when the account may not receive either. */
export function checkDeepFrozen(view: ReadView, account: AccountId, asset: Asset): Result {
  if (!isDeepFrozen(view, account, asset)) return 'tesSUCCESS';
  return isMpt(asset) ? 'tecLOCKED' : 'tecFROZEN';
}

/** Whether LP tokens cannot move because one of the pool's assets is frozen for the account (fixFrozenLPTokenTransfer). */
export function isLpTokenFrozen(view: ReadView, account: AccountId, asset: Asset, asset2: Asset): boolean {
  return isFrozen(view, account, asset) || isFrozen(view, account, asset2);
}

/** Whether vault shares are frozen for an account: when the vault's asset is, for the vault or for the account (XLS-65). */
export function isVaultPseudoAccountFrozen(
  view: ReadView,
  account: AccountId,
  share: Asset,
  depth: number,
): boolean {
  if (!view.rules.enabled('SingleAssetVault')) return false;
  if (depth >= ASSET_DEPTH_MAX) return true;
  const issuance = view.read(keylets.mptIssuance(share));
  if (!issuance) return false;
  const issuer = issuance.Issuer!;
  const asset = underlyingOfShare(view, issuance);
  return asset !== undefined && isAnyFrozen(view, [issuer, account], asset, depth + 1);
}

/** The asset of a vault's share, undefined when the issuance does not belong to a vault. */
function underlyingOfShare(view: ReadView, issuance: Readonly<Entry>): Asset | undefined {
  if (issuance.ReferenceHolding !== undefined) {
    const holding = view.read(issuance.ReferenceHolding);
    return holding && assetOfHolding(issuance, holding);
  }
  const vaultId = view.read(keylets.account(issuance.Issuer!))?.VaultID;
  return vaultId === undefined ? undefined : view.read(vaultId)?.Asset;
}
