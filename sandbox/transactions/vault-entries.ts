/** Reads the entries of a vault for the vault's transactions. */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { authorizeMpToken } from '../assets/mptokens.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { mptIssuance as issuanceKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** Maximum length of a vault's `Data`, bytes. */
export const VAULT_DATA_MAX = 256;
/** `WithdrawalPolicy`: first come, first served; there is no other. */
export const FIRST_COME_FIRST_SERVE = 1;

/** The vault of a transaction. */
export function readVault(view: ReadView, tx: Readonly<TransactionFields>): Readonly<Entry> | undefined {
  const entry = view.read(tx.VaultID as Hex);
  return entry?.LedgerEntryType === 'Vault' ? entry : undefined;
}

/** That vault, as a writable copy. */
export function peekVault(view: ApplyView, tx: Readonly<TransactionFields>): Entry | undefined {
  return readVault(view, tx) && view.peek(tx.VaultID as Hex);
}

/** The issuance of a vault's shares. */
export function readShares(view: ReadView, vault: Readonly<Entry>): Readonly<Entry> | undefined {
  return view.read(issuanceKey(vault.ShareMPTID as Hex));
}

/** Authorizes the owner of a private vault to hold its shares. */
export function authorizeOwner(
  view: ApplyView,
  shareId: Hex,
  vaultAccount: AccountId,
  owner: AccountId,
  priorBalance: bigint,
): Result {
  return authorizeMpToken(view, priorBalance, shareId, vaultAccount, 0, owner);
}
