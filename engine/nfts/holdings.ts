/**
 * How many NFTs of a collection an account owns, for each pair that has any; and so how many owners a collection has.
 *
 * Cost: 12 bytes a pair and 6 of the index; rows are reused. Two look-ups for each NFT that changes hands.
 */
import type { RowSteps } from '../event-loop.ts';
import { fixedU32 } from '../state/fixed-views.ts';
import { hash2 } from '../state/hash.ts';
import { HASH_MASK, inSteps, type RowHashes, UNUSED } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Collections } from './collections.ts';

export class NftHoldings {
  readonly table: Table;
  /** Accounts that own NFTs of each collection: derived. */
  readonly owners: Uint32Array;
  readonly #collection: Uint32Array;
  readonly #owner: Uint32Array;
  readonly #count: Uint32Array;
  readonly #index: RowIndex;
  readonly #collections: Collections;

  constructor(capacity: number, collections: Collections) {
    const table = new Table(TableId.nftHoldings, 'holdings of NFTs', capacity);
    this.table = table;
    this.#collections = collections;
    this.#collection = table.u32('collection');
    this.#owner = table.u32('owner');
    this.#count = table.u32('count');
    table.linkThrough(this.#count);
    this.#index = table.index('holdings of NFTs', (row) => this.#hash(row));
    this.owners = collections.table.derivedU32('owners');
  }

  /** The account owns one more. @throws TableFullError */
  add(collection: number, owner: number): void {
    let row = this.#find(collection, owner);
    if (row === 0) {
      row = this.table.add();
      this.#collection[row] = collection;
      this.#owner[row] = owner;
      this.#index.add(row);
      this.owners[collection]!++;
    }
    this.#count[row]!++;
    this.table.markDirty(row);
  }

  /** The account owns one fewer. */
  remove(collection: number, owner: number): void {
    const row = this.#find(collection, owner);
    if (row === 0) return;
    this.table.markDirty(row);
    if (--this.#count[row]! > 0) return;
    this.#index.remove(row);
    this.table.remove(row);
    this.owners[collection]!--;
  }

  *rebuilding(): RowSteps {
    const { count } = this.table;
    const [collection, owner] = [fixedU32(this.#collection, count), fixedU32(this.#owner, count)];
    yield* this.#index.filling(count, hashesOf(collection, owner));
    this.owners.fill(0, 0, this.#collections.count);
    const owners = fixedU32(this.owners, this.#collections.count);
    yield* inSteps(count, (from, to) => {
      for (let row = from; row < to; row++) if (owner[row] !== 0) owners[collection[row]!]!++;
    });
  }

  /** 0: it owns none. */
  #find(collection: number, owner: number): number {
    const index = this.#index;
    for (let slot = index.first(hash2(collection, owner)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || (this.#collection[row] === collection && this.#owner[row] === owner)) return row;
    }
  }

  #hash(row: number): number {
    return hash2(this.#collection[row]!, this.#owner[row]!);
  }
}

const hashesOf =
  (collection: Uint32Array, owner: Uint32Array): RowHashes =>
  (from, to, into) => {
    for (let row = from; row < to; row++)
      into[row] = owner[row] === 0 ? UNUSED : hash2(collection[row]!, owner[row]!) & HASH_MASK;
  };
