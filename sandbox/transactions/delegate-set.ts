/**
 * DelegateSet (XLS-75): allows another account to send certain transactions for this one. An empty list deletes the
 * delegation. Rules: rippled `DelegateSet.cpp` (amendment PermissionDelegationV1_1).
 */

import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { reserveOf } from '../assets/reserve.ts';
import { listOwned, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { GRANULAR, typeOfPermission } from '../protocol/permissions.ts';
import type { Result } from '../protocol/results.ts';

/** Maximum number of permissions of one delegate. */
const PERMISSIONS_MAX = 10;

/** The rule of a type, with its `delegable`. */
type RuleOf = (type: string) => Rule | undefined;

function delegable(permission: number, rules: Rules, ruleOf: RuleOf): boolean {
  const granular = GRANULAR.get(permission);
  const rule = ruleOf(granular?.type ?? typeOfPermission(permission) ?? '');
  if (rule === undefined || (rule.amendment !== undefined && !rules.enabled(rule.amendment))) return false;
  return granular !== undefined || rule.delegable !== false;
}

function preflight(tx: Readonly<TransactionFields>, rules: Rules, ruleOf: RuleOf): Result {
  const permissions = (tx.Permissions ?? []).map(({ Permission }) => Permission?.PermissionValue ?? 0);
  if (permissions.length > PERMISSIONS_MAX) return 'temARRAY_TOO_LARGE';
  if (tx.Account === tx.Authorize || new Set(permissions).size !== permissions.length) return 'temMALFORMED';
  return permissions.every((permission) => delegable(permission, rules, ruleOf))
    ? 'tesSUCCESS'
    : 'temMALFORMED';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const authorized = view.read(keylets.account(tx.Authorize as AccountId));
  if (authorized === undefined) return 'tecNO_TARGET';
  if (isPseudoAccountEntry(authorized)) return 'tecPSEUDO_ACCOUNT';
  if ((tx.Permissions ?? []).length > 0) return 'tesSUCCESS';
  return view.read(keylets.delegate(tx.Account, tx.Authorize as AccountId)) ? 'tesSUCCESS' : 'tecNO_ENTRY';
}

/** Deletes a delegation from the lists of both accounts and the ledger. */
export function deleteDelegate(view: ApplyView, entry: Readonly<Entry>): Result {
  const { Account: owner, Authorize: authorized, index } = entry;
  if (owner === undefined || authorized === undefined) return 'tefBAD_LEDGER';
  // Entries created before both accounts listed them have no second page.
  if (entry.DestinationNode !== undefined && !unlistOwned(view, authorized, entry.DestinationNode, index))
    return 'tefBAD_LEDGER';
  return deleteOwned(view, owner, entry);
}

function create({ view, tx, account: id, priorBalance }: ApplyContext, index: string): Result {
  const account = view.peek(keylets.account(id)) as Entry;
  if (priorBalance < reserveOf(view, account, 1)) return 'tecINSUFFICIENT_RESERVE';
  const authorized = tx.Authorize as AccountId;
  const second = listOwned(view, authorized, index);
  if (second === undefined) return 'tecDIR_FULL';
  return insertOwned(view, account, {
    LedgerEntryType: 'Delegate',
    index,
    Flags: 0,
    Account: id,
    Authorize: authorized,
    Permissions: tx.Permissions,
    DestinationNode: second,
  });
}

function apply(context: ApplyContext): Result {
  const { view, tx } = context;
  const index = keylets.delegate(tx.Account, tx.Authorize as AccountId);
  const entry = view.peek(index);
  if (entry === undefined)
    return (tx.Permissions ?? []).length === 0 ? 'tecINTERNAL' : create(context, index);
  if ((tx.Permissions ?? []).length === 0) return deleteDelegate(view, entry);
  entry.Permissions = tx.Permissions;
  return 'tesSUCCESS';
}

/** @param ruleOf the implemented rules, which say which types may be delegated. */
export const delegateSetRule = (ruleOf: RuleOf): Rule => ({
  type: 'DelegateSet',
  amendment: 'PermissionDelegationV1_1',
  flags: 0,
  delegable: false,
  preflight: (tx, rules) => preflight(tx, rules, ruleOf),
  preclaim,
  apply,
});
