/**
 * Permissions that an account may delegate (XLS-75): a whole transaction type, by its code plus one, or a part of a
 * type (granular), by a number above all types. Rules: rippled `Permissions.cpp`, `permissions.macro`.
 */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import { Tf } from './flags.ts';

export interface Granular {
  readonly type: string;
  /** Flags it allows besides the universal ones. */
  readonly flags: number;
  /** Fields it allows besides those common to all transactions. */
  readonly fields: readonly string[];
}

const PAYMENT_FIELDS = ['Destination', 'Amount', 'SendMax', 'InvoiceID', 'DestinationTag', 'CredentialIDs'];
const ISSUANCE_FIELDS = ['MPTokenIssuanceID', 'Holder'];

/** The numbers of the granular permissions. */
export const Permission = {
  trustlineAuthorize: 65_537,
  trustlineFreeze: 65_538,
  trustlineUnfreeze: 65_539,
  accountDomainSet: 65_540,
  accountEmailHashSet: 65_541,
  accountMessageKeySet: 65_542,
  accountTransferRateSet: 65_543,
  accountTickSizeSet: 65_544,
  paymentMint: 65_545,
  paymentBurn: 65_546,
  mptokenIssuanceLock: 65_547,
  mptokenIssuanceUnlock: 65_548,
} as const;

/** Granular permissions by their number. */
export const GRANULAR: ReadonlyMap<number, Granular> = new Map([
  [Permission.trustlineAuthorize, { type: 'TrustSet', flags: Tf.tfSetfAuth, fields: ['LimitAmount'] }],
  [Permission.trustlineFreeze, { type: 'TrustSet', flags: Tf.tfSetFreeze, fields: ['LimitAmount'] }],
  [Permission.trustlineUnfreeze, { type: 'TrustSet', flags: Tf.tfClearFreeze, fields: ['LimitAmount'] }],
  [Permission.accountDomainSet, { type: 'AccountSet', flags: 0, fields: ['Domain'] }],
  [Permission.accountEmailHashSet, { type: 'AccountSet', flags: 0, fields: ['EmailHash'] }],
  [Permission.accountMessageKeySet, { type: 'AccountSet', flags: 0, fields: ['MessageKey'] }],
  [Permission.accountTransferRateSet, { type: 'AccountSet', flags: 0, fields: ['TransferRate'] }],
  [Permission.accountTickSizeSet, { type: 'AccountSet', flags: 0, fields: ['TickSize'] }],
  [Permission.paymentMint, { type: 'Payment', flags: 0, fields: PAYMENT_FIELDS }],
  [Permission.paymentBurn, { type: 'Payment', flags: 0, fields: PAYMENT_FIELDS }],
  [
    Permission.mptokenIssuanceLock,
    { type: 'MPTokenIssuanceSet', flags: Tf.tfMPTLock, fields: ISSUANCE_FIELDS },
  ],
  [
    Permission.mptokenIssuanceUnlock,
    { type: 'MPTokenIssuanceSet', flags: Tf.tfMPTUnlock, fields: ISSUANCE_FIELDS },
  ],
]);

const GRANULAR_TYPES: ReadonlySet<string> = new Set([...GRANULAR.values()].map(({ type }) => type));
const TYPE_CODES: ReadonlyMap<string, number> = new Map(Object.entries(shipped.TRANSACTION_TYPES));
const TYPE_OF_CODE: ReadonlyMap<number, string> = new Map(
  [...TYPE_CODES].map(([type, code]) => [code, type]),
);

/** Whether the type has granular permissions. */
export const hasGranular = (type: string): boolean => GRANULAR_TYPES.has(type);

/** The permission for a whole transaction type; undefined for an unknown name. */
export function typePermission(type: string): number | undefined {
  const code = TYPE_CODES.get(type);
  return code === undefined || code < 0 ? undefined : code + 1;
}

/** The type that a permission for a whole type allows. */
export const typeOfPermission = (permission: number): string | undefined => TYPE_OF_CODE.get(permission - 1);
