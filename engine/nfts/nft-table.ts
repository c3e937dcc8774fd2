/**
 * Every NFT that was ever seen, as columns: its id in parts, its owner, and when it was minted, changed and burned. Rows keep
 * their numbers; burned NFTs stay. URIs: uris.ts.
 *
 *     id   = flags | transfer fee | collection -> issuer, taxon | sequence
 *     collection -> newest row -> next -> ...   the NFTs of a collection, derived; those of an owner: owner-lists.ts
 *
 * Cost: 48 bytes an NFT, 8 of derived lists (one of them that of its offers) and 6 of the index; and what the lists of owners take.
 */
import { WORD } from '../codec/amount.ts';
import { copyBytes, hexOf, readU16, readU32 } from '../codec/bytes.ts';
import { NFT_ID_BYTES, NftIdAt, scrambleTaxon } from '../codec/nft-id.ts';
import type { RowSteps } from '../event-loop.ts';
import { fixedU32 } from '../state/fixed-views.ts';
import { hash2 } from '../state/hash.ts';
import { HASH_MASK, inSteps, type RowHashes } from '../state/index-fill.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { Collections } from './collections.ts';
import { type CollectionLists, OwnerLists } from './owner-lists.ts';
import type { Parties } from './parties.ts';
import { RecentNfts } from './recent-nfts.ts';

export class NftTable {
  readonly table: Table;
  readonly collection: Uint32Array;
  readonly sequence: Uint32Array;
  /** As minted; see NftFlag of XLS-20. */
  readonly flags: Uint16Array;
  /** In 1/100,000 of the price. */
  readonly transferFee: Uint16Array;
  /** Row of the parties; 0: burned, or not known. */
  readonly owner: Uint32Array;
  /** Close times, 0: not seen. */
  readonly minted: Uint32Array;
  readonly burned: Uint32Array;
  /** When its URI was changed last. */
  readonly modified: Uint32Array;
  /** Of its last sale that was seen, of any asset; 0: none was. */
  readonly sold: Uint32Array;
  /** Drops that its owner bought it for; 0: the owner did not buy it, or not for XRP. */
  readonly cost: Float64Array;
  /** Drops of its sales in XRP, in two words. */
  readonly #volumeHi: Uint32Array;
  readonly #volumeLo: Uint32Array;
  /** Accounts that own NFTs of each collection. */
  readonly owners: Uint32Array;
  #existing = 0;
  readonly #collections: Collections;
  readonly #index: RowIndex;
  readonly #ownerLists: OwnerLists;
  readonly #recent = new RecentNfts();
  readonly #collectionNext: Uint32Array;
  readonly #collectionFirst: Uint32Array;

  constructor(capacity: number, collections: Collections, parties: Parties) {
    const table = new Table(TableId.nfts, 'NFTs', capacity);
    this.table = table;
    this.#collections = collections;
    this.collection = table.u32('collection');
    this.sequence = table.u32('sequence');
    this.flags = table.u16('flags');
    this.transferFee = table.u16('transferFee');
    this.owner = table.u32('owner');
    this.minted = table.u32('minted');
    this.burned = table.u32('burned');
    this.modified = table.u32('modified');
    this.sold = table.u32('sold');
    this.#volumeHi = table.u32('volumeHi');
    this.#volumeLo = table.u32('volumeLo');
    this.cost = table.f64('cost');
    this.#index = table.index('NFTs', (row) => hash2(this.collection[row]!, this.sequence[row]!));
    this.#collectionNext = table.derivedU32('next of collection');
    this.#collectionFirst = collections.table.derivedU32('first NFT');
    this.#ownerLists = new OwnerLists(this, collections, parties);
    this.owners = this.#ownerLists.owners;
  }

  get count(): number {
    return this.table.count;
  }

  /** NFTs that have an owner. */
  get existing(): number {
    return this.#existing;
  }

  /** It was sold. @param drops 0: not for XRP. @param time close time */
  addSale(row: number, drops: number, time: number): void {
    const low = this.#volumeLo[row]! + (drops % WORD);
    this.#volumeHi[row]! += Math.floor(drops / WORD) + (low >= WORD ? 1 : 0);
    this.#volumeLo[row] = low;
    this.sold[row] = time;
    this.cost[row] = drops;
    this.table.markDirty(row);
  }

  /** Its owner got it for nothing, or it has none. */
  clearCost(row: number): void {
    if (this.cost[row] === 0) return;
    this.cost[row] = 0;
    this.table.markDirty(row);
  }

