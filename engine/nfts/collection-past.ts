/**
 * What collections were at the end of past hours or days: one row where something changed, none where all stayed the same.
 *
 *     collection -> newest row -> row before -> ...        period, floor, listed, bids, owners
 *
 * Each collection keeps the rows of so many periods, and the last one before these, which holds at their beginning.
 * Cost: 32 bytes a row, 4 a collection. When the table is full, a new row takes the place of the oldest of its collection.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { Table } from '../state/table.ts';
import type { Collections } from './collections.ts';

export interface CollectionValues {
  /** Raw XRP (codec/amount.ts) of the cheapest NFT that anyone can buy; 0 and 0: none is listed. */
  readonly floorHi: number;
  readonly floorLo: number;
  /** NFTs that anyone can buy for XRP. */
  readonly listed: number;
  /** Offers in XRP to buy one of its NFTs. */
  readonly bids: number;
  readonly owners: number;
}

export interface PastValues extends CollectionValues {
  /** At whose end it was so: close time / seconds of a period. */
  readonly period: number;
}

const NOTHING: CollectionValues = { floorHi: 0, floorLo: 0, listed: 0, bids: 0, owners: 0 };

export interface PastOptions {
  readonly id: number;
  readonly name: string;
  readonly capacity: number;
  /** Periods that are kept of a collection. */
  readonly kept: number;
}

export class CollectionPast {
  readonly table: Table;
  /** Row 0: the one that has begun. */
  readonly period: Uint32Array;
  readonly #kept: number;
  readonly #collection: Uint32Array;
  readonly #floorHi: Uint32Array;
  readonly #floorLo: Uint32Array;
  readonly #listed: Uint32Array;
  readonly #bids: Uint32Array;
  readonly #owners: Uint32Array;
  readonly #previous: Uint32Array;
  readonly #newest: Uint32Array;
  readonly #collections: Collections;

  constructor({ id, name, capacity, kept }: PastOptions, collections: Collections) {
    const table = new Table(id, name, capacity);
    this.table = table;
    this.#kept = kept;
    this.#collections = collections;
    this.#collection = table.u32('collection');
    this.period = table.u32('period');
    this.#floorHi = table.u32('floorHi');
    this.#floorLo = table.u32('floorLo');
    this.#listed = table.u32('listed');
    this.#bids = table.u32('bids');
    this.#owners = table.u32('owners');
    this.#previous = table.u32('previous');
    table.linkThrough(this.#previous);
    this.#newest = collections.table.derivedU32(`newest of ${name}`);
  }

  /** Whether these differ from what was put last. */
  isNew(collection: number, values: CollectionValues): boolean {
    const last = this.#newest[collection]!;
    const { floorHi, floorLo, listed, bids, owners } = last === 0 ? NOTHING : this.#values(last);
    return (
      listed !== values.listed ||
      owners !== values.owners ||
      bids !== values.bids ||
      floorHi !== values.floorHi ||
      floorLo !== values.floorLo
    );
  }

  /** The values at the end of a period, which is that of the newest row or a later one. */
  put(collection: number, period: number, values: CollectionValues): void {
    if (!this.isNew(collection, values)) return;
    const last = this.#newest[collection]!;
    const row = last !== 0 && this.period[last] === period ? last : this.#rowFor(collection, last);
    if (row === 0) return;
    this.#collection[row] = collection;
    this.period[row] = period;
    this.#floorHi[row] = values.floorHi;
    this.#floorLo[row] = values.floorLo;
    this.#listed[row] = values.listed;
    this.#bids[row] = values.bids;
    this.#owners[row] = values.owners;
    this.table.markDirty(row);
    this.#forget(row, period - this.#kept);
  }

  /** What it was at the end of a period; undefined: that is not known. */
  at(collection: number, period: number): PastValues | undefined {
    let row = this.#newest[collection]!;
    while (row !== 0 && this.period[row]! > period) row = this.#previous[row]!;
    return row === 0 ? undefined : this.#values(row);
  }

  /** All that is kept, oldest first. */
  all(collection: number): PastValues[] {
    const found: PastValues[] = [];
    for (let row = this.#newest[collection]!; row !== 0; row = this.#previous[row]!)
      found.push(this.#values(row));
    return found.reverse();
  }

  *rebuilding(): RowSteps {
    const newest = this.#newest;
    newest.fill(0, 0, this.#collections.count);
    for (let row = 1; row < this.table.count; row++) {
      if (row % ROWS_A_STEP === 0) yield ROWS_A_STEP;
      const collection = this.#collection[row]!;
      if (collection === 0) continue;
      const known = newest[collection]!;
      if (known === 0 || this.period[known]! < this.period[row]!) newest[collection] = row;
    }
  }

  #values(row: number): PastValues {
    return {
      period: this.period[row]!,
      floorHi: this.#floorHi[row]!,
      floorLo: this.#floorLo[row]!,
      listed: this.#listed[row]!,
      bids: this.#bids[row]!,
      owners: this.#owners[row]!,
    };
  }

  /** A row before the newest one. 0: the table is full, and none is the collection's. */
  #rowFor(collection: number, last: number): number {
    const { table } = this;
    const [used, free] = table.head;
    let before = last;
    if (used >= table.capacity && free === 0) {
      if (last === 0) return 0;
      before = this.#dropOldest(last);
    }
    const row = table.add();
    this.#previous[row] = before;
    this.#newest[collection] = row;
    return row;
  }

  /** @returns the newest that is left */
  #dropOldest(last: number): number {
    let after = 0;
    let row = last;
    for (; this.#previous[row] !== 0; row = this.#previous[row]!) after = row;
    this.table.remove(row);
    if (after === 0) return 0;
    this.#previous[after] = 0;
    this.table.markDirty(after);
    return last;
  }

  /** Removes what is before the one that holds at a period. */
  #forget(from: number, period: number): void {
    let row = from;
    while (row !== 0 && this.period[row]! > period) row = this.#previous[row]!;
    if (row === 0 || this.#previous[row] === 0) return;
    let old = this.#previous[row]!;
    this.#previous[row] = 0;
    this.table.markDirty(row);
    while (old !== 0) {
      const next = this.#previous[old]!;
      this.table.remove(old);
      old = next;
    }
  }
}
