/**
 * Escrows of issued currencies and MPTs (XLS-85): conditions for the accounts, locking, and paying out.
 *
 * An issued currency returns to its issuer while in escrow, and is issued again at the end; of an MPT the holder's
 * units are locked. The transfer fee is taken from the escrowed amount (payments add it), at the lower of the rates of
 * the creation and of now. Rules: rippled `EscrowCreate.cpp`, `EscrowFinish.cpp`,
 * `EscrowCancel.cpp`, `EscrowHelpers.h`; amendments TokenEscrow, fixTokenEscrowV1.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { canAdd, divideRateRound } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { canTransfer, requireAuth } from '../assets/authorisation.ts';
import { isDeepFrozen, isFrozen } from '../assets/freeze.ts';
import { accountHolds } from '../assets/funds.ts';
import { createMpToken, lockMpt, unlockMpt } from '../assets/mptokens.ts';
import { PARITY, transferRate } from '../assets/rates.ts';
import { adjustOwnerCount, reserveOf } from '../assets/reserve.ts';
import { rippleCredit } from '../assets/send.ts';
import { lineBalance, trustCreate } from '../assets/trust-lines.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** Checks that both may hold the asset. */
function checkAuthorised(
  view: ReadView,
  amount: Amount,
  accounts: readonly AccountId[],
  mode: 'legacy' | 'weak',
): Result {
  for (const account of accounts) {
    const result = requireAuth(view, amount.asset, account, mode);
    if (result !== 'tesSUCCESS') return result;
  }
  return 'tesSUCCESS';
}

function checkHolds(view: ReadView, account: AccountId, amount: Amount): Result {
  const held = accountHolds(view, account, amount.asset, { freeze: 'ignore', auth: 'ignore' });
  if (held.signum <= 0 || held.compare(amount) < 0) return 'tecINSUFFICIENT_FUNDS';
  return amount.isMpt || canAdd(held, amount, view.rules.numbers) ? 'tesSUCCESS' : 'tecPRECISION_LOSS';
}

function checkCreateIssued(view: ReadView, account: AccountId, to: AccountId, amount: Amount): Result {
  const { asset } = amount;
  const issuer = issuerOf(asset);
  if (issuer === account) return 'tecNO_PERMISSION';
  const issuerEntry = view.read(keylets.account(issuer));
  if (issuerEntry === undefined) return 'tecNO_ISSUER';
  if (!hasAny(issuerEntry.Flags, Lsf.lsfAllowTrustLineLocking)) return 'tecNO_PERMISSION';
  if (view.read(keylets.line(account, issuer, currencyOf(asset)!)) === undefined) return 'tecNO_LINE';
  // A debt of the account to its peer is not part of its funds.
  if (lineBalance(view, account, asset).signum < 0) return 'tecNO_PERMISSION';
  const authorised = checkAuthorised(view, amount, [account, to], 'legacy');
  if (authorised !== 'tesSUCCESS') return authorised;
  if (isFrozen(view, account, asset) || isFrozen(view, to, asset)) return 'tecFROZEN';
  return checkHolds(view, account, amount);
}

function checkCreateMpt(view: ReadView, account: AccountId, to: AccountId, amount: Amount): Result {
  const { asset } = amount;
  if (issuerOf(asset) === account) return 'tecNO_PERMISSION';
  const issuance = view.read(keylets.mptIssuance(asset));
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (!hasAny(issuance.Flags, Lsf.lsfMPTCanEscrow)) return 'tecNO_PERMISSION';
  if (view.read(keylets.mptoken(asset, account)) === undefined) return 'tecOBJECT_NOT_FOUND';
  const authorised = checkAuthorised(view, amount, [account, to], 'weak');
  if (authorised !== 'tesSUCCESS') return authorised;
  if (isFrozen(view, account, asset) || isFrozen(view, to, asset)) return 'tecLOCKED';
  const transferable = canTransfer(view, asset, account, to);
  return transferable === 'tesSUCCESS' ? checkHolds(view, account, amount) : transferable;
}

/** Whether `account` may put `amount` (not XRP) in escrow for `to`. */
export function checkTokenEscrow(view: ReadView, account: AccountId, to: AccountId, amount: Amount): Result {
  return amount.isMpt
    ? checkCreateMpt(view, account, to, amount)
    : checkCreateIssued(view, account, to, amount);
}

/** Takes the amount from the creator. */
export function lockTokens(view: ApplyView, account: AccountId, amount: Amount): Result {
  const issuer = issuerOf(amount.asset);
  if (issuer === account) return 'tecINTERNAL';
  return amount.isMpt ? lockMpt(view, account, amount) : rippleCredit(view, account, issuer, amount, true);
}

