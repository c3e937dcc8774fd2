/** Vaults: changed only by vault transactions, one at a time, their figures consistent with each other and the shares. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Num } from '../../../engine/codec/arithmetic/number.ts';
import type { Change } from '../../ledger/tables.ts';
import type { Entry } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { type Checker, outstanding, type TransactionEffect } from './checker.ts';
import { may } from './privileges.ts';
import {
  clawbackAddsUp,
  depositAddsUp,
  num,
  settingsMoveNothing,
  type VaultChange,
  withdrawalAddsUp,
} from './vault-balances.ts';

function sharesBefore({ changes, table }: TransactionEffect, id: Hex): Readonly<Entry> | undefined {
  const key = keylets.mptIssuance(id);
  const change = changes.all.find((other) => other.key === key);
  return change ? change.before : table.read(key);
}

function deletedWell(done: TransactionEffect, before: Readonly<Entry>): boolean {
  const { compare } = comparing(done);
  const shares = sharesBefore(done, before.ShareMPTID as Hex);
  const gone = done.table.read(keylets.mptIssuance(before.ShareMPTID as Hex)) === undefined;
  const empty =
    compare(before.AssetsTotal, undefined) === 0 && compare(before.AssetsAvailable, undefined) === 0;
  return shares !== undefined && gone && outstanding(shares) === 0n && empty;
}

function comparing({ table }: TransactionEffect) {
  const { numbers } = table.rules;
  return {
    compare: (a: Num | undefined, b: Num | undefined): number => numbers.compare(num(a), num(b)),
    difference: (a: Num | undefined, b: Num | undefined): Num => numbers.sub(num(a), num(b)),
  };
}

/** Conditions for every vault after any transaction. */
function consistent(done: TransactionEffect, vault: Readonly<Entry>, shares: Readonly<Entry>): boolean {
  const { compare, difference } = comparing(done);
  const { AssetsTotal: total, AssetsAvailable: available, AssetsMaximum: most, LossUnrealized: loss } = vault;
  if (
    outstanding(shares) === 0n &&
    (compare(total, undefined) !== 0 || compare(available, undefined) !== 0)
  ) {
    return false;
  }
  if (shares.MaximumAmount !== undefined && outstanding(shares) > shares.MaximumAmount) return false;
  if ([available, total, most].some((figure) => compare(figure, undefined) < 0)) return false;
  return compare(available, total) <= 0 && compare(loss, difference(total, available)) <= 0;
}

/** How shares and assets must have moved, by type (-1, 0 or 1), and whether balances moved with them. */
const BY_TYPE: Readonly<
  Record<string, { readonly direction: number; addsUp(change: VaultChange): boolean }>
> = {
  VaultDeposit: { direction: 1, addsUp: depositAddsUp },
  VaultWithdraw: { direction: -1, addsUp: withdrawalAddsUp },
  VaultClawback: { direction: -1, addsUp: clawbackAddsUp },
  VaultSet: { direction: 0, addsUp: settingsMoveNothing },
};

function updatedWell(
  done: TransactionEffect,
  before: Readonly<Entry>,
  after: Readonly<Entry>,
  shares: Readonly<Entry>,
): boolean {
  const { compare } = comparing(done);
  if (
    before.Asset !== after.Asset ||
    before.Account !== after.Account ||
    before.ShareMPTID !== after.ShareMPTID
  ) {
    return false;
  }
  if (compare(before.LossUnrealized, after.LossUnrealized) !== 0) return false;
  const rule = BY_TYPE[done.tx.TransactionType];
  if (rule === undefined) return false;
  const { direction } = rule;
  const was = outstanding(sharesBefore(done, after.ShareMPTID as Hex));
  const moved = outstanding(shares) === was ? 0 : outstanding(shares) > was ? 1 : -1;
  const total = compare(after.AssetsTotal, before.AssetsTotal);
  const available = compare(after.AssetsAvailable, before.AssetsAvailable);
  // Shares of little worth may be burned without assets; assets never move in the other direction.
  if (moved !== direction || total * direction < 0 || available !== total) return false;
  if (!rule.addsUp({ done, before, after })) return false;
  if (direction < 0) return true;
  const limited = compare(after.AssetsMaximum, undefined) > 0;
  return !limited || compare(after.AssetsTotal, after.AssetsMaximum) <= 0;
}

function createdWell(done: TransactionEffect, vault: Readonly<Entry>, shares: Readonly<Entry>): boolean {
  const { compare } = comparing(done);
  const figures = [vault.AssetsTotal, vault.AssetsAvailable, vault.LossUnrealized];
  const empty = figures.every((figure) => compare(figure, undefined) === 0) && outstanding(shares) === 0n;
  const account = done.table.read(keylets.account(vault.Account as Hex));
  return empty && shares.Issuer === vault.Account && account?.VaultID === vault.index;
}

/** The vault of a transaction; if it was not changed (worthless shares burned), both states are the same. */
function vaultChange({
  changes,
  tx,
  table,
}: TransactionEffect): Pick<Change, 'before' | 'action' | 'after'> | undefined {
  const [change] = changes.of('Vault');
  const named = change === undefined && tx.VaultID !== undefined ? table.read(tx.VaultID) : undefined;
  return named?.LedgerEntryType === 'Vault' ? { action: 'modify', before: named, after: named } : change;
}

const validVault: Checker = {
  name: 'ValidVault',
  holds(done) {
    const { tx, result, table, changes } = done;
    if (result !== 'tesSUCCESS' || !table.rules.enabled('SingleAssetVault')) return true;
    const vaults = changes.of('Vault').length;
    const type = tx.TransactionType;
    if (!may(type, 'mustModifyVault')) return vaults === 0;
    const change = vaultChange(done);
    if (change === undefined || vaults > 1) return false;
    const { before, after, action } = change;
    if (action === 'erase') return type === 'VaultDelete' && deletedWell(done, before as Readonly<Entry>);
    const shares = table.read(keylets.mptIssuance(after.ShareMPTID as Hex));
    if (type === 'VaultDelete' || shares === undefined || !consistent(done, after, shares)) return false;
    if (before === undefined) return type === 'VaultCreate' && createdWell(done, after, shares);
    return updatedWell(done, before, after, shares);
  },
};

export const VAULT_CHECKERS: readonly Checker[] = [validVault];
