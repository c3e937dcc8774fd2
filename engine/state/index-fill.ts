/**
 * Fills an index of rows (row-index.ts) at a restart.
 *
 *     CHUNK_ROWS rows -> count per part -> rows sorted by part -> slots of part 0, part 1, ... -> the next so many rows
 *
 * Goal: a row costs no cache miss. Adding rows as they come reads and writes a random slot of tens of megabytes each time; sorted
 * by the part of the slots that they go to, each part stays in the processor's cache while it is filled. Chunks, since memory
 * that is touched for the first time costs more than the sort: for all rows at once it would be twice that of the index.
 * Cost: three sequential passes, and 12 bytes for each row of a chunk until it is done. Loops are in methods of their own,
 * which the generator calls: the locals of a generator are slow.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';

/** In the place of a hash: the row is not in use. */
export const UNUSED = 0xffffffff;
/** Bits of a hash that count. 31: a remainder of larger numbers is ten times as slow. */
export const HASH_MASK = 0x7fffffff;
/** Slots of a part: 256 KB, which fit the second cache of any processor. */
const PART_SLOT_BITS = 16;
/** Takes 12 MB: a place in the third one of most. */
const CHUNK_ROWS = 2 ** 20;

/**
 * Puts a hash & HASH_MASK, or UNUSED, for each of some rows one after another. By range, not by row: the callers' loops are
 * compiled for one table each, where a function called for each row of several kinds of tables takes twice the time.
 */
export type RowHashes = (from: number, to: number, into: Uint32Array) => void;

/** @param has whether a row is in use */
export function rowHashes(hashOf: (row: number) => number, has: (row: number) => boolean): RowHashes {
  return (from, to, into) => {
    for (let row = from; row < to; row++) into[row - from] = has(row) ? hashOf(row) & HASH_MASK : UNUSED;
  };
}

export class IndexFill {
  readonly #slots: Uint32Array;
  readonly #hashes: RowHashes;
  /** By part: where its rows of the chunk begin, then where its next one goes. */
  readonly #next: Uint32Array;
  /** By row of the chunk: its home. */
  #homeOfRow = new Uint32Array(0);
  /** Those in use, sorted by part: rows, and their homes. */
  #rows = new Uint32Array(0);
  #homes = new Uint32Array(0);

  /** @param slots empty; the probe for a row begins at the slot that is the remainder of its hash */
  constructor(slots: Uint32Array, hashes: RowHashes) {
    this.#slots = slots;
    this.#hashes = hashes;
    this.#next = new Uint32Array((slots.length >>> PART_SLOT_BITS) + 2);
  }

  /** @param end rows from 1 to below it. @returns how many were in use */
  *run(end: number): Generator<number, number> {
    const rows = Math.min(end, CHUNK_ROWS);
    this.#homeOfRow = new Uint32Array(rows);
    this.#rows = new Uint32Array(rows);
    this.#homes = new Uint32Array(rows);
    let total = 0;
    for (let first = 1; first < end; first += CHUNK_ROWS)
      total += yield* this.#chunk(first, Math.min(end, first + CHUNK_ROWS));
    return total;
  }

  /** @returns how many of the rows were in use */
  *#chunk(first: number, end: number): Generator<number, number> {
    const next = this.#next.fill(0);
    yield* inSteps(end, (from, to) => this.#count(first, from, to), first);
    for (let part = 1; part < next.length; part++) next[part]! += next[part - 1]!;
    const total = next.at(-1)!;
    yield* inSteps(end, (from, to) => this.#sort(first, from, to), first);
    yield* inSteps(total, (from, to) => this.#place(from, to), 0);
    return total;
  }

  #count(first: number, from: number, to: number): void {
    const next = this.#next;
    const homes = this.#homeOfRow.subarray(from - first, to - first);
    const { length } = this.#slots;
    this.#hashes(from, to, homes);
    for (let i = 0; i < homes.length; i++) {
      const hash = homes[i]!;
      if (hash === UNUSED) continue;
      const home = hash % length;
      homes[i] = home;
      next[(home >>> PART_SLOT_BITS) + 1]!++;
    }
  }

  #sort(first: number, from: number, to: number): void {
    const next = this.#next;
    const homeOf = this.#homeOfRow;
    const rows = this.#rows;
    const homes = this.#homes;
    for (let row = from; row < to; row++) {
      const home = homeOf[row - first]!;
      if (home === UNUSED) continue;
      const at = next[home >>> PART_SLOT_BITS]!++;
      rows[at] = row;
      homes[at] = home;
    }
  }

  #place(from: number, to: number): void {
    const slots = this.#slots;
    const { length } = slots;
    const rows = this.#rows;
    const homes = this.#homes;
    for (let i = from; i < to; i++) {
      let slot = homes[i]!;
      while (slots[slot] !== 0) slot = slot + 1 === length ? 0 : slot + 1;
      slots[slot] = rows[i]!;
    }
  }
}

/** Passes over `first` to below `end` in steps. */
export function* inSteps(end: number, pass: (from: number, to: number) => void, first = 1): RowSteps {
  for (let from = first; from < end; from += ROWS_A_STEP) {
    pass(from, Math.min(end, from + ROWS_A_STEP));
    yield 0;
  }
}
