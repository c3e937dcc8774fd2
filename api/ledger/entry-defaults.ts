/**
 * Fields of a new entry that its metadata leaves out, because `NewFields` holds no field with its type's default value
 * (rippled `ApplyStateTable::apply`): zero numbers, empty lists, XRP as an asset. They are put back
 *
 *     where the entry's format requires the field                 (rippled `LedgerFormats.cpp`)
 *     where the transaction that creates the entry always sets it, as it does with places in directories
 *     where the transaction gave the field that value, and it is copied into the entry
 *
 * Everywhere else a field with its default value is not in the entry.
 */
import { type Definitions, Kind, SHIPPED } from '../../engine/codec/definitions.ts';
import type { Json, JsonObject } from '../../engine/codec/json.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';

interface FieldRule {
  readonly name: string;
  /** 0 = required. */
  readonly optionality: number;
}

const FORMATS = (
  SHIPPED.raw as unknown as { LEDGER_ENTRY_FORMATS: Readonly<Record<string, readonly FieldRule[]>> }
).LEDGER_ENTRY_FORMATS;

/** Never in metadata: they are known from elsewhere. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'LedgerEntryType',
  'LedgerIndex',
  'PreviousTxnID',
  'PreviousTxnLgrSeq',
]);

const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FORMATS).map(([type, rules]) => [
    type,
    [...(FORMATS.common ?? []), ...rules]
      .filter(({ name, optionality }) => optionality === 0 && !ELSEWHERE.has(name))
      .map(({ name }) => name),
  ]),
);

/** Amendment fixIncludeKeyletFields (mainnet): entries hold what their index is made of. */
const KEYLET_FIELDS_FROM = rippleSeconds(Date.UTC(2026, 0, 27));

type Rule = (entry: JsonObject, closeTime: number) => boolean;

const always: Rule = () => true;

/** Optional fields that are set at creation, with the transactor that sets them. */
const SET_AT_CREATION: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  // trustCreate
  RippleState: { LowNode: always, HighNode: always },
  // EscrowCreate: in the receiver's directory, and in the issuer's where that is somebody else
  Escrow: {
    DestinationNode: ({ Account, Destination }) => Account !== Destination,
    IssuerNode: ({ Account, Destination, Amount }) => {
      const issuer = isObject(Amount) ? Amount.issuer : undefined;
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

/** Fields that Checks, Escrows and PayChannels take over from the transaction that creates them. */
const COPIED: ReadonlySet<string> = new Set(['SourceTag', 'DestinationTag', 'InvoiceID']);
const COPYING: Readonly<Record<string, string>> = {
  Check: 'CheckCreate',
  Escrow: 'EscrowCreate',
  PayChannel: 'PaymentChannelCreate',
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** The default value of a field, as the reader spells it; undefined for types that have none that could be left out. */
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
