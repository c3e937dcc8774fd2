/**
 * VaultClawback (XLS-65; rippled `VaultClawback.cpp`): the issuer of a vault's asset takes back a shareholder's
 * assets in the vault; or the vault's owner burns shares of a vault that has lost all its assets.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  HASH_ZERO,
  isMpt,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { accountHolds } from '../assets/funds.ts';
import { accountSend } from '../assets/send.ts';
import {
  addToVault,
  type Exchanged,
  exchangeWith,
  roundVaultNumbers,
  vaultNumber,
} from '../assets/vault-exchange.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { account as accountKey, mptIssuance as issuanceKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { peekVault, readShares, readVault } from './vault-entries.ts';
import { returnShares } from './vault-withdraw.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.VaultID === HASH_ZERO) return 'temMALFORMED';
  // Zero means all, as does leaving the amount out.
  if (tx.Amount === undefined) return 'tesSUCCESS';
  if (tx.Amount.signum < 0) return 'temBAD_AMOUNT';
  return tx.Amount.isNative ? 'temMALFORMED' : 'tesSUCCESS';
}

/** The requested amount; by default all shares for the owner, all assets for any other account. */
function amountOf(tx: Readonly<TransactionFields>, vault: Readonly<Entry>): Amount {
  if (tx.Amount !== undefined) return tx.Amount;
  return Amount.zero((tx.Account === vault.Owner ? vault.ShareMPTID : vault.Asset) as Asset);
}

function sharesOf(view: ReadView, holder: AccountId, share: Asset): Amount {
  return accountHolds(view, holder, share, { freeze: 'ignore' });
}

/** Burning worthless shares: by the owner, all that the holder has. */
function preclaimShares(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  amount: Amount,
): Result {
  if (tx.Account !== vault.Owner) return 'tecNO_PERMISSION';
  const worthless = vault.AssetsTotal?.isZero !== false && vault.AssetsAvailable?.isZero !== false;
  if ((issuance.OutstandingAmount ?? 0n) === 0n || !worthless) return 'tecNO_PERMISSION';
  if (amount.isZero) return 'tesSUCCESS';
  const held = sharesOf(view, tx.Holder as AccountId, amount.asset);
  return amount.equals(held) ? 'tesSUCCESS' : 'tecLIMIT_EXCEEDED';
}

function preclaimAssets(view: ReadView, tx: Readonly<TransactionFields>, asset: Asset): Result {
  if (isXrp(asset) || tx.Account !== issuerOf(asset) || tx.Account === tx.Holder) return 'tecNO_PERMISSION';
  if (isMpt(asset)) {
    const issuance = view.read(issuanceKey(asset));
    if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
    return hasAny(issuance.Flags, Lsf.lsfMPTCanClawback) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
  }
  const issuer = view.read(accountKey(tx.Account));
  if (issuer === undefined) return 'tefINTERNAL';
  const allowed =
    hasAny(issuer.Flags, Lsf.lsfAllowTrustLineClawback) && !hasAny(issuer.Flags, Lsf.lsfNoFreeze);
  return allowed ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const vault = readVault(view, tx);
  if (vault === undefined) return 'tecNO_ENTRY';
  const issuance = readShares(view, vault);
  if (issuance === undefined) return 'tefINTERNAL';
  const asset = vault.Asset as Asset;
  // An owner who also issues the asset has to say which of the two is meant.
  if (tx.Amount === undefined && !isXrp(asset) && issuerOf(asset) === vault.Owner) return 'tecWRONG_ASSET';
  const amount = amountOf(tx, vault);
  if (amount.asset === vault.ShareMPTID) return preclaimShares(view, tx, vault, issuance, amount);
  return amount.asset === asset ? preclaimAssets(view, tx, asset) : 'tecWRONG_ASSET';
}

/** Shares to destroy and assets to take for an amount of assets, at most what the vault has available. */
function exchange(
  view: ReadView,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  holder: AccountId,
  amount: Amount,
): Exchanged | Result {
  const { numbers } = view.rules;
  const available = vaultNumber(numbers, vault, 'AssetsAvailable');
  return exchangeWith(view.rules, vault, issuance, (rate) => {
    const share = vault.ShareMPTID as Asset;
    const shares = amount.isZero ? sharesOf(view, holder, share) : rate.sharesForWithdrawal(amount);
    const assets = rate.assetsForWithdrawal(shares);
    const within = (taken: Amount): boolean => numbers.compare(numbers.of(taken), available) <= 0;
    // Until fixCleanup3_1_3 "all" was not limited to the available assets.
    if (within(assets) || (amount.isZero && !view.rules.enabled('fixCleanup3_1_3')))
      return { shares, assets };
    const most = Amount.fromNum(vault.Asset as Asset, available);
    // Truncated, not rounded: their value must not exceed the available assets.
    const fewer = rate.sharesForWithdrawal(most, 'borne', true);
    const less = rate.assetsForWithdrawal(fewer);
    return within(less) ? { shares: fewer, assets: less } : 'tecINTERNAL';
  });
}

function apply({ view, tx, account }: ApplyContext): Result {
  const vault = peekVault(view, tx);
  const issuance = vault && readShares(view, vault);
  if (vault === undefined || issuance === undefined) return 'tefINTERNAL';
  const asset = vault.Asset as Asset;
  const share = vault.ShareMPTID as Asset;
  const holder = tx.Holder as AccountId;
  const amount = amountOf(tx, vault);
  const burns = account === vault.Owner && amount.asset === share;
  const taken = burns
    ? { shares: sharesOf(view, holder, share), assets: Amount.zero(asset) }
    : exchange(view, vault, issuance, holder, amount);
  if (typeof taken === 'string') return taken;
  const { shares, assets } = taken;
  if (shares.isZero) return 'tecPRECISION_LOSS';

  const { numbers } = view.rules;
  addToVault(numbers, vault, numbers.of(assets).negate());
  const returned = returnShares(view, vault, holder, shares);
  if (returned !== 'tesSUCCESS') return returned;
  if (assets.signum > 0) {
    const vaultAccount = vault.Account as AccountId;
    const sent = accountSend(view, vaultAccount, account, assets, { waiveFee: true });
    if (sent !== 'tesSUCCESS') return sent;
    if (accountHolds(view, vaultAccount, asset, { freeze: 'ignore' }).signum < 0) return 'tefINTERNAL';
  }
  roundVaultNumbers(numbers, vault);
  return 'tesSUCCESS';
}

export const vaultClawback: Rule = {
  type: 'VaultClawback',
  amendment: 'SingleAssetVault',
  flags: 0,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
