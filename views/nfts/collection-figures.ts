/**
 * Figures of collections, and lists of them.
 *
 *     columns of the engine      items, burned, sales, volume of all time
 *     recent-sales.ts            sales and volume of 24 hours
 *     engine/nfts/owner-lists.ts owners
 *     walk over its open offers  listed, floors, top offer: kept until an event of the collection, or an offer of it expires
 *
 * Floor and listed count what anyone can take: listings in XRP of the NFT's owner without a destination that have not expired.
 * Of such listings in other assets each asset has a floor of its own. The market cap is all NFTs that are not burned at the floor;
 * trendingScore is sales of 24 hours * log10(1 + their volume in XRP).
 * Cost: a walk is some 100 ns an offer, for collections that are shown; a list sorts the columns of all, once a ledger.
 */
import { compareDecimal, type Decimal, DROPS_PER_XRP, dropsOf } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { PLATFORMS, platformByNumber } from '../../engine/market/platforms.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import type { Assets } from '../../engine/nfts/assets.ts';
import { type NftAmount, NftEventReader } from '../../engine/nfts/event-record.ts';
import type { NftOffers } from '../../engine/nfts/offers.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import type { Invalidated } from '../invalidation.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { costObject, exact, xrpNumber } from './amounts.ts';
import type { NftCollectionPast } from './collection-past.ts';
import type { NftOfferViews } from './offers.ts';
import type { NftRecentSales } from './recent-sales.ts';

/** Sorts by columns, which are there at once, and by what a walk over the NFTs shows. */
export const COLUMN_SORTS = ['volume', 'items', 'sales', 'time', 'vol24h', 'sales24h', 'owners'] as const;
/** Sorts by further columns. */
const SUM_SORTS = ['burned', 'royalties', 'brokerFees', 'fees', 'transferFee'] as const;
/** Sorts by what the floor was. */
const PAST_SORTS = ['floor24hAgo', 'floor1dPercent', 'floor7dPercent', 'floor30dPercent'] as const;
export const COLLECTION_SORTS = [
  ...COLUMN_SORTS,
  ...SUM_SORTS,
  ...PAST_SORTS,
  ...(['listed', 'bids', 'floor', 'topOffer', 'marketcap', 'trending'] as const),
] as const;
export type CollectionSort = (typeof COLLECTION_SORTS)[number];

/** Collections whose walk is kept. */
const KEPT = 100_000;
/** Collections keyed before other work may run: about 1 ms by a column. */
const KEYS_A_SLICE = 10_000;
/** Offers walked, or NFTs listed, before other work may run: about 2 ms. */
const ROWS_A_SLICE = 10_000;
/** NFTs whose offers are sorted before other work may run. */
const BOOKS_A_SLICE = 500;
/** Other assets than XRP whose floors are shown: those with most listings. */
const OTHER_FLOORS_MAX = 10;
/** What looking up past floors costs, in offers walked. */
const PAST_LOOKUPS = 20;

export interface CollectionPage {
  readonly skip: number;
  readonly limit: number;
  readonly isAscending?: boolean;
  /** Only collections with so many owners. */
  readonly minOwners?: number;
  /** Only these; undefined: all. */
  readonly only?: ReadonlySet<number> | undefined;
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

export interface CollectionBook {
  readonly asks: readonly CollectionOffer[];
  readonly bids: readonly CollectionOffer[];
}

interface Walked {
  readonly listed: number;
  /** Offers in XRP to buy. */
  readonly bids: number;
  /** Drops; undefined: nothing is listed. */
  readonly floor: number | undefined;
  /** Rows of the cheapest listing in each of the other assets. */
  readonly others: readonly number[];
  /** Row of the highest offer to buy one of its NFTs whose maker has the XRP; 0: nobody offers any. */
  readonly top: number;
  /** Higher ones, whose makers do not have the XRP. */
  readonly unfunded: readonly number[];
  /** Close time from which a listing or the top offer has expired. */
  readonly until: number;
}

/** Rows of collections. */
interface Order {
  /** Those that have the figure, the largest first. */
  readonly known: Uint32Array;
  readonly others: Uint32Array;
}

/** Key of a collection that does not have the figure: below all others. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

interface Parts {
  readonly engine: Engine;
  readonly offers: NftOfferViews;
  readonly recent: NftRecentSales;
  readonly past: NftCollectionPast;
}

export class CollectionFigures implements Invalidated {
  readonly #engine: Engine;
  readonly #offers: NftOfferViews;
  readonly #recent: NftRecentSales;
  readonly #past: NftCollectionPast;
  readonly #walked = new Map<number, Walked>();
  readonly #orders: VersionedCache<Promise<Order>>;

  constructor({ engine, offers, recent, past }: Parts) {
    this.#engine = engine;
    this.#recent = recent;
    this.#offers = offers;
    this.#past = past;
    this.#orders = new VersionedCache([engine], COLLECTION_SORTS.length);
  }

  applied({ events }: LedgerEvent): void {
    const { bytes, count } = events.nfts;
    const event = new NftEventReader().load(bytes);
    for (let i = 0; i < count; i++) this.#walked.delete(event.at(i).collection);
  }

  drop(): void {
    this.#walked.clear();
  }

  /** Resolves when the sales of 24 hours are known. */
  ready(): Promise<void> {
    return this.#recent.dayReady();
  }

