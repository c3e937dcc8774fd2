/**
 * Multi-purpose tokens: holdings, issuances, what is locked in escrow. Rules: rippled `MPTokenHelpers.cpp`,
 * `TokenHelpers.cpp` (`directSendNoFeeMPT`); XLS-33, XLS-85.
 */

import { type Amount, MPT_MAX } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { listOwned, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf, withFlags, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { verifyValidDomain } from './credentials.ts';
import { adjustOwnerCount, reserveForHolding } from './reserve.ts';

/** `MPTAmount` is a field with a default: zero is stored by leaving it out. */
function setHeld(holding: Entry, units: bigint): void {
  if (units === 0n) delete holding.MPTAmount;
  else holding.MPTAmount = units;
}

function setLocked(entry: Entry, units: bigint): void {
  if (units === 0n) delete entry.LockedAmount;
  else entry.LockedAmount = units;
}

/** Whether the issuer may issue `units` more. */
export function mptIssueFits(issuance: Readonly<Entry>, units: bigint): boolean {
  return (issuance.OutstandingAmount ?? 0n) + units <= (issuance.MaximumAmount ?? MPT_MAX);
}

/**
 * Moves units between two holders, or between the issuer (issuing, redeeming) and one. The caller checks authorisation.
 * @returns `tecNO_AUTH` without a holding, `tecINSUFFICIENT_FUNDS`, `tecOBJECT_NOT_FOUND` without the issuance.
 */
export function mptCredit(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  const id = amount.asset;
  const units = amount.mantissa;
  const issuer = issuerOf(id);
  const issuance = view.peek(keylets.mptIssuance(id));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  if (from === issuer) {
    issuance.OutstandingAmount = (issuance.OutstandingAmount ?? 0n) + units;
  } else {
    const holding = view.peek(keylets.mptoken(id, from));
    if (!holding) return 'tecNO_AUTH';
    if ((holding.MPTAmount ?? 0n) < units) return 'tecINSUFFICIENT_FUNDS';
    setHeld(holding, (holding.MPTAmount ?? 0n) - units);
  }
  if (to === issuer) {
    if ((issuance.OutstandingAmount ?? 0n) < units) return 'tecINTERNAL';
    issuance.OutstandingAmount = (issuance.OutstandingAmount ?? 0n) - units;
  } else {
    const holding = view.peek(keylets.mptoken(id, to));
    if (!holding) return 'tecNO_AUTH';
    setHeld(holding, (holding.MPTAmount ?? 0n) + units);
  }
  return 'tesSUCCESS';
}

/** Creates an empty holding and lists it with its owner; the caller updates the owner count. */
export function createMpToken(view: ApplyView, issuanceId: Hex, account: AccountId, flags: number): Result {
  const index = keylets.mptoken(issuanceId, account);
  const page = listOwned(view, account, index);
  if (page === undefined) return 'tecDIR_FULL';
  view.insert({
    LedgerEntryType: 'MPToken',
    index,
    Account: account,
    MPTokenIssuanceID: issuanceId,
    Flags: flags,
    OwnerNode: page,
  });
  return 'tesSUCCESS';
}

/**
 * The changes of MPTokenAuthorize (also used where a holding is created as a side effect).
 * Without `holder`, `account` creates its holding or, with tfMPTUnauthorize, deletes it when empty. With `holder`,
 * `account` is the issuer, who authorises or unauthorises that holding.
 * @param priorBalance drops of `account` before the fee: from the third entry on reserve is needed.
 */
export function authorizeMpToken(
  view: ApplyView,
  priorBalance: bigint,
  issuanceId: Hex,
  account: AccountId,
  flags = 0,
  holder?: AccountId,
): Result {
  const entry = view.peek(keylets.account(account));
  if (!entry) return 'tecINTERNAL';
  const unauthorise = hasAny(flags, Tf.tfMPTUnauthorize);
  if (holder !== undefined) return setMptAuthorised(view, issuanceId, account, holder, !unauthorise);
  if (unauthorise) return deleteMpToken(view, issuanceId, entry);
  if (priorBalance < reserveForHolding(view, entry)) return 'tecINSUFFICIENT_RESERVE';
  const issuance = view.read(keylets.mptIssuance(issuanceId));
  if (!issuance || issuance.Issuer === account) return 'tecINTERNAL';
  const result = createMpToken(view, issuanceId, account, 0);
  if (result === 'tesSUCCESS') adjustOwnerCount(view, entry, 1);
  return result;
}

function deleteMpToken(view: ApplyView, issuanceId: Hex, owner: Entry): Result {
  const account = owner.Account!;
  const holding = view.read(keylets.mptoken(issuanceId, account));
  if (!holding || (holding.MPTAmount ?? 0n) !== 0n || (holding.LockedAmount ?? 0n) !== 0n)
    return 'tecINTERNAL';
  if (!unlistOwned(view, account, holding.OwnerNode, holding.index)) return 'tecINTERNAL';
  adjustOwnerCount(view, owner, -1);
  view.erase(holding.index);
  return 'tesSUCCESS';
}

function setMptAuthorised(
  view: ApplyView,
  issuanceId: Hex,
  issuer: AccountId,
  holder: AccountId,
  authorised: boolean,
): Result {
  const issuance = view.read(keylets.mptIssuance(issuanceId));
  const holding = view.peek(keylets.mptoken(issuanceId, holder));
  if (!issuance || issuance.Issuer !== issuer || !holding) return 'tecINTERNAL';
  holding.Flags = (authorised ? withFlags : withoutFlags)(holding.Flags, Lsf.lsfMPTAuthorized);
  return 'tesSUCCESS';
}

/**
 * While applying, for an issuance that requires authorisation: the account is authorised by the issuer or by the
 * issuance's domain; in the latter case a missing holding is created. Rule: rippled `enforceMPTokenAuthorization`.
 */
export function enforceMptAuthorisation(
  view: ApplyView,
  issuanceId: Hex,
  account: AccountId,
  priorBalance: bigint,
): Result {
  const issuance = view.read(keylets.mptIssuance(issuanceId));
  if (!issuance || issuance.Issuer === account) return 'tefINTERNAL';
  const holding = view.read(keylets.mptoken(issuanceId, account));
  if (issuance.DomainID !== undefined) {
    const result = verifyValidDomain(view, issuance.DomainID, account);
    if (result !== 'tesSUCCESS') return result === 'tecEXPIRED' ? 'tecEXPIRED' : 'tecNO_AUTH';
    return holding ? 'tesSUCCESS' : authorizeMpToken(view, priorBalance, issuanceId, account);
  }
  const authorised = holding !== undefined && hasAny(holding.Flags, Lsf.lsfMPTAuthorized);
  return authorised ? 'tesSUCCESS' : 'tecNO_AUTH';
}

/** Locks units of a holder for an escrow: still outstanding, no longer spendable. */
export function lockMpt(view: ApplyView, sender: AccountId, amount: Amount): Result {
  const units = amount.mantissa;
  const issuance = view.peek(keylets.mptIssuance(amount.asset));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  if (issuerOf(amount.asset) === sender) return 'tecINTERNAL';
  const holding = view.peek(keylets.mptoken(amount.asset, sender));
  if (!holding) return 'tecOBJECT_NOT_FOUND';
  const held = holding.MPTAmount ?? 0n;
  const locked = (holding.LockedAmount ?? 0n) + units;
  const lockedOfAll = (issuance.LockedAmount ?? 0n) + units;
  if (held < units || locked > MPT_MAX || lockedOfAll > MPT_MAX) return 'tecINTERNAL';
  setHeld(holding, held - units);
  holding.LockedAmount = locked;
  issuance.LockedAmount = lockedOfAll;
  return 'tesSUCCESS';
}

/**
 * Ends a lock: `gross` is unlocked at the sender, `net` is received by the receiver (redeemed when it is the issuer),
 * the transfer fee between them is no longer outstanding.
 */
export function unlockMpt(
  view: ApplyView,
  sender: AccountId,
  receiver: AccountId,
  net: Amount,
  gross: Amount,
): Result {
  const id = net.asset;
  const issuer = issuerOf(id);
  const issuance = view.peek(keylets.mptIssuance(id));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  const lockedOfAll = issuance.LockedAmount ?? 0n;
  if (lockedOfAll < gross.mantissa) return 'tecINTERNAL';
  setLocked(issuance, lockedOfAll - gross.mantissa);
  let outstanding = issuance.OutstandingAmount ?? 0n;
  if (receiver === issuer) {
    outstanding -= net.mantissa;
  } else {
    const holding = view.peek(keylets.mptoken(id, receiver));
    if (!holding) return 'tecOBJECT_NOT_FOUND';
    const held = (holding.MPTAmount ?? 0n) + net.mantissa;
    if (held > MPT_MAX) return 'tecINTERNAL';
    setHeld(holding, held);
  }
  if (sender === issuer) return 'tecINTERNAL';
  const source = view.peek(keylets.mptoken(id, sender));
  if (!source) return 'tecOBJECT_NOT_FOUND';
  const locked = source.LockedAmount ?? 0n;
  if (locked < gross.mantissa) return 'tecINTERNAL';
  setLocked(source, locked - gross.mantissa);
  outstanding -= gross.mantissa - net.mantissa;
  if (outstanding < 0n) return 'tecINTERNAL';
  issuance.OutstandingAmount = outstanding;
  return 'tesSUCCESS';
}
