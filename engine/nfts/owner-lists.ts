/**
 * The NFTs of each owner, as lists in which those of a collection stand together; and so how many owners a collection has.
 *
 *     owner -> first -> next -> next -> ...           a run: the NFTs of one collection
 *              | collection 7 |  | collection 2 |
 *     index:   (collection, owner) -> first NFT of the run
 *
 * An NFT that comes goes behind the first of its run, or begins one at the front of the list; a run that ends was the last of
 * that owner. Nothing is stored: all of it follows from owner and collection of each NFT, in one pass at a start.
 *
 * Non-goals: an order of the NFTs of an owner, how many of a collection one has. Cost: 8 bytes an NFT, and 5.3 to 6.7 of the index;
 * one look-up for an NFT that comes, and one for the first of a run that goes.
 */
import type { RowSteps } from '../event-loop.ts';
import { fixedU32 } from '../state/fixed-views.ts';
import { hash2 } from '../state/hash.ts';
import { HASH_MASK, inSteps, type RowHashes, UNUSED } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import type { Table } from '../state/table.ts';
import type { Collections } from './collections.ts';
import type { Parties } from './parties.ts';

interface OwnedNfts {
  readonly table: Table;
  readonly collection: Uint32Array;
  readonly owner: Uint32Array;
}

export class OwnerLists {
  /** Accounts that own NFTs of each collection. */
  readonly owners: Uint32Array;
  readonly #nfts: OwnedNfts;
  readonly #collections: Collections;
  readonly #parties: Parties;
  /** First NFT of each run. */
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
    this.#parties.nfts[owner]!++;
    const first = this.#find(collection, owner);
    if (first !== 0) {
      this.#link(row, first, this.#next[first]!);
      return;
    }
    this.#link(row, 0, this.#first[owner]!);
    this.#first[owner] = row;
    this.#index.add(row);
    this.owners[collection]!++;
  }

  /** An NFT leaves the owner that it still has. */
  remove(row: number): void {
    const [collection, owner] = [this.#nfts.collection[row]!, this.#nfts.owner[row]!];
    const [next, previous] = [this.#next[row]!, this.#previous[row]!];
    this.#parties.nfts[owner]!--;
    if (previous === 0) this.#first[owner] = next;
    else this.#next[previous] = next;
    if (next !== 0) this.#previous[next] = previous;
    if (previous !== 0 && this.#nfts.collection[previous] === collection) return;
    this.#index.remove(row);
    if (next !== 0 && this.#nfts.collection[next] === collection) this.#index.add(next);
    else this.owners[collection]!--;
  }

  /** From owners and collections alone. */
  *rebuilding(): RowSteps {
    const { count } = this.#nfts.table;
    const [collection, owner] = [fixedU32(this.#nfts.collection, count), fixedU32(this.#nfts.owner, count)];
    const previous = fixedU32(this.#previous, count);
    previous.fill(0);
    this.#first.fill(0, 0, this.#parties.count);
    this.#parties.nfts.fill(0, 0, this.#parties.count);
    this.owners.fill(0, 0, this.#collections.count);
    yield* this.#index.filling(count, hashesOf(collection, owner), {
      isSame: (a, b) => collection[a] === collection[b] && owner[a] === owner[b],
      // Where its place in the list goes, until it is linked.
      onRepeated: (row, first) => {
        previous[row] = first;
      },
    });
    yield* inSteps(count, this.#linkingRows());
  }

  /** Of all rows, ascending; `previous` has the first of its run, where that is another one. */
  #linkingRows(): (from: number, to: number) => void {
    const { count } = this.#nfts.table;
    const [collection, owner] = [fixedU32(this.#nfts.collection, count), fixedU32(this.#nfts.owner, count)];
    const [next, previous] = [fixedU32(this.#next, count), fixedU32(this.#previous, count)];
    const ofParties = (column: Uint32Array): Uint32Array => fixedU32(column, this.#parties.count);
    const [first, held] = [ofParties(this.#first), ofParties(this.#parties.nfts)];
    const owners = fixedU32(this.owners, this.#collections.count);
    return (from, to) => {
      for (let row = from; row < to; row++) {
        const by = owner[row]!;
        if (by === 0) continue;
        held[by]!++;
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

  #link(row: number, previous: number, next: number): void {
    this.#next[row] = next;
    this.#previous[row] = previous;
    if (next !== 0) this.#previous[next] = row;
    if (previous !== 0) this.#next[previous] = row;
  }

  /** The first of a run; 0: there is none. */
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

const hashesOf =
  (collection: Uint32Array, owner: Uint32Array): RowHashes =>
  (from, to, into) => {
    for (let row = from; row < to; row++)
      into[row] = owner[row] === 0 ? UNUSED : hash2(collection[row]!, owner[row]!) & HASH_MASK;
  };
