/**
 * The protocol's field definitions as dense tables, one array read per lookup: `(type << 8) | nth` gives the field's
 * number, the number gives its name and kind. The rows come from ripple-binary-codec; a node's answer to
 * `server_definitions` can be merged in, so that a network newer than the package can be read completely.
 */
import type { XrplDefinitions } from 'ripple-binary-codec';
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import { referenceCodec } from './reference.ts';

/** How a value is encoded and shown. The first group are serialised types, the second fields whose values are names. */
export const Kind = {
  unknown: 0,
  uint8: 1,
  uint16: 2,
  uint32: 3,
  uint64: 4,
  int32: 5,
  int64: 6,
  hash: 7, // fixed width, shown as hex
  hash128: 8, // shown as empty text when zero
  blob: 9,
  account: 10,
  amount: 11,
  number: 12,
  object: 13,
  array: 14,
  pathSet: 15,
  vector256: 16,
  issue: 17,
  bridge: 18,
  currency: 19,
  uint64Decimal: 20,
  transactionType: 21,
  transactionResult: 22,
  entryType: 23,
  permission: 24,
} as const;

/** Codes for types without a fixed width, in `Definitions.width`. 0 = unknown type. */
export const Width = {
  prefixed: -1,
  amount: -2,
  object: -3,
  array: -4,
  pathSet: -5,
  issue: -6,
  bridge: -7,
} as const;

/** What this codec knows about each serialised type: its layout (rippled `STBase` subclasses) and its kind. */
const TYPES: Readonly<Record<string, readonly [width: number, kind: number]>> = {
  UInt8: [1, Kind.uint8],
  UInt16: [2, Kind.uint16],
  UInt32: [4, Kind.uint32],
  UInt64: [8, Kind.uint64],
  UInt96: [12, Kind.hash],
  Int32: [4, Kind.int32],
  Int64: [8, Kind.int64],
  Hash128: [16, Kind.hash128],
  Hash160: [20, Kind.hash],
  Hash192: [24, Kind.hash],
  Hash256: [32, Kind.hash],
  Hash384: [48, Kind.hash],
  Hash512: [64, Kind.hash],
  Number: [12, Kind.number],
  Currency: [20, Kind.currency],
  Blob: [Width.prefixed, Kind.blob],
  AccountID: [Width.prefixed, Kind.account],
  Vector256: [Width.prefixed, Kind.vector256],
  Amount: [Width.amount, Kind.amount],
  STObject: [Width.object, Kind.object],
  STArray: [Width.array, Kind.array],
  PathSet: [Width.pathSet, Kind.pathSet],
  Issue: [Width.issue, Kind.issue],
  XChainBridge: [Width.bridge, Kind.bridge],
};

/** UInt64 fields that hold amounts and are shown in decimal instead of hex (rippled `sMD_BaseTen`). */
const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  'MaximumAmount',
  'OutstandingAmount',
  'MPTAmount',
  'LockedAmount',
  'ConfidentialOutstandingAmount',
]);

const NAMED_KINDS: Readonly<Record<string, number>> = {
  TransactionType: Kind.transactionType,
  TransactionResult: Kind.transactionResult,
  LedgerEntryType: Kind.entryType,
  PermissionValue: Kind.permission,
};

interface FieldRow {
  readonly nth: number;
  readonly isVLEncoded: boolean;
  readonly isSerialized: boolean;
  readonly isSigningField: boolean;
  readonly type: string;
}

/** The format of `definitions.json` and of the answer to `server_definitions`. */
export interface RawDefinitions {
  readonly TYPES: Readonly<Record<string, number>>;
  readonly LEDGER_ENTRY_TYPES: Readonly<Record<string, number>>;
  readonly TRANSACTION_RESULTS: Readonly<Record<string, number>>;
  readonly TRANSACTION_TYPES: Readonly<Record<string, number>>;
  readonly FIELDS: readonly (readonly [string, FieldRow])[];
}

/** Type codes and field numbers are one byte each on the wire. */
const CODE_MAX = 255;
const FIELD_CODES = (CODE_MAX + 1) << 8;

/** Names by code; codes outside the range of the field are omitted (`Invalid` is -1). */
function namesOf(codes: Readonly<Record<string, number>>, codeMax: number): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const [name, code] of Object.entries(codes)) if (code >= 0 && code <= codeMax) names.set(code, name);
  return names;
}

/** Maximum number of rows read from one table of a node's answer; the protocol has about 400 fields. */
const NEWER_ROWS_MAX = 4_096;

/** Immutable: merging returns a new object. */
export class Definitions {
  readonly raw: RawDefinitions;
  /** Field number (from 1) by `(type << 8) | nth`; 0 = not defined. */
  readonly fieldOf = new Uint16Array(FIELD_CODES);
  /** Name and kind by field number. */
  readonly names: readonly string[];
  readonly kinds: Uint8Array;
  /** Layout by type code: bytes when positive, see `Width` when negative, 0 when the type is not known. */
  readonly width = new Int8Array(CODE_MAX + 1);
  readonly transactionTypes: ReadonlyMap<number, string>;
  readonly transactionResults: ReadonlyMap<number, string>;
  readonly entryTypes: ReadonlyMap<number, string>;
  readonly #codes = new Map<string, number>();
  #permissions: ReadonlyMap<number, string> | undefined;

