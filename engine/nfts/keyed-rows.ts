/**
 * Rows that are found by a key of fixed width, which lies in their first column; a key keeps its row for good.
 * NFTs do not use the accounts and currencies of the hot state: these get their numbers in the order of the ledgers' nodes,
 * so that giving out further ones would change those of every replay (engine/state/entry-table.ts).
 */
import { BytesView, copyBytes, sameWords } from '../codec/bytes.ts';
import type { RowSteps } from '../event-loop.ts';
import { wordsOf } from '../state/fixed-views.ts';
import { hashView, hashWords } from '../state/hash.ts';
import { HASH_MASK, type RowHashes } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';

export class KeyedRows {
  readonly table: Table;
  readonly width: number;
  readonly #keys: Uint8Array;
  /** The same. */
  protected readonly words: Int32Array;
  readonly #wide: number;
  protected readonly index: RowIndex;
  readonly #views = new BytesView();

  /** @param width bytes of a key, a multiple of 4 */
  constructor(id: number, name: string, capacity: number, width: number) {
    const table = new Table(id, name, capacity);
    this.table = table;
    this.width = width;
    this.#keys = table.u8('key', width);
    this.words = new Int32Array(this.#keys.buffer);
    const wide = width / 4;
    this.#wide = wide;
    this.index = table.index(name, (row) => hashWords(this.words, row * wide, wide));
  }

  /** Rows are 1 to below it. */
  get count(): number {
    return this.table.count;
  }

  /** 0: there is none. */
  find(bytes: Uint8Array, at: number): number {
    const { index } = this;
    const wide = this.#wide;
    const view = this.#views.of(bytes);
    for (let slot = index.first(hashView(view, at, this.width)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameWords(this.words, row * wide, view, at, wide)) return row;
    }
  }

  /** @throws TableFullError */
  intern(bytes: Uint8Array, at: number): number {
    const found = this.find(bytes, at);
    if (found !== 0) return found;
    const row = this.table.add();
    copyBytes(bytes, at, this.#keys, row * this.width, this.width);
    this.index.add(row);
    return row;
  }

  /** The key of a row: a view that stays valid. */
  key(row: number): Uint8Array {
    return this.#keys.subarray(row * this.width, (row + 1) * this.width);
  }

  rebuilding(): RowSteps {
    return this.index.filling(this.count, this.#hashes());
  }

  /** Of all rows, for the index. */
  #hashes(): RowHashes {
    const wide = this.width / 4;
    const keys = wordsOf(this.#keys, this.count * wide);
    return (from, to, into) => {
      for (let row = from; row < to; row++) into[row - from] = hashWords(keys, row * wide, wide) & HASH_MASK;
    };
  }
}
