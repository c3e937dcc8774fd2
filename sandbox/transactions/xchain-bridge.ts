/** XChainCreateBridge and XChainModifyBridge (XLS-38; rippled `XChainBridge.cpp`): a door account creates or changes a bridge. */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { insertOwned } from '../assets/owned.ts';
import { coversReserve } from '../assets/reserve.ts';
import { bridgeOf, type Chain, issueOf, keyOn } from '../assets/xchain-bridges.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Bridge, Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import { account as accountKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** The account of "masterpassphrase", which holds all XRP of a chain that issues wrapped XRP. */
const ROOT_ACCOUNT: AccountId = 'B5F762798A53D543A014CAF8B297CFF8F2F937E8';

/** The side of the bridge whose door account this is. */
const sideOf = (tx: Readonly<TransactionFields>): Chain =>
  tx.Account === bridgeOf(tx).LockingChainDoor ? 'locking' : 'issuing';

const isDoor = (tx: Readonly<TransactionFields>): boolean =>
  tx.Account === bridgeOf(tx).LockingChainDoor || tx.Account === bridgeOf(tx).IssuingChainDoor;

const isXrpBridge = (bridge: Bridge): boolean =>
  isXrp(bridge.LockingChainIssue) && isXrp(bridge.IssuingChainIssue);

const badReward = (reward: Amount | undefined): boolean =>
  reward !== undefined && (!reward.isNative || reward.signum < 0);

const badMinimum = (least: Amount | undefined, bridge: Bridge): boolean =>
  least !== undefined && (!least.isNative || least.signum <= 0 || !isXrpBridge(bridge));

function preflightCreate(tx: Readonly<TransactionFields>): Result {
  const bridge = bridgeOf(tx);
  const { LockingChainDoor, LockingChainIssue, IssuingChainDoor, IssuingChainIssue } = bridge;
  // Different doors prevent a transaction of one chain from being replayed on the other.
  if (LockingChainDoor === IssuingChainDoor) return 'temXCHAIN_EQUAL_DOOR_ACCOUNTS';
  if (!isDoor(tx)) return 'temXCHAIN_BRIDGE_NONDOOR_OWNER';
  if (isXrp(LockingChainIssue) !== isXrp(IssuingChainIssue)) return 'temXCHAIN_BRIDGE_BAD_ISSUES';
  if (badReward(tx.SignatureReward)) return 'temXCHAIN_BRIDGE_BAD_REWARD_AMOUNT';
  if (badMinimum(tx.MinAccountCreateAmount, bridge)) return 'temXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT';
  // The issuing door must never run out of the asset it issues.
  const endless = isXrp(IssuingChainIssue) ? ROOT_ACCOUNT : issuerOf(IssuingChainIssue);
  if (IssuingChainDoor !== endless) return 'temXCHAIN_BRIDGE_BAD_ISSUES';
  // A door that locks its own issue would lock nothing.
  return LockingChainDoor === issuerOf(LockingChainIssue) ? 'temXCHAIN_BRIDGE_BAD_ISSUES' : 'tesSUCCESS';
}

function preclaimCreate(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const bridge = bridgeOf(tx);
  for (const chain of ['issuing', 'locking'] as const)
    if (view.read(keyOn(bridge, chain)) !== undefined) return 'tecDUPLICATE';
  const issue = issueOf(bridge, sideOf(tx));
  if (!isXrp(issue)) {
    const issuer = view.read(accountKey(issuerOf(issue)));
    if (issuer === undefined) return 'tecNO_ISSUER';
    // An asset that can be clawed back cannot back the wrapped asset.
    if (hasAny(issuer.Flags, Lsf.lsfAllowTrustLineClawback)) return 'tecNO_PERMISSION';
  }
  const account = view.read(accountKey(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  return coversReserve(view, account, 1) ? 'tesSUCCESS' : 'tecINSUFFICIENT_RESERVE';
}

function applyCreate({ view, tx, account }: ApplyContext): Result {
  const owner = view.peek(accountKey(account));
  if (owner === undefined) return 'tecINTERNAL';
  const bridge = bridgeOf(tx);
  const entry: Entry = {
    LedgerEntryType: 'Bridge',
    index: keyOn(bridge, sideOf(tx)),
    Flags: 0,
    Account: account,
    SignatureReward: tx.SignatureReward,
    XChainBridge: bridge,
    XChainClaimID: 0n,
    XChainAccountCreateCount: 0n,
    XChainAccountClaimCount: 0n,
  };
  if (tx.MinAccountCreateAmount !== undefined) entry.MinAccountCreateAmount = tx.MinAccountCreateAmount;
  return insertOwned(view, owner, entry);
}

const clears = (tx: Readonly<TransactionFields>): boolean => hasAny(tx.Flags, Tf.tfClearAccountCreateAmount);

function preflightModify(tx: Readonly<TransactionFields>): Result {
  const { SignatureReward: reward, MinAccountCreateAmount: least } = tx;
  if (reward === undefined && least === undefined && !clears(tx)) return 'temMALFORMED';
  if (least !== undefined && clears(tx)) return 'temMALFORMED';
  if (!isDoor(tx)) return 'temXCHAIN_BRIDGE_NONDOOR_OWNER';
  if (badReward(reward)) return 'temXCHAIN_BRIDGE_BAD_REWARD_AMOUNT';
  return badMinimum(least, bridgeOf(tx)) ? 'temXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT' : 'tesSUCCESS';
}

function preclaimModify(view: ReadView, tx: Readonly<TransactionFields>): Result {
  return view.read(keyOn(bridgeOf(tx), sideOf(tx))) === undefined ? 'tecNO_ENTRY' : 'tesSUCCESS';
}

function applyModify({ view, tx }: ApplyContext): Result {
  const entry = view.peek(keyOn(bridgeOf(tx), sideOf(tx)));
  if (entry === undefined) return 'tecINTERNAL';
  if (tx.SignatureReward !== undefined) entry.SignatureReward = tx.SignatureReward;
  if (tx.MinAccountCreateAmount !== undefined) entry.MinAccountCreateAmount = tx.MinAccountCreateAmount;
  if (clears(tx)) delete entry.MinAccountCreateAmount;
  return 'tesSUCCESS';
}

export const xchainCreateBridge: Rule = {
  type: 'XChainCreateBridge',
  amendment: 'XChainBridge',
  flags: 0,
  preflight: preflightCreate,
  preclaim: preclaimCreate,
  apply: applyCreate,
};

export const xchainModifyBridge: Rule = {
  type: 'XChainModifyBridge',
  amendment: 'XChainBridge',
  flags: Tf.tfClearAccountCreateAmount,
  preflight: preflightModify,
  preclaim: preclaimModify,
  apply: applyModify,
};
