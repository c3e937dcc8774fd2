/**
 * Acting for another account (XLS-75): a delegate signs and pays, the account's `Delegate` entry says for what. A
 * permission is a whole transaction type or a narrow use of one (granular); several granular ones add up.
 * Rules: rippled `Permissions.cpp`, `permissions.macro`, `Transactor::checkPermission`.
 */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import type { Rule } from './rule.ts';

interface Granular {
  readonly type: string;
  /** Flags it allows beside the universal ones. */
  readonly flags: number;
  /** Fields it allows beside those common to all transactions. */
  readonly fields: readonly string[];
}

const PAYMENT_FIELDS = ['Destination', 'Amount', 'SendMax', 'InvoiceID', 'DestinationTag', 'CredentialIDs'];
const ISSUANCE_FIELDS = ['MPTokenIssuanceID', 'Holder'];

/** Granular permissions by their value. */
export const GRANULAR: ReadonlyMap<number, Granular> = new Map([
  [65537, { type: 'TrustSet', flags: 0x0001_0000, fields: ['LimitAmount'] }], // TrustlineAuthorize
  [65538, { type: 'TrustSet', flags: 0x0010_0000, fields: ['LimitAmount'] }], // TrustlineFreeze
  [65539, { type: 'TrustSet', flags: 0x0020_0000, fields: ['LimitAmount'] }], // TrustlineUnfreeze
  [65540, { type: 'AccountSet', flags: 0, fields: ['Domain'] }], // AccountDomainSet
  [65541, { type: 'AccountSet', flags: 0, fields: ['EmailHash'] }], // AccountEmailHashSet
  [65542, { type: 'AccountSet', flags: 0, fields: ['MessageKey'] }], // AccountMessageKeySet
  [65543, { type: 'AccountSet', flags: 0, fields: ['TransferRate'] }], // AccountTransferRateSet
  [65544, { type: 'AccountSet', flags: 0, fields: ['TickSize'] }], // AccountTickSizeSet
  [65545, { type: 'Payment', flags: 0, fields: PAYMENT_FIELDS }], // PaymentMint
  [65546, { type: 'Payment', flags: 0, fields: PAYMENT_FIELDS }], // PaymentBurn
  [65547, { type: 'MPTokenIssuanceSet', flags: 1, fields: ISSUANCE_FIELDS }], // MPTokenIssuanceLock
  [65548, { type: 'MPTokenIssuanceSet', flags: 2, fields: ISSUANCE_FIELDS }], // MPTokenIssuanceUnlock
]);

const UNIVERSAL_FLAGS = 0xc000_0000;
const GRANULAR_TYPES: ReadonlySet<string> = new Set([...GRANULAR.values()].map(({ type }) => type));
const TYPE_CODES = shipped.TRANSACTION_TYPES as Readonly<Record<string, number>>;
const COMMON_FIELDS: ReadonlySet<string> = new Set([
  'TransactionType',
  'Delegate',
  ...(shipped.TRANSACTION_FORMATS as Record<string, { name: string }[]>).common!.map(({ name }) => name),
]);

export const delegationEnabled = (rules: Rules): boolean =>
  rules.enabled('PermissionDelegation') || rules.enabled('PermissionDelegationV1_1');

export const hasGranular = (type: string): boolean => GRANULAR_TYPES.has(type);

/** The permission that stands for a whole transaction type; undefined for a name that is none. */
export function typePermission(type: string): number | undefined {
  const code = TYPE_CODES[type];
  return code === undefined || code < 0 ? undefined : code + 1;
}

/** The permission values a `Delegate` entry (or DelegateSet transaction) names. */
export const permissionValues = (holder: Readonly<Fields>): number[] =>
  (holder.Permissions ?? []).map(({ Permission }) => Permission?.PermissionValue ?? 0);

/** Whether all flags and fields of a transaction are among those the granular permissions allow together. */
function withinTemplate(tx: Readonly<TransactionFields>, held: readonly Granular[]): boolean {
  const flags = held.reduce((all, { flags: more }) => (all | more) >>> 0, UNIVERSAL_FLAGS);
  if (((tx.Flags ?? 0) & ~flags) !== 0) return false;
  return Object.keys(tx).every(
    (name) => COMMON_FIELDS.has(name) || held.some(({ fields }) => fields.includes(name)),
  );
}

/** Whether the delegate that a transaction names may do this for the account. */
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
