/**
 * Decodes bytes to fields. Only exactly what `encodeFields` writes is accepted; refused are unknown fields, fields out of
 * order or repeated, headers and amounts that are not in shortest or normalised form, truncated or trailing bytes.
 */

import {
  Amount,
  EXPONENT_MAX,
  EXPONENT_MIN,
  MANTISSA_MAX,
  MANTISSA_MIN,
} from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type Asset,
  CURRENCY_XRP,
  type Hex,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import { NUM_ZERO, type Num } from '../../engine/codec/arithmetic/decimal.ts';
import { LARGE_SCALE } from '../../engine/codec/arithmetic/number-scale.ts';
import { hexOf, lengthPrefixBytes, readLengthPrefix } from '../../engine/codec/bytes.ts';
import { ARRAY_END, OBJECT_END } from '../../engine/codec/skip.ts';
import {
  ENTRY_TYPE_NAME,
  FIELD_BY_CODE,
  FieldError,
  type FieldInfo,
  Kind,
  NESTING_MAX,
  NO_ACCOUNT_TYPE,
  TRANSACTION_TYPE_NAME,
} from './field-table.ts';
import type { Bridge, Entry, Fields, PathSet, PathStep, TransactionFields } from './fields.ts';

const PATH_KNOWN = 0x71;
const MANTISSA_MASK = (1n << 54n) - 1n;
const DROPS_MASK = (1n << 62n) - 1n;