  constructor(raw: RawDefinitions) {
    this.raw = raw;
    for (const [name, code] of Object.entries(raw.TYPES))
      if (code > 0 && code <= CODE_MAX) this.width[code] = typeOf(name)[0];
    const names = [''];
    const kinds = [Kind.unknown as number];
    for (const [name, row] of raw.FIELDS) {
      const type = Object.hasOwn(raw.TYPES, row.type) ? raw.TYPES[row.type]! : 0;
      if (!row.isSerialized || type < 1 || type > CODE_MAX || row.nth < 1 || row.nth > CODE_MAX) continue;
      const code = (type << 8) | row.nth;
      this.fieldOf[code] = names.length;
      this.#codes.set(name, code);
      names.push(name);
      kinds.push(kindOf(name, row));
    }
    this.names = names;
    this.kinds = Uint8Array.from(kinds);
    this.transactionTypes = namesOf(raw.TRANSACTION_TYPES, 0xffff);
    this.transactionResults = namesOf(raw.TRANSACTION_RESULTS, 0xff);
    this.entryTypes = namesOf(raw.LEDGER_ENTRY_TYPES, 0xffff);
  }

  /** A delegated permission is a granular one, or a transaction type plus one (rippled `Permission.h`). */
  get permissions(): ReadonlyMap<number, string> {
    this.#permissions ??= this.#namesOfPermissions();
    return this.#permissions;
  }

  #namesOfPermissions(): ReadonlyMap<number, string> {
    const permissions = new Map<number, string>();
    const { granularPermissions } = referenceCodec().DEFAULT_DEFINITIONS;
    for (const [name, code] of Object.entries(granularPermissions as Readonly<Record<string, number>>))
      permissions.set(code, name);
    for (const [code, name] of this.transactionTypes) permissions.set(code + 1, name);
    const invalid = Object.entries(this.raw.TRANSACTION_TYPES).find(([, code]) => code === -1);
    if (invalid) permissions.set(0, invalid[0]);
    return permissions;
  }

  /** `(type << 8) | nth` of a field; undefined when it is not defined. */
  code(name: string): number | undefined {
    return this.#codes.get(name);
  }

  /** How a field's value is encoded; `Kind.unknown` when the field is not defined. */
  kindOf(name: string): number {
    const code = this.#codes.get(name);
    return code === undefined ? Kind.unknown : this.kinds[this.fieldOf[code]!]!;
  }

  /**
   * These definitions plus those that only the node's answer contains. Known definitions do not change: names decide what
   * users see, and a node is not trusted to change them. Malformed rows are ignored.
   */
  merged(newer: Partial<RawDefinitions>): Definitions {
    const { raw } = this;
    const names = new Set(raw.FIELDS.map(([name]) => name));
    const codes = new Set(raw.FIELDS.map(([, row]) => `${row.type} ${row.nth}`));
    const fields = Array.isArray(newer.FIELDS) ? newer.FIELDS.filter(isFieldRow) : [];
    const added = fields
      .slice(0, NEWER_ROWS_MAX)
      .filter(([name, row]) => !names.has(name) && !codes.has(`${row.type} ${row.nth}`));
    return new Definitions({
      TYPES: mergeCodes(raw.TYPES, newer.TYPES),
      LEDGER_ENTRY_TYPES: mergeCodes(raw.LEDGER_ENTRY_TYPES, newer.LEDGER_ENTRY_TYPES),
      TRANSACTION_RESULTS: mergeCodes(raw.TRANSACTION_RESULTS, newer.TRANSACTION_RESULTS),
      TRANSACTION_TYPES: mergeCodes(raw.TRANSACTION_TYPES, newer.TRANSACTION_TYPES),
      FIELDS: [...raw.FIELDS, ...added],
    });
  }

  /** The same definitions in the form of ripple-binary-codec. Costs milliseconds: keep the result. */
  forReference(): XrplDefinitions {
    const { XrplDefinitions: Reference } = referenceCodec();
    return new Reference(this.raw as unknown as ConstructorParameters<typeof Reference>[0]);
  }
}

function typeOf(name: string): readonly [width: number, kind: number] {
  return (Object.hasOwn(TYPES, name) ? TYPES[name] : undefined) ?? [0, Kind.unknown];
}

function kindOf(name: string, row: FieldRow): number {
  const [width, kind] = typeOf(row.type);
  // A field whose prefix does not match its type has an encoding that this codec does not know.
  if ((width === Width.prefixed) !== row.isVLEncoded) return Kind.unknown;
  if (Object.hasOwn(NAMED_KINDS, name)) return NAMED_KINDS[name]!;
  return kind === Kind.uint64 && DECIMAL_FIELDS.has(name) ? Kind.uint64Decimal : kind;
}

function isFieldRow(row: unknown): row is readonly [string, FieldRow] {
  if (!Array.isArray(row) || typeof row[0] !== 'string') return false;
  const field = row[1] as Partial<FieldRow> | null;
  return (
    typeof field === 'object' &&
    field !== null &&
    Number.isInteger(field.nth) &&
    /^\w+$/.test(row[0]) &&
    row[0] !== '__proto__' &&
    typeof field.type === 'string' &&
    typeof field.isVLEncoded === 'boolean' &&
    typeof field.isSerialized === 'boolean'
  );
}

function mergeCodes(
  known: Readonly<Record<string, number>>,
  newer: Readonly<Record<string, number>> | undefined,
): Readonly<Record<string, number>> {
  if (typeof newer !== 'object' || newer === null) return known;
  const codes = new Set(Object.values(known));
  const added = Object.entries(newer)
    .slice(0, NEWER_ROWS_MAX)
    .filter(([name, code]) => Number.isInteger(code) && !Object.hasOwn(known, name) && !codes.has(code));
  return {
    ...known,
    ...Object.fromEntries(added.filter(([name]) => /^\w+$/.test(name) && name !== '__proto__')),
  };
}

/** The definitions shipped with ripple-binary-codec. */
export const SHIPPED = new Definitions(shipped as unknown as RawDefinitions);
