/**
 * Moves value from account to account, of any asset. The caller checks whether it is allowed.
 *
 *     XRP                        balances of the two accounts
 *     issued, issuer takes part  the one trust line between them            (rippleCredit)
 *     issued, between others     issuer -> receiver, then sender -> issuer  with the issuer's transfer fee added
 *     MPT                        the same on holdings and the issuance      (mptCredit)
 *
 * Every change of a balance is reported to the view's `creditHook`, so that a payment does not spend what it has only
 * just received. Rules: rippled `TokenHelpers.cpp` (`directSendNoFeeIOU`, `accountSendIOU`, `issueIOU`,
 * `redeemIOU`, `transferXRP`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { multiplyRate } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { AccountId, Asset } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ONE, ACCOUNT_ZERO, currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { mptCredit, mptIssueFits } from './mptokens.ts';
import { PARITY, transferRate } from './rates.ts';
import { trustCreate, trustDelete, updateTrustLine } from './trust-lines.ts';

export interface SendOptions {
  /** No transfer fee, whatever the issuer's rate is. */
  readonly waiveFee?: boolean;
}

/**
 * Moves an issued amount over the line between two accounts, creating the line when there is none and deleting it when
 * it returns to its default. Limits are not checked.
 * @param checkIssuer one of the two must be the issuer. @throws Error when that is not so, or both are the same.
 */
export function rippleCredit(
  view: ApplyView,
  from: AccountId,
  to: AccountId,
  amount: Amount,
  checkIssuer: boolean,
): Result {
  if (amount.isMpt) return mptCredit(view, from, to, amount);
  const issuer = issuerOf(amount.asset);
  if (checkIssuer && from !== issuer && to !== issuer) throw new Error('neither account is the issuer');
  if (from === to) throw new Error('credit to the same account');
  const line = view.peek(keylets.line(from, to, currencyOf(amount.asset)!));
  return line ? creditOnLine(view, line, from, to, amount) : creditOnNewLine(view, from, to, amount);
}

function creditOnLine(view: ApplyView, line: Entry, from: AccountId, to: AccountId, amount: Amount): Result {
  const high = from > to;
  const before = high ? line.Balance!.negate() : line.Balance!;
  view.creditHook(from, to, amount, before);
  const after = before.sub(amount.withAsset(before.asset), view.rules.numbers);
  const mustDelete = updateTrustLine(view, line, from, to, before, after);
  // Also written when the line is deleted: the metadata shows the last balance.
  line.Balance = high ? after.negate() : after;
  if (!mustDelete) return 'tesSUCCESS';
  return high ? trustDelete(view, line, to, from) : trustDelete(view, line, from, to);
}

function creditOnNewLine(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  const receiver = view.read(keylets.account(to));
  if (!receiver) return 'tefINTERNAL';
  return trustCreate(view, {
    setter: to,
    peer: from,
    currency: currencyOf(amount.asset)!,
    balance: amount,
    noRipple: !hasAny(receiver.Flags, Lsf.lsfDefaultRipple),
  });
}

/** `amount` plus the issuer's transfer fee: what a sender pays to deliver `amount`. */
function withTransferFee(view: ApplyView, amount: Amount, options: SendOptions): Amount {
  if (options.waiveFee) return amount;
  const rate = transferRate(view, amount.asset);
  return rate === PARITY ? amount : multiplyRate(amount, rate, view.rules.numbers);
}

/**
 * Sends an amount; the sender pays the transfer fee in addition. Does nothing for zero or to oneself.
 * An XRP sender or receiver that is account zero or does not exist is skipped, as path finding needs.
 */
export function accountSend(
  view: ApplyView,
  from: AccountId,
  to: AccountId,
  amount: Amount,
  options: SendOptions = {},
): Result {
  if (amount.signum < 0) return 'tecINTERNAL';
  if (amount.isZero || from === to) return 'tesSUCCESS';
  if (amount.isNative) return sendXrp(view, from, to, amount);
  if (amount.isMpt) return sendMpt(view, from, to, amount, options);
  const issuer = issuerOf(amount.asset);
  if (from === issuer || to === issuer || issuer === ACCOUNT_ONE)
    return rippleCredit(view, from, to, amount, false);
  const cost = withTransferFee(view, amount, options);
  const result = rippleCredit(view, issuer, to, amount, true);
  return result === 'tesSUCCESS' ? rippleCredit(view, from, issuer, cost, true) : result;
}

function sendMpt(
  view: ApplyView,
  from: AccountId,
  to: AccountId,
  amount: Amount,
  options: SendOptions,
): Result {
  const issuance = view.read(keylets.mptIssuance(amount.asset));
  if (!issuance) return 'tecOBJECT_NOT_FOUND';
  const issuer = issuerOf(amount.asset);
  if (from === issuer || to === issuer) {
    if (from === issuer && !mptIssueFits(issuance, amount.mantissa)) return 'tecPATH_DRY';
    return mptCredit(view, from, to, amount);
  }
  const cost = withTransferFee(view, amount, options);
  const result = mptCredit(view, issuer, to, amount);
  return result === 'tesSUCCESS' ? mptCredit(view, from, issuer, cost) : result;
}

/** XRP, without a check of the reserve. */
function sendXrp(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  const accountOf = (id: AccountId): Entry | undefined =>
    id === ACCOUNT_ZERO ? undefined : view.peek(keylets.account(id));
  const sender = accountOf(from);
  const receiver = accountOf(to);
  if (sender) {
    const balance = sender.Balance!;
    if (balance.drops < amount.drops) return view.open ? 'telFAILED_PROCESSING' : 'tecFAILED_PROCESSING';
    view.creditHook(from, ACCOUNT_ZERO, amount, balance);
    sender.Balance = Amount.drops(balance.drops - amount.drops);
    view.markDirty(sender.index);
  }
  if (receiver) {
    const balance = receiver.Balance!;
    receiver.Balance = Amount.drops(balance.drops + amount.drops);
    view.markDirty(receiver.index);
    view.creditHook(ACCOUNT_ZERO, to, amount, balance.negate());
  }
  return 'tesSUCCESS';
}

/** Moves XRP between two existing accounts, without a check of the reserve. */
export function transferXrp(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  const sender = view.peek(keylets.account(from));
  const receiver = view.peek(keylets.account(to));
  if (!sender || !receiver) return 'tefINTERNAL';
  if (sender.Balance!.drops < amount.drops)
    return view.open ? 'telFAILED_PROCESSING' : 'tecFAILED_PROCESSING';
  sender.Balance = Amount.drops(sender.Balance!.drops - amount.drops);
  receiver.Balance = Amount.drops(receiver.Balance!.drops + amount.drops);
  for (const { index } of [sender, receiver]) view.markDirty(index);
  return 'tesSUCCESS';
}

/** An account returns `amount` to the asset's issuer; the line must exist. */
export function redeemIou(view: ApplyView, account: AccountId, amount: Amount, asset: Asset): Result {
  const issuer = issuerOf(asset);
  if (!view.read(keylets.line(account, issuer, currencyOf(asset)!))) return 'tefINTERNAL';
  return rippleCredit(view, account, issuer, amount.withAsset(asset), true);
}
