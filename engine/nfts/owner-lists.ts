/**
 * The NFTs of each owner, as lists in which those of a collection stand together; and so how many owners a collection has.
 *
 *     owner -> first -> next -> next -> ...           a run: the NFTs of one collection
 *              | collection 7 |  | collection 2 |
 *     index:   (collection, owner) -> first NFT of the run, for lists of more than WALKED_MAX
 *
 * An NFT that comes goes behind the first of its run, or begins one at the front of the list; a run that ends was the last of
 * that owner. Nothing is stored: all of it follows from owner and collection of each NFT at a start, in the passes below.
 *
 * Non-goals: an order of the NFTs of an owner, how many of a collection one has. Cost: 8 bytes an NFT, and for those in long lists
 * 5.3 to 6.7 of the index; for an NFT that comes, a look-up in the index or a walk over a short list.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { fixedU32 } from '../state/fixed-views.ts';
import { hash2 } from '../state/hash.ts';
import { HASH_MASK, inSteps, type RowHashes, UNUSED } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import type { Table } from '../state/table.ts';
import type { Collections } from './collections.ts';
import type { Parties } from './parties.ts';

/** Of a list that is walked to find a run; an index of all would take as much as that of the NFTs, for accounts with few. */
const WALKED_MAX = 32;

type Pass = (from: number, to: number) => void;

interface OwnedNfts {
  readonly table: Table;
  readonly collection: Uint32Array;
  readonly owner: Uint32Array;
}

/** NFTs of each collection, as lists: the newest one, and by NFT the one before it; 0: there is none. */
export interface CollectionLists {
  readonly newest: Uint32Array;
  readonly before: Uint32Array;
}

export class OwnerLists {
  /** Accounts that own NFTs of each collection. */
  readonly owners: Uint32Array;
  readonly #nfts: OwnedNfts;
  readonly #collections: Collections;
  readonly #parties: Parties;
  /** First NFT of each run of a long list. */
  readonly #index: RowIndex;
  readonly #next: Uint32Array;
  readonly #previous: Uint32Array;
  /** First NFT of each owner. */
  readonly #first: Uint32Array;

  constructor(nfts: OwnedNfts, collections: Collections, parties: Parties) {
    this.#nfts = nfts;
    this.#collections = collections;
    this.#parties = parties;
    this.owners = collections.table.derivedU32('owners');
    this.#index = nfts.table.index('NFTs by collection and owner', (row) => this.#hash(row));
    this.#next = nfts.table.derivedU32('next of owner');
    this.#previous = nfts.table.derivedU32('previous of owner');
    this.#first = parties.table.derivedU32('first NFT');
  }