class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #hex: string;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#hex = hexOf(bytes);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) throw new FieldError(`cut off at byte ${at}`);
    this.#at = at + count;
    return at;
  }

  #hexAt(count: number): Hex {
    const at = this.#take(count);
    return this.#hex.slice(2 * at, 2 * (at + count));
  }

  /** The fields up to the end marker, or to the end of the bytes at depth 0. */
  object(depth: number): Fields {
    if (depth > NESTING_MAX) throw new FieldError('objects lie too deep');
    const fields: Record<string, unknown> = {};
    let before = 0;
    while (this.#at < this.#bytes.length) {
      if (depth > 0 && this.#bytes[this.#at] === OBJECT_END) {
        this.#at++;
        return fields as Fields;
      }
      const info = this.#header();
      if (info.code <= before)
        throw new FieldError(`${info.name} is ${info.code === before ? 'there twice' : 'out of order'}`);
      before = info.code;
      fields[info.name] =
        fields.TransactionType === NO_ACCOUNT_TYPE && info.name === 'Account'
          ? this.#noAccount()
          : this.#value(info, depth);
    }
    if (depth > 0) throw new FieldError('object without end');
    return fields as Fields;
  }

  #header(): FieldInfo {
    const start = this.#take(1);
    const first = this.#bytes[start]!;
    let type = first >>> 4;
    let nth = first & 15;
    if (type === 0) {
      type = this.#bytes[this.#take(1)]!;
      if (type < 16) throw new FieldError(`field header at byte ${start} is longer than it need be`);
    }
    if (nth === 0) {
      nth = this.#bytes[this.#take(1)]!;
      if (nth < 16) throw new FieldError(`field header at byte ${start} is longer than it need be`);
    }
    const info = FIELD_BY_CODE[(type << 8) | nth];
    if (info === undefined || info.name === 'ObjectEndMarker' || info.name === 'ArrayEndMarker')
      throw new FieldError(`no field ${type}.${nth} at byte ${start}`);
    return info;
  }

  #value({ kind, width, name }: FieldInfo, depth: number): unknown {
    switch (kind) {
      case Kind.uint8:
      case Kind.transactionResult:
        return this.#bytes[this.#take(1)]!;
      case Kind.uint16:
        return this.#view.getUint16(this.#take(2));
      case Kind.transactionType:
        return named(TRANSACTION_TYPE_NAME, this.#view.getUint16(this.#take(2)), name);
      case Kind.entryType:
        return named(ENTRY_TYPE_NAME, this.#view.getUint16(this.#take(2)), name);
      case Kind.uint32:
      case Kind.permission:
        return this.#view.getUint32(this.#take(4));
      case Kind.int32:
        return this.#view.getInt32(this.#take(4));
      case Kind.uint64:
      case Kind.uint64Decimal:
        return this.#view.getBigUint64(this.#take(8));
      case Kind.hash:
      case Kind.hash128:
        return this.#hexAt(width);
      case Kind.currency:
        return this.#hexAt(20);
      case Kind.account:
        return this.#account(name);
      case Kind.blob:
        return this.#hexAt(this.#length());
      case Kind.amount:
        return this.#amount(name);
      case Kind.object:
        return this.object(depth + 1);
      case Kind.array:
        return this.#array(depth + 1);
      default:
        return this.#rarer(kind, name);
    }
  }

  #rarer(kind: number, name: string): unknown {
    switch (kind) {
      case Kind.vector256:
        return this.#hashes(name);
      case Kind.pathSet:
        return this.#paths();
      case Kind.issue:
        return this.#issue();
      case Kind.bridge:
        return this.#bridge();
      case Kind.number:
        return this.#number();
      default:
        throw new FieldError(`${name}: no binary form known`);
    }
  }

  #length(): number {
    const length = readLengthPrefix(this.#bytes, this.#at, this.#bytes.length);
    if (length < 0) throw new FieldError(`length at byte ${this.#at}`);
    this.#at += lengthPrefixBytes(this.#bytes[this.#at]!);
    return length;
  }

  #account(name: string): Hex {
    const length = this.#length();
    if (length !== 20) throw new FieldError(`${name}: account of ${length} bytes`);
    return this.#hexAt(20);
  }

  #noAccount(): Hex {
    if (this.#length() !== 0) throw new FieldError('Account: not empty');
    return ACCOUNT_ZERO;
  }

  #array(depth: number): Fields[] {
    const elements: Fields[] = [];
    for (;;) {
      if (this.#at >= this.#bytes.length) throw new FieldError('array without end');
      if (this.#bytes[this.#at] === ARRAY_END) {
        this.#at++;
        return elements;
      }
      const info = this.#header();
      if (info.kind !== Kind.object) throw new FieldError(`${info.name} cannot lie in an array`);
      elements.push({ [info.name]: this.object(depth + 1) } as Fields);
    }
  }

  #amount(name: string): Amount {
    if (this.#at >= this.#bytes.length) throw new FieldError(`${name}: cut off`);
    const first = this.#bytes[this.#at]!;
    if ((first & 0x80) !== 0) return this.#issued(name);
    if ((first & 0x20) !== 0) return this.#mpt(name, first);
    const bits = this.#view.getBigUint64(this.#take(8));
    const drops = bits & DROPS_MASK;
    if ((first & 0x40) !== 0) return Amount.drops(drops);
    if (drops === 0n) throw new FieldError(`${name}: negative zero`);
    return Amount.drops(-drops);
  }

  #mpt(name: string, first: number): Amount {
    if ((first & 0x9f) !== 0) throw new FieldError(`${name}: not an amount`);
    this.#take(1);
    const units = this.#view.getBigUint64(this.#take(8));
    if (units >= 1n << 63n || (units === 0n && first !== 0x60))
      throw new FieldError(`${name}: amount out of range`);
    return Amount.mpt(this.#hexAt(24), first === 0x60 ? units : -units);
  }

  #issued(name: string): Amount {
    const bits = this.#view.getBigUint64(this.#take(8));
    const asset = this.#hexAt(40);
    if (asset.startsWith(CURRENCY_XRP) || asset.endsWith(ACCOUNT_ZERO))
      throw new FieldError(`${name}: XRP as an issued currency`);
    const mantissa = bits & MANTISSA_MASK;
    const top = Number(bits >> 54n);
    if (mantissa === 0n) {
      if (top !== 512) throw new FieldError(`${name}: zero is not normalised`);
      return Amount.zero(asset);
    }
    const exponent = (top & 0xff) - 97;
    if (
      mantissa < MANTISSA_MIN ||
      mantissa > MANTISSA_MAX ||
      exponent < EXPONENT_MIN ||
      exponent > EXPONENT_MAX
    )
      throw new FieldError(`${name}: amount is not normalised`);
    return Amount.issued(asset, (top & 0x100) !== 0 ? mantissa : -mantissa, exponent);
  }

  #hashes(name: string): Hex[] {
    const length = this.#length();
    if (length % 32 !== 0) throw new FieldError(`${name}: ${length} bytes of hashes`);
    return Array.from({ length: length / 32 }, () => this.#hexAt(32));
  }

  #paths(): PathSet {
    const paths: PathStep[][] = [];
    let path: PathStep[] = [];
    for (;;) {
      const kind = this.#bytes[this.#take(1)]!;
      if (kind === 0x00 || kind === 0xff) {
        if (path.length === 0) throw new FieldError('empty path');
        paths.push(path);
        if (kind === 0x00) return paths;
        path = [];
      } else if ((kind & ~PATH_KNOWN) !== 0) throw new FieldError('unknown kind of path step');
      else path.push(this.#step(kind));
    }
  }

  #step(kind: number): PathStep {
    const step: { -readonly [Name in keyof PathStep]: PathStep[Name] } = {};
    if (kind & 0x01) step.account = this.#hexAt(20);
    if (kind & 0x10) step.currency = this.#hexAt(20);
    if (kind & 0x40) step.mpt = this.#hexAt(24);
    if (kind & 0x20) step.issuer = this.#hexAt(20);
    return step;
  }

  #issue(): Asset {
    const first = this.#hexAt(20);
    if (first === CURRENCY_XRP) return XRP;
    const issuer = this.#hexAt(20);
    if (issuer === ACCOUNT_ZERO) throw new FieldError('asset without issuer');
    if (issuer !== ACCOUNT_ONE) return first + issuer;
    const sequence = this.#view.getUint32(this.#take(4), true);
    return sequence.toString(16).toUpperCase().padStart(8, '0') + first;
  }

  #door(): Hex {
    if (this.#bytes[this.#take(1)] !== 20) throw new FieldError('bridge door is no account');
    return this.#hexAt(20);
  }

  #bridge(): Bridge {
    const LockingChainDoor = this.#door();
    const LockingChainIssue = this.#issue();
    const IssuingChainDoor = this.#door();
    return { LockingChainDoor, LockingChainIssue, IssuingChainDoor, IssuingChainIssue: this.#issue() };
  }

  #number(): Num {
    const mantissa = this.#view.getBigInt64(this.#take(8));
    const exponent = this.#view.getInt32(this.#take(4));
    return mantissa === 0n ? NUM_ZERO : LARGE_SCALE.normal(mantissa, exponent);
  }
}

