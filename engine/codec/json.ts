/**
 * The full path: bytes of a transaction, its metadata or a ledger entry to the JSON that ripple-binary-codec's
 * `decode` gives, in one pass.
 *
 * Goals: the same JSON as the reference for everything that it reads, over forty times faster; no input, however
 * hostile, makes it crash or hang. Non-goals: checking signatures or canonical order, encoding.
 *
 *     E5 11 0072 .. 56 <32> E6 62 <48> E1 E7 .. E1 E1
 *     |  |          |       |
 *     |  |          |       +-- object PreviousFields (14 << 4 | 6), closed by E1
 *     |  |          +---------- LedgerIndex, 32 bytes, shown as a slice of the blob's hex
 *     |  +--------------------- LedgerEntryType, two bytes, shown by name
 *     +------------------------ object ModifiedNode
 *
 * Cost: about 4 us for a transaction with its metadata. The reference copies the rest of the buffer for every field it
 * reads; here nothing is copied. The hex text of the whole blob is made once and sliced (a slice keeps the whole
 * text in memory). Addresses repeat within and across blobs and cost two SHA-256 each: they are cached.
 *
 * A blob with something unusual (an undefined field, an array of something other than objects, an amount out of range)
 * is passed to the reference with the same definitions, and counted. When the reference refuses it too, `ReaderError`
 * has the place, the reason and what was read: undefined fields of a known type are skipped and reading continues.
 */
import type { XrplDefinitions } from 'ripple-binary-codec';
import { integerText } from './amount.ts';
import { hexOf, lengthPrefixBytes, readLengthPrefix } from './bytes.ts';
import { type Definitions, Kind, SHIPPED } from './definitions.ts';
import { referenceCodec } from './reference.ts';
import { ARRAY_END, amountBytes, OBJECT_END, skipValue } from './skip.ts';
import { AccountTexts, CodeTexts } from './texts.ts';
import {
  bridgeOf,
  type Cursor,
  issuedValueText,
  issueOf,
  type Json,
  type JsonObject,
  nativeText,
  numberText,
  pathSetOf,
} from './values.ts';

export type { Json, JsonObject } from './values.ts';

/** Why a blob could not be read completely. */
export type ReaderFault = 'unknown' | 'truncated' | 'nesting' | 'malformed';

/** A blob that neither this reader nor the reference can read completely. */
export class ReaderError extends Error {
  override readonly name = 'ReaderError';
  readonly fault: ReaderFault;
  /** Offset in the blob. */
  readonly at: number;
  /** What was read. */
  readonly partial: JsonObject;

  constructor(fault: ReaderFault, at: number, partial: JsonObject) {
    super(`${fault} field at byte ${at}`);
    this.fault = fault;
    this.at = at;
    this.partial = partial;
  }
}

/** rippled refuses deeper objects ("Maximum nesting depth of STVar exceeded"). */
const NESTING_MAX = 10;
/**
 * Larger blobs are not passed to the reference: its time grows with the square of the length, and hostile bytes would
 * block the thread for seconds.
 */
const FALLBACK_BYTES_MAX = 64 * 1024;

/** Thrown inside one decode only. */
class Unusual extends Error {
  readonly fault: ReaderFault;
  readonly at: number;
  constructor(fault: ReaderFault, at: number) {
    super(fault);
    this.fault = fault;
    this.at = at;
  }
}

const ACCOUNT_SLOTS = 8192;

/** What a Reader counts: in `Counters` (engine/counters.ts) or in an object of the caller. */
export interface ReaderCounters {
  unknownFields: number;
  readerFallbacks: number;
}

/** Reads blobs; keeps the definitions and the caches. Not re-entrant. */
export class Reader implements Cursor {
  readonly definitions: Definitions;
  readonly counters: ReaderCounters;
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;
  #text = '';
  #unknownAt = -1;
  readonly #fieldOf: Uint16Array;
  readonly #names: readonly string[];
  readonly #kinds: Uint8Array;
  readonly #accounts: AccountTexts;
  readonly #codes = new CodeTexts();
  #reference: XrplDefinitions | undefined;

  /** @param accountSlots size of the address cache, a power of two. */
  constructor(
    definitions: Definitions = SHIPPED,
    counters: ReaderCounters = { unknownFields: 0, readerFallbacks: 0 },
    accountSlots = ACCOUNT_SLOTS,
  ) {
    this.definitions = definitions;
    this.counters = counters;
    this.#fieldOf = definitions.fieldOf;
    this.#names = definitions.names;
    this.#kinds = definitions.kinds;
    this.#accounts = new AccountTexts(accountSlots);
  }

