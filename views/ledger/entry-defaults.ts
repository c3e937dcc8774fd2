/**
 * Restores the fields of a new entry that its metadata omits. `NewFields` contains no field whose value is the default of
 * its type (rippled `ApplyStateTable::apply`): zero numbers, empty lists, XRP as an asset. Such a field is restored
 *
 *     if the entry's format requires it                             (rippled `LedgerFormats.cpp`)
 *     if the transaction that creates the entry always sets it, for example page numbers in directories
 *     if the transaction has the field with that value, and the field is copied into the entry
 *
 * In all other cases the entry does not contain the field.
 */
import { type Definitions, Kind, SHIPPED } from '../../engine/codec/definitions.ts';
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';

interface FieldRule {
  readonly name: string;
  /** 0 = required. */
  readonly optionality: number;
}

const FORMATS = (
  SHIPPED.raw as unknown as { LEDGER_ENTRY_FORMATS: Readonly<Record<string, readonly FieldRule[]>> }
).LEDGER_ENTRY_FORMATS;

/** Fields that `NewFields` never contains: they come from other parts of the metadata. */
const NOT_IN_NEW_FIELDS: ReadonlySet<string> = new Set([
  'LedgerEntryType',
  'LedgerIndex',
  'PreviousTxnID',
  'PreviousTxnLgrSeq',
]);

const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FORMATS).map(([type, rules]) => [
    type,
    [...(FORMATS.common ?? []), ...rules]
      .filter(({ name, optionality }) => optionality === 0 && !NOT_IN_NEW_FIELDS.has(name))
      .map(({ name }) => name),
  ]),
);

/** Amendment fixIncludeKeyletFields (mainnet): entries contain the fields from which their index is computed. */
const KEYLET_FIELDS_FROM = rippleSeconds(Date.UTC(2026, 0, 27));

type Rule = (entry: JsonObject, closeTime: number) => boolean;

const always: Rule = () => true;

/** Optional fields that are set at creation, with the transactor that sets them. */
const SET_AT_CREATION: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  // trustCreate
  RippleState: { LowNode: always, HighNode: always },
  // EscrowCreate: in the receiver's directory, and in the issuer's if the issuer is a third account
  Escrow: {
    DestinationNode: ({ Account, Destination }) => Account !== Destination,
    IssuerNode: ({ Account, Destination, Amount }) => {
      const issuer = isJsonObject(Amount) ? Amount.issuer : undefined;
      return issuer !== undefined && issuer !== Account && issuer !== Destination;
    },
  },
  // PaymentChannelCreate
  PayChannel: { DestinationNode: always },
  // DelegateSet: in the delegate's directory too
  Delegate: { DestinationNode: always },
  // CredentialCreate
  Credential: { SubjectNode: ({ Issuer, Subject }) => Issuer !== Subject },
  // OracleSet
  Oracle: { OracleDocumentID: (_, closeTime) => closeTime >= KEYLET_FIELDS_FROM },
};

/** Fields that Checks, Escrows and PayChannels copy from the transaction that creates them. */
const COPIED: ReadonlySet<string> = new Set(['SourceTag', 'DestinationTag', 'InvoiceID']);
const COPYING: Readonly<Record<string, string>> = {
  Check: 'CheckCreate',
  Escrow: 'EscrowCreate',
  PayChannel: 'PaymentChannelCreate',
};

/**
 * All fields of an entry as it was created.
 * @param fields `NewFields`. @param tx the transaction that created it. @param closeTime Ripple epoch seconds.
 */
export function createdFields(
  type: string,
  fields: JsonObject,
  tx: JsonObject,
  closeTime: number,
  definitions: Definitions,
): JsonObject {
  const whole: JsonObject = { ...fields };
  const restore = (name: string): void => {
    const value = whole[name] === undefined ? defaultOf(definitions.kindOf(name)) : undefined;
    if (value !== undefined) whole[name] = value;
  };
  for (const name of REQUIRED.get(type) ?? []) restore(name);
  for (const [name, rule] of Object.entries(SET_AT_CREATION[type] ?? {}))
    if (rule(whole, closeTime)) restore(name);
  if (COPYING[type] !== undefined && COPYING[type] === tx.TransactionType)
    for (const name of COPIED) if (tx[name] !== undefined) restore(name);
  return whole;
}

/** The default value of a field, in the reader's spelling; undefined for types whose default is never omitted. */
function defaultOf(kind: number): Json | undefined {
  switch (kind) {
    case Kind.uint8:
    case Kind.uint16:
    case Kind.uint32:
    case Kind.int32:
      return 0;
    case Kind.uint64:
      return '0'.repeat(16);
    case Kind.uint64Decimal:
    case Kind.amount:
    case Kind.number:
      return '0';
    case Kind.hash:
      return '0'.repeat(64);
    case Kind.blob:
      return '';
    case Kind.array:
    case Kind.vector256:
      return [];
    case Kind.issue:
      return { currency: 'XRP' };
    default:
      return undefined;
  }
}
