/** Pages of a snapshot, as the engine takes them: index of 32 bytes, length, fields of each entry. */

export function statePage(
  entries: readonly (readonly [index: Uint8Array, fields: Uint8Array])[],
): Uint8Array {
  const parts = entries.flatMap(([index, fields]) => [
    index,
    new Uint8Array(Uint32Array.of(fields.length).buffer),
    fields,
  ]);
  return new Uint8Array(Buffer.concat(parts));
}