  /**
   * The JSON of a transaction, its metadata or a ledger entry.
   * @throws ReaderError when neither this reader nor the reference can read it completely; it contains what was read.
   */
  decode(bytes: Uint8Array): JsonObject {
    const root: JsonObject = {};
    let fault: Unusual | undefined;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#text = hexOf(bytes);
    this.#at = 0;
    this.#end = bytes.length;
    this.#unknownAt = -1;
    try {
      this.#readObject(root, 0);
      if (this.#unknownAt < 0) return root;
      fault = new Unusual('unknown', this.#unknownAt);
    } catch (error) {
      if (!(error instanceof Unusual)) throw error;
      fault = error;
    }
    return this.#fallBack(bytes, root, fault);
  }

  #fallBack(bytes: Uint8Array, partial: JsonObject, { fault, at }: Unusual): JsonObject {
    this.counters.readerFallbacks++;
    if (fault !== 'nesting' && bytes.length <= FALLBACK_BYTES_MAX) {
      try {
        this.#reference ??= this.definitions.forReference();
        return referenceCodec().decode(hexOf(bytes), this.#reference) as JsonObject;
      } catch {
        // The reference refuses it too, with various errors (Error, TypeError, RangeError): our error has more details.
      }
    }
    throw new ReaderError(fault, at, partial);
  }

  #readObject(into: JsonObject, depth: number): void {
    const { bytes } = this;
    const end = this.#end;
    const fieldOf = this.#fieldOf;
    const kinds = this.#kinds;
    const names = this.#names;
    while (this.#at < end) {
      const start = this.#at;
      const first = bytes[start]!;
      if (first === OBJECT_END) {
        this.#at = start + 1;
        return;
      }
      const code = this.#header(first);
      const field = fieldOf[code]!;
      const kind = kinds[field]!;
      if (kind === Kind.object) {
        const inner: JsonObject = {};
        into[names[field]!] = inner;
        if (depth >= NESTING_MAX) throw new Unusual('nesting', start);
        this.#readObject(inner, depth + 1);
      } else if (kind === Kind.array) {
        const inner: Json[] = [];
        into[names[field]!] = inner;
        if (first === ARRAY_END || depth >= NESTING_MAX)
          throw new Unusual(first === ARRAY_END ? 'malformed' : 'nesting', start);
        this.#readArray(inner, depth + 1);
      } else if (kind === Kind.unknown) this.#skipUnknown(start, code >>> 8);
      else into[names[field]!] = this.#readValue(kind, start);
    }
  }

  #readArray(into: Json[], depth: number): void {
    const { bytes } = this;
    const end = this.#end;
    const fieldOf = this.#fieldOf;
    const kinds = this.#kinds;
    const names = this.#names;
    while (this.#at < end) {
      const start = this.#at;
      const first = bytes[start]!;
      if (first === ARRAY_END) {
        this.#at = start + 1;
        return;
      }
      const code = this.#header(first);
      const field = fieldOf[code]!;
      // Anything but objects: the reference has a special result for it.
      if (kinds[field] !== Kind.object || first === OBJECT_END) {
        if (kinds[field] === Kind.unknown) this.counters.unknownFields++;
        throw new Unusual(kinds[field] === Kind.unknown ? 'unknown' : 'malformed', start);
      }
      const inner: JsonObject = {};
      into.push({ [names[field]!]: inner });
      if (depth >= NESTING_MAX) throw new Unusual('nesting', start);
      this.#readObject(inner, depth + 1);
    }
  }

  /** Takes the field header that starts with `first`: `(type << 8) | nth`. */
  #header(first: number): number {
    let type = first >>> 4;
    let nth = first & 15;
    this.#at++;
    if (type === 0) {
      type = this.bytes[this.take(1)]!;
      if (type < 16) throw new Unusual('malformed', this.#at);
    }
    if (nth === 0) {
      nth = this.bytes[this.take(1)]!;
      if (nth < 16) throw new Unusual('malformed', this.#at);
    }
    return (type << 8) | nth;
  }

  #skipUnknown(start: number, type: number): void {
    this.counters.unknownFields++;
    const next = skipValue(this.definitions.width, this.bytes, this.#at, this.#end, type);
    if (next < 0) throw new Unusual('unknown', start);
    if (this.#unknownAt < 0) this.#unknownAt = start;
    this.#at = next;
  }

  #readValue(kind: number, start: number): Json {
    switch (kind) {
      case Kind.uint32:
        return this.view.getUint32(this.take(4));
      case Kind.amount:
        return this.#amount();
      case Kind.hash:
        return this.#hash(start);
      case Kind.account:
        return this.#prefixedAccount();
      case Kind.uint64:
        return this.hex(this.take(8), 8);
      case Kind.blob: {
        const length = this.#length();
        return this.hex(this.take(length), length);
      }
      case Kind.uint8:
        return this.bytes[this.take(1)]!;
      case Kind.uint16:
        return this.view.getUint16(this.take(2));
      case Kind.entryType:
        return this.#named(this.definitions.entryTypes, this.view.getUint16(this.take(2)), start);
      case Kind.transactionType:
        return this.#named(this.definitions.transactionTypes, this.view.getUint16(this.take(2)), start);
      case Kind.transactionResult:
        return this.#named(this.definitions.transactionResults, this.bytes[this.take(1)]!, start);
      default:
        return this.#readRareValue(kind, start);
    }
  }

  #readRareValue(kind: number, start: number): Json {
    switch (kind) {
      case Kind.hash128: {
        const hex = this.hex(this.take(16), 16);
        return /^0+$/.test(hex) ? '' : hex;
      }
      case Kind.uint64Decimal: {
        const at = this.take(8);
        return integerText(this.view.getUint32(at), this.view.getUint32(at + 4));
      }
      case Kind.int32:
        return this.view.getInt32(this.take(4));
      case Kind.int64:
        return this.view.getBigInt64(this.take(8)).toString();
      case Kind.permission:
        return this.#named(this.definitions.permissions, this.view.getUint32(this.take(4)), start);
      case Kind.vector256:
        return this.#hashes();
      case Kind.pathSet:
        return pathSetOf(this);
      case Kind.issue:
        return issueOf(this);
      case Kind.bridge:
        return bridgeOf(this);
      case Kind.currency:
        return this.currency(this.take(20));
      case Kind.number:
        return numberText(this.view, this.take(12));
      default:
        return this.unusual(start);
    }
  }

