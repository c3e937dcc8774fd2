/** What pools held at the end of each hour or day in which they changed, and what was traded in them: a ring of rows. */
import type { RowSteps } from '../event-loop.ts';
import { LinkedRing } from '../state/linked-ring.ts';
import { Table } from '../state/table.ts';

const SINCE_OPENED = 'stores of earlier versions have them only since this version opened them';

export class PoolBuckets {
  readonly table: Table;
  /** Length of an interval. */
  readonly seconds: number;
  /** Start of the interval, Ripple epoch seconds. */
  readonly start: Uint32Array;
  readonly held1: Float64Array;
  readonly held2: Float64Array;
  /** Drops. */
  readonly locked: Float64Array;
  /** Value of the trades, and fees of these, drops. */
  readonly volume: Float64Array;
  readonly fees: Float64Array;
  /** By pool, as its owner numbers them. */
  readonly #ring: LinkedRing;

  constructor(id: number, name: string, seconds: number, capacity: number) {
    const table = new Table(id, name, capacity);
    this.table = table;
    this.seconds = seconds;
    const key = table.u32('key');
    this.start = table.u32('start');
    this.held1 = table.f64('held1');
    this.held2 = table.f64('held2');
    this.locked = table.f64('locked');
    this.volume = table.f64('volume');
    this.fees = table.f64('fees');
    const sequence = table.u32('sequence');
    this.#ring = new LinkedRing(table, { key, sequence, before: table.u32('before') });
    for (const { name: column } of table.columns) table.excludeFromDigest(column, SINCE_OPENED);
  }

  /** The row of the interval that contains `time`, opened where there is none. */
  #row(key: number, time: number): number {
    const start = Math.floor(time / this.seconds) * this.seconds;
    const newest = this.#ring.newest(key);
    return newest !== undefined && this.start[newest] === start ? newest : this.#open(key, start, newest);
  }

  #open(key: number, start: number, before: number | undefined): number {
    const held = [this.held1, this.held2, this.locked].map((column) =>
      before === undefined ? 0 : column[before]!,
    );
    const row = this.#ring.open(key);
    [this.held1[row], this.held2[row], this.locked[row]] = held as [number, number, number];
    this.start[row] = start;
    this.volume[row] = 0;
    this.fees[row] = 0;
    return row;
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
    this.#ring.walkBack(key, visit);
  }

  /** Whether no row was ever written. */
  get isEmpty(): boolean {
    return this.#ring.isEmpty;
  }

  /** Derives the links to the newest rows. */
  rebuilding(): RowSteps {
    return this.#ring.rebuilding();
  }
}
