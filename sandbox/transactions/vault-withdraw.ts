/** VaultWithdraw (XLS-65; rippled `VaultWithdraw.cpp`): returns shares of a vault for their value in assets. */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  HASH_ZERO,
  type Hex,
  isMpt,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { canTransfer, requireAuth } from '../assets/authorisation.ts';
import { checkFrozen } from '../assets/freeze.ts';
import { accountHolds } from '../assets/funds.ts';
import { removeEmptyHolding } from '../assets/holdings.ts';
import { accountSend } from '../assets/send.ts';
import {
  addToVault,
  type Exchanged,
  exchangeWith,
  type LossRule,
  roundVaultNumbers,
  vaultNumber,
} from '../assets/vault-exchange.ts';
import { checkWithdrawFreeze } from '../assets/vault-freeze.ts';
import { canWithdraw, withdraw } from '../assets/vault-withdrawal.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { mptIssuance as issuanceKey, mptoken as mptokenKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { FIRST_COME_FIRST_SERVE, peekVault, readShares, readVault } from './vault-entries.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.VaultID === HASH_ZERO) return 'temMALFORMED';
  if ((tx.Amount as Amount).signum <= 0) return 'temBAD_AMOUNT';
  return tx.Destination === ACCOUNT_ZERO ? 'temMALFORMED' : 'tesSUCCESS';
}

/** Withdrawals are allowed although the issuer has made its token untransferable (fixCleanup3_2_0). */
function mayLeave(view: ReadView, vault: Readonly<Entry>, to: AccountId): Result {
  const asset = vault.Asset as Asset;
  if (!isMpt(asset) || !view.rules.enabled('fixCleanup3_2_0'))
    return canTransfer(view, asset, vault.Account as AccountId, to);
  return view.read(issuanceKey(asset)) === undefined ? 'tecOBJECT_NOT_FOUND' : 'tesSUCCESS';
}

/** The holder of all shares receives all that is left, realised losses or not. */
function lossRule(view: ReadView, account: AccountId, issuance: Readonly<Entry>, share: Hex): LossRule {
  const outstanding = issuance.OutstandingAmount ?? 0n;
  if (outstanding === 0n || !view.rules.enabled('fixCleanup3_2_0')) return 'borne';
  return view.read(mptokenKey(share, account))?.MPTAmount === outstanding ? 'waived' : 'borne';
}

/** Shares to return and assets to receive, for an amount of either. */
function exchange(
  view: ReadView,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  account: AccountId,
  amount: Amount,
): Exchanged | Result {
  const loss = lossRule(view, account, issuance, vault.ShareMPTID as Hex);
  return exchangeWith(view.rules, vault, issuance, (rate) => {
    const ofShares = amount.asset === vault.ShareMPTID;
    const shares = ofShares ? amount : rate.sharesForWithdrawal(amount, loss);
    if (shares.isZero) return 'tecPRECISION_LOSS';
    return { shares, assets: rate.assetsForWithdrawal(shares, loss) };
  });
}