  of(row: number) {
    const { collections } = this.#engine.nfts;
    const { sales, volume } = this.#recent.of(row);
    const created = collections.created[row]!;
    const topOffer = this.#topPrice(row);
    const { listed, bids, floor } = this.#walk(row);
    const owners = this.#owners(row);
    const items = collections.items[row]!;
    return {
      items,
      burned: collections.burned[row]!,
      owners,
      listed,
      bids,
      floor: floor === undefined ? null : floor / DROPS_PER_XRP,
      /** Of what anybody offers for one of its NFTs, XRP. */
      topOffer: topOffer ?? null,
      /** All at the floor, XRP. */
      marketcap: floor === undefined ? null : (floor * items) / DROPS_PER_XRP,
      trending: this.#trending(row),
      sales: collections.sales[row]!,
      volume: Number(collections.volumeDrops(row)) / DROPS_PER_XRP,
      royalties: collections.royalties[row]! / DROPS_PER_XRP,
      brokerFees: collections.brokerFees[row]! / DROPS_PER_XRP,
      fees: (collections.royalties[row]! + collections.brokerFees[row]!) / DROPS_PER_XRP,
      /** Platform through which it was minted; undefined: none that is known. */
      origin: platformByNumber(collections.origin[row]!),
      vol24h: volume,
      sales24h: sales,
      time: created === 0 ? null : unixMs(created),
    };
  }

  /** Drops; undefined: nothing is listed. */
  floorDrops(row: number): number | undefined {
    return this.#walk(row).floor;
  }

  /** The cheapest NFT that anyone can buy for each of the other assets than XRP. */
  otherFloors(row: number) {
    const { offers, assets } = this.#engine.nfts;
    return this.#walk(row).others.map((offer) => costObject(assets, amountOf(offers, offer)));
  }

  /** Those that were minted through a platform, by its name or slug. @param within only these; undefined: all */
  ofOrigin(origin: string, within?: ReadonlySet<number>): ReadonlySet<number> {
    const { collections } = this.#engine.nfts;
    const wanted = nameForm(origin);
    const platform = PLATFORMS.find(({ name, slug }) =>
      [name, slug].some((text) => nameForm(text) === wanted),
    );
    const found = new Set<number>();
    if (!platform) return found;
    for (let row = 1; row < collections.count; row++)
      if (collections.origin[row] === platform.number && (!within || within.has(row))) found.add(row);
    return found;
  }

