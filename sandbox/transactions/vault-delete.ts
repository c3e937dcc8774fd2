/** VaultDelete (XLS-65; rippled `VaultDelete.cpp`): the owner deletes an empty vault and its other entries. */

import { type AccountId, type Asset, HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { removeEmptyHolding } from '../assets/holdings.ts';
import { deleteOwned } from '../assets/owned.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { peekVault, readShares, readVault } from './vault-entries.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  if (tx.VaultID === HASH_ZERO) return 'temMALFORMED';
  // A memo for the deletion needs LendingProtocolV1_1, which the main network does not have.
  return tx.MemoData === undefined ? 'tesSUCCESS' : 'temDISABLED';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const vault = readVault(view, tx);
  if (vault === undefined) return 'tecNO_ENTRY';
  if (vault.Owner !== tx.Account) return 'tecNO_PERMISSION';
  if (vault.AssetsAvailable?.isZero === false) return 'tecHAS_OBLIGATIONS';
  if (vault.AssetsTotal?.isZero === false) return 'tecHAS_OBLIGATIONS';
  const issuance = readShares(view, vault);
  if (issuance === undefined) return 'tecOBJECT_NOT_FOUND';
  if (issuance.Issuer !== vault.Account) return 'tecNO_PERMISSION';
  return (issuance.OutstandingAmount ?? 0n) === 0n ? 'tesSUCCESS' : 'tecHAS_OBLIGATIONS';
}

/** Deletes the issuance of shares, and the owner's holding of them. */
function removeShares(view: ApplyView, vault: Readonly<Entry>): Result {
  const shareId = vault.ShareMPTID as Hex;
  const owner = vault.Owner as AccountId;
  const issuance = view.read(keylets.mptIssuance(shareId));
  if (issuance === undefined) return 'tefINTERNAL';
  if (view.read(keylets.mptoken(shareId, owner)) !== undefined) {
    const removed = removeEmptyHolding(view, owner, shareId);
    if (removed !== 'tesSUCCESS') return removed;
  }
  return deleteOwned(view, vault.Account as AccountId, issuance);
}

function removePseudoAccount(view: ApplyView, vault: Readonly<Entry>, pseudo: Entry): Result {
  if (view.read(keylets.ownerDirectory(vault.Account as AccountId)) !== undefined)
    return 'tecHAS_OBLIGATIONS';
  if (pseudo.VaultID !== vault.index) return 'tefBAD_LEDGER';
  if (pseudo.Balance?.isZero === false || (pseudo.OwnerCount ?? 0) !== 0) return 'tecHAS_OBLIGATIONS';
  view.erase(pseudo.index);
  return 'tesSUCCESS';
}

function apply({ view, tx }: ApplyContext): Result {
  const vault = peekVault(view, tx);
  if (vault === undefined) return 'tefINTERNAL';
  const vaultAccount = vault.Account as AccountId;
  const holding = removeEmptyHolding(view, vaultAccount, vault.Asset as Asset);
  if (holding !== 'tesSUCCESS') return holding;
  const pseudo = view.peek(keylets.account(vaultAccount));
  if (pseudo === undefined) return 'tefBAD_LEDGER';
  const shares = removeShares(view, vault);
  if (shares !== 'tesSUCCESS') return shares;
  const removed = removePseudoAccount(view, vault, pseudo);
  if (removed !== 'tesSUCCESS') return removed;
  // The vault and its pseudo-account.
  return deleteOwned(view, vault.Owner as AccountId, vault, { count: 2 });
}

export const vaultDelete: Rule = {
  type: 'VaultDelete',
  amendment: 'SingleAssetVault',
  flags: 0,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
