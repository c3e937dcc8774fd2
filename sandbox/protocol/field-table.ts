/** The protocol's fields by name and by code, for encoding and decoding with one lookup per field. */
import { type Definitions, Kind, SHIPPED } from '../../engine/codec/definitions.ts';
import type { EntryType } from './fields.ts';

/** Fields that cannot be read or written: unknown, malformed, out of range, not in canonical order. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

export interface FieldInfo {
  readonly name: string;
  /** `(type << 8) | nth`: fields are written in this order. */
  readonly code: number;
  /** One of `Kind`. */
  readonly kind: number;
  /** Bytes of a hash. */
  readonly width: number;
  /** One to three bytes before the value. */
  readonly header: Uint8Array;
  /** Whether it is covered by the signature. */
  readonly signing: boolean;
}

function headerOf(code: number): Uint8Array {
  const type = code >>> 8;
  const nth = code & 0xff;
  if (type < 16) return nth < 16 ? Uint8Array.of((type << 4) | nth) : Uint8Array.of(type << 4, nth);
  return nth < 16 ? Uint8Array.of(nth, type) : Uint8Array.of(0, type, nth);
}

function tableOf(definitions: Definitions): ReadonlyMap<string, FieldInfo> {
  const table = new Map<string, FieldInfo>();
  for (const [name, row] of definitions.raw.FIELDS) {
    const code = definitions.code(name);
    if (code === undefined) continue;
    table.set(name, {
      name,
      code,
      kind: definitions.kinds[definitions.fieldOf[code]!]!,
      width: definitions.width[code >>> 8]!,
      header: headerOf(code),
      signing: row.isSigningField,
    });
  }
  return table;
}

/** Serialised fields by name. */
export const FIELD_BY_NAME: ReadonlyMap<string, FieldInfo> = tableOf(SHIPPED);

/** Serialised fields by `(type << 8) | nth`. */
export const FIELD_BY_CODE: readonly (FieldInfo | undefined)[] = (() => {
  const byCode: (FieldInfo | undefined)[] = [];
  for (const info of FIELD_BY_NAME.values()) byCode[info.code] = info;
  return byCode;
})();

/** Defined, but never serialised: `hash`, `index` and others. */
export const UNWRITTEN_FIELDS: ReadonlySet<string> = new Set(
  SHIPPED.raw.FIELDS.filter(([, row]) => !row.isSerialized).map(([name]) => name),
);

export const TRANSACTION_TYPE_CODE: ReadonlyMap<string, number> = reversed(SHIPPED.transactionTypes);
export const TRANSACTION_TYPE_NAME: ReadonlyMap<number, string> = SHIPPED.transactionTypes;
export const ENTRY_TYPE_CODE: ReadonlyMap<string, number> = reversed(SHIPPED.entryTypes);
export const ENTRY_TYPE_NAME = SHIPPED.entryTypes as ReadonlyMap<number, EntryType>;
/** Names of delegated permissions: granular ones, or a transaction type's code plus one. */
export const PERMISSION_NAME: ReadonlyMap<number, string> = SHIPPED.permissions;
export const PERMISSION_CODE: ReadonlyMap<string, number> = reversed(SHIPPED.permissions);

function reversed(names: ReadonlyMap<number, string>): ReadonlyMap<string, number> {
  return new Map([...names].map(([code, name]) => [name, code]));
}

/** Maximum nesting of objects (rippled `STVar`: "Maximum nesting depth"). */
export const NESTING_MAX = 10;

/** The pseudo-transaction whose `Account`, account zero, is serialised as zero bytes. */
export const NO_ACCOUNT_TYPE = 'UNLModify';

export { Kind };
