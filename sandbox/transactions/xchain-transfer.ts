/**
 * Transfers into and out of a bridge's door account, and settlement of a claim (rippled `XChainBridge.cpp`:
 * `transferHelper`, `finalizeClaimHelper`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { divide } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { deleteOwned } from '../assets/owned.ts';
import { reserveOf } from '../assets/reserve.ts';
import { type Chain, doorOf, issueOf, otherChain } from '../assets/xchain-bridges.ts';
import { flow } from '../flow/flow.ts';
import { PaymentView } from '../flow/payment-view.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Bridge } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { account as accountKey, depositPreauth as preauthKey } from '../protocol/keylets.ts';
import { isTec, isTef, isTer, type Result } from '../protocol/results.ts';

interface Transfer {
  readonly from: AccountId;
  readonly to: AccountId;
  readonly amount: Amount;
  readonly tag?: number | undefined;
  /** Whether a missing account may be created with XRP. */
  readonly creates?: boolean;
  /** The owner of a claim id who claims the funds itself: deposit authorisation does not apply to it. */
  readonly claimant?: AccountId | undefined;
  /** The sender's XRP before the fee, which may be paid out of the reserve. */
  readonly beforeFee?: { readonly account: AccountId; readonly prior: bigint; readonly after: bigint };
}

