/**
 * Hashes for the row indexes. Users choose account ids and currency codes (vanity addresses, any 20 bytes as a
 * payment's destination), so every input bit must reach every output bit: each word goes through a multiply and
 * rotate of its own and the sum through the murmur3 finaliser.
 */

/** The murmur3 finaliser: a bijection of 32-bit words with full avalanche. */
export function hashWord(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function fold(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

export function hash2(a: number, b: number): number {
  return hashWord(fold(fold(0x2f6b1d35, a), b));
}

export function hash3(a: number, b: number, c: number): number {
  return hashWord(fold(fold(fold(0x2f6b1d35, a), b), c));
}

/** Hash of `length` bytes (a multiple of 4) at `at`. */
export function hashBytes(bytes: Uint8Array, at: number, length: number): number {
  let h = 0x9747b28c;
  for (let i = at; i < at + length; i += 4) {
    h = fold(h, bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
  }
  return hashWord(h ^ length);
}

/** The same by a view, which costs a quarter less. */
export function hashView(view: DataView, at: number, length: number): number {
  let h = 0x9747b28c;
  for (let i = at; i < at + length; i += 4) h = fold(h, view.getInt32(i, true));
  return hashWord(h ^ length);
}

/** The same with four more bytes, as a little-endian word, behind those of the view. */
export function hashViewAnd(view: DataView, at: number, length: number, last: number): number {
  let h = 0x9747b28c;
  for (let i = at; i < at + length; i += 4) h = fold(h, view.getInt32(i, true));
  return hashWord(fold(h, last) ^ (length + 4));
}

/** The same of bytes that lie in little-endian words: `count` words from the one at `at`. */
export function hashWords(words: Uint32Array | Int32Array, at: number, count: number): number {
  let h = 0x9747b28c;
  for (let i = at; i < at + count; i++) h = fold(h, words[i]!);
  return hashWord(h ^ (count * 4));
}
