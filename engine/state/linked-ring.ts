/**
 * A ring of rows, each linked to the row of the same key before it.
 *
 *     key ---> newest row ---> before ---> before ---> ... until it left the ring
 *
 * When the ring is full the oldest row goes; a link to a row that has gone is known by its sequence number. Its three columns
 * are 12 bytes a row; the table has those of whom it belongs to, too.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import type { Table } from './table.ts';

export interface RingColumns {
  readonly key: Uint32Array;
  /** Number of the row + 1, 0 = never used. */
  readonly sequence: Uint32Array;
  /** Number + 1 of the row of the same key before it, 0 = none. */
  readonly before: Uint32Array;
}

export class LinkedRing {
  readonly key: Uint32Array;
  readonly #table: Table;
  readonly #sequence: Uint32Array;
  readonly #before: Uint32Array;
  /** Number + 1 of the newest row by key. */
  #newest = new Uint32Array(1024);
  #head = 0;

  constructor(table: Table, { key, sequence, before }: RingColumns) {
    this.#table = table;
    this.key = key;
    this.#sequence = sequence;
    this.#before = before;
  }

  /** Whether no row was ever written. */
  get isEmpty(): boolean {
    return this.#head === 0;
  }

  /** The row that was opened first of those that are left; undefined: there is none. */
  get oldest(): number | undefined {
    if (this.#head === 0) return undefined;
    return this.#head <= this.#table.capacity ? 0 : this.#head % this.#table.capacity;
  }

  /** The newest row of a key. */
  newest(key: number): number | undefined {
    return this.#rowOf(this.#newest[key] ?? 0, key);
  }

  /** Opens a row of a key: the newest one. Its other columns are as they were. @throws TableFullError */
  open(key: number): number {
    const row = this.#head % this.#table.capacity;
    this.#table.reserve(row + 1);
    this.#makeRoom(key);
    this.key[row] = key;
    this.#before[row] = this.#newest[key]!;
    this.#sequence[row] = ++this.#head;
    this.#newest[key] = this.#head;
    return row;
  }

  /** Visits the rows of a key, newest first, until `visit` returns false. */
  walkBack(key: number, visit: (row: number) => boolean): void {
    let row = this.newest(key);
    while (row !== undefined && visit(row)) row = this.#rowOf(this.#before[row]!, key);
  }

  /** Derives the links to the newest rows. */
  *rebuilding(): RowSteps {
    const rows = this.#sequence.length;
    this.#newest.fill(0);
    this.#head = 0;
    for (let row = 0; row < rows; row++) {
      if (row % ROWS_A_STEP === 0) yield 0;
      const number = this.#sequence[row]!;
      if (number === 0) continue;
      const key = this.key[row]!;
      if (number > this.#head) this.#head = number;
      this.#makeRoom(key);
      if (number > this.#newest[key]!) this.#newest[key] = number;
    }
  }

  #makeRoom(key: number): void {
    if (key < this.#newest.length) return;
    const larger = new Uint32Array(Math.max(key + 1, this.#newest.length * 2));
    larger.set(this.#newest);
    this.#newest = larger;
  }

  /** The row with a number, if it is still that. */
  #rowOf(numberPlusOne: number, key: number): number | undefined {
    if (numberPlusOne === 0) return undefined;
    const row = (numberPlusOne - 1) % this.#table.capacity;
    return this.#sequence[row] === numberPlusOne && this.key[row] === key ? row : undefined;
  }
}