  #hash(start: number): string {
    const first = this.bytes[start]!;
    const type = first >>> 4 || this.bytes[start + 1]!;
    const width = this.definitions.width[type]!;
    return this.hex(this.take(width), width);
  }

  /** Codes without a name stay numbers in `ReaderError.partial`. */
  #named(names: ReadonlyMap<number, string>, code: number, start: number): Json {
    const name = names.get(code);
    if (name !== undefined) return name;
    this.counters.unknownFields++;
    if (this.#unknownAt < 0) this.#unknownAt = start;
    return code;
  }

  #amount(): Json {
    const { bytes, view } = this;
    if (this.#at >= this.#end) throw new Unusual('truncated', this.#at);
    const first = bytes[this.#at]!;
    const at = this.take(amountBytes(first));
    if (first & 0x80) {
      const value = issuedValueText(view.getUint32(at), view.getUint32(at + 4));
      if (value === undefined) return this.unusual(at);
      return { value, currency: this.currency(at + 8), issuer: this.#accounts.text(bytes, view, at + 28) };
    }
    if ((first & 0x20) === 0) return nativeText(view.getUint32(at), view.getUint32(at + 4));
    const value = integerText(view.getUint32(at + 1), view.getUint32(at + 5));
    return { value: first & 0x40 ? value : `-${value}`, mpt_issuance_id: this.hex(at + 9, 24) };
  }

  /** An account after its length prefix: 20 bytes, or none, which the reference shows as account zero. */
  #prefixedAccount(): string {
    const length = this.#length();
    if (length === 20) return this.#accounts.text(this.bytes, this.view, this.take(20));
    if (length === 0) return ACCOUNT_ZERO;
    return this.unusual(this.#at);
  }

  #hashes(): string[] {
    const length = this.#length();
    if (length % 32 !== 0) return this.unusual(this.#at);
    const from = this.take(length);
    const hashes: string[] = [];
    for (let at = from; at < from + length; at += 32) hashes.push(this.hex(at, 32));
    return hashes;
  }

  #length(): number {
    const length = readLengthPrefix(this.bytes, this.#at, this.#end);
    if (length < 0) throw new Unusual('truncated', this.#at);
    this.#at += lengthPrefixBytes(this.bytes[this.#at]!);
    return length;
  }

  take(count: number): number {
    const at = this.#at;
    const next = at + count;
    if (next > this.#end) throw new Unusual('truncated', at);
    this.#at = next;
    return at;
  }

  account(at: number): string {
    return this.#accounts.text(this.bytes, this.view, at);
  }

  currency(at: number): string {
    const { view } = this;
    const code = view.getUint32(at + 12);
    if (
      (view.getUint32(at) | view.getUint32(at + 4) | view.getUint32(at + 8) | view.getUint32(at + 16)) ===
        0 &&
      (code & 0xff) === 0
    ) {
      const known = this.#codes.text(code >>> 8);
      if (known !== undefined) return known;
    }
    return this.hex(at, 20);
  }

  hex(at: number, length: number): string {
    return this.#text.slice(2 * at, 2 * (at + length));
  }

  unusual(at: number): never {
    throw new Unusual('malformed', at);
  }
}

const ACCOUNT_ZERO = 'rrrrrrrrrrrrrrrrrrrrrhoLvTp';

/** Slots of the address cache of a reader that is used for one call. */
const ONE_CALL_SLOTS = 256;

/**
 * The JSON of one blob, equal to ripple-binary-codec's `decode`. For many blobs create one Reader.
 * @throws ReaderError see Reader.decode
 */
export function decodeObject(bytes: Uint8Array): JsonObject {
  return new Reader(SHIPPED, undefined, ONE_CALL_SLOTS).decode(bytes);
}
