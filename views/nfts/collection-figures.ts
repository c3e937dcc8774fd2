/**
 * Figures of collections, and lists of them.
 *
 *     columns of the engine      items, burned, sales, volume of all time
 *     sales-day.ts               sales and volume of 24 hours
 *     walk over its NFTs         owners, listed, floor: kept until an event of the collection, or an offer of it expires
 *
 * Floor and listed count what anyone can take: listings in XRP of the NFT's owner without a destination that have not expired.
 * Cost: a walk is some 100 ns an NFT, for collections that are shown; a list sorts the columns of all, once a ledger.
 */
import { AssetKind, DROPS_PER_XRP, dropsOf } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import type { Assets } from '../../engine/nfts/assets.ts';
import { NftEventReader } from '../../engine/nfts/event-record.ts';
import type { NftOffers } from '../../engine/nfts/offers.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import type { Invalidated } from '../invalidation.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { xrpNumber } from './amounts.ts';
import type { NftOfferViews } from './offers.ts';
import { SalesDay } from './sales-day.ts';

/** Sorts by columns, which are there at once, and by what a walk over the NFTs shows. */
export const COLUMN_SORTS = ['volume', 'items', 'sales', 'time', 'vol24h', 'sales24h'] as const;
export const COLLECTION_SORTS = [
  ...COLUMN_SORTS,
  'owners',
  'listed',
  'floor',
  'marketcap',
  'trending',
] as const;
export type CollectionSort = (typeof COLLECTION_SORTS)[number];

/** Collections whose walk is kept. */
const KEPT = 100_000;
/** Collections keyed before other work may run: about 1 ms by a column. */
const KEYS_A_SLICE = 10_000;
/** NFTs walked before other work may run: about 2 ms. */
const NFTS_A_SLICE = 10_000;
const NEVER = Number.POSITIVE_INFINITY;

export interface CollectionPage {
  readonly skip: number;
  readonly limit: number;
  readonly isAscending?: boolean;
  /** Only collections with so many owners. */
  readonly minOwners?: number;
}

/** An offer in XRP. */
export interface CollectionOffer {
  readonly NFTokenID: string;
  /** Of the offer. */
  readonly index: string;
  /** XRP. */
  readonly price: number;
  /** r-address of its maker. */
  readonly owner: string;
  /** Seconds of the Ripple epoch. */
  readonly expiration?: number;
}

interface Walked {
  readonly owners: number;
  readonly listed: number;
  /** XRP; undefined: nothing is listed. */
  readonly floor: number | undefined;
  /** XRP; undefined: nobody offers any. */
  readonly topOffer: number | undefined;
  /** Close time from which a listing or the top offer has expired. */
  readonly until: number;
}

export class CollectionFigures implements Invalidated {
  readonly #engine: Engine;
  readonly #offers: NftOfferViews;
  readonly #day: SalesDay;
  readonly #walked = new Map<number, Walked>();
  readonly #orders: VersionedCache<Promise<Uint32Array>>;

