/** Collections: the NFTs of one issuer and taxon. Identity `<issuer>:<taxon>`. */
import { WORD } from '../codec/amount.ts';
import { BytesView, copyBytes, readU32, sameWords } from '../codec/bytes.ts';
import { NftIdAt, scrambleTaxon } from '../codec/nft-id.ts';
import { hashViewAnd } from '../state/hash.ts';
import { TableId } from '../table-ids.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { SaleDrops } from './sale-parts.ts';

/** Issuer, then the taxon, big-endian. */
const KEY_BYTES = 24;
const TAXON_AT = 20;
const ISSUER_WORDS = TAXON_AT / 4;
const KEY_WORDS = KEY_BYTES / 4;

export class Collections extends KeyedRows {
  /** NFTs that exist, as far as known. */
  readonly items: Uint32Array;
  /** NFTs whose minting was seen, and whose burning was. */
  readonly minted: Uint32Array;
  readonly burned: Uint32Array;
  /** Close time of the first minting that was seen; 0: none was. */
  readonly created: Uint32Array;
  /** Sales that were seen, of any asset, and the close time of the last one. */
  readonly sales: Uint32Array;
  readonly sold: Uint32Array;
  /** Drops of the sales in XRP that went to the issuer, and to brokers: whole numbers. */
  readonly royalties: Float64Array;
  readonly brokerFees: Float64Array;
  /** Platform (market/platforms.ts) through which the first of its NFTs was minted of which that is known; 0: of none. */
  readonly origin: Uint8Array;
  /** Whether its owners or offers have changed since its values were recorded (collection-history.ts): derived. */
  readonly changed: Uint32Array;
  /** Drops of those in XRP, in two words. */
  readonly #volumeHi: Uint32Array;
  readonly #volumeLo: Uint32Array;
  readonly #key = new Uint8Array(KEY_BYTES);
  readonly #ids = new BytesView();
  #last = 0;

  constructor(capacity: number) {
    super(TableId.nftCollections, 'NFT collections', capacity, KEY_BYTES);
    const { table } = this;
    this.items = table.u32('items');
    this.minted = table.u32('minted');
    this.burned = table.u32('burned');
    this.created = table.u32('created');
    this.sales = table.u32('sales');
    this.sold = table.u32('sold');
    this.#volumeHi = table.u32('volumeHi');
    this.#volumeLo = table.u32('volumeLo');
    this.royalties = table.f64('royalties');
    this.brokerFees = table.f64('brokerFees');
    this.origin = table.u8('origin');
    this.changed = table.derivedU32('changed');
  }

  /** An NFT of it was sold. @param time close time */
  addSale(row: number, { volume: drops, royalty, fee }: SaleDrops, time: number): void {
    const low = this.#volumeLo[row]! + (drops % WORD);
    this.royalties[row]! += royalty;
    this.brokerFees[row]! += fee;
    this.sales[row]!++;
    this.sold[row] = time;
    this.#volumeHi[row]! += Math.floor(drops / WORD) + (low >= WORD ? 1 : 0);
    this.#volumeLo[row] = low;
    this.table.markDirty(row);
  }

  /** One of its NFTs was minted through a platform. */
  mintedAt(row: number, platform: number): void {
    if (this.origin[row] !== 0) return;
    this.origin[row] = platform;
    this.table.markDirty(row);
  }

  /** Of all its sales in XRP. */
  volumeDrops(row: number): bigint {
    return (BigInt(this.#volumeHi[row]!) << 32n) | BigInt(this.#volumeLo[row]!);
  }

  /** Before sales are counted again. */
  clearSales(): void {
    for (const column of [this.sales, this.sold, this.#volumeHi, this.#volumeLo])
      column.fill(0, 0, this.count);
    for (const column of [this.royalties, this.brokerFees, this.origin]) column.fill(0, 0, this.count);
  }

  /** 0: it is not known. */
  findById(id: Uint8Array, at: number): number {
    const view = this.#ids.of(id);
    return this.#find(view, at + NftIdAt.issuer, taxonWord(view, at));
  }

  /** 0: there is none. @param issuer 20 bytes */
  findByTaxon(issuer: Uint8Array, taxon: number): number {
    copyBytes(issuer, 0, this.#key, 0, TAXON_AT);
    this.#putTaxon(taxon);
    return this.find(this.#key, 0);
  }

  /** The collection of an NFT, by the id at an offset. @throws TableFullError */
  ofNft(id: Uint8Array, at: number): number {
    const known = this.findById(id, at);
    if (known !== 0) return known;
    const view = this.#ids.of(id);
    copyBytes(id, at + NftIdAt.issuer, this.#key, 0, TAXON_AT);
    this.#putTaxon(taxonOf(view, at));
    return this.intern(this.#key, 0);
  }

  taxon(row: number): number {
    return readU32(this.key(row), TAXON_AT);
  }

  /** As `find`, of a key that is not put together. @param issuerAt of the view. @param taxon as it lies in the words of a key */
  #find(view: DataView, issuerAt: number, taxon: number): number {
    const { index } = this;
    if (this.#is(this.#last, view, issuerAt, taxon)) return this.#last;
    const hash = hashViewAnd(view, issuerAt, TAXON_AT, taxon);
    for (let slot = index.first(hash); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (!this.#is(row, view, issuerAt, taxon)) continue;
      // NFTs of one page mostly are of one collection.
      this.#last = row;
      return row;
    }
  }

  #is(row: number, view: DataView, issuerAt: number, taxon: number): boolean {
    const first = row * KEY_WORDS;
    return (
      this.words[first + ISSUER_WORDS] === taxon && sameWords(this.words, first, view, issuerAt, ISSUER_WORDS)
    );
  }

  #putTaxon(taxon: number): void {
    for (let i = 0; i < 4; i++) this.#key[TAXON_AT + i] = taxon >>> (24 - 8 * i);
  }
}

/** Taxon of the NFT whose id is at an offset. */
const taxonOf = (view: DataView, at: number): number =>
  scrambleTaxon(view.getUint32(at + NftIdAt.taxon), view.getUint32(at + NftIdAt.sequence));

/** The same as it lies in the words of a key, whose bytes are big-endian. */
function taxonWord(view: DataView, at: number): number {
  const taxon = taxonOf(view, at);
  return (taxon << 24) | ((taxon & 0xff00) << 8) | ((taxon >>> 8) & 0xff00) | (taxon >>> 24);
}
