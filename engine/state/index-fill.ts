/**
 * Fills an index of rows (row-index.ts) at a restart.
 *
 *     rows 1 2 3 ... -> count per part -> rows sorted by part -> slots of part 0, part 1, ...
 *
 * Goal: a row costs no cache miss. Adding rows as they come reads and writes a random slot of tens of megabytes each time; sorted
 * by the part of the slots that they go to, each part stays in the processor's cache while it is filled. Cost: three
 * sequential passes, and 12 bytes a row until it is done. Loops are in methods of their own, which the generator calls:
 * the locals of a generator are slow.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';

/** In the place of a hash: the row is not in use. */
export const UNUSED = 0xffffffff;
/** Bits of a hash that count. 31: a remainder of larger numbers is ten times as slow. */
export const HASH_MASK = 0x7fffffff;
/** Slots of a part: 256 KB, which fit the second cache of any processor. */
const PART_SLOT_BITS = 16;

/**
 * Puts a hash & HASH_MASK, or UNUSED, for each of some rows at its place. By range, not by row: the callers' loops are
 * compiled for one table each, where a function called for each row of several kinds of tables takes twice the time.
 */
export type RowHashes = (from: number, to: number, into: Uint32Array) => void;

/** Several rows may have one key: the first of them is in the index. */
export interface RepeatedKeys {
  /** Whether two rows have the same key. */
  readonly isSame: (a: number, b: number) => boolean;
  /** Called for each row but the first of a key. @param first is in the index */
  readonly onRepeated: (row: number, first: number) => void;
}

/** @param has whether a row is in use */
export function rowHashes(hashOf: (row: number) => number, has: (row: number) => boolean): RowHashes {
  return (from, to, into) => {
    for (let row = from; row < to; row++) into[row] = has(row) ? hashOf(row) & HASH_MASK : UNUSED;
  };
}

export class IndexFill {
  readonly #slots: Uint32Array;
  readonly #hashes: RowHashes;
  readonly #repeated: RepeatedKeys | undefined;
  #repeats = 0;
  /** By part: where its rows begin, then where its next one goes. */
  readonly #next: Uint32Array;
  /** By row: its home. */
  #homeOfRow = new Uint32Array(0);
  /** Sorted by part: rows, and their homes. */
  #rows = new Uint32Array(0);
  #homes = new Uint32Array(0);

  /** @param slots empty; the probe for a row begins at the slot that is the remainder of its hash */
  constructor(slots: Uint32Array, hashes: RowHashes, repeated?: RepeatedKeys) {
    this.#slots = slots;
    this.#hashes = hashes;
    this.#repeated = repeated;
    this.#next = new Uint32Array((slots.length >>> PART_SLOT_BITS) + 2);
  }

  /** @param end rows from 1 to below it. @returns how many are in the index */
  *run(end: number): Generator<number, number> {
    this.#homeOfRow = new Uint32Array(end);
    yield* inSteps(end, (from, to) => this.#count(from, to));
    const next = this.#next;
    for (let part = 1; part < next.length; part++) next[part]! += next[part - 1]!;
    const total = next.at(-1)!;
    this.#rows = new Uint32Array(total);
    this.#homes = new Uint32Array(total);
    yield* inSteps(end, (from, to) => this.#sort(from, to));
    const repeated = this.#repeated;
    const place = repeated
      ? (from: number, to: number) => this.#placeFirst(from, to, repeated)
      : (from: number, to: number) => this.#place(from, to);
    yield* inSteps(total, place, 0);
    return total - this.#repeats;
  }

  #count(from: number, to: number): void {
    const next = this.#next;
    const homes = this.#homeOfRow;
    const { length } = this.#slots;
    this.#hashes(from, to, homes);
    for (let row = from; row < to; row++) {
      const hash = homes[row]!;
      if (hash === UNUSED) continue;
      const home = hash % length;
      homes[row] = home;
      next[(home >>> PART_SLOT_BITS) + 1]!++;
    }
  }

  #sort(from: number, to: number): void {
    const next = this.#next;
    const homeOf = this.#homeOfRow;
    const rows = this.#rows;
    const homes = this.#homes;
    for (let row = from; row < to; row++) {
      const home = homeOf[row]!;
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

  /** Of the rows of a key, only the first, which comes before the others since all have one home. */
  #placeFirst(from: number, to: number, { isSame, onRepeated }: RepeatedKeys): void {
    const slots = this.#slots;
    const { length } = slots;
    const rows = this.#rows;
    const homes = this.#homes;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      let slot = homes[i]!;
      let other = slots[slot]!;
      while (other !== 0 && !isSame(other, row)) {
        slot = slot + 1 === length ? 0 : slot + 1;
        other = slots[slot]!;
      }
      if (other === 0) slots[slot] = row;
      else {
        onRepeated(row, other);
        this.#repeats++;
      }
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
