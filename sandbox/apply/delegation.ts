/**
 * Acting for another account (XLS-75): a delegate signs and pays, the account's `Delegate` entry lists the permissions. A
 * permission is a whole transaction type or a part of one (granular); several granular ones add up.
 * Rules: rippled `Permissions.cpp`, `permissions.macro`, `Transactor::checkPermission`.
 */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import { UNIVERSAL_FLAGS } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { GRANULAR, type Granular, typePermission } from '../protocol/permissions.ts';
import type { Result } from '../protocol/results.ts';
import type { Rule } from './rule.ts';

const COMMON_FIELDS: ReadonlySet<string> = new Set([
  'TransactionType',
  'Delegate',
  ...(shipped.TRANSACTION_FORMATS as Record<string, { name: string }[]>).common!.map(({ name }) => name),
]);

export const delegationEnabled = (rules: Rules): boolean => rules.enabled('PermissionDelegationV1_1');

/** The permission values of a `Delegate` entry (or DelegateSet transaction). */
export const permissionValues = (holder: Readonly<Fields>): number[] =>
  (holder.Permissions ?? []).map(({ Permission }) => Permission?.PermissionValue ?? 0);

/** Whether all flags and fields of a transaction are among those that the granular permissions allow together. */
function withinTemplate(tx: Readonly<TransactionFields>, held: readonly Granular[]): boolean {
  const flags = held.reduce((all, { flags: more }) => (all | more) >>> 0, UNIVERSAL_FLAGS);
  if (((tx.Flags ?? 0) & ~flags) !== 0) return false;
  return Object.keys(tx).every(
    (name) => COMMON_FIELDS.has(name) || held.some(({ fields }) => fields.includes(name)),
  );
}

/** Whether the delegate of a transaction may do this for the account. */
export function checkPermission(view: ReadView, tx: Readonly<TransactionFields>, rule: Rule): Result {
  if (tx.Delegate === undefined) return 'tesSUCCESS';
  const entry = view.read(keylets.delegate(tx.Account, tx.Delegate));
  if (entry === undefined) return 'terNO_DELEGATE_PERMISSION';
  const values = permissionValues(entry);
  const whole = typePermission(rule.type);
  if (whole !== undefined && values.includes(whole)) return 'tesSUCCESS';
  const held = values.flatMap((value) => {
    const granular = GRANULAR.get(value);
    return granular?.type === rule.type ? [granular] : [];
  });
  if (held.length === 0 || !withinTemplate(tx, held)) return 'terNO_DELEGATE_PERMISSION';
  return rule.permission?.(view, tx, entry) ?? 'terNO_DELEGATE_PERMISSION';
}
