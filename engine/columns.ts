/** The column with at least `length` elements: itself, or a copy twice as long; new elements are 0. */
export function growTo<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  column: T,
  length: number,
): T {
  if (length <= column.length) return column;
  const larger = new (column.constructor as new (length: number) => T)(Math.max(length, column.length * 2));
  larger.set(column);
  return larger;
}
