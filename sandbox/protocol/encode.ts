/**
 * Encodes fields to bytes, as they are signed, hashed and stored.
 *
 * Goal: the bytes that rippled writes, in one pass. Non-goal: to correct input; a value that has no binary form is an
 * error.
 *
 *     header (1..3 bytes: type, nth) | value          fields in the order of their codes, whatever their order here
 *     objects and arrays                              their fields, closed by E1 and F1
 *
 * Cost: 2 to 4 us for a payment. Field names are looked up once each; their codes are sorted by insertion (objects
 * come in canonical order most of the time); the buffer doubles when it is full.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { ACCOUNT_ONE, CURRENCY_XRP, issuerOf, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { INT64_MAX, type Num, ZERO_EXPONENT } from '../../engine/codec/arithmetic/decimal.ts';
import { writeLengthPrefix } from '../../engine/codec/bytes.ts';
import { ARRAY_END, OBJECT_END } from '../../engine/codec/skip.ts';
import {
  ENTRY_TYPE_CODE,
  FIELD_BY_NAME,
  FieldError,
  type FieldInfo,
  Kind,
  NESTING_MAX,
  NO_ACCOUNT_TYPE,
  TRANSACTION_TYPE_CODE,
  UNWRITTEN_FIELDS,
} from './field-table.ts';
import type { Bridge, Entry, Fields, PathSet } from './fields.ts';

export { decodeEntry, decodeFields, decodeTransaction } from './decode.ts';
export { FieldError } from './field-table.ts';
export { fromJson, toJson } from './json-forms.ts';

const BUFFER_START = 512;

const PATH_ACCOUNT = 0x01;
const PATH_CURRENCY = 0x10;
const PATH_ISSUER = 0x20;
const PATH_MPT = 0x40;
const PATH_SEPARATOR = 0xff;
const PATHS_END = 0x00;

/** Mantissas of the ledger's number fields have 19 digits, one digit fewer above 2^63 - 1. */
const NUMBER_MANTISSA_MIN = 10n ** 18n;

const ISSUED_BIT = 1n << 63n;
const POSITIVE_BIT = 1n << 62n;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

class Writer {
  // A Buffer, because it can write hex in place.
  bytes = Buffer.allocUnsafe(BUFFER_START);
  view = viewOf(this.bytes);
  at = 0;

