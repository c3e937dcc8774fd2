/**
 * What pools held at the end of each hour or day in which they changed, and what was traded in them: a ring of rows, each
 * linked to the row of the same pool before it.
 *
 *     pool ---> newest row ---> before ---> before ---> ... until it left the ring
 *
 * When the ring is full the oldest row goes; a link to a row that has gone is known by its sequence number.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { Table } from '../state/table.ts';

const SINCE_OPENED = 'stores of earlier versions have them only since this version opened them';

export class PoolBuckets {
  readonly table: Table;
  /** Length of an interval. */
  readonly seconds: number;
  /** Of the pool, as its owner numbers them. */
  readonly key: Uint32Array;
  /** Start of the interval, Ripple epoch seconds. */
  readonly start: Uint32Array;
  readonly held1: Float64Array;
  readonly held2: Float64Array;
  /** Drops. */
  readonly locked: Float64Array;
  /** Value of the trades, and fees of these, drops. */
  readonly volume: Float64Array;
  readonly fees: Float64Array;
  /** Number of the row + 1, 0 = never used. */
  readonly #sequence: Uint32Array;
  /** Number + 1 of the row of the same pool before it, 0 = none. */
  readonly #before: Uint32Array;
  /** Number + 1 of the newest row by key. */
  #newest = new Uint32Array(1024);
  #head = 0;

  constructor(id: number, name: string, seconds: number, capacity: number) {
    const table = new Table(id, name, capacity);
    this.table = table;
    this.seconds = seconds;
    this.key = table.u32('key');
    this.start = table.u32('start');
    this.held1 = table.f64('held1');
    this.held2 = table.f64('held2');
    this.locked = table.f64('locked');
    this.volume = table.f64('volume');
    this.fees = table.f64('fees');
    this.#sequence = table.u32('sequence');
    this.#before = table.u32('before');
    for (const { name: column } of table.columns) table.excludeFromDigest(column, SINCE_OPENED);
  }

  /** The row of the interval that contains `time`, opened where there is none. */
  #row(key: number, time: number): number {
    const start = Math.floor(time / this.seconds) * this.seconds;
    const newest = this.#rowOf(this.#newest[key] ?? 0, key);
    return newest !== undefined && this.start[newest] === start ? newest : this.#open(key, start);
  }

  #open(key: number, start: number): number {
    const row = this.#head % this.table.capacity;
    this.table.reserve(row + 1);
    this.#makeRoom(key);
    const newest = this.#rowOf(this.#newest[key]!, key);
    for (const column of [this.held1, this.held2, this.locked])
      column[row] = newest === undefined ? 0 : column[newest]!;
    this.key[row] = key;
    this.start[row] = start;
    this.volume[row] = 0;
    this.fees[row] = 0;
    this.#before[row] = this.#newest[key]!;
    this.#sequence[row] = ++this.#head;
    this.#newest[key] = this.#head;
    return row;
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
    const row = (numberPlusOne - 1) % this.table.capacity;
    return this.#sequence[row] === numberPlusOne && this.key[row] === key ? row : undefined;
  }

  /** What the pool holds after a ledger that closed at `time`. */
  set(key: number, time: number, held1: number, held2: number, locked: number): void {
    const row = this.#row(key, time);
    this.held1[row] = held1;
    this.held2[row] = held2;
    this.locked[row] = locked;
    this.table.markDirty(row);
  }

  /** A trade in the pool, whose `set` has been called for the same ledger. Drops. */
  trade(key: number, time: number, volume: number, fees: number): void {
    const row = this.#row(key, time);
    this.volume[row]! += volume;
    this.fees[row]! += fees;
    this.table.markDirty(row);
  }

  /** Visits the rows of a pool, newest first, until `visit` returns false. */
  walkBack(key: number, visit: (row: number) => boolean): void {
    let row = this.#rowOf(this.#newest[key] ?? 0, key);
    while (row !== undefined && visit(row)) row = this.#rowOf(this.#before[row]!, key);
  }

  /** Whether no row was ever written. */
  get isEmpty(): boolean {
    return this.#head === 0;
  }

  /** Derives the links to the newest rows. */
  *rebuilding(): RowSteps {
    const rows = this.#sequence.length;
    this.#newest.fill(0);
    this.#head = 0;
    for (let row = 0; row < rows; row++) {
      const number = this.#sequence[row]!;
      if (number === 0) continue;
      const key = this.key[row]!;
      if (number > this.#head) this.#head = number;
      this.#makeRoom(key);
      if (number > this.#newest[key]!) this.#newest[key] = number;
      if (row % ROWS_A_STEP === 0) yield 0;
    }
  }
}
