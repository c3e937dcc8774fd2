/**
 * Open offers for NFTs (NFTokenOffer entries), as columns. An offer stays until its entry is deleted: expired ones, and those
 * whose maker no longer owns the NFT, are in the table, as they are in the node's answers.
 *
 * Cost: 65 bytes an offer, 24 of derived lists (by NFT, by owner, by collection) and 6 of the index; rows are reused.
 */
import { AssetKind, amountKind, amountRawOffset, POSITIVE } from '../codec/amount.ts';
import { BytesView, copyBytes, hexOf, readU32, sameWords } from '../codec/bytes.ts';
import { NftOfferNode, Node } from '../codec/changes.ts';
import type { RowSteps } from '../event-loop.ts';
import { fixedU32, wordsOf } from '../state/fixed-views.ts';
import { hashView, hashWords } from '../state/hash.ts';
import { HASH_MASK, inSteps, type RowHashes, UNUSED } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Assets } from './assets.ts';
import type { Collections } from './collections.ts';
import type { NftTable } from './nft-table.ts';
import type { Parties } from './parties.ts';

const INDEX_BYTES = 32;
const INDEX_WORDS = INDEX_BYTES / 4;
/** Enough of an index, which is a hash itself. */
const HASHED_WORDS = 2;
/** lsfSellNFToken */
const SELL = 1;

interface OfferParts {
  readonly nfts: NftTable;
  readonly collections: Collections;
  readonly parties: Parties;
  readonly assets: Assets;
}

export class NftOffers {
  readonly table: Table;
  readonly nft: Uint32Array;
  readonly owner: Uint32Array;
  /** The only account that may take it; 0: anyone. */
  readonly destination: Uint32Array;
  /** Row of the assets; 0: XRP. */
  readonly asset: Uint32Array;
  /** Raw amount (codec/amount.ts). */
  readonly hi: Uint32Array;
  readonly lo: Uint32Array;
  /** Close time, 0: never. */
  readonly expiration: Uint32Array;
  /** Close time of the ledger that has made it; 0: not seen. */
  readonly created: Uint32Array;
  readonly flags: Uint8Array;
  readonly #indexes: Uint8Array;
  /** The same. */
  readonly #indexWords: Int32Array;
  readonly #index: RowIndex;
  readonly #views = new BytesView();
  readonly #next: Uint32Array;
  readonly #previous: Uint32Array;
  /** Newest offer of each NFT. */
  readonly #first: Uint32Array;
  readonly #ownerNext: Uint32Array;
  readonly #ownerPrevious: Uint32Array;
  /** Newest offer of each owner. */
  readonly #ownerFirst: Uint32Array;
  readonly #collectionNext: Uint32Array;
  readonly #collectionPrevious: Uint32Array;
  /** Newest offer for an NFT of each collection. */
  readonly #collectionFirst: Uint32Array;
  readonly #collections: Collections;
  readonly #nfts: NftTable;
  readonly #parties: Parties;
  readonly #assets: Assets;

  constructor(capacity: number, { nfts, collections, parties, assets }: OfferParts) {
    const table = new Table(TableId.nftOffers, 'NFT offers', capacity);
    this.table = table;
    this.#collections = collections;
    this.#nfts = nfts;
    this.#parties = parties;
    this.#assets = assets;
    this.#indexes = table.u8('index', INDEX_BYTES);
    this.#indexWords = new Int32Array(this.#indexes.buffer);
    this.nft = table.u32('nft');
    this.owner = table.u32('owner');
    this.destination = table.u32('destination');
    this.asset = table.u32('asset');
    this.hi = table.u32('hi');
    this.lo = table.u32('lo');
    this.expiration = table.u32('expiration');
    this.created = table.u32('created');
    this.flags = table.u8('flags');
    table.linkThrough(this.lo);
    this.#index = table.index('NFT offers', (row) =>
      hashWords(this.#indexWords, row * INDEX_WORDS, HASHED_WORDS),
    );
    this.#next = table.derivedU32('next of NFT');
    this.#previous = table.derivedU32('previous of NFT');
    this.#first = nfts.table.derivedU32('first offer');
    this.#ownerNext = table.derivedU32('next of owner');
    this.#ownerPrevious = table.derivedU32('previous of owner');
    this.#ownerFirst = parties.table.derivedU32('first offer');
    this.#collectionNext = table.derivedU32('next of collection');
    this.#collectionPrevious = table.derivedU32('previous of collection');
    this.#collectionFirst = collections.table.derivedU32('first offer');
  }