  /** Reserves `count` bytes and returns their start. */
  take(count: number): number {
    const { at } = this;
    const end = at + count;
    if (end > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, 2 * this.bytes.length));
      grown.set(this.bytes);
      this.bytes = grown;
      this.view = viewOf(grown);
    }
    this.at = end;
    return at;
  }

  byte(value: number): void {
    const at = this.take(1);
    this.bytes[at] = value;
  }

  // Space is reserved first: it may replace buffer and view.
  u16(value: number): void {
    const at = this.take(2);
    this.view.setUint16(at, value);
  }

  u32(value: number): void {
    const at = this.take(4);
    this.view.setUint32(at, value);
  }

  u64(value: bigint): void {
    const at = this.take(8);
    this.view.setBigUint64(at, value);
  }

  /** Bytes of a hex text. @throws FieldError when it is not hex. */
  hex(text: string): void {
    const count = text.length >> 1;
    const at = this.take(count);
    // Fewer bytes than expected mean that the text has another character.
    if ((text.length & 1) !== 0 || this.#writeHex(text, at, count) !== count) throw new FieldError('not hex');
  }

  #writeHex(text: string, at: number, count: number): number {
    return count === 0 ? 0 : this.bytes.write(text, at, count, 'hex');
  }

  hexOf(text: string, width: number): void {
    if (text.length !== 2 * width) throw new FieldError(`${text.length / 2} bytes, not ${width}`);
    this.hex(text);
  }

  length(count: number): void {
    const start = this.take(3);
    this.at = start + writeLengthPrefix(this.bytes, start, count);
  }

  object(fields: Fields, signing: boolean, depth: number): void {
    if (depth > NESTING_MAX) throw new FieldError('objects lie too deep');
    const infos: FieldInfo[] = [];
    for (const name in fields) {
      if ((fields as Record<string, unknown>)[name] === undefined) continue;
      const info = FIELD_BY_NAME.get(name);
      if (info === undefined) {
        if (UNWRITTEN_FIELDS.has(name)) continue;
        throw new FieldError(`no field ${name}`);
      }
      if (signing && !info.signing) continue;
      let place = infos.length;
      while (place > 0 && infos[place - 1]!.code > info.code) {
        infos[place] = infos[place - 1]!;
        place--;
      }
      infos[place] = info;
    }
    for (const info of infos) {
      const { header } = info;
      const at = this.take(header.length);
      for (let i = 0; i < header.length; i++) this.bytes[at + i] = header[i]!;
      try {
        if (fields.TransactionType === NO_ACCOUNT_TYPE && info.name === 'Account') this.byte(0);
        else this.value(info, (fields as Record<string, unknown>)[info.name], depth);
      } catch (error) {
        throw error instanceof FieldError && error.message.startsWith(info.name)
          ? error
          : new FieldError(`${info.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  value({ kind, width }: FieldInfo, value: unknown, depth: number): void {
    switch (kind) {
      case Kind.uint8:
      case Kind.transactionResult:
        this.byte(integer(value, 0xff));
        break;
      case Kind.uint16:
        this.u16(integer(value, 0xffff));
        break;
      case Kind.transactionType:
        this.u16(codeOf(TRANSACTION_TYPE_CODE, value));
        break;
      case Kind.entryType:
        this.u16(codeOf(ENTRY_TYPE_CODE, value));
        break;
      case Kind.uint32:
      case Kind.permission:
        this.u32(integer(value, 0xffffffff));
        break;
      case Kind.int32:
        this.u32(signed(value));
        break;
      case Kind.uint64:
      case Kind.uint64Decimal:
        this.u64(uint64(value));
        break;
      case Kind.hash:
      case Kind.hash128:
        this.hexOf(value as string, width);
        break;
      case Kind.currency:
        this.hexOf(value as string, 20);
        break;
      case Kind.account:
        this.byte(20);
        this.hexOf(value as string, 20);
        break;
      case Kind.blob:
        this.length((value as string).length >> 1);
        this.hex(value as string);
        break;
      default:
        this.#composite(kind, value, depth);
    }
  }

  #composite(kind: number, value: unknown, depth: number): void {
    switch (kind) {
      case Kind.amount:
        this.#amount(value as Amount);
        break;
      case Kind.object:
        this.object(value as Fields, false, depth + 1);
        this.byte(OBJECT_END);
        break;
      case Kind.array:
        for (const element of value as readonly Fields[]) this.object(element, false, depth + 1);
        this.byte(ARRAY_END);
        break;
      case Kind.vector256:
        this.length(32 * (value as readonly string[]).length);
        for (const hash of value as readonly string[]) this.hexOf(hash, 32);
        break;
      case Kind.pathSet:
        this.#paths(value as PathSet);
        break;
      case Kind.issue:
        this.#issue(value as string);
        break;
      case Kind.bridge:
        this.#bridge(value as Bridge);
        break;
      case Kind.number:
        this.#number(value as Num);
        break;
      default:
        throw new FieldError('no binary form known');
    }
  }

  #amount({ asset, mantissa, exponent }: Amount): void {
    const magnitude = mantissa < 0n ? -mantissa : mantissa;
    if (asset === XRP) this.u64(mantissa < 0n ? magnitude : magnitude | POSITIVE_BIT);
    else if (asset.length === 48) {
      this.byte(mantissa < 0n ? 0x20 : 0x60);
      this.u64(magnitude);
      this.hexOf(asset, 24);
    } else {
      const sign = mantissa < 0n ? 0n : POSITIVE_BIT;
      const zero = mantissa === 0n;
      this.u64(zero ? ISSUED_BIT : ISSUED_BIT | sign | (BigInt(exponent + 97) << 54n) | magnitude);
      this.hexOf(asset, 40);
    }
  }

  #paths(paths: PathSet): void {
    for (const [i, path] of paths.entries()) {
      if (i > 0) this.byte(PATH_SEPARATOR);
      for (const { account, currency, issuer, mpt } of path) {
        this.byte(
          (account === undefined ? 0 : PATH_ACCOUNT) |
            (currency === undefined ? 0 : PATH_CURRENCY) |
            (issuer === undefined ? 0 : PATH_ISSUER) |
            (mpt === undefined ? 0 : PATH_MPT),
        );
        if (account !== undefined) this.hexOf(account, 20);
        if (currency !== undefined) this.hexOf(currency, 20);
        if (mpt !== undefined) this.hexOf(mpt, 24);
        if (issuer !== undefined) this.hexOf(issuer, 20);
      }
    }
    this.byte(PATHS_END);
  }

  #issue(asset: string): void {
    if (asset.length !== 48) {
      if (asset === XRP) this.hexOf(CURRENCY_XRP, 20);
      else this.hexOf(asset, 40);
      return;
    }
    // Issuer, account one, then the sequence in little-endian order.
    this.hexOf(issuerOf(asset), 20);
    this.hexOf(ACCOUNT_ONE, 20);
    const at = this.take(4);
    this.view.setUint32(at, Number.parseInt(asset.slice(0, 8), 16), true);
  }

  #bridge(value: Bridge): void {
    this.byte(20);
    this.hexOf(value.LockingChainDoor, 20);
    this.#issue(value.LockingChainIssue);
    this.byte(20);
    this.hexOf(value.IssuingChainDoor, 20);
    this.#issue(value.IssuingChainIssue);
  }

  #number(value: Num): void {
    let { mantissa, exponent } = value;
    if (mantissa === 0n) exponent = ZERO_EXPONENT;
    else {
      const negative = mantissa < 0n;
      if (negative) mantissa = -mantissa;
      while (mantissa < NUMBER_MANTISSA_MIN) {
        mantissa *= 10n;
        exponent--;
      }
      if (mantissa > INT64_MAX) {
        mantissa /= 10n;
        exponent++;
      }
      if (negative) mantissa = -mantissa;
    }
    this.u64(BigInt.asUintN(64, mantissa));
    this.u32(exponent);
  }
}

function integer(value: unknown, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw new FieldError(`${String(value)} is not in 0 .. ${max}`);
  return value;
}

function uint64(value: unknown): bigint {
  if (typeof value !== 'bigint' || value < 0n || value >= 1n << 64n) throw new FieldError('not a UInt64');
  return value;
}

function signed(value: unknown): number {
  if (typeof value !== 'number' || (value | 0) !== value) throw new FieldError('not an Int32');
  return value;
}

function codeOf(codes: ReadonlyMap<string, number>, name: unknown): number {
  const code = codes.get(name as string);
  if (code === undefined) throw new FieldError(`${String(name)} is not known`);
  return code;
}

/**
 * The bytes of an object's fields in canonical order, without an end mark.
 * @param options.signing leaves out what a signature does not cover (top level only, as rippled does).
 * @throws FieldError for a field that is not defined or a value without binary form.
 */
export function encodeFields(fields: Fields, options: { readonly signing?: boolean } = {}): Uint8Array {
  const writer = new Writer();
  writer.object(fields, options.signing === true, 0);
  // A copy: a Buffer's slice would be a view that keeps the whole buffer alive.
  return new Uint8Array(writer.bytes.subarray(0, writer.at));
}

/** A ledger entry as stored in the state tree (without its index). */
export const encodeEntry = (entry: Readonly<Entry>): Uint8Array => encodeFields(entry);

/** A transaction with its signatures: its hash covers these bytes after `TXN`. */
export const encodeTransaction = (tx: Fields): Uint8Array => encodeFields(tx);
