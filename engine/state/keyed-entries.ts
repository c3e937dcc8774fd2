/**
 * Rows of ledger entries that exist at one moment, found by a key of fixed width in a column of their own; those of deleted entries are
 * used again. A key begins with two accounts that differ: so a free row, which is all zero but for its link, is known.
 */
import { sameBytes } from '../codec/bytes.ts';
import { hashBytes } from './hash.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';

export const ID_BYTES = 20;

export class KeyedEntries {
  readonly table: Table;
  /** The key that is looked up. */
  protected readonly key: Uint8Array;
  readonly #keys: Uint8Array;
  readonly #width: number;
  readonly #index: RowIndex;

  /** @param column of the keys. @param width bytes of a key */
  constructor(table: Table, column: string, width: number) {
    this.table = table;
    this.key = new Uint8Array(width);
    this.#keys = table.u8(column, width);
    this.#width = width;
    this.#index = table.index(column, (row) => hashBytes(this.#keys, row * width, width));
  }

  /** Entries that there are. */
  get existing(): number {
    return this.#index.size;
  }

  rebuild(): void {
    const { count } = this.table;
    this.#index.reset(count);
    for (let row = 1; row < count; row++) if (this.#isUsed(row)) this.#index.add(row);
  }

  /** The row of `key`; 0: there is none. */
  protected find(): number {
    const index = this.#index;
    const width = this.#width;
    for (let slot = index.first(hashBytes(this.key, 0, width)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameBytes(this.#keys, row * width, this.key, 0, width)) return row;
    }
  }

  /** @throws TableFullError */
  protected findOrAdd(): number {
    const known = this.find();
    if (known !== 0) return known;
    const row = this.table.add();
    this.#keys.set(this.key, row * this.#width);
    this.#index.add(row);
    return row;
  }

  protected remove(row: number): void {
    this.#index.remove(row);
    this.table.remove(row);
  }

  #isUsed(row: number): boolean {
    const from = row * this.#width;
    return !sameBytes(this.#keys, from, this.#keys, from + ID_BYTES, ID_BYTES);
  }
}
