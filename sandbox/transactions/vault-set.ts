/** VaultSet (XLS-65; rippled `VaultSet.cpp`): the owner changes a vault's data, its limit, or who may hold shares. */

import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { roundVaultNumbers, setVaultNumber, vaultNumber } from '../assets/vault-exchange.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { mptIssuance as issuanceKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { badLength } from './bad-length.ts';
import { isDomain, setDomain } from './mptoken-issuance.ts';
import { peekVault, readShares, readVault, VAULT_DATA_MAX } from './vault-entries.ts';

function preflight(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (tx.DomainID !== undefined && !rules.enabled('PermissionedDomains')) return 'temDISABLED';
  if (tx.VaultID === HASH_ZERO) return 'temMALFORMED';
  const { Data: data, AssetsMaximum: most } = tx;
  if (badLength(data, VAULT_DATA_MAX)) return 'temMALFORMED';
  if (most !== undefined && most.signum < 0) return 'temMALFORMED';
  if (tx.DomainID === undefined && most === undefined && data === undefined) return 'temMALFORMED';
  return 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const vault = readVault(view, tx);
  if (vault === undefined) return 'tecNO_ENTRY';
  if (vault.Owner !== tx.Account) return 'tecNO_PERMISSION';
  const issuance = readShares(view, vault);
  if (issuance === undefined) return 'tefINTERNAL';
  if (tx.DomainID === undefined) return 'tesSUCCESS';
  if (!hasAny(vault.Flags, Lsf.lsfVaultPrivate)) return 'tecNO_PERMISSION';
  if (tx.DomainID !== HASH_ZERO && !isDomain(view, tx.DomainID)) return 'tecOBJECT_NOT_FOUND';
  return hasAny(issuance.Flags, Lsf.lsfMPTRequireAuth) ? 'tesSUCCESS' : 'tefINTERNAL';
}

function apply({ view, tx }: ApplyContext): Result {
  const vault = peekVault(view, tx);
  const issuance = vault && view.peek(issuanceKey(vault.ShareMPTID as Hex));
  if (vault === undefined || issuance === undefined) return 'tefINTERNAL';
  const { numbers } = view.rules;
  if (tx.Data !== undefined) vault.Data = tx.Data;
  if (tx.AssetsMaximum !== undefined) {
    const most = numbers.of(tx.AssetsMaximum);
    const total = vaultNumber(numbers, vault, 'AssetsTotal');
    if (!most.isZero && numbers.compare(most, total) < 0) return 'tecLIMIT_EXCEEDED';
    setVaultNumber(vault, 'AssetsMaximum', most);
  }
  if (tx.DomainID !== undefined) setDomain(issuance, tx.DomainID);
  roundVaultNumbers(numbers, vault);
  return 'tesSUCCESS';
}

export const vaultSet: Rule = {
  type: 'VaultSet',
  amendment: 'SingleAssetVault',
  flags: 0,
  delegable: false,
  preflight,
  preclaim,
  apply,
};
