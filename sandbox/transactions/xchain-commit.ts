/**
 * XChainCommit and XChainAccountCreateCommit (XLS-38; rippled `XChainBridge.cpp`): pays funds into the door account on
 * this chain, to be released on the other one.
 */

import { type Amount, isLegal } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { bridgeOf, chainOf, issueOf, otherChain, readBridge } from '../assets/xchain-bridges.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { account as accountKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { transferFunds } from './xchain-transfer.ts';

const amountOf = (tx: Readonly<TransactionFields>): Amount => tx.Amount as Amount;

function spends(tx: Readonly<TransactionFields>): bigint {
  const amount = amountOf(tx);
  return amount.isNative && amount.signum > 0 ? amount.drops : 0n;
}

function preflightCommit(tx: Readonly<TransactionFields>): Result {
  const amount = amountOf(tx);
  if (amount.signum <= 0 || !isLegal(amount)) return 'temBAD_AMOUNT';
  const { LockingChainIssue, IssuingChainIssue } = bridgeOf(tx);
  return amount.asset === LockingChainIssue || amount.asset === IssuingChainIssue
    ? 'tesSUCCESS'
    : 'temBAD_ISSUER';
}

function preclaimCommit(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const bridge = bridgeOf(tx);
  const entry = readBridge(view, bridge);
  if (entry === undefined) return 'tecNO_ENTRY';
  if (entry.Account === tx.Account) return 'tecXCHAIN_SELF_COMMIT';
  const here = chainOf(entry, bridge);
  if (here === undefined) return 'tecINTERNAL';
  return issueOf(bridge, here) === amountOf(tx).asset ? 'tesSUCCESS' : 'tecXCHAIN_BAD_TRANSFER_ISSUE';
}

/** Pays into the door account. The fee may come out of the reserve. */
function payDoor(context: ApplyContext, door: AccountId, amount: Amount, creates: boolean): Result {
  const { view, account, priorBalance } = context;
  const own = view.read(accountKey(account));
  if (own?.Balance === undefined) return 'tecINTERNAL';
  return transferFunds(view, {
    from: account,
    to: door,
    amount,
    creates,
    beforeFee: { account, prior: priorBalance, after: own.Balance.drops },
  });
}

function applyCommit(context: ApplyContext): Result {
  const { view, tx } = context;
  const entry = readBridge(view, bridgeOf(tx));
  if (entry === undefined) return 'tecINTERNAL';
  return payDoor(context, entry.Account as AccountId, amountOf(tx), false);
}

function preflightCreate(tx: Readonly<TransactionFields>): Result {
  const amount = amountOf(tx);
  if (amount.signum <= 0 || !amount.isNative) return 'temBAD_AMOUNT';
  const reward = tx.SignatureReward as Amount;
  return reward.signum < 0 || !reward.isNative ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

function preclaimCreate(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const bridge = bridgeOf(tx);
  const entry = readBridge(view, bridge);
  if (entry === undefined) return 'tecNO_ENTRY';
  if (entry.SignatureReward?.equals(tx.SignatureReward as Amount) !== true)
    return 'tecXCHAIN_REWARD_MISMATCH';
  const least = entry.MinAccountCreateAmount;
  if (least === undefined) return 'tecXCHAIN_CREATE_ACCOUNT_DISABLED';
  if (amountOf(tx).lessThan(least)) return 'tecXCHAIN_INSUFF_CREATE_AMOUNT';
  if (entry.Account === tx.Account) return 'tecXCHAIN_SELF_COMMIT';
  const here = chainOf(entry, bridge);
  if (here === undefined) return 'tecINTERNAL';
  if (issueOf(bridge, here) !== amountOf(tx).asset) return 'tecXCHAIN_BAD_TRANSFER_ISSUE';
  return isXrp(issueOf(bridge, otherChain(here))) ? 'tesSUCCESS' : 'tecXCHAIN_CREATE_ACCOUNT_NONXRP_ISSUE';
}

function applyCreate(context: ApplyContext): Result {
  const { view, tx } = context;
  const read = readBridge(view, bridgeOf(tx));
  const entry = read && view.peek(read.index);
  if (entry === undefined) return 'tecINTERNAL';
  const amount = amountOf(tx).add(tx.SignatureReward as Amount);
  const paid = payDoor(context, entry.Account as AccountId, amount, true);
  if (paid !== 'tesSUCCESS') return paid;
  entry.XChainAccountCreateCount = (entry.XChainAccountCreateCount ?? 0n) + 1n;
  return 'tesSUCCESS';
}

export const xchainCommit: Rule = {
  type: 'XChainCommit',
  amendment: 'XChainBridge',
  flags: 0,
  spends,
  preflight: preflightCommit,
  preclaim: preclaimCommit,
  apply: applyCommit,
};

export const xchainAccountCreateCommit: Rule = {
  type: 'XChainAccountCreateCommit',
  amendment: 'XChainBridge',
  flags: 0,
  spends,
  preflight: preflightCreate,
  preclaim: preclaimCreate,
  apply: applyCreate,
};
