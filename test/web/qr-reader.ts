/** Reads QR codes of bytes at level M; it corrects nothing: every check byte must be right. */
import { expect } from 'bun:test';

type Rows = readonly (readonly boolean[])[];

/** Of versions 1 to 10, level M (ISO/IEC 18004, table 9): check bytes of a block, data bytes of each block. */
const BLOCKS: readonly (readonly [number, readonly number[]])[] = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
  [26, [43, 43, 43, 43, 44]],
];
/** Centres of alignment patterns (annex E). */
const CENTRES = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];
/** Format information of level M by mask (annex C). */
const FORMATS = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];
/** Version information (annex D). */
const VERSIONS: Readonly<Record<number, number>> = { 7: 0x07c94, 8: 0x085bc, 9: 0x09a99, 10: 0x0a4d3 };

const isMasked = (mask: number, row: number, column: number): boolean =>
  [
    (row + column) % 2,
    row % 2,
    column % 3,
    (row + column) % 3,
    ((row >> 1) + Math.floor(column / 3)) % 2,
    ((row * column) % 2) + ((row * column) % 3),
    (((row * column) % 2) + ((row * column) % 3)) % 2,
    (((row + column) % 2) + ((row * column) % 3)) % 2,
  ][mask] === 0;

/** Whether a module carries data. */
function isData(version: number, row: number, column: number): boolean {
  const size = version * 4 + 17;
  const isNear = (a: number, b: number) => a < 9 && b < 9;
  if (isNear(row, column) || isNear(row, size - 1 - column + (size - 1 - column < 8 ? 0 : 9))) return false;
  if (row < 9 && column >= size - 8) return false;
  if (column < 9 && row >= size - 8) return false;
  if (row === 6 || column === 6) return false;
  if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return false;
  const centres = CENTRES[version - 1]!;
  const last = size - 7;
  return !centres.some((y) =>
    centres.some(
      (x) =>
        !((y === 6 && x === 6) || (y === 6 && x === last) || (y === last && x === 6)) &&
        Math.abs(row - y) <= 2 &&
        Math.abs(column - x) <= 2,
    ),
  );
}

/** Powers of 2 in GF(2^8), and their logarithms. */
const POWERS: number[] = [];
for (let i = 0, value = 1; i < 255; i++) {
  POWERS.push(value);
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1;
}
const product = (a: number, b: number) =>
  a === 0 || b === 0 ? 0 : POWERS[(POWERS.indexOf(a) + POWERS.indexOf(b)) % 255]!;

export function textOf(rows: Rows): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const bits = (places: readonly (readonly [number, number])[]) =>
    places.reduce((sum, [row, column], i) => sum + (rows[row]![column] ? 2 ** i : 0), 0);
  // Beside the upper left finder, and again beside the others.
  const ends = [0, 1, 2, 3, 4, 5, 7, 8];
  const first = [
    ...ends.map((row) => [row, 8] as const),
    ...[7, 5, 4, 3, 2, 1, 0].map((column) => [8, column] as const),
  ];
  const second = [
    ...Array.from({ length: 8 }, (_, i) => [8, size - 1 - i] as const),
    ...Array.from({ length: 7 }, (_, i) => [size - 7 + i, 8] as const),
  ];
  const mask = FORMATS.indexOf(bits(first));
  expect([mask >= 0, bits(second), rows[size - 8]![8]]).toEqual([true, bits(first), true]);
  if (version >= 7) {
    const three = Array.from({ length: 18 }, (_, i) => [Math.floor(i / 3), size - 11 + (i % 3)] as const);
    expect(bits(three)).toBe(VERSIONS[version]!);
    expect(bits(three.map(([a, b]) => [b, a] as const))).toBe(VERSIONS[version]!);
  }
  const stream: number[] = [];
  for (let pair = 0, right = size - 1; right > 0; right -= 2, pair++) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++)
      for (const column of [right, right - 1]) {
        const row = pair % 2 === 0 ? size - 1 - step : step;
        if (isData(version, row, column))
          stream.push(Number(rows[row]![column]! !== isMasked(mask, row, column)));
      }
  }
  const bytes = Array.from({ length: stream.length >> 3 }, (_, i) =>
    stream.slice(i * 8, i * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0),
  );
  const [check, lengths] = BLOCKS[version - 1]!;
  const blocks = lengths.map(() => [] as number[]);
  let at = 0;
  for (let i = 0; i < Math.max(...lengths); i++)
    for (const [b, length] of lengths.entries()) if (i < length) blocks[b]!.push(bytes[at++]!);
  for (let i = 0; i < check; i++) for (const block of blocks) block.push(bytes[at++]!);
  for (const block of blocks)
    for (let root = 0; root < check; root++)
      expect(block.reduce((sum, byte) => product(sum, POWERS[root]!) ^ byte, 0)).toBe(0);
  const data = blocks.flatMap((block, b) => block.slice(0, lengths[b]));
  const text = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(text.slice(0, 4)).toBe('0100');
  const wide = version < 10 ? 8 : 16;
  const length = Number.parseInt(text.slice(4, 4 + wide), 2);
  const start = 4 + wide;
  const read = Array.from({ length }, (_, i) =>
    Number.parseInt(text.slice(start + i * 8, start + i * 8 + 8), 2),
  );
  return new TextDecoder().decode(Uint8Array.from(read));
}
