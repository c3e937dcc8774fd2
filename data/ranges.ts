/** Ranges of stored ledgers: ascending, inclusive, disjoint; kept as one small row, so that no scan is needed. */

export type Range = [first: number, last: number];

/** Adds one ledger, joining adjacent ranges. Nearly free at the newest end, where ledgers are usually added. */
export function addToRanges(ranges: Range[], index: number): void {
  let at = ranges.length;
  while (at > 0 && ranges[at - 1]![0] > index) at--;
  const before = ranges[at - 1];
  const after = ranges[at];
  if (before && index <= before[1]) return;
  const joinsBefore = before !== undefined && before[1] + 1 === index;
  const joinsAfter = after !== undefined && index + 1 === after[0];
  if (joinsBefore && joinsAfter) {
    before[1] = after[1];
    ranges.splice(at, 1);
  } else if (joinsBefore) before[1] = index;
  else if (joinsAfter) after[0] = index;
  else ranges.splice(at, 0, [index, index]);
}

/**
 * Takes out every ledger below an index.
 * @returns first ledger of the range that is the oldest now, before it was cut; undefined: nothing is left
 */
export function cutRanges(ranges: Range[], index: number): number | undefined {
  while (ranges[0] && ranges[0][1] < index) ranges.shift();
  const oldest = ranges[0];
  if (!oldest) return undefined;
  const began = oldest[0];
  oldest[0] = Math.max(began, index);
  return began;
}

export function readRanges(bytes: Uint8Array | undefined): Range[] {
  if (!bytes) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ranges: Range[] = [];
  for (let at = 0; at + 8 <= bytes.byteLength; at += 8)
    ranges.push([view.getUint32(at), view.getUint32(at + 4)]);
  return ranges;
}

export function writeRanges(ranges: readonly Range[]): Buffer {
  const bytes = Buffer.alloc(ranges.length * 8);
  for (const [i, [first, last]] of ranges.entries()) {
    bytes.writeUInt32BE(first, i * 8);
    bytes.writeUInt32BE(last, i * 8 + 4);
  }
  return bytes;
}
