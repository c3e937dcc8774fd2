/**
 * XChainCreateClaimID and XChainClaim (XLS-38; rippled `XChainBridge.cpp`): creates the id that attestations of a
 * transfer refer to, and claims the funds after the quorum.
 */

import { type Amount, isLegal } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { insertOwned } from '../assets/owned.ts';
import { coversReserve } from '../assets/reserve.ts';
import { rewardedBy, stillValid, witnessesOf } from '../assets/xchain-attestations.ts';
import { bridgeOf, chainOf, issueOf, otherChain, readBridge } from '../assets/xchain-bridges.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { account as accountKey, xchainClaimId as claimKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { settleClaim } from './xchain-transfer.ts';

function preflightCreate(tx: Readonly<TransactionFields>): Result {
  const reward = tx.SignatureReward as Amount;
  const bad = !reward.isNative || reward.signum < 0 || !isLegal(reward);
  return bad ? 'temXCHAIN_BRIDGE_BAD_REWARD_AMOUNT' : 'tesSUCCESS';
}

function preclaimCreate(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const entry = readBridge(view, bridgeOf(tx));
  if (entry === undefined) return 'tecNO_ENTRY';
  if (entry.SignatureReward?.equals(tx.SignatureReward as Amount) !== true)
    return 'tecXCHAIN_REWARD_MISMATCH';
  const account = view.read(accountKey(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  return coversReserve(view, account, 1) ? 'tesSUCCESS' : 'tecINSUFFICIENT_RESERVE';
}

function applyCreate({ view, tx, account }: ApplyContext): Result {
  const bridge = bridgeOf(tx);
  const owner = view.peek(accountKey(account));
  const read = readBridge(view, bridge);
  const entry = read && view.peek(read.index);
  if (owner === undefined || entry === undefined) return 'tecINTERNAL';
  const id = (entry.XChainClaimID ?? 0n) + 1n;
  const key = claimKey(bridge, id);
  if (view.read(key) !== undefined) return 'tecINTERNAL';
  entry.XChainClaimID = id;
  return insertOwned(view, owner, {
    LedgerEntryType: 'XChainOwnedClaimID',
    index: key,
    Flags: 0,
    Account: account,
    XChainBridge: bridge,
    XChainClaimID: id,
    OtherChainSource: tx.OtherChainSource,
    SignatureReward: tx.SignatureReward,
    XChainClaimAttestations: [],
  });
}

function preflightClaim(tx: Readonly<TransactionFields>): Result {
  const amount = tx.Amount as Amount;
  const { LockingChainIssue, IssuingChainIssue } = bridgeOf(tx);
  const known = amount.asset === LockingChainIssue || amount.asset === IssuingChainIssue;
  return amount.signum <= 0 || !known ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

function preclaimClaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const bridge = bridgeOf(tx);
  const entry = readBridge(view, bridge);
  if (entry === undefined) return 'tecNO_ENTRY';
  if (view.read(accountKey(tx.Destination as AccountId)) === undefined) return 'tecNO_DST';
  const here = chainOf(entry, bridge);
  if (here === undefined) return 'tecINTERNAL';
  if (issueOf(bridge, here) !== (tx.Amount as Amount).asset) return 'tecXCHAIN_BAD_TRANSFER_ISSUE';
  if (isXrp(bridge.LockingChainIssue) !== isXrp(bridge.IssuingChainIssue)) return 'tecINTERNAL';
  const claim = view.read(claimKey(bridge, tx.XChainClaimID ?? 0n));
  if (claim === undefined) return 'tecXCHAIN_NO_CLAIM_ID';
  return claim.Account === tx.Account ? 'tesSUCCESS' : 'tecXCHAIN_BAD_CLAIM_ID';
}

function applyClaim({ view, tx, account }: ApplyContext): Result {
  const bridge = bridgeOf(tx);
  const entry = readBridge(view, bridge);
  const key = claimKey(bridge, tx.XChainClaimID ?? 0n);
  const claim = view.read(key);
  const here = entry && chainOf(entry, bridge);
  if (entry === undefined || claim === undefined || here === undefined) return 'tecINTERNAL';
  const sourceChain = otherChain(here);
  const amount = (tx.Amount as Amount).withAsset(issueOf(bridge, sourceChain));
  const witnesses = witnessesOf(view, entry);
  if (typeof witnesses === 'string') return witnesses;
  const list = stillValid(view, witnesses, 'transfer', claim.XChainClaimAttestations ?? []);
  const rewarded = rewardedBy(witnesses, list, {
    kind: 'transfer',
    amount,
    reward: undefined,
    wasLockingChainSend: sourceChain === 'locking',
    destination: 'any',
  });
  if (rewarded === undefined) return 'tecXCHAIN_CLAIM_NO_QUORUM';
  return settleClaim(view, {
    bridge,
    sourceChain,
    destination: tx.Destination as AccountId,
    tag: tx.DestinationTag,
    claimant: account,
    amount,
    rewardPayer: claim.Account as AccountId,
    reward: claim.SignatureReward as Amount,
    rewarded,
    key,
    goesAnyway: false,
  });
}

export const xchainCreateClaimId: Rule = {
  type: 'XChainCreateClaimID',
  amendment: 'XChainBridge',
  flags: 0,
  preflight: preflightCreate,
  preclaim: preclaimCreate,
  apply: applyCreate,
};

export const xchainClaim: Rule = {
  type: 'XChainClaim',
  amendment: 'XChainBridge',
  flags: 0,
  preflight: preflightClaim,
  preclaim: preclaimClaim,
  apply: applyClaim,
};