  /** Rows of the collections of a page, the largest first unless ascending, and how many there are. */
  async list(
    sort: CollectionSort,
    { skip, limit, isAscending = false, minOwners = 0, only }: CollectionPage,
  ) {
    await this.ready();
    const order = await this.#orders.get(sort, () =>
      atOneVersion([this.#engine], () => this.#ordering(sort)),
    );
    const wanted = (rows: Uint32Array) => {
      const own = only ? rows.filter((row) => only.has(row)) : rows;
      return minOwners > 0 ? own.filter((row) => this.#owners(row) >= minOwners) : own;
    };
    const [known, others] = [wanted(order.known), wanted(order.others)];
    const total = known.length + others.length;
    const rows = Array.from({ length: Math.max(0, Math.min(limit, total - skip)) }, (_, i) => {
      const at = skip + i;
      if (at >= known.length) return others[at - known.length]!;
      return known[isAscending ? known.length - 1 - at : at]!;
    });
    return { rows, total };
  }

  /** Its NFTs that exist, the one first seen last first; by price: the most expensive first; those that are not listed last either way. */
  members(row: number, sort: 'minted' | 'price', isAscending: boolean): Promise<number[]> {
    return atOneVersion([this.#engine], () => this.#members(row, sort, isAscending));
  }

  *#members(row: number, sort: 'minted' | 'price', isAscending: boolean): CooperativeTask<number[]> {
    const { nfts, offers, assets } = this.#engine.nfts;
    const found: number[] = [];
    const prices = new Map<number, number>();
    let read = 0;
    for (let nft = nfts.newestOf(row); nft !== 0; nft = nfts.before(nft)) {
      if (++read % ROWS_A_SLICE === 0) yield;
      if (nfts.owner[nft] === 0) continue;
      found.push(nft);
      const listing = sort === 'minted' ? undefined : this.#offers.listing(nft);
      if (listing !== undefined) prices.set(nft, xrpOf(offers, assets, listing));
    }
    if (sort === 'minted') return isAscending ? found.reverse() : found;
    const listed = found.filter((nft) => prices.has(nft));
    const direction = isAscending ? 1 : -1;
    listed.sort((a, b) => direction * (prices.get(a)! - prices.get(b)!));
    return [...listed, ...found.filter((nft) => !prices.has(nft))];
  }

  /** What anyone can buy for XRP, the cheapest first, and the highest offer for each NFT, the highest first. */
  book(row: number): Promise<CollectionBook> {
    return atOneVersion([this.#engine], () => this.#book(row));
  }

  *#book(row: number): CooperativeTask<CollectionBook> {
    const { nfts, offers } = this.#engine.nfts;
    const named = new Set<number>();
    offers.ofCollection(row, (offer) => void named.add(offers.nft[offer]!));
    const asks: CollectionOffer[] = [];
    const bids: CollectionOffer[] = [];
    let read = 0;
    for (const nft of named) {
      if (++read % BOOKS_A_SLICE === 0) yield;
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

  *#ordering(sort: CollectionSort): CooperativeTask<Order> {
    const { collections } = this.#engine.nfts;
    const { count } = collections;
    const order = Uint32Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 1);
    const keys = new Float64Array(count);
    const columns: readonly string[] = [...COLUMN_SORTS, ...SUM_SORTS, 'trending'];
    const isOfColumn = columns.includes(sort);
    const lookups = isPast(sort) ? PAST_LOOKUPS : 0;
    let walked = 0;
    for (let row = 1; row < count; row++) {
      if (row % KEYS_A_SLICE === 0) yield;
      const isKnown = isOfColumn || (lookups === 0 && this.#walked.has(row));
      keys[row] = this.#key(sort, row) ?? UNKNOWN;
      if (isKnown) continue;
      const { listed, bids } = this.#walk(row);
      walked += 1 + listed + bids + lookups;
      if (walked <= ROWS_A_SLICE) continue;
      walked = 0;
      yield;
    }
    yield* sortingDescending(order, keys);
    let unknown = 0;
    for (const key of keys.subarray(1)) if (key === UNKNOWN) unknown++;
    const known = order.length - unknown;
    return { known: order.subarray(0, known), others: order.subarray(known) };
  }

  /** undefined: the collection does not have the figure. */
  #key(sort: CollectionSort, row: number): number | undefined {
    const { collections, nfts } = this.#engine.nfts;
    if (sort === 'volume') return Number(collections.volumeDrops(row));
    if (sort === 'items') return collections.items[row]!;
    if (sort === 'sales') return collections.sales[row]!;
    if (sort === 'time') return collections.created[row]! || undefined;
    if (sort === 'trending') return this.#trending(row);
    if (sort === 'owners') return this.#owners(row);
    if (sort === 'burned' || sort === 'royalties' || sort === 'brokerFees') return collections[sort][row]!;
    if (sort === 'fees') return collections.royalties[row]! + collections.brokerFees[row]!;
    if (sort === 'transferFee') {
      const newest = nfts.newestOf(row);
      return newest === 0 ? undefined : nfts.transferFee[newest]!;
    }
    if (sort === 'listed' || sort === 'bids') return this.#walk(row)[sort];
    if (sort === 'topOffer') return this.#topPrice(row);
    if (isPast(sort)) return this.#pastOf(row)[sort];
    if (sort === 'floor') return this.#walk(row).floor;
    if (sort === 'marketcap') {
      const { floor } = this.#walk(row);
      return floor === undefined ? undefined : floor * collections.items[row]!;
    }
    const { sales, volume } = this.#recent.of(row);
    return sort === 'vol24h' ? volume : sales;
  }

  /** Sales of 24 hours, each weighed by what they cost on average: sales x log10(1 + volume). This service's own definition. */
  #trending(row: number): number {
    const { sales, volume } = this.#recent.of(row);
    return sales * Math.log10(1 + volume);
  }

  /** XRP; undefined: nobody offers any. What makers of offers have changes without any event of the collection. */
  #topPrice(row: number): number | undefined {
    const { offers, assets } = this.#engine.nfts;
    const { top: known, unfunded } = this.#walk(row);
    const isFunded = (offer: number) => this.#offers.isFunded(offer);
    if ((known !== 0 && !isFunded(known)) || unfunded.some(isFunded)) this.#walked.delete(row);
    const { top } = this.#walk(row);
    return top === 0 ? undefined : xrpOf(offers, assets, top);
  }

  #pastOf(row: number) {
    const { floor } = this.#walk(row);
    return this.#past.floorsAgo(row, floor === undefined ? undefined : floor / DROPS_PER_XRP);
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
    const { history } = this.#engine.nfts;
    const now = this.#engine.head?.closeTime ?? 0;
    const { floorHi: hi, floorLo: lo, listed, bids, until } = history.values(row, now);
    const floor = hi === 0 ? undefined : Number(dropsOf(hi, lo));
    const others = this.#otherListings(row);
    return {
      ...{ listed, bids, floor },
      others: others.rows,
      ...this.#topOffer(row, now),
      until: Math.min(until, others.until),
    };
  }

  /** The cheapest one of each asset but XRP, of those with most listings, and when the first of all of them expires. */
  #otherListings(collection: number) {
    const { offers, assets } = this.#engine.nfts;
    const found = new Map<number, { cheapest: number; price: Decimal; count: number }>();
    let until = Number.POSITIVE_INFINITY;
    offers.ofCollection(collection, (row) => {
      const asset = offers.asset[row]!;
      if (asset === 0 || !this.#offers.isListing(row)) return;
      const price = exact(assets, amountOf(offers, row));
      const known = found.get(asset) ?? { cheapest: row, price, count: 0 };
      if (compareDecimal(price, known.price) < 0) Object.assign(known, { cheapest: row, price });
      known.count++;
      found.set(asset, known);
      until = Math.min(until, offers.expiration[row] || until);
    });
    const order = [...found].sort(([a, one], [b, other]) => other.count - one.count || a - b);
    return { rows: order.slice(0, OTHER_FLOORS_MAX).map(([, { cheapest }]) => cheapest), until };
  }

  /** Of the offers in XRP for one of its NFTs that the owner can take now. */
  #topOffer(collection: number, now: number): Pick<Walked, 'top' | 'unfunded'> {
    const { offers, assets } = this.#engine.nfts;
    const priceOf = (row: number) => xrpOf(offers, assets, row);
    const unfunded: number[] = [];
    let [top, price] = [0, 0];
    offers.ofCollection(collection, (row) => {
      const expires = offers.expiration[row]!;
      if (offers.isSell(row) || !this.#offers.isForOwner(row)) return;
      if ((expires !== 0 && expires <= now) || priceOf(row) <= price) return;
      if (this.#offers.isFunded(row)) [top, price] = [row, priceOf(row)];
      else unfunded.push(row);
    });
    return { top, unfunded: unfunded.filter((row) => priceOf(row) > price) };
  }

  #owners(row: number): number {
    return this.#engine.nfts.nfts.owners[row]!;
  }
}

const isPast = (sort: CollectionSort): sort is (typeof PAST_SORTS)[number] =>
  (PAST_SORTS as readonly string[]).includes(sort);

/** Case, blanks and signs do not matter. */
const nameForm = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const amountOf = ({ asset, hi, lo }: NftOffers, offer: number): NftAmount => ({
  asset: asset[offer]!,
  hi: hi[offer]!,
  lo: lo[offer]!,
});

/** Of an offer in XRP. */
const xrpOf = (offers: NftOffers, assets: Assets, offer: number): number =>
  xrpNumber(assets, amountOf(offers, offer))!;
