/**
 * QR codes (ISO/IEC 18004) of short texts: bytes, error correction M, the smallest of versions 1 to 10 that holds them.
 *
 *     text -> bits -> blocks of data, each with its Reed-Solomon remainder -> interleaved -> zigzag over the matrix -> mask
 *
 * Non-goals: other modes and levels. Cost: some milliseconds, once an invoice.
 */

/** Of versions 1 to 10 at level M: check bytes of a block, blocks of the first length, data bytes of these, blocks longer by one. */
const BLOCKS: readonly (readonly [check: number, blocks: number, data: number, longer: number])[] = [
  [10, 1, 16, 0],
  [16, 1, 28, 0],
  [26, 1, 44, 0],
  [18, 2, 32, 0],
  [24, 2, 43, 0],
  [16, 4, 27, 0],
  [18, 4, 31, 0],
  [22, 2, 38, 2],
  [22, 3, 36, 2],
  [26, 4, 43, 1],
];
/** Centres of alignment patterns, by version. */
const ALIGNED: readonly (readonly number[])[] = [
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
const BYTE_MODE = 0b0100;
/** Level M, as format information has it. */
const LEVEL = 0b00;

type Mask = (x: number, y: number) => boolean;
const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Rows of modules, true is dark, without the quiet zone. @throws RangeError where the text is too long */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_, i) => dataBytes(i) >= bytes.length + (i + 1 < 10 ? 2 : 3)) + 1;
  if (version === 0) throw new RangeError(`${bytes.length} bytes do not fit into a QR code of version 10`);
  const code = interleaved(padded(bytes, version), version);
  const codes = MASKS.map((_, mask) => new Matrix(version).filled(code, mask));
  return codes.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

function dataBytes(index: number): number {
  const [, blocks, data, longer] = BLOCKS[index]!;
  return blocks * data + longer * (data + 1);
}

/** Mode, length, the bytes, the end, and what fills the rest. */
function padded(bytes: Uint8Array, version: number): Uint8Array {
  const out = new Uint8Array(dataBytes(version - 1));
  let at = 0;
  const push = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--, at++)
      if ((value >>> bit) & 1) out[at >> 3] = out[at >> 3]! | (0x80 >> (at & 7));
  };
  push(BYTE_MODE, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, out.length * 8 - at));
  for (let i = Math.ceil(at / 8), odd = false; i < out.length; i++, odd = !odd) out[i] = odd ? 0x11 : 0xec;
  return out;
}

function interleaved(data: Uint8Array, version: number): Uint8Array {
  const [check, blocks, length, longer] = BLOCKS[version - 1]!;
  const parts: { data: Uint8Array; check: Uint8Array }[] = [];
  for (let i = 0, at = 0; i < blocks + longer; i++) {
    const part = data.subarray(at, at + length + (i < blocks ? 0 : 1));
    at += part.length;
    parts.push({ data: part, check: remainder(part, check) });
  }
  const out: number[] = [];
  for (let i = 0; i <= length; i++)
    for (const part of parts) if (i < part.data.length) out.push(part.data[i]!);
  for (let i = 0; i < check; i++) for (const part of parts) out.push(part.check[i]!);
  return Uint8Array.from(out);
}

/** Product in GF(2^8) by the polynomial 0x11d. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** Of the division by (x - 1)(x - 2)(x - 4)... */
function remainder(data: Uint8Array, degree: number): Uint8Array {
  const divisor = new Uint8Array(degree);
  divisor[degree - 1] = 1;
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2))
    for (let j = 0; j < degree; j++) {
      divisor[j] = times(divisor[j]!, root);
      if (j + 1 < degree) divisor[j] = divisor[j]! ^ divisor[j + 1]!;
    }
  const rest = new Uint8Array(degree);
  for (const byte of data) {
    const factor = byte ^ rest[0]!;
    rest.copyWithin(0, 1);
    rest[degree - 1] = 0;
    for (let j = 0; j < degree; j++) rest[j] = rest[j]! ^ times(divisor[j]!, factor);
  }
  return rest;
}

class Matrix {
  readonly #size: number;
  readonly #version: number;
  readonly #dark: boolean[][];
  /** Modules that carry no data. */
  readonly #fixed: boolean[][];

