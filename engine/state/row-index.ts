/**
 * Finds rows by key: open addressing with linear probing over row numbers, in one typed array. The keys stay in
 * the table's columns; the caller walks the probe sequence and compares there:
 *
 *     for (let slot = index.first(hash); ; slot = index.next(slot)) {
 *       const row = index.at(slot);
 *       if (row === 0) return 0;              // none
 *       if (column[row] === key) return row;
 *     }
 *
 * 4 bytes a slot; 5.3 to 6.7 bytes a row, 12 while it grows. Removal shifts the rest of the cluster back, so there are
 * no tombstones. Not persisted: rebuilt from the rows. The slots lie on shared memory; a thread that attached to them (see
 * table-memory.ts) looks up under the table's lock. It always finds an end: nearly a quarter of the slots is empty, in an
 * outdated index, too.
 *
 * It grows by a quarter, and in steps: with millions of rows that takes a second and more. Once three quarters are full,
 * each row that is added makes 128 slots be copied to a larger index beside this one:
 *
 *     slots    [ copied ......... | not copied yet ........ ]      looked up in until the end, complete at every moment
 *     next     the content of the copied slots                    takes the place of the slots when all are copied
 *
 * Rows that come, go, or shift to the other side of the border meanwhile do so in both. It grows for as many rows as there
 * are slots / 128, at most one in 30 of all that are added. Cost: about 10 us for each of these rows.
 */
import type { RowSteps } from '../event-loop.ts';
import { useHugePages } from './huge-pages.ts';
import { HASH_MASK, IndexFill, type RowHashes, rowHashes } from './index-fill.ts';

/** It begins to grow when more than FULL / FULL_OF of the slots are taken, by a part of GROWTH. */
const FULL = 3;
const FULL_OF = 4;
const GROWTH = 1.25;
/** Slots that each added row copies. The number of slots is a multiple of it. */
const SLOTS_A_STEP = 128;
const SLOTS_LEAST = 128;

export class RowIndex {
  #slots: Uint32Array;
  #size = 0;
  /** Where it grows to. */
  #next: Uint32Array | undefined;
  /** Slots whose rows are in `#next`. */
  #copied = 0;
  readonly #hashOf: (row: number) => number;
  readonly #onReplaced: ((slots: SharedArrayBuffer) => void) | undefined;

  /** @param hashOf hash of the key that a row holds now; the same function the lookups use. */
  constructor(hashOf: (row: number) => number, { slots, onReplaced }: IndexMemory = {}) {
    this.#hashOf = hashOf;
    this.#onReplaced = onReplaced;
    this.#slots = slots ? new Uint32Array(slots) : emptySlots(slotsFor(0));
    if (!slots) this.#share();
  }

  get size(): number {
    return this.#size;
  }

  get byteLength(): number {
    return this.#slots.byteLength + (this.#next?.byteLength ?? 0);
  }

