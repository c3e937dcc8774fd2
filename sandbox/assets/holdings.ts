/**
 * The empty holding that an account needs before it can receive an asset: a trust line or an MPToken. Used by
 * transactions that create or delete one as a side effect (vaults). Rules: rippled `canAddHolding`,
 * `addEmptyHolding`, `removeEmptyHolding`.
 */

import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, isMpt, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import { hasAny, Lsf, Tf, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { isGlobalFrozen } from './freeze.ts';
import { authorizeMpToken } from './mptokens.ts';
import { adjustOwnerCountOf, reserveOf } from './reserve.ts';
import { trustCreate, trustDelete } from './trust-lines.ts';

const NO_FEE_KNOWN = 0n;

/** Whether holdings of the asset can be created for others: the issuer ripples, the MPT is transferable. */
export function canAddHolding(view: ReadView, asset: Asset): Result {
  if (isXrp(asset)) return 'tesSUCCESS';
  if (isMpt(asset)) {
    const issuance = view.read(keylets.mptIssuance(asset));
    if (!issuance) return 'tecOBJECT_NOT_FOUND';
    return hasAny(issuance.Flags, Lsf.lsfMPTCanTransfer) ? 'tesSUCCESS' : 'tecNO_AUTH';
  }
  const issuer = view.read(keylets.account(issuerOf(asset)));
  if (!issuer) return 'terNO_ACCOUNT';
  return hasAny(issuer.Flags, Lsf.lsfDefaultRipple) ? 'tesSUCCESS' : 'terNO_RIPPLE';
}

/**
 * @param priorBalance drops of the account before the fee, which must cover the reserve.
 * @returns `tecDUPLICATE` when it exists, `tecNO_LINE_INSUF_RESERVE`, `tecINSUFFICIENT_RESERVE`.
 */
export function addEmptyHolding(
  view: ApplyView,
  account: AccountId,
  priorBalance: bigint,
  asset: Asset,
): Result {
  if (isXrp(asset)) return 'tesSUCCESS';
  return isMpt(asset)
    ? addEmptyMpToken(view, account, priorBalance, asset)
    : addEmptyLine(view, account, priorBalance, asset);
}

function addEmptyMpToken(view: ApplyView, account: AccountId, priorBalance: bigint, asset: Asset): Result {
  // Before the check of the lock: an issuer has no holding of its own issue, and may get back what it has locked.
  if (account === issuerOf(asset)) return 'tesSUCCESS';
  const issuance = view.read(keylets.mptIssuance(asset));
  if (!issuance || hasAny(issuance.Flags, Lsf.lsfMPTLocked)) return 'tefINTERNAL';
  if (view.read(keylets.mptoken(asset, account))) return 'tecDUPLICATE';
  return authorizeMpToken(view, priorBalance, asset, account);
}

function addEmptyLine(view: ApplyView, account: AccountId, priorBalance: bigint, asset: Asset): Result {
  const issuer = issuerOf(asset);
  if (account === issuer) return 'tesSUCCESS';
  if (isGlobalFrozen(view, issuer)) return 'tecFROZEN';
  const issuerEntry = view.read(keylets.account(issuer));
  const entry = view.read(keylets.account(account));
  if (!issuerEntry || !entry) return 'tefINTERNAL';
  if (!hasAny(issuerEntry.Flags, Lsf.lsfDefaultRipple)) return 'tecINTERNAL';
  const currency = currencyOf(asset)!;
  if (view.read(keylets.line(account, issuer, currency))) return 'tecDUPLICATE';
  if (priorBalance < reserveOf(view, entry, 1)) return 'tecNO_LINE_INSUF_RESERVE';
  return trustCreate(view, { setter: account, peer: issuer, currency, noRipple: true });
}

/** @returns `tecHAS_OBLIGATIONS` when it is not empty, `tecOBJECT_NOT_FOUND` when there is none. */
export function removeEmptyHolding(view: ApplyView, account: AccountId, asset: Asset): Result {
  if (isXrp(asset)) {
    const entry = view.read(keylets.account(account));
    if (!entry) return 'tecINTERNAL';
    return entry.Balance!.isZero ? 'tesSUCCESS' : 'tecHAS_OBLIGATIONS';
  }
  const missing: Result = account === issuerOf(asset) ? 'tesSUCCESS' : 'tecOBJECT_NOT_FOUND';
  if (isMpt(asset)) {
    const holding = view.read(keylets.mptoken(asset, account));
    if (!holding) return missing;
    if ((holding.MPTAmount ?? 0n) !== 0n || (holding.LockedAmount ?? 0n) !== 0n) return 'tecHAS_OBLIGATIONS';
    return authorizeMpToken(view, NO_FEE_KNOWN, asset, account, Tf.tfMPTUnauthorize);
  }
  return removeEmptyLine(view, account, asset, missing);
}

function removeEmptyLine(view: ApplyView, account: AccountId, asset: Asset, missing: Result): Result {
  const issuer = issuerOf(asset);
  const line = view.peek(keylets.line(account, issuer, currencyOf(asset)!));
  if (!line) return missing;
  if (account !== issuer && !line.Balance!.isZero) return 'tecHAS_OBLIGATIONS';
  const low = issuerOf(line.LowLimit!.asset);
  const high = issuerOf(line.HighLimit!.asset);
  if (hasAny(line.Flags, Lsf.lsfLowReserve)) adjustOwnerCountOf(view, low, -1);
  if (hasAny(line.Flags, Lsf.lsfHighReserve)) adjustOwnerCountOf(view, high, -1);
  // Written although the line is deleted: the metadata shows its last state.
  line.Flags = withoutFlags(line.Flags, Lsf.lsfLowReserve | Lsf.lsfHighReserve);
  return trustDelete(view, line, low, high);
}