  /** Of all its sales in XRP. */
  volumeDrops(row: number): bigint {
    return (BigInt(this.#volumeHi[row]!) << 32n) | BigInt(this.#volumeLo[row]!);
  }

  /** Before sales are counted again. */
  clearSales(): void {
    for (const column of [this.sold, this.#volumeHi, this.#volumeLo, this.cost])
      column.fill(0, 0, this.count);
  }

  /** The row of an id at an offset; 0: it is not known. */
  find(id: Uint8Array, at: number): number {
    const collection = this.#collections.findById(id, at);
    return collection === 0 ? 0 : this.#find(id, at, collection);
  }

  /** @throws TableFullError */
  intern(id: Uint8Array, at: number): number {
    const recent = this.#recent.find(id, at);
    if (recent !== 0) return recent;
    const row = this.#intern(id, at);
    this.#recent.keep(id, at, row);
    return row;
  }

  #intern(id: Uint8Array, at: number): number {
    const collection = this.#collections.ofNft(id, at);
    const found = this.#find(id, at, collection);
    if (found !== 0) return found;
    const row = this.table.add();
    this.collection[row] = collection;
    this.sequence[row] = readU32(id, at + NftIdAt.sequence);
    this.flags[row] = readU16(id, at + NftIdAt.flags);
    this.transferFee[row] = readU16(id, at + NftIdAt.transferFee);
    this.#index.add(row);
    this.#linkCollection(row);
    return row;
  }

  /** The 32 bytes of its id. */
  id(row: number): Uint8Array {
    const id = new Uint8Array(NFT_ID_BYTES);
    const view = new DataView(id.buffer);
    const collection = this.collection[row]!;
    const sequence = this.sequence[row]!;
    view.setUint16(NftIdAt.flags, this.flags[row]!);
    view.setUint16(NftIdAt.transferFee, this.transferFee[row]!);
    copyBytes(this.#collections.key(collection), 0, id, NftIdAt.issuer, 20);
    view.setUint32(NftIdAt.taxon, scrambleTaxon(this.#collections.taxon(collection), sequence));
    view.setUint32(NftIdAt.sequence, sequence);
    return id;
  }

  /** The same as 64 hex digits, upper case. */
  idText(row: number): string {
    return hexOf(this.id(row));
  }

  /** It has another owner now; 0: none. */
  setOwner(row: number, owner: number): void {
    const before = this.owner[row]!;
    if (before === owner) return;
    const { items, changed, table } = this.#collections;
    const collection = this.collection[row]!;
    changed[collection] = 1;
    if (before !== 0) this.#ownerLists.remove(row);
    this.owner[row] = owner;
    if (owner !== 0) this.#ownerLists.add(row);
    // One that was burned was minted anew.
    if (owner !== 0) this.burned[row] = 0;
    if ((before === 0) !== (owner === 0)) {
      items[collection]! += owner === 0 ? -1 : 1;
      this.#existing += owner === 0 ? -1 : 1;
      table.markDirty(collection);
    }
    this.table.markDirty(row);
  }

  /** Visits the NFTs of an owner, in no given order, until `visit` returns false. */
  ofOwner(owner: number, visit: (row: number) => boolean | undefined): void {
    this.#ownerLists.visit(owner, visit);
  }

  /** The NFT of a collection that was seen last, burned ones included; 0: there is none. */
  newestOf(collection: number): number {
    return this.#collectionFirst[collection]!;
  }

  /** The NFT of the same collection that was seen before this one; 0: there is none. */
  before(row: number): number {
    return this.#collectionNext[row]!;
  }

  *rebuilding(): RowSteps {
    this.#recent.clear();
    yield* this.#index.filling(this.count, this.#hashes());
    this.#collectionFirst.fill(0, 0, this.#collections.count);
    this.#existing = 0;
    const before = fixedU32(this.#collectionNext, this.count);
    const newest = fixedU32(this.#collectionFirst, this.#collections.count);
    yield* inSteps(this.count, this.#linkingRows({ newest, before }));
    yield* this.#ownerLists.rebuilding({ newest, before });
  }

  /** Of all rows, for the index. */
  #hashes(): RowHashes {
    const collection = fixedU32(this.collection, this.count);
    const sequence = fixedU32(this.sequence, this.count);
    return (from, to, into) => {
      for (let row = from; row < to; row++)
        into[row - from] = hash2(collection[row]!, sequence[row]!) & HASH_MASK;
    };
  }

  /** Of all rows, which are in no list of a collection yet. */
  #linkingRows({ newest, before }: CollectionLists): (from: number, to: number) => void {
    const collection = fixedU32(this.collection, this.count);
    const owner = fixedU32(this.owner, this.count);
    return (from, to) => {
      let existing = 0;
      for (let row = from; row < to; row++) {
        const of = collection[row]!;
        before[row] = newest[of]!;
        newest[of] = row;
        if (owner[row] !== 0) existing++;
      }
      this.#existing += existing;
    };
  }

  #find(id: Uint8Array, at: number, collection: number): number {
    const index = this.#index;
    const sequence = readU32(id, at + NftIdAt.sequence);
    const flags = readU16(id, at + NftIdAt.flags);
    const fee = readU16(id, at + NftIdAt.transferFee);
    for (let slot = index.first(hash2(collection, sequence)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (
        this.collection[row] === collection &&
        this.sequence[row] === sequence &&
        this.flags[row] === flags &&
        this.transferFee[row] === fee
      )
        return row;
    }
  }

  #linkCollection(row: number): void {
    const collection = this.collection[row]!;
    this.#collectionNext[row] = this.#collectionFirst[collection]!;
    this.#collectionFirst[collection] = row;
  }
}