function named<Name extends string>(names: ReadonlyMap<number, Name>, code: number, field: string): Name {
  const name = names.get(code);
  if (name === undefined) throw new FieldError(`${field} ${code} is not known`);
  return name;
}

/**
 * The fields of a blob: a transaction, its metadata, a ledger entry.
 * @throws FieldError for anything but canonical bytes.
 */
export function decodeFields(bytes: Uint8Array): Fields {
  try {
    return new FieldReader(bytes).object(0);
  } catch (error) {
    if (error instanceof FieldError) throw error;
    throw new FieldError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws FieldError when the bytes are not a ledger entry. */
export function decodeEntry(index: Hex, bytes: Uint8Array): Entry {
  const fields = decodeFields(bytes);
  if (fields.LedgerEntryType === undefined) throw new FieldError('no ledger entry');
  return Object.assign(fields, { index }) as Entry;
}

/** @throws FieldError when the bytes are not a transaction with type, account, fee and sequence. */
export function decodeTransaction(bytes: Uint8Array): TransactionFields {
  const fields = decodeFields(bytes);
  for (const name of ['TransactionType', 'Account', 'Fee', 'Sequence'] as const)
    if (fields[name] === undefined) throw new FieldError(`transaction without ${name}`);
  return fields as TransactionFields;
}
