/**
 * Puts the rows of a batch in key order, family by family, so that LMDB walks each tree once from left to right.
 *
 * Cost: one native sort of 64-bit floats a family. Each float contains the 4 key bytes after the prefix that all keys of the
 * family share, and below them the row's number: 32 + 21 bits, exact in a float64. Rows with the same 4 bytes
 * stay in order of arrival, which usually is the order of their keys; where it is not, only that run is sorted
 * by comparing keys. Of equal keys the last row wins.
 */
import { type Chunk, ROW_HEADER_BYTES } from './chunks.ts';

/** Rows of a family that one sort takes: what the lower bits of a float64 leave for the row's number. */
const ROWS_MAX = 1 << 21;
const ROWS_FACTOR = ROWS_MAX;

/** The chunks of a batch as the writer reads them. */
export type Rows = readonly Pick<Chunk, 'bytes' | 'view' | 'used'>[];

/** Locations of the rows of one family; in key order once sorted. */
export class FamilyRows {
  readonly chunks: Rows;
  readonly #chunkOf: Uint32Array;
  readonly #at: Uint32Array;
  #order: Uint32Array = new Uint32Array(0);
  #count = 0;

  constructor(chunks: Rows, capacity: number) {
    this.chunks = chunks;
    this.#chunkOf = new Uint32Array(capacity);
    this.#at = new Uint32Array(capacity);
  }

  add(chunk: number, at: number): void {
    this.#chunkOf[this.#count] = chunk;
    this.#at[this.#count++] = at;
  }

  /** Calls `visit` for each key once, ascending. */
  forEach(visit: (key: Uint8Array, value: Uint8Array) => void): void {
    for (const [key, value] of this.rows()) visit(key, value);
  }

  /** Each key once, ascending, with its value. */
  *rows(): Generator<[key: Uint8Array, value: Uint8Array]> {
    const order = this.#order;
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!;
      if (i + 1 < order.length && this.#compare(row, order[i + 1]!) === 0) continue;
      const chunk = this.chunks[this.#chunkOf[row]!]!;
      const key = this.#at[row]! + ROW_HEADER_BYTES;
      const value = key + chunk.bytes[key - ROW_HEADER_BYTES + 1]!;
      const end = value + chunk.view.getUint32(key - 4, true);
      yield [chunk.bytes.subarray(key, value), chunk.bytes.subarray(value, end)];
    }
  }

  sort(): this {
    const count = this.#count;
    const order = new Uint32Array(count);
    if (count > ROWS_MAX) {
      for (let i = 0; i < count; i++) order[i] = i;
      order.sort((a, b) => this.#compare(a, b) || a - b);
    } else {
      const skip = this.#sharedBytes();
      const ranks = new Float64Array(count);
      for (let i = 0; i < count; i++) ranks[i] = this.#word(i, skip) * ROWS_FACTOR + i;
      ranks.sort();
      for (let i = 0; i < count; i++) order[i] = ranks[i]! % ROWS_FACTOR;
      this.#sortRuns(order, ranks);
    }
    this.#order = order;
    return this;
  }

  /** Sorts each run of equal ranks that is not in order already. */
  #sortRuns(order: Uint32Array, ranks: Float64Array): void {
    let start = 0;
    for (let i = 1; i <= order.length; i++) {
      if (i < order.length && wordOf(ranks[i]!) === wordOf(ranks[start]!)) continue;
      let sorted = true;
      for (let k = start + 1; k < i && sorted; k++) sorted = this.#compare(order[k - 1]!, order[k]!) <= 0;
      if (!sorted) order.subarray(start, i).sort((a, b) => this.#compare(a, b) || a - b);
      start = i;
    }
  }

  /** How many leading bytes all keys of the family have in common. */
  #sharedBytes(): number {
    if (this.#count === 0) return 0;
    const first = this.chunks[this.#chunkOf[0]!]!.bytes;
    const firstAt = this.#at[0]! + ROW_HEADER_BYTES;
    let shared = first[firstAt - ROW_HEADER_BYTES + 1]!;
    for (let i = 1; i < this.#count && shared > 0; i++) {
      const { bytes } = this.chunks[this.#chunkOf[i]!]!;
      const at = this.#at[i]!;
      const length = Math.min(shared, bytes[at + 1]!);
      let same = 0;
      while (same < length && bytes[at + ROW_HEADER_BYTES + same] === first[firstAt + same]) same++;
      shared = same;
    }
    return shared;
  }

  /** Four key bytes from `skip` on as a number; a shorter key is padded with zeros. */
  #word(row: number, skip: number): number {
    const { bytes, view } = this.chunks[this.#chunkOf[row]!]!;
    const at = this.#at[row]!;
    const length = bytes[at + 1]!;
    const key = at + ROW_HEADER_BYTES + skip;
    if (length >= skip + 4) return view.getUint32(key);
    let word = 0;
    for (let i = 0; i < 4; i++) word = word * 256 + (skip + i < length ? bytes[key + i]! : 0);
    return word;
  }

  /** Order of two keys: by bytes; a prefix comes before longer keys. */
  #compare(a: number, b: number): number {
    const left = this.chunks[this.#chunkOf[a]!]!.bytes;
    const right = this.chunks[this.#chunkOf[b]!]!.bytes;
    const leftAt = this.#at[a]!;
    const rightAt = this.#at[b]!;
    const leftLength = left[leftAt + 1]!;
    const rightLength = right[rightAt + 1]!;
    const length = Math.min(leftLength, rightLength);
    for (let i = ROW_HEADER_BYTES; i < ROW_HEADER_BYTES + length; i++) {
      const difference = left[leftAt + i]! - right[rightAt + i]!;
      if (difference !== 0) return difference;
    }
    return leftLength - rightLength;
  }
}

const wordOf = (rank: number): number => Math.floor(rank / ROWS_FACTOR);

/** Groups the rows of a batch by family and sorts each. @returns by family id; undefined where there are none. */
export function sortRows(chunks: Rows, families: number): (FamilyRows | undefined)[] {
  const counts = new Array<number>(families).fill(0);
  eachRow(chunks, (family) => {
    counts[family]!++;
  });
  const sorted = counts.map((count) => (count > 0 ? new FamilyRows(chunks, count) : undefined));
  eachRow(chunks, (family, chunk, at) => sorted[family]!.add(chunk, at));
  for (const rows of sorted) rows?.sort();
  return sorted;
}

export function eachRow(chunks: Rows, visit: (family: number, chunk: number, at: number) => void): void {
  for (let c = 0; c < chunks.length; c++) {
    const { bytes, view, used } = chunks[c]!;
    for (let at = 0; at < used; ) {
      visit(bytes[at]!, c, at);
      at += ROW_HEADER_BYTES + bytes[at + 1]! + view.getUint32(at + 4, true);
    }
  }
}