  constructor(version: number) {
    const size = version * 4 + 17;
    const rows = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    this.#size = size;
    this.#version = version;
    this.#dark = rows();
    this.#fixed = rows();
  }

  filled(code: Uint8Array, mask: number): readonly (readonly boolean[])[] {
    this.#patterns();
    this.#format(mask);
    const size = this.#size;
    let bit = 0;
    for (let right = size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < size; step++)
        for (const x of [right, right - 1]) {
          const isUp = ((right + 1) & 2) === 0;
          const y = isUp ? size - 1 - step : step;
          if (this.#fixed[y]![x]) continue;
          const isDark = bit < code.length * 8 && ((code[bit >> 3]! >>> (7 - (bit & 7))) & 1) === 1;
          bit++;
          this.#dark[y]![x] = isDark !== MASKS[mask]!(x, y);
        }
    }
    return this.#dark;
  }

  #set(x: number, y: number, isDark: boolean): void {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.#dark[y]![x] = isDark;
    this.#fixed[y]![x] = true;
  }

  #patterns(): void {
    const size = this.#size;
    for (let i = 0; i < size; i++) {
      this.#set(6, i, i % 2 === 0);
      this.#set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const)
      for (let dy = -4; dy <= 4; dy++)
        for (let dx = -4; dx <= 4; dx++) {
          const ring = Math.max(Math.abs(dx), Math.abs(dy));
          this.#set(x + dx, y + dy, ring !== 2 && ring !== 4);
        }
    const centres = ALIGNED[this.#version - 1]!;
    const last = centres.length - 1;
    centres.forEach((x, i) => {
      centres.forEach((y, j) => {
        const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        if (isFinder) return;
        for (let dy = -2; dy <= 2; dy++)
          for (let dx = -2; dx <= 2; dx++)
            this.#set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      });
    });
    this.#versionBits();
  }

  /** From version 7 on, twice. */
  #versionBits(): void {
    if (this.#version < 7) return;
    let rest = this.#version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (this.#version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const isDark = ((bits >>> i) & 1) === 1;
      const [a, b] = [this.#size - 11 + (i % 3), Math.floor(i / 3)];
      this.#set(a, b, isDark);
      this.#set(b, a, isDark);
    }
  }

  /** Level and mask, twice, and the module that is always dark. */
  #format(mask: number): void {
    const data = (LEVEL << 3) | mask;
    let rest = data;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const isDark = (i: number) => ((bits >>> i) & 1) === 1;
    const size = this.#size;
    for (let i = 0; i <= 5; i++) this.#set(8, i, isDark(i));
    this.#set(8, 7, isDark(6));
    this.#set(8, 8, isDark(7));
    this.#set(7, 8, isDark(8));
    for (let i = 9; i < 15; i++) this.#set(14 - i, 8, isDark(i));
    for (let i = 0; i < 8; i++) this.#set(size - 1 - i, 8, isDark(i));
    for (let i = 8; i < 15; i++) this.#set(8, size - 15 + i, isDark(i));
    this.#set(8, size - 8, true);
  }
}

/** How hard it is to read: long runs of one colour, blocks, and an uneven share. Patterns like a finder's are left out. */
function penalty(rows: readonly (readonly boolean[])[]): number {
  const size = rows.length;
  let sum = 0;
  let dark = 0;
  for (let a = 0; a < size; a++) {
    for (const at of [(b: number) => rows[a]![b]!, (b: number) => rows[b]![a]!]) {
      let run = 1;
      for (let b = 1; b < size; b++) {
        run = at(b) === at(b - 1) ? run + 1 : 1;
        if (run === 5) sum += 3;
        else if (run > 5) sum++;
      }
    }
    for (let b = 0; b < size; b++) {
      const one = rows[a]![b]!;
      if (one) dark++;
      const isBlock =
        a > 0 &&
        b > 0 &&
        [rows[a - 1]![b], rows[a]![b - 1], rows[a - 1]![b - 1]].every((other) => other === one);
      if (isBlock) sum += 3;
    }
  }
  return sum + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10;
}
