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
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { NftEventReader } from '../../engine/nfts/event-record.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import type { Invalidated } from '../invalidation.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { xrpNumber } from './amounts.ts';
import type { NftOfferViews } from './offers.ts';
import { SalesDay } from './sales-day.ts';

export const COLLECTION_SORTS = ['volume', 'items', 'sales', 'time', 'vol24h', 'sales24h'] as const;
export type CollectionSort = (typeof COLLECTION_SORTS)[number];

/** Collections whose walk is kept. */
const KEPT = 5000;
/** Collections keyed before other work may run: about 1 ms. */
const KEYS_A_SLICE = 10_000;
const NEVER = Number.POSITIVE_INFINITY;

interface Walked {
  readonly owners: number;
  readonly listed: number;
  /** XRP; undefined: nothing is listed. */
  readonly floor: number | undefined;
  /** Close time from which a listing has expired. */
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
    const { owners, listed, floor } = this.#walk(row);
    return {
      items: collections.items[row]!,
      burned: collections.burned[row]!,
      owners,
      listed,
      floor: floor ?? null,
      sales: collections.sales[row]!,
      volume: Number(collections.volumeDrops(row)) / DROPS_PER_XRP,
      vol24h: volume,
      sales24h: sales,
      time: created === 0 ? null : unixMs(created),
    };
  }

  /** Rows of the collections of a page, the largest first, and how many there are. */
  async list(sort: CollectionSort, skip: number, limit: number) {
    await this.ready();
    const order = await this.#orders.get(sort, () =>
      atOneVersion([this.#engine], () => this.#ordering(sort)),
    );
    return { rows: [...order.subarray(skip, skip + limit)], total: order.length };
  }

  *#ordering(sort: CollectionSort): CooperativeTask<Uint32Array> {
    const { collections } = this.#engine.nfts;
    const { count } = collections;
    const order = Uint32Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 1);
    const keys = new Float64Array(count);
    for (let row = 1; row < count; row++) {
      if (row % KEYS_A_SLICE === 0) yield;
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
    const { sales, volume } = this.#day.of(row);
    return sort === 'vol24h' ? volume : sales;
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
    let until = NEVER;
    for (let nft = nfts.newestOf(row); nft !== 0; nft = nfts.before(nft)) {
      if (nfts.owner[nft] === 0) continue;
      owners.add(nfts.owner[nft]!);
      const listing = this.#offers.listing(nft);
      if (listing === undefined) continue;
      listed++;
      until = Math.min(until, offers.expiration[listing]! || NEVER);
      const price = xrpNumber(assets, { asset: 0, hi: offers.hi[listing]!, lo: offers.lo[listing]! });
      if (price !== undefined && (floor === undefined || price < floor)) floor = price;
    }
    return { owners: owners.size, listed, floor, until };
  }
}
