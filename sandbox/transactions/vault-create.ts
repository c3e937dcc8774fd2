/**
 * VaultCreate (XLS-65; rippled `VaultCreate.cpp`): creates the vault, the pseudo-account that holds its asset, its
 * holding of that asset, the issuance of its shares and the owner's holding of them. The owner's reserve grows by two
 * for vault and pseudo-account, and by one for the holding.
 */

import {
  type AccountId,
  type Asset,
  HASH_ZERO,
  type Hex,
  isIssued,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { checkFrozen } from '../assets/freeze.ts';
import { addEmptyHolding, canAddHolding } from '../assets/holdings.ts';
import { authorizeMpToken } from '../assets/mptokens.ts';
import { createPseudoAccount, isPseudoAccount, pseudoAccountAddress } from '../assets/pseudo-accounts.ts';
import { adjustOwnerCount, reserveOf } from '../assets/reserve.ts';
import { roundVaultNumbers, setVaultNumber } from '../assets/vault-exchange.ts';
import { listOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';
import { badLength } from './bad-length.ts';
import { MPT_METADATA_MAX } from './mptoken-changes.ts';
import { createIssuance, isDomain } from './mptoken-issuance.ts';
import { authorizeOwner, FIRST_COME_FIRST_SERVE, VAULT_DATA_MAX } from './vault-entries.ts';

/** Shares of an issued currency: maximum and default number of decimals of a unit. */
const ISSUED_SCALE_MAX = 18;
const ISSUED_SCALE_DEFAULT = 6;

const CREATE_FLAGS = Tf.tfVaultPrivate | Tf.tfVaultShareNonTransferable;

const isPrivate = (tx: Readonly<TransactionFields>): boolean => hasAny(tx.Flags, Tf.tfVaultPrivate);

function preflight(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (!rules.enabled('MPTokensV1')) return 'temDISABLED';
  if (tx.DomainID !== undefined && !rules.enabled('PermissionedDomains')) return 'temDISABLED';
  // Vaults with dates (closed-ended) are not on the main network.
  if (tx.VaultKind !== undefined || tx.SubscriptionDate !== undefined || tx.RedemptionDate !== undefined)
    return 'temDISABLED';
  if (badLength(tx.Data, VAULT_DATA_MAX)) return 'temMALFORMED';
  if (tx.WithdrawalPolicy !== undefined && tx.WithdrawalPolicy !== FIRST_COME_FIRST_SERVE)
    return 'temMALFORMED';
  if (tx.DomainID !== undefined && (tx.DomainID === HASH_ZERO || !isPrivate(tx))) return 'temMALFORMED';
  if (tx.AssetsMaximum !== undefined && tx.AssetsMaximum.signum < 0) return 'temMALFORMED';
  if (badLength(tx.MPTokenMetadata, MPT_METADATA_MAX)) return 'temMALFORMED';
  if (tx.Scale !== undefined && (!isIssued(tx.Asset as Asset) || tx.Scale > ISSUED_SCALE_MAX))
    return 'temMALFORMED';
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const asset = tx.Asset as Asset;
  const holdable = canAddHolding(view, asset);
  if (holdable !== 'tesSUCCESS') return holdable;
  // LP tokens and shares of other vaults could not be clawed back from a vault.
  if (!isXrp(asset) && isPseudoAccount(view, issuerOf(asset))) return 'tecWRONG_ASSET';
  const frozen = checkFrozen(view, tx.Account, asset);
  if (frozen !== 'tesSUCCESS') return frozen;
  if (tx.DomainID !== undefined && !isDomain(view, tx.DomainID)) return 'tecOBJECT_NOT_FOUND';
  const address = pseudoAccountAddress(view, keylets.vault(tx.Account, sequenceOf(tx)));
  return address === undefined ? 'terADDRESS_COLLISION' : 'tesSUCCESS';
}

function shareFlags(tx: Readonly<TransactionFields>): number {
  const bound = hasAny(tx.Flags, Tf.tfVaultShareNonTransferable);
  const free = bound ? 0 : Lsf.lsfMPTCanEscrow | Lsf.lsfMPTCanTrade | Lsf.lsfMPTCanTransfer;
  return isPrivate(tx) ? free | Lsf.lsfMPTRequireAuth : free;
}

/** Creates the issuance of shares. */
function issueShares(
  view: ApplyView,
  tx: Readonly<TransactionFields>,
  account: AccountId,
  scale: number,
): { readonly result: Result; readonly id: Hex } {
  const asset = tx.Asset as Asset;
  const names = view.rules.enabled('fixCleanup3_2_0') && !isXrp(asset);
  return createIssuance(view, {
    account,
    sequence: 1,
    flags: shareFlags(tx),
    assetScale: scale,
    metadata: tx.MPTokenMetadata,
    domainId: tx.DomainID,
    referenceHolding: names ? keylets.holding(account, asset) : undefined,
  });
}

function vaultEntry(tx: Readonly<TransactionFields>, key: Hex, page: bigint, scale: number): Entry {
  const vault: Entry = {
    LedgerEntryType: 'Vault',
    index: key,
    Flags: (tx.Flags ?? 0) & Tf.tfVaultPrivate,
    Sequence: sequenceOf(tx),
    Owner: tx.Account,
    OwnerNode: page,
    Asset: tx.Asset,
    WithdrawalPolicy: tx.WithdrawalPolicy ?? FIRST_COME_FIRST_SERVE,
  };
  if (tx.Data !== undefined) vault.Data = tx.Data;
  if (tx.AssetsMaximum !== undefined) setVaultNumber(vault, 'AssetsMaximum', tx.AssetsMaximum);
  if (scale !== 0) vault.Scale = scale;
  return vault;
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const asset = tx.Asset as Asset;
  const owner = view.peek(keylets.account(account));
  if (owner === undefined) return 'tefINTERNAL';
  const key = keylets.vault(account, sequenceOf(tx));
  const page = listOwned(view, account, key);
  if (page === undefined) return 'tecDIR_FULL';
  adjustOwnerCount(view, owner, 2);
  if (priorBalance < reserveOf(view, owner)) return 'tecINSUFFICIENT_RESERVE';

  const pseudo = createPseudoAccount(view, key, 'VaultID');
  if (typeof pseudo === 'string') return pseudo;
  const vaultAccount = pseudo.Account as AccountId;
  const held = addEmptyHolding(view, vaultAccount, priorBalance, asset);
  if (held !== 'tesSUCCESS') return held;

  const scale = isIssued(asset) ? (tx.Scale ?? ISSUED_SCALE_DEFAULT) : 0;
  const shares = issueShares(view, tx, vaultAccount, scale);
  if (shares.result !== 'tesSUCCESS') return shares.result;
  const vault = vaultEntry(tx, key, page, scale);
  vault.Account = vaultAccount;
  vault.ShareMPTID = shares.id;
  roundVaultNumbers(view.rules.numbers, vault);
  view.insert(vault);

  const token = authorizeMpToken(view, priorBalance, shares.id, account);
  if (token !== 'tesSUCCESS') return token;
  return isPrivate(tx) ? authorizeOwner(view, shares.id, vaultAccount, account, priorBalance) : 'tesSUCCESS';
}

export const vaultCreate: Rule = {
  type: 'VaultCreate',
  amendment: 'SingleAssetVault',
  flags: CREATE_FLAGS,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