/** Whether the destination may receive the amount. */
export function checkTokenFinish(view: ReadView, to: AccountId, { asset, isMpt }: Amount): Result {
  if (issuerOf(asset) === to) return 'tesSUCCESS';
  if (isMpt && view.read(keylets.mptIssuance(asset)) === undefined) return 'tecOBJECT_NOT_FOUND';
  const authorised = requireAuth(view, asset, to, isMpt ? 'weak' : 'legacy');
  if (authorised !== 'tesSUCCESS') return authorised;
  if (isMpt) return isFrozen(view, to, asset) ? 'tecLOCKED' : 'tesSUCCESS';
  return isDeepFrozen(view, to, asset) ? 'tecFROZEN' : 'tesSUCCESS';
}

/** Whether the creator may have the amount back. */
export function checkTokenCancel(view: ReadView, account: AccountId, { asset, isMpt }: Amount): Result {
  if (issuerOf(asset) === account) return 'tecINTERNAL';
  if (isMpt && view.read(keylets.mptIssuance(asset)) === undefined) return 'tecOBJECT_NOT_FOUND';
  return requireAuth(view, asset, account, isMpt ? 'weak' : 'legacy');
}

/** The end of an escrow of tokens. */
export interface Unlock {
  readonly amount: Amount;
  /** The creator of the escrow. */
  readonly from: AccountId;
  readonly to: AccountId;
  /** The transfer rate recorded at creation, 1,000,000,000 for none. */
  readonly lockedRate: number;
  /** The receiver sends the transaction itself: a holding is created for it, and its limit is ignored. */
  readonly byReceiver: boolean;
  /** XRP of the sender of the transaction before the fee, in drops: the reserve of a new holding. */
  readonly priorBalance: bigint;
}

/** The amount after the transfer fee. */
function netOf(view: ReadView, { amount, to, lockedRate }: Unlock): Amount {
  const rate = Math.min(lockedRate, transferRate(view, amount.asset));
  if (rate === PARITY || issuerOf(amount.asset) === to) return amount;
  // Computed through the fee, as on the public network: with the last digits the two ways differ.
  const { numbers } = view.rules;
  const fee = amount.sub(divideRateRound(amount, rate, true), numbers);
  return amount.sub(fee, numbers);
}

const coversHolding = (view: ReadView, receiver: Readonly<Entry>, { priorBalance }: Unlock): boolean =>
  priorBalance >= reserveOf(view, receiver, 1);

/** Whether the line would exceed its owner's limit. */
function exceedsLimit(view: ReadView, { amount, to }: Unlock, net: Amount): boolean {
  const issuer = issuerOf(amount.asset);
  const line = view.read(keylets.line(to, issuer, currencyOf(amount.asset)!))!;
  const limit = (issuer > to ? line.LowLimit : line.HighLimit)!.withAsset(amount.asset);
  return limit.compare(lineBalance(view, to, amount.asset).add(net, view.rules.numbers)) < 0;
}

function unlockIssued(view: ApplyView, receiver: Entry, unlock: Unlock): Result {
  const { amount, from, to, byReceiver } = unlock;
  const issuer = issuerOf(amount.asset);
  const currency = currencyOf(amount.asset)!;
  if (from === issuer) return 'tecINTERNAL';
  if (to === issuer) return 'tesSUCCESS';
  if (view.read(keylets.line(to, issuer, currency)) === undefined) {
    if (!byReceiver) return 'tecNO_LINE';
    if (!coversHolding(view, receiver, unlock)) return 'tecNO_LINE_INSUF_RESERVE';
    const noRipple = !hasAny(receiver.Flags, Lsf.lsfDefaultRipple);
    const made = trustCreate(view, { setter: to, peer: issuer, currency, noRipple });
    if (made !== 'tesSUCCESS') return made;
  }
  const net = netOf(view, unlock);
  if (!byReceiver && exceedsLimit(view, unlock, net)) return 'tecLIMIT_EXCEEDED';
  return rippleCredit(view, issuer, to, net, true);
}

function unlockUnits(view: ApplyView, receiver: Entry, unlock: Unlock): Result {
  const { amount, from, to } = unlock;
  const isMissing = view.read(keylets.mptoken(amount.asset, to)) === undefined;
  if (isMissing && to !== issuerOf(amount.asset)) {
    if (!unlock.byReceiver) return 'tecNO_PERMISSION';
    if (!coversHolding(view, receiver, unlock)) return 'tecINSUFFICIENT_RESERVE';
    const made = createMpToken(view, amount.asset, to, 0);
    if (made !== 'tesSUCCESS') return made;
    adjustOwnerCount(view, receiver, 1);
  }
  const net = netOf(view, unlock);
  // Before fixTokenEscrowV1 the fee stayed locked.
  return unlockMpt(view, from, to, net, view.rules.enabled('fixTokenEscrowV1') ? amount : net);
}

/** Pays the amount in escrow, less the transfer fee, to the receiver, whose account the caller has peeked. */
export function unlockTokens(view: ApplyView, receiver: Entry, unlock: Unlock): Result {
  return unlock.amount.isMpt ? unlockUnits(view, receiver, unlock) : unlockIssued(view, receiver, unlock);
}