  /** Visits the NFTs of an owner, in no given order, until `visit` returns false. */
  visit(owner: number, visit: (row: number) => boolean | undefined): void {
    for (let row = this.#first[owner]!; row !== 0; row = this.#next[row]!) if (visit(row) === false) return;
  }

  /** An NFT has come to the owner that it has now. */
  add(row: number): void {
    const [collection, owner] = [this.#nfts.collection[row]!, this.#nfts.owner[row]!];
    const isIndexed = this.#isLong(owner);
    const first = isIndexed ? this.#find(collection, owner) : this.#walkTo(collection, owner);
    if (first !== 0) this.#link(row, first, this.#next[first]!);
    else {
      this.#link(row, 0, this.#first[owner]!);
      this.#first[owner] = row;
      if (isIndexed) this.#index.add(row);
      this.owners[collection]!++;
    }
    this.#parties.nfts[owner]!++;
    if (!isIndexed && this.#isLong(owner)) this.#eachRun(owner, (begin) => this.#index.add(begin));
  }

  /** An NFT leaves the owner that it still has. */
  remove(row: number): void {
    const [collection, owner] = [this.#nfts.collection[row]!, this.#nfts.owner[row]!];
    const [next, previous] = [this.#next[row]!, this.#previous[row]!];
    const isIndexed = this.#isLong(owner);
    if (previous === 0) this.#first[owner] = next;
    else this.#next[previous] = next;
    if (next !== 0) this.#previous[next] = previous;
    if (!this.#isOf(previous, collection)) {
      const goesOn = this.#isOf(next, collection);
      if (!goesOn) this.owners[collection]!--;
      if (isIndexed) this.#index.remove(row);
      if (isIndexed && goesOn) this.#index.add(next);
    }
    this.#parties.nfts[owner]!--;
    if (isIndexed && !this.#isLong(owner)) this.#eachRun(owner, (begin) => this.#index.remove(begin));
  }

  /** Of the NFTs that the lists of collections have. */
  *rebuilding(lists: CollectionLists): RowSteps {
    const { count } = this.#nfts.table;
    for (const column of [this.#first, this.#parties.nfts]) column.fill(0, 0, this.#parties.count);
    this.owners.fill(0, 0, this.#collections.count);
    this.#previous.fill(0, 0, count);
    yield* this.#findingRuns(lists);
    yield* this.#index.filling(count, this.#hashesOfRuns(), this.#inLongLists());
    yield* inSteps(count, this.#linkingRows());
  }

  /** Counts the NFTs of each owner, and puts into `previous` the next older one of the same run: collection by collection. */
  *#findingRuns(lists: CollectionLists): RowSteps {
    const pass = this.#runsOfSome(lists);
    for (let from = 1; from < this.#collections.count; yield 0) from = pass(from);
  }

  /** Of collections from one on, with so many NFTs as fit a step. @returns the collection to go on with */
  #runsOfSome({ newest, before }: CollectionLists): (from: number) => number {
    const [, owner, previous] = this.#columns();
    const { count } = this.#collections;
    // Of each owner, the NFT that was passed last, and its collection.
    const last = new Uint32Array(this.#parties.count);
    const lastOf = new Uint32Array(this.#parties.count);
    const held = fixedU32(this.#parties.nfts, this.#parties.count);
    return (from) => {
      let passed = 0;
      let of = from;
      for (; of < count && passed < ROWS_A_STEP; of++) {
        for (let row = newest[of]!; row !== 0; row = before[row]!) {
          passed++;
          const by = owner[row]!;
          if (by === 0) continue;
          held[by]!++;
          if (lastOf[by] === of) previous[last[by]!] = row;
          last[by] = row;
          lastOf[by] = of;
        }
      }
      return of;
    };
  }

  /** At least the number of runs in the index. */
  #inLongLists(): number {
    let sum = 0;
    for (const held of this.#parties.nfts.subarray(0, this.#parties.count))
      if (held > WALKED_MAX) sum += held;
    return sum;
  }

  #hashesOfRuns(): RowHashes {
    const [collection, owner, previous] = this.#columns();
    const held = fixedU32(this.#parties.nfts, this.#parties.count);
    return (from, to, into) => {
      for (let row = from; row < to; row++) {
        const isIndexed = previous[row] === 0 && held[owner[row]!]! > WALKED_MAX;
        into[row - from] = isIndexed ? hash2(collection[row]!, owner[row]!) & HASH_MASK : UNUSED;
      }
    };
  }

  /** Of all rows, ascending: the next older one of the run, in `previous`, has its place. */
  #linkingRows(): Pass {
    const [collection, owner, previous, next] = this.#columns();
    const first = fixedU32(this.#first, this.#parties.count);
    const owners = fixedU32(this.owners, this.#collections.count);
    return (from, to) => {
      for (let row = from; row < to; row++) {
        const by = owner[row]!;
        if (by === 0) continue;
        const before = previous[row]!;
        const after = before === 0 ? first[by]! : next[before]!;
        next[row] = after;
        if (after !== 0) previous[after] = row;
        if (before !== 0) next[before] = row;
        else {
          first[by] = row;
          owners[collection[row]!]!++;
        }
      }
    };
  }

  /** Of all rows: collection, owner, and the two neighbours in the list. */
  #columns(): readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
    const ofRows = (column: Uint32Array): Uint32Array => fixedU32(column, this.#nfts.table.count);
    const { collection, owner } = this.#nfts;
    return [ofRows(collection), ofRows(owner), ofRows(this.#previous), ofRows(this.#next)];
  }

  #link(row: number, previous: number, next: number): void {
    this.#next[row] = next;
    this.#previous[row] = previous;
    if (next !== 0) this.#previous[next] = row;
    if (previous !== 0) this.#next[previous] = row;
  }

  #isLong(owner: number): boolean {
    return this.#parties.nfts[owner]! > WALKED_MAX;
  }

  /** @param row 0: no */
  #isOf(row: number, collection: number): boolean {
    return row !== 0 && this.#nfts.collection[row] === collection;
  }

  /** Calls `visit` with the first NFT of each run. */
  #eachRun(owner: number, visit: (row: number) => void): void {
    let of = 0;
    this.visit(owner, (row) => {
      const collection = this.#nfts.collection[row]!;
      if (collection !== of) visit(row);
      of = collection;
      return true;
    });
  }

  /** The first of a run in a short list; 0: there is none. */
  #walkTo(collection: number, owner: number): number {
    let row = this.#first[owner]!;
    while (row !== 0 && this.#nfts.collection[row] !== collection) row = this.#next[row]!;
    return row;
  }

  /** The same in a long one. */
  #find(collection: number, owner: number): number {
    const index = this.#index;
    for (let slot = index.first(hash2(collection, owner)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || (this.#nfts.collection[row] === collection && this.#nfts.owner[row] === owner))
        return row;
    }
  }

  #hash(row: number): number {
    return hash2(this.#nfts.collection[row]!, this.#nfts.owner[row]!);
  }
}