function checkDestination(view: ApplyView, transfer: Transfer): Result {
  const { from, to, amount } = transfer;
  const destination = view.read(accountKey(to));
  if (destination === undefined) return amount.isNative && transfer.creates ? 'tesSUCCESS' : 'tecNO_DST';
  if (hasAny(destination.Flags, Lsf.lsfRequireDestTag) && transfer.tag === undefined)
    return 'tecDST_TAG_NEEDED';
  const barred = hasAny(destination.Flags, Lsf.lsfDepositAuth) && transfer.claimant !== to;
  return barred && view.read(preauthKey(to, from)) === undefined ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

function sendXrp(view: ApplyView, transfer: Transfer): Result {
  const { from, to, amount, beforeFee } = transfer;
  const source = view.peek(accountKey(from));
  if (source?.Balance === undefined) return 'tecINTERNAL';
  const balance = source.Balance.drops;
  const feeIsExtra = beforeFee?.account === from && beforeFee.after === balance;
  const available = feeIsExtra ? beforeFee.prior : balance;
  if (available < amount.drops + reserveOf(view, source)) return 'tecUNFUNDED_PAYMENT';
  const key = accountKey(to);
  const destination = view.peek(key);
  source.Balance = source.Balance.sub(amount);
  if (destination !== undefined) {
    destination.Balance = (destination.Balance ?? Amount.drops(0n)).add(amount);
    return 'tesSUCCESS';
  }
  if (amount.drops < view.fees.reserve) return 'tecNO_DST_INSUF_XRP';
  view.insert({
    LedgerEntryType: 'AccountRoot',
    index: key,
    Flags: 0,
    Account: to,
    Balance: amount,
    OwnerCount: 0,
    Sequence: view.header.index,
  });
  return 'tesSUCCESS';
}

/** Transfers funds; after a failure the caller must drop the view. */
export function transferFunds(view: ApplyView, transfer: Transfer): Result {
  const { from, to, amount } = transfer;
  if (from === to) return 'tesSUCCESS';
  const checked = checkDestination(view, transfer);
  if (checked !== 'tesSUCCESS') return checked;
  return amount.isNative ? sendXrp(view, transfer) : sendIssued(view, from, to, amount);
}

function sendIssued(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  const payment = new PaymentView(view);
  const { result } = flow(payment, {
    deliver: amount,
    source: from,
    destination: to,
    paths: [],
    defaultPath: true,
    partial: false,
    ownerPaysTransferFee: true,
    crossing: 'no',
    limitQuality: undefined,
    sendMax: undefined,
    domain: undefined,
  });
  if (result === 'tesSUCCESS') payment.applyTo(view);
  return result === 'tesSUCCESS' || isTec(result) || isTer(result) ? result : 'tecXCHAIN_PAYMENT_FAILED';
}

/** A claim that has reached its quorum. */
interface Claim {
  readonly bridge: Bridge;
  /** The chain on which the funds were sent. */
  readonly sourceChain: Chain;
  readonly destination: AccountId;
  readonly tag?: number | undefined;
  /** See `Transfer`. */
  readonly claimant?: AccountId | undefined;
  /** As sent on the other chain. */
  readonly amount: Amount;
  readonly rewardPayer: AccountId;
  readonly reward: Amount;
  readonly rewarded: readonly AccountId[];
  /** Key of the claim id, which is deleted. */
  readonly key: Hex;
  /** A transfer that creates an account must not block later ones: its claim is deleted even after a failure. */
  readonly goesAnyway: boolean;
}

function shareOf(view: ApplyView, reward: Amount, accounts: number): Amount {
  if (reward.isNative && view.rules.enabled('fixXChainRewardRounding'))
    return Amount.drops(reward.drops / BigInt(accounts));
  return divide(reward, Amount.drops(accounts), reward.asset);
}

/** Witnesses that cannot be paid are skipped; a lack of funds for rewards is a failure. */
function payRewards(view: ApplyView, claim: Claim): Result {
  const { reward, rewarded, rewardPayer } = claim;
  if (rewarded.length === 0) return 'tesSUCCESS';
  const share = shareOf(view, reward, rewarded.length);
  let paid = Amount.zero(reward.asset);
  for (const to of rewarded) {
    const attempt = new EntryTable(view);
    const result = transferFunds(attempt, { from: rewardPayer, to, amount: share });
    if (result === 'tecUNFUNDED_PAYMENT' || result === 'tecINTERNAL') return result;
    if (result !== 'tesSUCCESS') continue;
    attempt.applyTo(view);
    paid = paid.add(share);
  }
  return reward.lessThan(paid) ? 'tecINTERNAL' : 'tesSUCCESS';
}

/** Funds and rewards together: failed rewards undo the transfer of funds, a failed transfer leaves the rewards. */
function pay(
  view: ApplyView,
  claim: Claim,
): { readonly funds: Result; readonly rewards: Result; readonly done: boolean } {
  const here = otherChain(claim.sourceChain);
  const both = new EntryTable(view);
  const attempt = new EntryTable(both);
  const funds = transferFunds(attempt, {
    from: doorOf(claim.bridge, here),
    to: claim.destination,
    amount: claim.amount.withAsset(issueOf(claim.bridge, here)),
    tag: claim.tag,
    creates: true,
    claimant: claim.claimant,
  });
  if (funds === 'tesSUCCESS') attempt.applyTo(both);
  else if (!claim.goesAnyway) return { funds, rewards: 'tesSUCCESS', done: false };
  const rewards = payRewards(both, claim);
  if (rewards !== 'tesSUCCESS' && (!claim.goesAnyway || rewards === 'tecINTERNAL'))
    return { funds, rewards, done: false };
  if (funds !== 'tesSUCCESS' || rewards === 'tesSUCCESS') both.applyTo(view);
  return { funds, rewards, done: true };
}

function removeClaim(view: ApplyView, key: Hex): Result {
  const entry = view.read(key);
  return entry ? deleteOwned(view, entry.Account!, entry, { keepRoot: true }) : 'tesSUCCESS';
}

/**
 * Pays out a claim and removes it. The first failure counts, except failures that must not happen, which take priority.
 * If this fails, the view may be partly written to.
 */
export function settleClaim(view: ApplyView, claim: Claim): Result {
  const { funds, rewards, done } = pay(view, claim);
  const removed = done ? removeClaim(view, claim.key) : 'tesSUCCESS';
  const results = [funds, rewards, removed];
  const grave = results.find((result) => isTef(result) || result === 'tecINTERNAL');
  return grave ?? results.find((result) => result !== 'tesSUCCESS') ?? 'tesSUCCESS';
}
