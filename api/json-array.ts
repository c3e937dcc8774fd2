/** Joins rows of bytes as a JSON array. */
export function jsonArray(rows: readonly Uint8Array[]): (Uint8Array | string)[] {
  const parts: (Uint8Array | string)[] = ['['];
  rows.forEach((row, i) => {
    if (i > 0) parts.push(',');
    parts.push(row);
  });
  parts.push(']');
  return parts;
}