  constructor(engine: Engine, offers: NftOfferViews) {
    this.#engine = engine;
    this.#offers = offers;
    this.#orders = new VersionedCache([engine], COLLECTION_SORTS.length);
    this.#day = new SalesDay(({ price }) => {
      const xrp = price && engine.nfts.assets.kind(price.asset) === AssetKind.xrp;
      return xrp ? Number(dropsOf(price.hi, price.lo)) : 0;
    });
  }

  applied({ head, events }: LedgerEvent): void {
    const { bytes, count } = events.nfts;
    this.#day.add(head.index, head.closeTime, bytes, count);
    const event = new NftEventReader().load(bytes);
    for (let i = 0; i < count; i++) this.#walked.delete(event.at(i).collection);
  }

  drop(): void {
    this.#walked.clear();
  }

  /** Resolves when the sales of 24 hours are known. */
  ready(): Promise<void> {
    const { store, head } = this.#engine;
    return this.#day.load(store, head?.closeTime ?? 0, head?.index ?? 0);
  }

  of(row: number) {
    const { collections } = this.#engine.nfts;
    const { sales, volume } = this.#day.of(row);
    const created = collections.created[row]!;
    const { owners, listed, floor, topOffer } = this.#walk(row);
    const items = collections.items[row]!;
    return {
      items,
      burned: collections.burned[row]!,
      owners,
      listed,
      floor: floor ?? null,
      /** Of what anybody offers for one of its NFTs, XRP. */
      topOffer: topOffer ?? null,
      /** All at the floor, XRP. */
      marketcap: floor === undefined ? null : floor * items,
      trending: this.#trending(row),
      sales: collections.sales[row]!,
      volume: Number(collections.volumeDrops(row)) / DROPS_PER_XRP,
      vol24h: volume,
      sales24h: sales,
      time: created === 0 ? null : unixMs(created),
    };
  }

  /** Rows of the collections of a page, the largest first unless ascending, and how many there are. */
  async list(sort: CollectionSort, { skip, limit, isAscending = false, minOwners = 0 }: CollectionPage) {
    await this.ready();
    let order = await this.#orders.get(sort, () => atOneVersion([this.#engine], () => this.#ordering(sort)));
    if (minOwners > 0) order = order.filter((row) => this.#walk(row).owners >= minOwners);
    const { length } = order;
    const rows = Array.from({ length: Math.max(0, Math.min(limit, length - skip)) }, (_, i) => {
      const at = skip + i;
      return order[isAscending ? length - 1 - at : at]!;
    });
    return { rows, total: length };
  }

  /** Its NFTs that exist, the one first seen last first; by price: the dearest first, those that are not listed last. */
  members(row: number, sort: 'minted' | 'price'): number[] {
    const { nfts, offers, assets } = this.#engine.nfts;
    const found: number[] = [];
    for (let nft = nfts.newestOf(row); nft !== 0; nft = nfts.before(nft))
      if (nfts.owner[nft] !== 0) found.push(nft);
    if (sort === 'minted') return found;
    const prices = new Map(
      found.map((nft) => {
        const listing = this.#offers.listing(nft);
        return [nft, listing === undefined ? 0 : xrpOf(offers, assets, listing)] as const;
      }),
    );
    return found.sort((a, b) => prices.get(b)! - prices.get(a)!);
  }

  /** What anyone can buy for XRP, the cheapest first, and the highest offer for each NFT, the highest first. */
  book(row: number) {
    const { nfts } = this.#engine.nfts;
    const asks: CollectionOffer[] = [];
    const bids: CollectionOffer[] = [];
    for (let nft = nfts.newestOf(row); nft !== 0; nft = nfts.before(nft)) {
      if (nfts.owner[nft] === 0) continue;
      const [ask, bid] = [this.#offers.listing(nft), this.#offers.topOffer(nft)];
      if (ask !== undefined) asks.push(this.#offerOf(ask));
      if (bid !== undefined) bids.push(this.#offerOf(bid));
    }
    return {
      asks: asks.sort((a, b) => a.price - b.price),
      bids: bids.sort((a, b) => b.price - a.price),
    };
  }

  #offerOf(offer: number): CollectionOffer {
    const { nfts, offers, parties, assets } = this.#engine.nfts;
    const expiration = offers.expiration[offer]!;
    return {
      NFTokenID: nfts.idText(offers.nft[offer]!),
      index: offers.indexText(offer),
      price: xrpOf(offers, assets, offer),
      owner: accountText(parties.key(offers.owner[offer]!)),
      ...(expiration !== 0 && { expiration }),
    };
  }

  *#ordering(sort: CollectionSort): CooperativeTask<Uint32Array> {
    const { collections } = this.#engine.nfts;
    const { count } = collections;
    const order = Uint32Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 1);
    const keys = new Float64Array(count);
    const isOfColumn = (COLUMN_SORTS as readonly string[]).includes(sort) || sort === 'trending';
    let walked = 0;
    for (let row = 1; row < count; row++) {
      if (row % KEYS_A_SLICE === 0) yield;
      if (!isOfColumn && !this.#walked.has(row)) walked += collections.items[row]!;
      if (walked > NFTS_A_SLICE) {
        walked = 0;
        yield;
      }
      keys[row] = this.#key(sort, row);
    }
    yield* sortingDescending(order, keys);
    return order;
  }

  #key(sort: CollectionSort, row: number): number {
    const { collections } = this.#engine.nfts;
    if (sort === 'volume') return Number(collections.volumeDrops(row));
    if (sort === 'items') return collections.items[row]!;
    if (sort === 'sales') return collections.sales[row]!;
    if (sort === 'time') return collections.created[row]!;
    if (sort === 'trending') return this.#trending(row);
    if (sort === 'owners') return this.#walk(row).owners;
    if (sort === 'listed') return this.#walk(row).listed;
    if (sort === 'floor') return this.#walk(row).floor ?? -1;
    if (sort === 'marketcap') return (this.#walk(row).floor ?? -1) * collections.items[row]!;
    const { sales, volume } = this.#day.of(row);
    return sort === 'vol24h' ? volume : sales;
  }

  /** Sales of 24 hours, each weighed by what they cost on average: sales x log10(1 + volume). This service's own definition. */
  #trending(row: number): number {
    const { sales, volume } = this.#day.of(row);
    return sales * Math.log10(1 + volume);
  }

  #walk(row: number): Walked {
    const now = this.#engine.head?.closeTime ?? 0;
    const known = this.#walked.get(row);
    if (known && now < known.until) return known;
    if (this.#walked.size >= KEPT) this.#walked.clear();
    const walked = this.#walkNow(row);
    this.#walked.set(row, walked);
    return walked;
  }

  #walkNow(row: number): Walked {
    const { nfts, offers, assets } = this.#engine.nfts;
    const owners = new Set<number>();
    let listed = 0;
    let floor: number | undefined;
    let topOffer: number | undefined;
    let until = NEVER;
    for (let nft = nfts.newestOf(row); nft !== 0; nft = nfts.before(nft)) {
      if (nfts.owner[nft] === 0) continue;
      owners.add(nfts.owner[nft]!);
      const bid = this.#offers.topOffer(nft);
      if (bid !== undefined) {
        topOffer = Math.max(topOffer ?? 0, xrpOf(offers, assets, bid));
        until = Math.min(until, offers.expiration[bid]! || NEVER);
      }
      const listing = this.#offers.listing(nft);
      if (listing === undefined) continue;
      listed++;
      until = Math.min(until, offers.expiration[listing]! || NEVER);
      floor = Math.min(floor ?? NEVER, xrpOf(offers, assets, listing));
    }
    return { owners: owners.size, listed, floor, topOffer, until };
  }
}

/** Of an offer in XRP. */
function xrpOf({ hi, lo }: NftOffers, assets: Assets, offer: number): number {
  return xrpNumber(assets, { asset: 0, hi: hi[offer]!, lo: lo[offer]! })!;
}
