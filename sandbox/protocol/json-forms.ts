/**
 * Converts fields to JSON and back. Two styles differ in the form of some numbers:
 *
 *     codec   as ripple-binary-codec's `decode`: UInt64 as 16 hex digits, issued values always plain
 *     node    as rippled answers: UInt64 in lower-case hex without leading zeros, very large and very small issued
 *             values as `1000000000000000e5`
 */
import {
  Amount,
  type AmountJson,
  accountOf,
  addressOf,
  assetFromJson,
  assetJson,
  currencyJson,
  currencyOfJson,
  decimalOf,
} from '../../engine/codec/arithmetic/amount.ts';
import { type Num, placed } from '../../engine/codec/arithmetic/decimal.ts';
import { LARGE_SCALE } from '../../engine/codec/arithmetic/number-scale.ts';
import {
  ENTRY_TYPE_CODE,
  ENTRY_TYPE_NAME,
  FIELD_BY_NAME,
  FieldError,
  type FieldInfo,
  Kind,
  NESTING_MAX,
  PERMISSION_CODE,
  PERMISSION_NAME,
  TRANSACTION_TYPE_CODE,
  TRANSACTION_TYPE_NAME,
  UNWRITTEN_FIELDS,
} from './field-table.ts';
import type { Bridge, Fields, PathSet, PathStep } from './fields.ts';
import { isResult, RESULT_OF_CODE, resultCode } from './results.ts';

export type JsonStyle = 'codec' | 'node';
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/** The JSON of fields; names that are not fields (an entry's `index`) are left out. */
export function toJson(fields: Fields, style: JsonStyle = 'codec'): JsonObject {
  const json: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    const info = FIELD_BY_NAME.get(name);
    if (info !== undefined && value !== undefined) json[name] = valueJson(info, value, style);
  }
  return json;
}

function valueJson({ kind }: FieldInfo, value: unknown, style: JsonStyle): Json {
  switch (kind) {
    case Kind.uint64:
      return u64Json(value as bigint, style);
    case Kind.uint64Decimal:
      return (value as bigint).toString();
    case Kind.hash128:
      return style === 'codec' && /^0*$/.test(value as string) ? '' : (value as string);
    case Kind.account:
      return addressOf(value as string);
    case Kind.amount:
      return amountJson(value as Amount, style) as Json;
    case Kind.transactionResult:
      return RESULT_OF_CODE.get(value as number) ?? (value as number);
    case Kind.permission:
      return PERMISSION_NAME.get(value as number) ?? (value as number);
    case Kind.object:
      return toJson(value as Fields, style);
    case Kind.array:
      return (value as readonly Fields[]).map((element) => toJson(element, style));
    case Kind.vector256:
      return [...(value as readonly string[])];
    case Kind.pathSet:
      return (value as PathSet).map((path) => path.map(stepJson));
    case Kind.issue:
      return assetJson(value as string) as Json;
    case Kind.bridge:
      return bridgeJson(value as Bridge);
    case Kind.currency:
      return currencyJson(value as string);
    case Kind.number:
      return LARGE_SCALE.text(LARGE_SCALE.of(value as Num));
    default:
      return value as Json;
  }
}

function u64Json(value: bigint, style: JsonStyle): string {
  const hex = value.toString(16);
  return style === 'node' ? hex : hex.toUpperCase().padStart(16, '0');
}

function amountJson(amount: Amount, style: JsonStyle): AmountJson {
  const json = amount.json();
  if (style === 'node' || !amount.isIssued || typeof json === 'string') return json;
  return { ...json, value: plainText(amount) };
}

function plainText({ mantissa, exponent }: Amount): string {
  if (mantissa === 0n) return '0';
  return mantissa < 0n
    ? `-${placed((-mantissa).toString(), exponent)}`
    : placed(mantissa.toString(), exponent);
}

