/**
 * What an account may let another do (XLS-75): a whole transaction type, by its code plus one, or a narrow use of a
 * type (granular), by a number above all types. Rules: rippled `Permissions.cpp`, `permissions.macro`.
 */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';

export interface Granular {
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

const GRANULAR_TYPES: ReadonlySet<string> = new Set([...GRANULAR.values()].map(({ type }) => type));
const TYPE_CODES: ReadonlyMap<string, number> = new Map(Object.entries(shipped.TRANSACTION_TYPES));
const TYPE_OF_CODE: ReadonlyMap<number, string> = new Map(
  [...TYPE_CODES].map(([type, code]) => [code, type]),
);

/** Whether a narrow use of a type can be permitted. */
export const hasGranular = (type: string): boolean => GRANULAR_TYPES.has(type);

/** The permission that stands for a whole transaction type; undefined for a name that is none. */
export function typePermission(type: string): number | undefined {
  const code = TYPE_CODES.get(type);
  return code === undefined || code < 0 ? undefined : code + 1;
}

/** The type that a permission for a whole type stands for. */
export const typeOfPermission = (permission: number): string | undefined => TYPE_OF_CODE.get(permission - 1);
