/** VaultDeposit (XLS-65; rippled `VaultDeposit.cpp`): pays an asset into a vault for shares. */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  HASH_ZERO,
  type Hex,
  issuerOf,
} from '../../engine/codec/arithmetic/asset.ts';
import type { Numbers } from '../../engine/codec/arithmetic/number.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { canTransfer, requireAuth } from '../assets/authorisation.ts';
import { validDomain } from '../assets/credentials.ts';
import { checkFrozen } from '../assets/freeze.ts';
import { accountHolds } from '../assets/funds.ts';
import { authorizeMpToken, enforceMptAuthorisation } from '../assets/mptokens.ts';
import { accountSend } from '../assets/send.ts';
import {
  addToVault,
  cutToVault,
  type Exchanged,
  exchangeWith,
  roundVaultNumbers,
  vanishesAt,
  vaultNumber,
} from '../assets/vault-exchange.ts';
import { checkDepositFreeze } from '../assets/vault-freeze.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { mptoken as mptokenKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { authorizeOwner, peekVault, readShares, readVault } from './vault-entries.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.VaultID === HASH_ZERO) return 'temMALFORMED';
  return (tx.Amount as Amount).signum <= 0 ? 'temBAD_AMOUNT' : 'tesSUCCESS';
}

/** Who may deposit into a private vault: its owner, and members of its domain. */
function mayDeposit(
  view: ReadView,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  account: AccountId,
): Result {
  if (!hasAny(vault.Flags, Lsf.lsfVaultPrivate) || account === vault.Owner) return 'tesSUCCESS';
  if (issuance.DomainID === undefined) return 'tecNO_AUTH';
  const member = validDomain(view, issuance.DomainID, account);
  // Expired credentials are deleted when the transaction is applied, so it must get that far.
  return member === 'tecEXPIRED' ? 'tesSUCCESS' : member;
}

/** Whether the account has the amount, and whether the digits of balance and vault can represent it. */
function hasFunds(view: ReadView, vault: Readonly<Entry>, account: AccountId, wanted: Amount): Result {
  const exact = view.rules.enabled('fixCleanup3_2_0');
  const { numbers } = view.rules;
  const amount = exact ? cutToVault(numbers, vault, wanted) : wanted;
  if (amount.isZero) return 'tecPRECISION_LOSS';
  const asset = vault.Asset as Asset;
  const balance = accountHolds(view, account, asset, { freeze: 'zero', auth: 'zero', spendable: 'full' });
  if (balance.lessThan(amount)) return 'tecINSUFFICIENT_FUNDS';
  const lost = exact && amount.isIssued && account !== issuerOf(asset);
  return lost && vanishesAt(numbers, wanted, balance.exponent) ? 'tecPRECISION_LOSS' : 'tesSUCCESS';
}

function checkFreezes(view: ReadView, vault: Readonly<Entry>, account: AccountId): Result {
  const asset = vault.Asset as Asset;
  if (view.rules.enabled('fixCleanup3_3_0'))
    return checkDepositFreeze(view, account, vault.Account as AccountId, asset);
  const frozen = checkFrozen(view, account, asset);
  return frozen === 'tesSUCCESS' ? checkFrozen(view, account, vault.ShareMPTID as Asset) : frozen;
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const vault = readVault(view, tx);
  if (vault === undefined) return 'tecNO_ENTRY';
  const { Account: account } = tx;
  const amount = tx.Amount as Amount;
  const asset = vault.Asset as Asset;
  const share = vault.ShareMPTID as Asset;
  if (amount.asset !== asset) return 'tecWRONG_ASSET';
  const transferable = canTransfer(view, asset, account, vault.Account as AccountId);
  if (transferable !== 'tesSUCCESS') return transferable;
  const issuance = readShares(view, vault);
  if (share === asset || issuance === undefined || hasAny(issuance.Flags, Lsf.lsfMPTLocked))
    return 'tefINTERNAL';
  const frozen = checkFreezes(view, vault, account);
  if (frozen !== 'tesSUCCESS') return frozen;
  const allowed = mayDeposit(view, vault, issuance, account);
  if (allowed !== 'tesSUCCESS') return allowed;
  const authorised = requireAuth(view, asset, account);
  if (authorised !== 'tesSUCCESS') return authorised;
  return hasFunds(view, vault, account, amount);
}

/** Creates the depositor's holding of shares if it is missing. */
function prepareShares(context: ApplyContext, vault: Readonly<Entry>): Result {
  const { view, account, priorBalance } = context;
  const share = vault.ShareMPTID as Hex;
  const closed = hasAny(vault.Flags, Lsf.lsfVaultPrivate);
  if (closed && account !== vault.Owner) return enforceMptAuthorisation(view, share, account, priorBalance);
  if (view.read(mptokenKey(share, account)) === undefined) {
    const made = authorizeMpToken(view, priorBalance, share, account);
    if (made !== 'tesSUCCESS') return made;
  }
  if (!closed) return 'tesSUCCESS';
  return authorizeOwner(view, share, vault.Account as AccountId, account, priorBalance);
}

function exchange(
  view: ReadView,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  amount: Amount,
): Exchanged | Result {
  return exchangeWith(view.rules, vault, issuance, (rate) => {
    const shares = rate.sharesForDeposit(amount);
    if (shares.isZero) return 'tecPRECISION_LOSS';
    const assets = rate.assetsForDeposit(shares);
    return amount.lessThan(assets) ? 'tecINTERNAL' : { shares, assets };
  });
}

function isOverfull(numbers: Numbers, vault: Readonly<Entry>): boolean {
  const most = vaultNumber(numbers, vault, 'AssetsMaximum');
  return !most.isZero && numbers.compare(vaultNumber(numbers, vault, 'AssetsTotal'), most) > 0;
}

function apply(context: ApplyContext): Result {
  const { view, tx, account } = context;
  const vault = peekVault(view, tx);
  if (vault === undefined) return 'tefINTERNAL';
  const { numbers } = view.rules;
  const exact = view.rules.enabled('fixCleanup3_2_0');
  const wanted = tx.Amount as Amount;
  const amount = exact ? cutToVault(numbers, vault, wanted) : wanted;
  if (amount.isZero) return 'tecINTERNAL';
  const issuance = readShares(view, vault);
  if (issuance === undefined) return 'tefINTERNAL';
  const prepared = prepareShares(context, vault);
  if (prepared !== 'tesSUCCESS') return prepared;
  const exchanged = exchange(view, vault, issuance, amount);
  if (typeof exchanged === 'string') return exchanged;
  const { shares, assets } = exchanged;

  addToVault(numbers, vault, numbers.of(assets));
  if (isOverfull(numbers, vault)) return 'tecLIMIT_EXCEEDED';
  const vaultAccount = vault.Account as AccountId;
  const paid = accountSend(view, account, vaultAccount, assets, { waiveFee: true });
  if (paid !== 'tesSUCCESS') return paid;
  // An account that may owe the issuer paid more than it had: refused since fixCleanup3_2_0.
  if (!exact && accountHolds(view, account, assets.asset, { freeze: 'ignore' }).signum < 0)
    return 'tefINTERNAL';
  const issued = accountSend(view, vaultAccount, account, shares, { waiveFee: true });
  if (issued !== 'tesSUCCESS') return issued;
  roundVaultNumbers(numbers, vault);
  return 'tesSUCCESS';
}

export const vaultDeposit: Rule = {
  type: 'VaultDeposit',
  amendment: 'SingleAssetVault',
  flags: 0,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