function stepJson({ account, currency, issuer, mpt }: PathStep): JsonObject {
  const json: JsonObject = {};
  if (account !== undefined) json.account = addressOf(account);
  if (currency !== undefined) json.currency = currencyJson(currency);
  if (mpt !== undefined) json.mpt_issuance_id = mpt;
  if (issuer !== undefined) json.issuer = addressOf(issuer);
  return json;
}

function bridgeJson(bridge: Bridge): JsonObject {
  return {
    LockingChainDoor: addressOf(bridge.LockingChainDoor),
    LockingChainIssue: assetJson(bridge.LockingChainIssue) as Json,
    IssuingChainDoor: addressOf(bridge.IssuingChainDoor),
    IssuingChainIssue: assetJson(bridge.IssuingChainIssue) as Json,
  };
}

/**
 * The fields of a JSON object, as accepted by rippled `STParsedJSON`: integers also as decimal text, types and results
 * by name or number, accounts as address or 40 hex digits. `hash`, `index` and other names that are never serialised
 * are left out.
 * @throws FieldError that names the field.
 */
export function fromJson(json: unknown): Fields {
  return objectOf(json, '', 0);
}

function objectOf(json: unknown, path: string, depth: number): Fields {
  if (depth > NESTING_MAX) throw new FieldError(`${path}: objects lie too deep`);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new FieldError(`${path || 'value'}: not an object`);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(json)) {
    const info = FIELD_BY_NAME.get(name);
    const at = path === '' ? name : `${path}.${name}`;
    if (info === undefined) {
      if (UNWRITTEN_FIELDS.has(name)) continue;
      throw new FieldError(`${at}: no such field`);
    }
    if (value === undefined) continue;
    try {
      fields[name] = fieldOf(info, value, at, depth);
    } catch (error) {
      if (error instanceof FieldError) throw error;
      throw new FieldError(`${at}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return fields as Fields;
}

function fieldOf(info: FieldInfo, value: unknown, at: string, depth: number): unknown {
  switch (info.kind) {
    case Kind.uint8:
      return integerOf(value, 0, 0xff, at);
    case Kind.uint16:
      return integerOf(value, 0, 0xffff, at);
    case Kind.uint32:
      return integerOf(value, 0, 0xffffffff, at);
    case Kind.int32:
      return integerOf(value, -0x80000000, 0x7fffffff, at);
    case Kind.uint64:
      return u64Of(value, 16, at);
    case Kind.uint64Decimal:
      return u64Of(value, 10, at);
    case Kind.hash128:
      return value === '' ? '0'.repeat(32) : hexOf(value, at, 2 * info.width);
    case Kind.hash:
      return value === '' ? '0'.repeat(2 * info.width) : hexOf(value, at, 2 * info.width);
    case Kind.blob:
      return hexOf(value, at);
    case Kind.account:
      return accountIn(value, at);
    case Kind.transactionType:
      return typeName(TRANSACTION_TYPE_NAME, TRANSACTION_TYPE_CODE, value, at);
    case Kind.entryType:
      return typeName(ENTRY_TYPE_NAME, ENTRY_TYPE_CODE, value, at);
    case Kind.transactionResult:
      return typeof value === 'string' && isResult(value) ? resultCode(value) : integerOf(value, 0, 0xff, at);
    case Kind.permission:
      return PERMISSION_CODE.get(value as string) ?? integerOf(value, 0, 0xffffffff, at);
    default:
      return compositeOf(info, value, at, depth);
  }
}

function compositeOf({ kind }: FieldInfo, value: unknown, at: string, depth: number): unknown {
  switch (kind) {
    case Kind.amount:
      return Amount.parse(value);
    case Kind.object:
      return objectOf(value, at, depth + 1);
    case Kind.array:
      return arrayOf(value, at).map((element, i) => elementOf(element, `${at}[${i}]`, depth));
    case Kind.vector256:
      return arrayOf(value, at).map((hash) => hexOf(hash, at, 64));
    case Kind.pathSet:
      return arrayOf(value, at).map((path) => arrayOf(path, at).map((step) => stepOf(step, at)));
    case Kind.issue:
      return assetFromJson(value);
    case Kind.bridge:
      return bridgeOf(value, at);
    case Kind.currency: {
      const currency = typeof value === 'string' ? currencyOfJson(value) : undefined;
      if (currency === undefined) throw new FieldError(`${at}: not a currency`);
      return currency;
    }
    case Kind.number: {
      const { mantissa, exponent } = decimalOf(typeof value === 'number' ? String(value) : (value as string));
      return LARGE_SCALE.normal(mantissa, exponent);
    }
    default:
      throw new FieldError(`${at}: no JSON form known`);
  }
}

function integerOf(value: unknown, min: number, max: number, at: string): number {
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max)
    throw new FieldError(`${at}: not an integer of ${min} .. ${max}`);
  return number;
}

function u64Of(value: unknown, base: 10 | 16, at: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  const pattern = base === 16 ? /^[0-9A-Fa-f]{1,16}$/ : /^[0-9]{1,20}$/;
  if (typeof value !== 'string' || !pattern.test(value)) throw new FieldError(`${at}: not a UInt64`);
  const number = BigInt(base === 16 ? `0x${value}` : value);
  if (number >= 1n << 64n) throw new FieldError(`${at}: not a UInt64`);
  return number;
}

function hexOf(value: unknown, at: string, digits?: number): string {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(value))
    throw new FieldError(`${at}: not hex`);
  if (digits !== undefined && value.length !== digits)
    throw new FieldError(`${at}: not ${digits} hex digits`);
  return value.toUpperCase();
}

function accountIn(value: unknown, at: string): string {
  const text = typeof value === 'string' ? value : '';
  const account = /^[0-9A-Fa-f]{40}$/.test(text) ? text.toUpperCase() : accountOf(text);
  if (account === undefined) throw new FieldError(`${at}: not an account`);
  return account;
}

function typeName<Name extends string>(
  names: ReadonlyMap<number, Name>,
  codes: ReadonlyMap<string, number>,
  value: unknown,
  at: string,
): Name {
  const name = names.get(typeof value === 'number' ? value : (codes.get(value as string) ?? -1));
  if (name === undefined) throw new FieldError(`${at}: ${String(value)} is not known`);
  return name;
}

function arrayOf(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw new FieldError(`${at}: not an array`);
  return value;
}

function elementOf(element: unknown, at: string, depth: number): Fields {
  const fields = objectOf(element, at, depth + 1);
  const names = Object.keys(fields);
  if (names.length !== 1 || FIELD_BY_NAME.get(names[0]!)!.kind !== Kind.object)
    throw new FieldError(`${at}: an array holds objects of one object`);
  return fields;
}

function stepOf(json: unknown, at: string): PathStep {
  if (typeof json !== 'object' || json === null) throw new FieldError(`${at}: not a path step`);
  const { account, currency, issuer, mpt_issuance_id: mpt } = json as Record<string, unknown>;
  const step: { -readonly [Name in keyof PathStep]: PathStep[Name] } = {};
  if (account !== undefined) step.account = accountIn(account, at);
  if (currency !== undefined) {
    const code = typeof currency === 'string' ? currencyOfJson(currency) : undefined;
    if (code === undefined) throw new FieldError(`${at}: not a currency`);
    step.currency = code;
  }
  if (mpt !== undefined) step.mpt = hexOf(mpt, at, 48);
  if (issuer !== undefined) step.issuer = accountIn(issuer, at);
  if (Object.keys(step).length === 0) throw new FieldError(`${at}: empty path step`);
  return step;
}

function bridgeOf(json: unknown, at: string): Bridge {
  if (typeof json !== 'object' || json === null) throw new FieldError(`${at}: not a bridge`);
  const bridge = json as Record<string, unknown>;
  return {
    LockingChainDoor: accountIn(bridge.LockingChainDoor, at),
    LockingChainIssue: assetFromJson(bridge.LockingChainIssue),
    IssuingChainDoor: accountIn(bridge.IssuingChainDoor, at),
    IssuingChainIssue: assetFromJson(bridge.IssuingChainIssue),
  };
}