/** Whether the destination may receive it. Shares count at their value (fixCleanup3_1_3). */
function mayArrive(view: ReadView, vault: Readonly<Entry>, tx: Readonly<TransactionFields>): Result {
  const to = tx.Destination ?? tx.Account;
  const tagged = tx.DestinationTag !== undefined;
  const amount = tx.Amount as Amount;
  if (amount.asset === vault.Asset || !view.rules.enabled('fixCleanup3_1_3'))
    return canWithdraw(view, tx.Account, to, amount, tagged);
  const issuance = readShares(view, vault);
  if (issuance === undefined) return 'tefINTERNAL';
  const worth = exchange(view, vault, issuance, tx.Account, amount);
  return typeof worth === 'string' ? worth : canWithdraw(view, tx.Account, to, worth.assets, tagged);
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const vault = readVault(view, tx);
  if (vault === undefined) return 'tecNO_ENTRY';
  const asset = vault.Asset as Asset;
  const share = vault.ShareMPTID as Asset;
  const wanted = (tx.Amount as Amount).asset;
  if (wanted !== asset && wanted !== share) return 'tecWRONG_ASSET';
  const to = tx.Destination ?? tx.Account;
  const leaves = mayLeave(view, vault, to);
  if (leaves !== 'tesSUCCESS') return leaves;
  if (vault.WithdrawalPolicy !== FIRST_COME_FIRST_SERVE) return 'tefINTERNAL';
  const arrives = mayArrive(view, vault, tx);
  if (arrives !== 'tesSUCCESS') return arrives;
  // The sender's own trust line or MPToken is created if missing, another account's must exist.
  const authorised = requireAuth(view, asset, to, to === tx.Account ? 'weak' : 'strong');
  if (authorised !== 'tesSUCCESS') return authorised;
  if (view.rules.enabled('fixCleanup3_3_0'))
    return checkWithdrawFreeze(view, vault.Account as AccountId, tx.Account, to, asset);
  const frozen = checkFrozen(view, to, asset);
  return frozen === 'tesSUCCESS' ? checkFrozen(view, tx.Account, share) : frozen;
}

/**
 * Subtracts the payment from the vault's totals. The last shares take all that is left, so that no dust remains.
 * @returns the payment, or why it is not possible.
 */
function takeFromVault(
  view: ReadView,
  vault: Entry,
  issuance: Readonly<Entry>,
  out: Exchanged,
): Amount | Result {
  const { numbers } = view.rules;
  const available = vaultNumber(numbers, vault, 'AssetsAvailable');
  const taken = numbers.of(out.assets);
  if (numbers.compare(available, taken) < 0) return 'tecINSUFFICIENT_FUNDS';
  const isLast = out.shares.mantissa === (issuance.OutstandingAmount ?? 0n);
  if (isLast && view.rules.enabled('fixCleanup3_2_0')) {
    if (vault.LossUnrealized?.isZero === false) return 'tefINTERNAL';
    delete vault.AssetsTotal;
    delete vault.AssetsAvailable;
    return Amount.fromNum(vault.Asset as Asset, available);
  }
  addToVault(numbers, vault, taken.negate());
  return out.assets;
}

/**
 * Returns shares to the vault; an empty holding is deleted, except the owner's.
 * @param holder of the shares.
 */
export function returnShares(
  view: ApplyView,
  vault: Readonly<Entry>,
  holder: AccountId,
  shares: Amount,
): Result {
  const sent = accountSend(view, holder, vault.Account as AccountId, shares, { waiveFee: true });
  if (sent !== 'tesSUCCESS' || holder === vault.Owner) return sent;
  const removed = removeEmptyHolding(view, holder, shares.asset);
  return removed === 'tecHAS_OBLIGATIONS' ? 'tesSUCCESS' : removed;
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const vault = peekVault(view, tx);
  const issuance = vault && readShares(view, vault);
  if (vault === undefined || issuance === undefined) return 'tefINTERNAL';
  const out = exchange(view, vault, issuance, account, tx.Amount as Amount);
  if (typeof out === 'string') return out;
  // Freezes were checked before; a frozen holder may withdraw its own assets (fixCleanup3_3_0).
  const freeze = view.rules.enabled('fixCleanup3_3_0') ? 'ignore' : 'zero';
  if (accountHolds(view, account, out.shares.asset, { freeze }).lessThan(out.shares))
    return 'tecINSUFFICIENT_FUNDS';
  const paid = takeFromVault(view, vault, issuance, out);
  if (typeof paid === 'string') return paid;
  const returned = returnShares(view, vault, account, out.shares);
  if (returned !== 'tesSUCCESS') return returned;
  roundVaultNumbers(view.rules.numbers, vault);
  const parties = { sender: account, to: tx.Destination ?? account, source: vault.Account as AccountId };
  return withdraw(view, tx, parties, priorBalance, paid);
}

export const vaultWithdraw: Rule = {
  type: 'VaultWithdraw',
  amendment: 'SingleAssetVault',
  flags: 0,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
