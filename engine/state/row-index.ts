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
 * 4 bytes a slot, at most three quarters full: 5.3 to 10.7 bytes a row. It doubles when full. Removal shifts the
 * rest of the cluster back, so there are no tombstones. Not persisted: rebuilt from the rows. The slots lie on shared
 * memory; a thread that attached to them (see table-memory.ts) looks up under the table's lock. It always finds an end:
 * at least a quarter of the slots is empty, in an outdated index, too.
 */
export class RowIndex {
  #slots: Uint32Array;
  #mask: number;
  #size = 0;
  readonly #hashOf: (row: number) => number;
  readonly #onReplaced: ((slots: SharedArrayBuffer) => void) | undefined;

  /** @param hashOf hash of the key that a row holds now; the same function the lookups use. */
  constructor(hashOf: (row: number) => number, { slots, onReplaced }: IndexMemory = {}) {
    this.#hashOf = hashOf;
    this.#onReplaced = onReplaced;
    this.#slots = slots ? new Uint32Array(slots) : this.#empty(slotsFor(0));
    this.#mask = this.#slots.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  get byteLength(): number {
    return this.#slots.byteLength;
  }

  first(hash: number): number {
    return hash & this.#mask;
  }

  next(slot: number): number {
    return (slot + 1) & this.#mask;
  }

  /** Row at a slot; 0 = empty: the probe ends. */
  at(slot: number): number {
    return this.#slots[slot]!;
  }

  /** Adds a row that is not in the index. Its key columns must be set. */
  add(row: number): void {
    if ((this.#size + 1) * 4 > this.#slots.length * 3) this.#grow();
    this.#place(row);
    this.#size++;
  }

  /** Removes a row. Its key columns must still be set. */
  remove(row: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let vacant = this.#hashOf(row) & mask;
    while (slots[vacant] !== row) {
      if (slots[vacant] === 0) return;
      vacant = (vacant + 1) & mask;
    }
    let slot = vacant;
    for (;;) {
      slot = (slot + 1) & mask;
      const other = slots[slot]!;
      if (other === 0) break;
      const home = this.#hashOf(other) & mask;
      // The row may move into the vacant slot unless its home lies cyclically after that.
      if (((slot - home) & mask) >= ((slot - vacant) & mask)) {
        slots[vacant] = other;
        vacant = slot;
      }
    }
    slots[vacant] = 0;
    this.#size--;
  }

  /** Empties the index and makes room for `expected` rows. */
  reset(expected: number): void {
    this.#slots = this.#empty(slotsFor(expected));
    this.#mask = this.#slots.length - 1;
    this.#size = 0;
  }

  #empty(slots: number): Uint32Array {
    const buffer = new SharedArrayBuffer(slots * 4);
    this.#onReplaced?.(buffer);
    return new Uint32Array(buffer);
  }

  #place(row: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = this.#hashOf(row) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = row;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = this.#empty(old.length * 2);
    this.#mask = this.#slots.length - 1;
    for (let i = 0; i < old.length; i++) if (old[i] !== 0) this.#place(old[i]!);
  }
}

function slotsFor(rows: number): number {
  let slots = 64;
  while (rows * 4 > slots * 3) slots *= 2;
  return slots;
}

/** Where the slots lie. */
export interface IndexMemory {
  /** Slots of another thread, to be read only. */
  readonly slots?: SharedArrayBuffer | undefined;
  /** The slots lie in this buffer from now on. */
  readonly onReplaced?: (slots: SharedArrayBuffer) => void;
}