  /** Whether the row is in use. */
  has(row: number): boolean {
    return this.nft[row] !== 0;
  }

  isSell(row: number): boolean {
    return (this.flags[row]! & SELL) !== 0;
  }

  /** Its ledger entry index, 64 hex digits. */
  indexText(row: number): string {
    return hexOf(this.#indexes, row * INDEX_BYTES, INDEX_BYTES);
  }

  /** 0: it is not known. */
  find(bytes: Uint8Array, at: number): number {
    const index = this.#index;
    const view = this.#views.of(bytes);
    for (let slot = index.first(hashView(view, at, HASHED_WORDS * 4)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || sameWords(this.#indexWords, row * INDEX_WORDS, view, at, INDEX_WORDS)) return row;
    }
  }

  /** The offer of a node that exists after it. @param time close time, where the node has made it. @returns its row. @throws TableFullError */
  put(bytes: Uint8Array, words: Uint32Array, at: number, time: number): number {
    const indexAt = words[at + Node.indexAt]!;
    let row = this.find(bytes, indexAt);
    if (row === 0) {
      row = this.table.add();
      copyBytes(bytes, indexAt, this.#indexes, row * INDEX_BYTES, INDEX_BYTES);
      this.#index.add(row);
      this.nft[row] = this.#nfts.intern(bytes, words[at + NftOfferNode.nftIdAt]!);
      this.created[row] = time;
      this.owner[row] = this.#party(bytes, words[at + NftOfferNode.ownerAt]!);
      this.#link(row);
    }
    const word = (column: number): number =>
      words[at + column] === 0 ? 0 : readU32(bytes, words[at + column]!);
    this.destination[row] = this.#party(bytes, words[at + NftOfferNode.destinationAt]!);
    this.expiration[row] = word(NftOfferNode.expirationAt);
    this.flags[row] = word(NftOfferNode.flagsAt) & SELL;
    this.#setAmount(row, bytes, words[at + NftOfferNode.amountAt]!);
    this.table.markDirty(row);
    return row;
  }

  remove(row: number): void {
    this.#unlink(row);
    this.#index.remove(row);
    this.table.remove(row);
  }

  /** Removes all: they may be closed by now. */
  clear(): void {
    for (let row = 1; row < this.table.count; row++) if (this.has(row)) this.remove(row);
  }

  /** Visits the offers for an NFT, in no given order, until `visit` returns false. */
  ofNft(nft: number, visit: (row: number) => boolean | undefined): void {
    for (let row = this.#first[nft]!; row !== 0; row = this.#next[row]!) if (visit(row) === false) return;
  }

  /** Visits the offers that an account has made, in no given order, until `visit` returns false. */
  ofOwner(owner: number, visit: (row: number) => boolean | undefined): void {
    for (let row = this.#ownerFirst[owner]!; row !== 0; row = this.#ownerNext[row]!)
      if (visit(row) === false) return;
  }

  /** Visits the offers for NFTs of a collection, in no given order. */
  ofCollection(collection: number, visit: (row: number) => void): void {
    for (let row = this.#collectionFirst[collection]!; row !== 0; row = this.#collectionNext[row]!)
      visit(row);
  }

  *rebuilding(): RowSteps {
    const { count } = this.table;
    yield* this.#index.filling(count, this.#hashes(count));
    this.#first.fill(0, 0, this.#nfts.count);
    this.#ownerFirst.fill(0, 0, this.#parties.count);
    this.#collectionFirst.fill(0, 0, this.#collections.count);
    yield* inSteps(count, (from, to) => this.#linkRows(from, to));
  }

  /** Of all rows, for the index. */
  #hashes(count: number): RowHashes {
    const nft = fixedU32(this.nft, count);
    const indexes = wordsOf(this.#indexes, count * INDEX_WORDS);
    return (from, to, into) => {
      for (let row = from; row < to; row++)
        into[row - from] =
          nft[row] === 0 ? UNUSED : hashWords(indexes, row * INDEX_WORDS, HASHED_WORDS) & HASH_MASK;
    };
  }

  #linkRows(from: number, to: number): void {
    for (let row = from; row < to; row++) if (this.has(row)) this.#link(row);
  }

  /** @param at of its 20 bytes; 0: none */
  #party(bytes: Uint8Array, at: number): number {
    return at === 0 ? 0 : this.#parties.intern(bytes, at);
  }

  /** @param at of the Amount; 0: new entries leave out one of 0 drops */
  #setAmount(row: number, bytes: Uint8Array, at: number): void {
    if (at === 0) {
      this.asset[row] = 0;
      this.hi[row] = POSITIVE;
      this.lo[row] = 0;
      return;
    }
    const kind = amountKind(bytes[at]!);
    const raw = at + amountRawOffset(kind);
    this.asset[row] = kind === AssetKind.xrp ? 0 : this.#assets.ofAmount(bytes, at, kind);
    this.hi[row] = readU32(bytes, raw);
    this.lo[row] = readU32(bytes, raw + 4);
  }

  #link(row: number): void {
    const nft = this.nft[row]!;
    const first = this.#first[nft]!;
    this.#next[row] = first;
    this.#previous[row] = 0;
    if (first !== 0) this.#previous[first] = row;
    this.#first[nft] = row;
    const owner = this.owner[row]!;
    const ownerFirst = this.#ownerFirst[owner]!;
    this.#ownerNext[row] = ownerFirst;
    this.#ownerPrevious[row] = 0;
    if (ownerFirst !== 0) this.#ownerPrevious[ownerFirst] = row;
    this.#ownerFirst[owner] = row;
    const collection = this.#nfts.collection[nft]!;
    const collectionFirst = this.#collectionFirst[collection]!;
    this.#collectionNext[row] = collectionFirst;
    this.#collectionPrevious[row] = 0;
    if (collectionFirst !== 0) this.#collectionPrevious[collectionFirst] = row;
    this.#collectionFirst[collection] = row;
    this.#collections.changed[collection] = 1;
  }

  #unlink(row: number): void {
    const next = this.#next[row]!;
    const previous = this.#previous[row]!;
    if (previous === 0) this.#first[this.nft[row]!] = next;
    else this.#next[previous] = next;
    if (next !== 0) this.#previous[next] = previous;
    const ownerNext = this.#ownerNext[row]!;
    const ownerPrevious = this.#ownerPrevious[row]!;
    if (ownerPrevious === 0) this.#ownerFirst[this.owner[row]!] = ownerNext;
    else this.#ownerNext[ownerPrevious] = ownerNext;
    if (ownerNext !== 0) this.#ownerPrevious[ownerNext] = ownerPrevious;
    const collection = this.#nfts.collection[this.nft[row]!]!;
    const collectionNext = this.#collectionNext[row]!;
    const collectionPrevious = this.#collectionPrevious[row]!;
    if (collectionPrevious === 0) this.#collectionFirst[collection] = collectionNext;
    else this.#collectionNext[collectionPrevious] = collectionNext;
    if (collectionNext !== 0) this.#collectionPrevious[collectionNext] = collectionPrevious;
    this.#collections.changed[collection] = 1;
  }
}
