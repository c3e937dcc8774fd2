/** Joins rows of bytes as a JSON array. @param beside further members of the row of a place, which is an object with members */
export function jsonArray(
  rows: readonly Uint8Array[],
  beside?: (i: number) => string,
): (Uint8Array | string)[] {
  const parts: (Uint8Array | string)[] = ['['];
  rows.forEach((row, i) => {
    if (i > 0) parts.push(',');
    if (beside) parts.push(row.subarray(0, -1), `,${beside(i)}}`);
    else parts.push(row);
  });
  parts.push(']');
  return parts;
}
