/** JSON of the values that are more than a number, a text or a hash. Formats follow ripple-binary-codec. */
import { integerText, mantissaText, POSITIVE, placePoint } from './amount.ts';
import { isAccountOne, isZeroRange, PATH_SEPARATOR, PATHS_END, PathElement } from './skip.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Of a value that was read from JSON: neither a list nor null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part of the Reader that value readers use: the bytes, the current offset, and texts by offset. */
export interface Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Consumes `count` bytes and returns the offset of the first. Throws when they are cut off. */
  take(count: number): number;
  account(at: number): string;
  currency(at: number): string;
  hex(at: number, length: number): string;
  /** Throws, so that the blob is passed to the reference. */
  unusual(at: number): never;
}

/** XRP drops; like the reference, `-0` for zero without the positive bit. */
export function nativeText(hi: number, lo: number): string {
  const text = integerText(hi & 0x1fffffff, lo);
  return hi & POSITIVE ? text : `-${text}`;
}

/**
 * Text of an issued amount's value; undefined when the reference would refuse it: more than 16 significant digits
 * or an exponent out of -96 .. 80 after normalising. Amounts that are not normalised but within these limits are shown by value.
 */
export function issuedValueText(hi: number, lo: number): string | undefined {
  const high22 = hi & 0x3fffff;
  if (high22 === 0 && lo === 0) return '0';
  const exponent = ((hi >>> 22) & 0xff) - 97;
  const digits = mantissaText(high22, lo);
  if (digits.length !== 16 || exponent < -96 || exponent > 80) {
    const significant = digits.replace(/0+$/, '').length;
    const normal = exponent + digits.length - 16;
    if (significant > 16 || normal < -96 || normal > 80) return undefined;
  }
  const text = placePoint(digits, exponent);
  return hi & POSITIVE ? text : `-${text}`;
}

/** Paths: alternatives, each a list of steps. */
export function pathSetOf(from: Cursor): Json[] {
  const paths: Json[] = [];
  for (;;) {
    const path: Json[] = [];
    let next: number;
    do {
      path.push(stepOf(from));
      next = from.bytes[from.take(1)]!;
      if (next !== PATHS_END && next !== PATH_SEPARATOR) from.take(-1);
    } while (next !== PATHS_END && next !== PATH_SEPARATOR);
    paths.push(path);
    if (next === PATHS_END) return paths;
  }
}

function stepOf(from: Cursor): JsonObject {
  const kind = from.bytes[from.take(1)]!;
  const step: JsonObject = {};
  if (kind & PathElement.account) step.account = from.account(from.take(20));
  if (kind & PathElement.currency) step.currency = from.currency(from.take(20));
  if (kind & PathElement.mpt) step.mpt_issuance_id = from.hex(from.take(24), 24);
  if (kind & PathElement.issuer) step.issuer = from.account(from.take(20));
  return step;
}

/** Asset without a value: XRP, issued, or MPT (whose sequence follows the issuer, little-endian). */
export function issueOf(from: Cursor): JsonObject {
  const { bytes } = from;
  const at = from.take(20);
  if (isZeroRange(bytes, at, at + 20)) return { currency: 'XRP' };
  const issuerAt = from.take(20);
  if (isAccountOne(bytes, issuerAt)) {
    const s = from.take(4);
    const sequence = from.hex(s + 3, 1) + from.hex(s + 2, 1) + from.hex(s + 1, 1) + from.hex(s, 1);
    return { mpt_issuance_id: sequence + from.hex(at, 20) };
  }
  return { currency: from.currency(at), issuer: from.account(issuerAt) };
}

/** Two doors with their issues; each door account is preceded by a length byte. */
export function bridgeOf(from: Cursor): JsonObject {
  const LockingChainDoor = from.account(from.take(21) + 1);
  const LockingChainIssue = issueOf(from);
  const IssuingChainDoor = from.account(from.take(21) + 1);
  const IssuingChainIssue = issueOf(from);
  return { LockingChainDoor, LockingChainIssue, IssuingChainDoor, IssuingChainIssue };
}

const NUMBER_MANTISSA_MIN = 10n ** 18n;
const NUMBER_ZERO_EXPONENT = -2147483648;
const NUMBER_EXPONENT_MAX = 32768;

/**
 * STNumber: int64 mantissa, int32 exponent. Plain text while the exponent is -28 .. -8 or 0, else scientific without
 * trailing zeros (rippled `to_string(Number)` at its large scale of 19 digits).
 */
export function numberText(view: DataView, at: number): string {
  const mantissa = view.getBigInt64(at);
  let exponent = view.getInt32(at + 8);
  if (mantissa === 0n && exponent === NUMBER_ZERO_EXPONENT) return '0';
  const sign = mantissa < 0n ? '-' : '';
  let magnitude = mantissa < 0n ? -mantissa : mantissa;
  if (magnitude !== 0n && magnitude < NUMBER_MANTISSA_MIN) {
    magnitude *= 10n; // mantissas above 2^63 - 1 are stored without their last digit
    exponent--;
  }
  let digits = magnitude.toString();
  if (exponent !== 0 && (exponent < -28 || exponent > -8)) {
    while (magnitude !== 0n && digits.endsWith('0') && exponent < NUMBER_EXPONENT_MAX) {
      digits = digits.slice(0, -1);
      exponent++;
    }
    return `${sign}${digits}e${exponent}`;
  }
  return sign + placePoint(digits, exponent);
}
