/** Authorisation: by the issuer to hold an asset, transferability, deposit authorisation. */

import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { authorizedDepositPreauth, removeExpiredCredentials, validDomain } from './credentials.ts';
import { ASSET_DEPTH_MAX } from './freeze.ts';
import { assetOfHolding } from './holding-asset.ts';
import { isPseudoAccount } from './pseudo-accounts.ts';

/**
 * `strong`: the holding must exist. `weak`: it may be missing (it would be created). `legacy`: as before XLS-65, missing is
 * allowed for a trust line and refused for an MPT.
 */
export type AuthMode = 'strong' | 'weak' | 'legacy';

/**
 * Whether the issuer allows `account` to hold the asset. Rule: rippled `requireAuth`.
 * @returns `tecNO_LINE`, `tecNO_AUTH`; for MPTs also `tecOBJECT_NOT_FOUND`, `tecEXPIRED`.
 */
export function requireAuth(
  view: ReadView,
  asset: Asset,
  account: AccountId,
  mode: AuthMode = 'legacy',
  depth = 0,
): Result {
  if (isXrp(asset)) return 'tesSUCCESS';
  return isMpt(asset)
    ? requireMptAuth(view, asset, account, mode, depth)
    : requireLineAuth(view, asset, account, mode);
}

function requireLineAuth(view: ReadView, asset: Asset, account: AccountId, mode: AuthMode): Result {
  const issuer = issuerOf(asset);
  if (issuer === account) return 'tesSUCCESS';
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  if (!line && mode === 'strong') return 'tecNO_LINE';
  const issuerEntry = view.read(keylets.account(issuer));
  if (!issuerEntry || !hasAny(issuerEntry.Flags, Lsf.lsfRequireAuth)) return 'tesSUCCESS';
  if (!line) return 'tecNO_LINE';
  return hasAny(line.Flags, account > issuer ? Lsf.lsfLowAuth : Lsf.lsfHighAuth)
    ? 'tesSUCCESS'
    : 'tecNO_AUTH';
}

function requireMptAuth(
  view: ReadView,
  asset: Asset,
  account: AccountId,
  mode: AuthMode,
  depth: number,
): Result {
  const issuance = view.read(keylets.mptIssuance(asset));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  const issuer = issuance.Issuer!;
  if (issuer === account) return 'tesSUCCESS';
  const vaults = view.rules.enabled('SingleAssetVault');
  const exempt = (): boolean => vaults && isPseudoAccount(view, account);
  // With fixCleanup3_3_0 nothing else is checked for a pseudo-account.
  if (view.rules.enabled('fixCleanup3_3_0') && exempt()) return 'tesSUCCESS';
  if (vaults) {
    // The holder of a vault's share must be allowed to hold the vault's asset.
    if (depth >= ASSET_DEPTH_MAX) return 'tecINTERNAL';
    const issuerEntry = view.read(keylets.account(issuer));
    if (!issuerEntry) return 'tefINTERNAL';
    if (issuerEntry.VaultID !== undefined) {
      const vault = view.read(issuerEntry.VaultID);
      if (!vault) return 'tefINTERNAL';
      const result = requireAuth(view, vault.Asset!, account, mode, depth + 1);
      if (result !== 'tesSUCCESS') return result;
    }
  }
  const holding = view.read(keylets.mptoken(asset, account));
  if (!holding && mode !== 'weak') return 'tecNO_AUTH';
  if (issuance.DomainID !== undefined) {
    const result = validDomain(view, issuance.DomainID, account);
    if (result === 'tesSUCCESS' || !holding) return result;
  }
  if (exempt()) return 'tesSUCCESS';
  if (
    hasAny(issuance.Flags, Lsf.lsfMPTRequireAuth) &&
    !(holding && hasAny(holding.Flags, Lsf.lsfMPTAuthorized))
  )
    return 'tecNO_AUTH';
  return 'tesSUCCESS';
}

/**
 * Whether the asset can move from one holder to another: an MPT must be transferable, and an issued currency able to
 * ripple through its issuer. Rule: rippled `canTransfer`.
 * @returns `tecNO_AUTH`, `tecOBJECT_NOT_FOUND` (MPT), `terNO_RIPPLE` (issued).
 */
export function canTransfer(view: ReadView, asset: Asset, from: AccountId, to: AccountId, depth = 0): Result {
  if (isXrp(asset)) return 'tesSUCCESS';
  if (isMpt(asset)) return canTransferMpt(view, asset, from, to, depth);
  const issuer = issuerOf(asset);
  if (issuer === from || issuer === to) return 'tesSUCCESS';
  const issuerEntry = view.read(keylets.account(issuer));
  if (!issuerEntry) return 'tefINTERNAL';
  const barred = (account: AccountId): boolean => {
    const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
    if (!line) return !hasAny(issuerEntry.Flags, Lsf.lsfDefaultRipple);
    return hasAny(line.Flags, issuer > account ? Lsf.lsfHighNoRipple : Lsf.lsfLowNoRipple);
  };
  return barred(from) && barred(to) ? 'terNO_RIPPLE' : 'tesSUCCESS';
}

function canTransferMpt(view: ReadView, asset: Asset, from: AccountId, to: AccountId, depth: number): Result {
  const issuance = view.read(keylets.mptIssuance(asset));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  if (from === issuance.Issuer || to === issuance.Issuer) return 'tesSUCCESS';
  if (!hasAny(issuance.Flags, Lsf.lsfMPTCanTransfer)) return 'tecNO_AUTH';
  if (!view.rules.enabled('fixCleanup3_2_0') || issuance.ReferenceHolding === undefined) return 'tesSUCCESS';
  if (depth >= ASSET_DEPTH_MAX) return 'tecINTERNAL';
  const holding = view.read(issuance.ReferenceHolding);
  if (!holding) return 'tefINTERNAL';
  return canTransfer(view, assetOfHolding(issuance, holding), from, to, depth + 1);
}

/**
 * Whether `to` accepts a payment of `from`: an account with deposit authorisation accepts it from itself and from those
 * it has authorised by account or by credentials (XLS-70). Expired credentials of the transaction are deleted, and the
 * payment fails with `tecEXPIRED`; the deletion stays although the payment fails.
 */
export function verifyDepositPreauth(
  view: ApplyView,
  tx: Readonly<TransactionFields>,
  from: AccountId,
  to: AccountId,
  toEntry: Readonly<Entry> | undefined,
): Result {
  if (tx.CredentialIDs && removeExpiredCredentials(view, tx.CredentialIDs)) return 'tecEXPIRED';
  return checkDepositPreauth(view, tx, from, to, toEntry);
}

/** The part of `verifyDepositPreauth` that only reads. */
export function checkDepositPreauth(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  from: AccountId,
  to: AccountId,
  toEntry: Readonly<Entry> | undefined,
): Result {
  if (!toEntry || !hasAny(toEntry.Flags, Lsf.lsfDepositAuth) || from === to) return 'tesSUCCESS';
  if (view.read(keylets.depositPreauth(to, from))) return 'tesSUCCESS';
  return tx.CredentialIDs ? authorizedDepositPreauth(view, tx.CredentialIDs, to) : 'tecNO_PERMISSION';
}
