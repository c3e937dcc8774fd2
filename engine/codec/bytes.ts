/** Hex text, variable-length prefixes and big-endian words: the conversions that all other parts use. */

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, '0'),
);

/** Above this many bytes the runtime's conversion is faster than the table, in spite of its extra pass. */
const TABLE_BYTES_MAX = 12;

/**
 * Upper-case hex of `length` bytes at `at`.
 * @throws RangeError when the range is out of bounds.
 */
export function hexOf(bytes: Uint8Array, at = 0, length = bytes.length - at): string {
  if (at < 0 || length < 0 || at + length > bytes.length)
    throw new RangeError(`hex of ${length} bytes at ${at}`);
  if (length > TABLE_BYTES_MAX) {
    // A whole array: do not access `.buffer`, since the runtime would first have to create it.
    if (length === bytes.length) return bytes.toHex().toUpperCase();
    return Buffer.from(bytes.buffer, bytes.byteOffset + at, length)
      .toString('hex')
      .toUpperCase();
  }
  let text = '';
  for (let i = at; i < at + length; i++) text += HEX[bytes[i]!]!;
  return text;
}

/**
 * Bytes of a hex text, either case.
 * @throws RangeError when the text has odd length or another character.
 */
export function bytesOf(hex: string): Uint8Array {
  if ((hex.length & 1) !== 0) throw new RangeError('hex text of odd length');
  try {
    return Uint8Array.fromHex(hex);
  } catch {
    throw new RangeError('not a hex text');
  }
}

/** True when both ranges of `length` bytes are equal. The caller checks the bounds. */
export function sameBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}

/** Longest length that the variable-length prefix can express (rippled `Serializer::encodeVL`). */
export const PREFIXED_LENGTH_MAX = 918744;

/**
 * Writes the one to three bytes of a variable-length prefix.
 * @returns number of bytes written.
 * @throws RangeError above PREFIXED_LENGTH_MAX.
 */
export function writeLengthPrefix(out: Uint8Array, at: number, length: number): 1 | 2 | 3 {
  if (length <= 192) {
    out[at] = length;
    return 1;
  }
  if (length <= 12480) {
    const rest = length - 193;
    out[at] = 193 + (rest >>> 8);
    out[at + 1] = rest & 0xff;
    return 2;
  }
  if (length > PREFIXED_LENGTH_MAX) throw new RangeError(`length ${length} has no prefix`);
  const rest = length - 12481;
  out[at] = 241 + (rest >>> 16);
  out[at + 1] = (rest >>> 8) & 0xff;
  out[at + 2] = rest & 0xff;
  return 3;
}

/** Size in bytes of the variable-length prefix that starts with `first`; 0 when `first` is invalid. */
export function lengthPrefixBytes(first: number): 0 | 1 | 2 | 3 {
  return first <= 192 ? 1 : first <= 240 ? 2 : first <= 254 ? 3 : 0;
}

/** The length in the prefix at `at`, -1 when it is malformed or cut off at `end`. */
export function readLengthPrefix(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return -1;
  const first = bytes[at]!;
  if (first <= 192) return first;
  if (first <= 240) return at + 2 > end ? -1 : 193 + (first - 193) * 256 + bytes[at + 1]!;
  if (first <= 254)
    return at + 3 > end ? -1 : 12481 + (first - 241) * 65536 + bytes[at + 1]! * 256 + bytes[at + 2]!;
  return -1;
}

/** The little-endian word at `at`: four bytes at once, to be compared or hashed. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/**
 * A view of the bytes that were read last: a word at any offset is one access with it, instead of four. Whoever reads one ledger
 * after another keeps one of these.
 */
export class BytesView {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);

  of(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#view;
  }
}

/** Whether `count` words from the one at `word` have the same bytes as a view from `at` on. */
export function sameWords(
  words: Int32Array,
  word: number,
  view: DataView,
  at: number,
  count: number,
): boolean {
  for (let i = 0; i < count; i++) if (words[word + i] !== view.getInt32(at + i * 4, true)) return false;
  return true;
}

/** Puts the bytes of a view from `at` on into `count` words from the one at `word`. */
export function putWords(words: Int32Array, word: number, view: DataView, at: number, count: number): void {
  for (let i = 0; i < count; i++) words[word + i] = view.getInt32(at + i * 4, true);
}

/** The big-endian word at `at`. */
export function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function readU16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** Copies without making views: for short ranges. */
export function copyBytes(
  from: Uint8Array,
  fromAt: number,
  to: Uint8Array,
  toAt: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i]!;
}

/** Bytes as the only content of a shared buffer, for another thread: copied unless they are that already. */
export function onSharedMemory(bytes: Uint8Array): SharedArrayBuffer {
  const { buffer } = bytes;
  if (buffer instanceof SharedArrayBuffer && bytes.byteLength === buffer.byteLength) return buffer;
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}
