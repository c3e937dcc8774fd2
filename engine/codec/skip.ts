/**
 * Skips values without reading them. The type code alone determines the length of a value, so fields without
 * definition can be skipped too. Every function returns the offset after the value, or -1 when the value is malformed,
 * runs past `end` or has an unknown type. Each step moves forward, so no input can cause an endless loop.
 */
import { lengthPrefixBytes, readLengthPrefix } from './bytes.ts';
import { Width } from './definitions.ts';

/** Bytes that end an object and an array. */
export const OBJECT_END = 0xe1;
export const ARRAY_END = 0xf1;

/** Bytes of an Amount that starts with `first`: 8 XRP, 48 issued, 33 MPT. */
export function amountBytes(first: number): 8 | 33 | 48 {
  return first & 0x80 ? 48 : first & 0x20 ? 33 : 8;
}

/** `(type << 8) | nth` of the field header at `at`, -1 when it is malformed or cut off. */
export function headerCode(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return -1;
  const first = bytes[at]!;
  let type = first >>> 4;
  let nth = first & 15;
  if (type === 0) {
    if (++at >= end) return -1;
    type = bytes[at]!;
    if (type < 16) return -1;
  }
  if (nth === 0) {
    if (++at >= end) return -1;
    nth = bytes[at]!;
    if (nth < 16) return -1;
  }
  return (type << 8) | nth;
}

/** Bytes of the field header that starts with `first`. */
export function headerBytes(first: number): 1 | 2 | 3 {
  return first === 0 ? 3 : (first & 0xf0) === 0 || (first & 0x0f) === 0 ? 2 : 1;
}

/** Skips a value of this type, including length prefix and end marker. */
export function skipValue(
  widths: Int8Array,
  bytes: Uint8Array,
  at: number,
  end: number,
  type: number,
): number {
  const width = widths[type]!;
  let next: number;
  if (width > 0) next = at + width;
  else if (width === Width.prefixed) {
    const length = readLengthPrefix(bytes, at, end);
    if (length < 0) return -1;
    next = at + lengthPrefixBytes(bytes[at]!) + length;
  } else if (width === Width.amount) next = at < end ? at + amountBytes(bytes[at]!) : -1;
  else if (width === Width.object || width === Width.array) return skipNested(widths, bytes, at, end);
  else if (width === Width.issue) return skipIssue(bytes, at, end);
  else if (width === Width.pathSet) return skipPathSet(bytes, at, end);
  else if (width === Width.bridge) return skipBridge(bytes, at, end);
  else return -1;
  return next <= end ? next : -1;
}

/** Skips from the first byte inside an object or array past its end marker. Counts the depth, without recursion. */
function skipNested(widths: Int8Array, bytes: Uint8Array, at: number, end: number): number {
  let depth = 1;
  while (at < end) {
    const first = bytes[at]!;
    if (first === OBJECT_END || first === ARRAY_END) {
      at++;
      if (--depth === 0) return at;
      continue;
    }
    const code = headerCode(bytes, at, end);
    if (code < 0) return -1;
    at += headerBytes(first);
    const width = widths[code >>> 8]!;
    if (width === Width.object || width === Width.array) depth++;
    else {
      at = skipValue(widths, bytes, at, end, code >>> 8);
      if (at < 0) return -1;
    }
  }
  return -1;
}

export const PathElement = { account: 0x01, currency: 0x10, issuer: 0x20, mpt: 0x40 } as const;
export const PATH_SEPARATOR = 0xff;
export const PATHS_END = 0x00;

function skipPathSet(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const kind = bytes[at++]!;
    if (kind === PATHS_END) return at;
    if (kind === PATH_SEPARATOR) continue;
    if (kind & PathElement.account) at += 20;
    if (kind & PathElement.currency) at += 20;
    if (kind & PathElement.mpt) at += 24;
    if (kind & PathElement.issuer) at += 20;
  }
  return -1;
}

/** 20 bytes for XRP, 40 for issued; 44 for MPT, recognised by account one in the issuer field. */
function skipIssue(bytes: Uint8Array, at: number, end: number): number {
  if (at + 20 > end) return -1;
  if (isZeroRange(bytes, at, at + 20)) return at + 20;
  const next = at + (at + 40 <= end && isAccountOne(bytes, at + 20) ? 44 : 40);
  return next <= end ? next : -1;
}

/** True for 000..001, which marks an MPT where an issuer is expected (rippled `noAccount()`). */
export function isAccountOne(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 19] === 1 && isZeroRange(bytes, at, at + 19);
}

export function isZeroRange(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}

function skipBridge(bytes: Uint8Array, at: number, end: number): number {
  for (let chain = 0; chain < 2; chain++) {
    at = skipIssue(bytes, at + 21, end); // length byte and door account, then the issue
    if (at < 0) return -1;
  }
  return at;
}