  first(hash: number): number {
    return homeOf(hash, this.#slots.length);
  }

  next(slot: number): number {
    return slot + 1 === this.#slots.length ? 0 : slot + 1;
  }

  /** Row at a slot; 0 = empty: the probe ends. */
  at(slot: number): number {
    return this.#slots[slot]!;
  }

  /** Adds a row that is not in the index. Its key columns must be set. */
  add(row: number): void {
    if (!this.#next && (this.#size + 1) * FULL_OF > this.#slots.length * FULL) {
      this.#next = emptySlots(multiple(this.#slots.length * GROWTH));
      this.#copied = 0;
    }
    const slot = this.#place(this.#slots, row);
    this.#size++;
    if (!this.#next) return;
    if (slot < this.#copied) this.#place(this.#next, row);
    this.#copy(this.#next);
  }

  /** Removes a row. Its key columns must still be set. */
  remove(row: number): void {
    if (!this.#takeOut(this.#slots, row, this.#next)) return;
    if (this.#next) this.#takeOut(this.#next, row, undefined);
    this.#size--;
  }

  /** Empties the index and makes room for `expected` rows. */
  reset(expected: number): void {
    this.#next = undefined;
    this.#slots = emptySlots(slotsFor(expected));
    this.#size = 0;
    this.#share();
  }

  /**
   * Replaces what it holds by the rows from 1 to below `end`, in steps.
   * @param hashes the index's own; by default, of every row. @param expected how many are in use at most
   */
  *filling(end: number, hashes = rowHashes(this.#hashOf, () => true), expected = end): RowSteps {
    this.reset(0);
    this.take(yield* fillIndex(end, hashes, expected));
  }

  /** Replaces what it holds. @param filled with the hashes of its own keys */
  take({ slots, size }: FilledIndex): void {
    this.#next = undefined;
    this.#slots = new Uint32Array(slots);
    this.#size = size;
    this.#share();
  }

  #share(): void {
    this.#onReplaced?.(this.#slots.buffer as SharedArrayBuffer);
  }

  /** @returns the slot */
  #place(slots: Uint32Array, row: number): number {
    const { length } = slots;
    let slot = homeOf(this.#hashOf(row), length);
    while (slots[slot] !== 0) slot = slot + 1 === length ? 0 : slot + 1;
    slots[slot] = row;
    return slot;
  }

  /**
   * Removes a row, and shifts the rest of its cluster back.
   * @param next follows rows that shift across the border of what it has copied
   * @returns false when the row is not there
   */
  #takeOut(slots: Uint32Array, row: number, next: Uint32Array | undefined): boolean {
    const { length } = slots;
    let vacant = homeOf(this.#hashOf(row), length);
    while (slots[vacant] !== row) {
      if (slots[vacant] === 0) return false;
      vacant = vacant + 1 === length ? 0 : vacant + 1;
    }
    let slot = vacant;
    for (;;) {
      slot = slot + 1 === length ? 0 : slot + 1;
      const other = slots[slot]!;
      if (other === 0) break;
      const home = homeOf(this.#hashOf(other), length);
      // The row may move into the vacant slot unless its home lies cyclically after that.
      if (cyclic(slot - home, length) >= cyclic(slot - vacant, length)) {
        slots[vacant] = other;
        if (next) this.#follow(next, other, slot, vacant);
        vacant = slot;
      }
    }
    slots[vacant] = 0;
    return true;
  }

  /** A row moved while the index grows: into the copied slots, or out of them (around the end of the array). */
  #follow(next: Uint32Array, row: number, from: number, to: number): void {
    const wasCopied = from < this.#copied;
    const isCopied = to < this.#copied;
    if (isCopied && !wasCopied) this.#place(next, row);
    else if (wasCopied && !isCopied) this.#takeOut(next, row, undefined);
  }

  /** One step of growing. */
  #copy(next: Uint32Array): void {
    const slots = this.#slots;
    const end = this.#copied + SLOTS_A_STEP;
    for (let slot = this.#copied; slot < end; slot++) if (slots[slot] !== 0) this.#place(next, slots[slot]!);
    this.#copied = end;
    if (end < slots.length) return;
    this.#slots = next;
    this.#next = undefined;
    this.#share();
  }
}

/** Slots, and how many rows they hold: what one thread fills and another takes. */
export interface FilledIndex {
  readonly slots: SharedArrayBuffer;
  readonly size: number;
}

/** Fills the slots of an index with the rows from 1 to below `end`, in steps. @param expected how many are in use at most */
export function* fillIndex(end: number, hashes: RowHashes, expected = end): Generator<number, FilledIndex> {
  const slots = emptySlots(slotsFor(expected));
  const size = yield* new IndexFill(slots, hashes).run(end);
  return { slots: slots.buffer as SharedArrayBuffer, size };
}

/** Slot at which the probe for a hash begins. */
const homeOf = (hash: number, slots: number): number => (hash & HASH_MASK) % slots;

/** A difference of two slots, as the way from one to the other. */
const cyclic = (difference: number, slots: number): number =>
  difference < 0 ? difference + slots : difference;

const multiple = (slots: number): number => Math.ceil(slots / SLOTS_A_STEP) * SLOTS_A_STEP;

/** Enough that it does not grow before there are more rows. */
const slotsFor = (rows: number): number => Math.max(SLOTS_LEAST, multiple((rows * FULL_OF) / FULL + 1));

function emptySlots(slots: number): Uint32Array {
  const buffer = new SharedArrayBuffer(slots * 4);
  useHugePages(new Uint8Array(buffer), buffer.byteLength);
  return new Uint32Array(buffer);
}

/** Where the slots lie. */
export interface IndexMemory {
  /** Slots of another thread, to be read only. */
  readonly slots?: SharedArrayBuffer | undefined;
  /** The slots lie in this buffer from now on. */
  readonly onReplaced?: (slots: SharedArrayBuffer) => void;
}
