/**
 * Views of columns for long loops. A column's own view follows its buffer as that grows, and each access asks how long it
 * is now; a view of fixed length is read 1.3 to 1.6 times as fast. Do not keep one: it ends where the table ended.
 */

/** The first values of a column. */
export function fixedU32(column: Uint32Array, values: number): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, values);
}

export function fixedU16(column: Uint16Array, values: number): Uint16Array {
  return new Uint16Array(column.buffer, column.byteOffset, values);
}

/** The first bytes of a column as little-endian words. @param words of a column whose rows are whole words */
export function wordsOf(column: Uint8Array, words: number): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, words);
}
