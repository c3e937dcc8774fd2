/**
 * The NFTs of a collection in any order that clients ask for, and those of them that are listed, that have traits, or that an
 * account owns.
 *
 * Cost: a collection's NFTs are looked at once for each order and ledger, some microseconds each, in slices; orders by sales
 * read its events (collection-sales.ts). Rarity follows from metadata (traits.ts), which may not be known: NFTs without a value of their own
 * come last.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { atOneVersion } from '../at-one-version.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { xrpNumber } from './amounts.ts';
import type { CollectionPast, CollectionSales } from './collection-sales.ts';
import type { CollectionTraits, Trait } from './collection-traits.ts';
import type { NftOfferViews } from './offers.ts';
import type { NftTraits } from './traits.ts';

export const COLLECTION_NFT_SORTS = [
  'minted-latest',
  'minted-earliest',
  'activity',
  'price-low',
  'price-high',
  'offer-low',
  'offer-high',
  'rarity-rare',
  'rarity-common',
  'volume-high',
  'volume-low',
  'recent-sale',
  'recent-listed',
] as const;
export type CollectionNftSort = (typeof COLLECTION_NFT_SORTS)[number];

export const LISTED = ['true', 'false', 'xrp', 'non-xrp'] as const;

export interface CollectionNftQuery {
  readonly collection: number;
  readonly sort: CollectionNftSort;
  readonly listed?: (typeof LISTED)[number] | undefined;
  /** All of them; of one type any of its values. */
  readonly traits: readonly Trait[];
  /** Party; undefined: of any. */
  readonly owner?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** NFTs looked at before other work may run: about 3 ms. */
const NFTS_A_SLICE = 1000;
/** Lists that are kept from one page to the next, of 1 MB at most: larger collections are ordered for each page. */
const KEPT = 48;
const KEPT_NFTS_MAX = 250_000;
/** Orders in which the smallest comes first. */
const ASCENDING: ReadonlySet<CollectionNftSort> = new Set([
  'minted-earliest',
  'price-low',
  'offer-low',
  'volume-low',
  'rarity-rare',
]);

export interface CollectionNftParts {
  readonly engine: Engine;
  readonly offers: NftOfferViews;
  readonly sales: CollectionSales;
  readonly traits: NftTraits;
}

export class CollectionNfts {
  readonly #parts: CollectionNftParts;
  /** Ordered NFTs, and those of them that were asked for. */
  readonly #kept: VersionedCache<Uint32Array>;

  constructor(parts: CollectionNftParts) {
    this.#parts = parts;
    this.#kept = new VersionedCache([parts.engine, parts.traits], KEPT);
  }

  /** Rows of the NFTs of a page, and how many match in all. */
  async page(
    query: CollectionNftQuery,
  ): Promise<{ readonly rows: readonly number[]; readonly total: number }> {
    const { engine, sales, traits } = this.#parts;
    const usesSales = /^(activity|volume|recent-sale)/.test(query.sort);
    const past = usesSales ? await sales.of(query.collection) : undefined;
    const usesTraits = query.traits.length > 0 || query.sort.startsWith('rarity');
    const known = usesTraits ? await traits.of(query.collection) : undefined;
    const found = await atOneVersion([engine], () => this.#matching(query, past, known));
    const { offset, limit } = query;
    return { rows: [...found.subarray(offset, offset + limit)], total: found.length };
  }

  /** All that match, in their order. */
  *#matching(
    query: CollectionNftQuery,
    past: CollectionPast | undefined,
    traits: CollectionTraits | undefined,
  ): CooperativeTask<Uint32Array> {
    const { collection, sort, owner, listed } = query;
    const whole = `${collection} ${sort}`;
    const key = `${whole} ${owner} ${listed} ${JSON.stringify(query.traits)}`;
    const known = this.#kept.known(key);
    if (known) return known;
    const ordered =
      this.#kept.known(whole) ??
      this.#keep(whole, yield* this.#ordered(collection, sort, this.#keyOf(sort, past, traits)));
    if (owner === undefined && listed === undefined && query.traits.length === 0) return ordered;
    const hasTraits = query.traits.length > 0 ? traits?.matcher(query.traits) : undefined;
    const found: number[] = [];
    for (let i = 0; i < ordered.length; i++) {
      if (i % NFTS_A_SLICE === NFTS_A_SLICE - 1) yield;
      const nft = ordered[i]!;
      if ((!hasTraits || hasTraits(nft)) && this.#isWanted(nft, query)) found.push(nft);
    }
    return this.#keep(key, Uint32Array.from(found));
  }

  /** The NFTs of a collection that exist; of equals the one that was first seen last comes first, but where the earliest do. */
  *#ordered(
    collection: number,
    sort: CollectionNftSort,
    keyOf: (nft: number) => number | undefined,
  ): CooperativeTask<Uint32Array> {
    const isAscending = ASCENDING.has(sort);
    const { nfts } = this.#parts.engine.nfts;
    const rows: number[] = [];
    const keys: number[] = [];
    let seen = 0;
    for (let nft = nfts.newestOf(collection); nft !== 0; nft = nfts.before(nft)) {
      if (++seen % NFTS_A_SLICE === 0) yield;
      if (nfts.owner[nft] === 0) continue;
      const key = keyOf(nft);
      rows.push(nft);
      keys.push(key === undefined ? Number.NEGATIVE_INFINITY : isAscending ? -key : key);
    }
    const order = Uint32Array.from(rows.keys());
    if (sort === 'minted-earliest') order.reverse();
    yield* sortingDescending(order, Float64Array.from(keys));
    return order.map((at) => rows[at]!);
  }

  #keep(key: string, list: Uint32Array): Uint32Array {
    return list.length > KEPT_NFTS_MAX ? list : this.#kept.keep(key, list);
  }

  #isWanted(nft: number, { owner, listed }: CollectionNftQuery): boolean {
    const { nfts } = this.#parts.engine.nfts;
    if (owner !== undefined && nfts.owner[nft] !== owner) return false;
    return listed === undefined || this.#isListed(nft, listed);
  }

  #isListed(nft: number, listed: (typeof LISTED)[number]): boolean {
    const { engine, offers: views } = this.#parts;
    const inXrp = views.listing(nft) !== undefined;
    if (listed === 'xrp') return inXrp;
    const { offers } = engine.nfts;
    const inOthers = views
      .open(nft, true)
      .some((row) => offers.asset[row] !== 0 && offers.destination[row] === 0 && views.isFunded(row));
    if (listed === 'non-xrp') return inOthers;
    return (inXrp || inOthers) === (listed === 'true');
  }

  /** What an order goes by; undefined: the NFT has no such value. */
  #keyOf(
    sort: CollectionNftSort,
    past: CollectionPast | undefined,
    traits: CollectionTraits | undefined,
  ): (nft: number) => number | undefined {
    const { engine, offers: views } = this.#parts;
    const { nfts } = engine.nfts;
    if (sort.startsWith('price')) return (nft) => this.#price(views.listing(nft));
    if (sort.startsWith('offer')) return (nft) => this.#price(views.topOffer(nft));
    if (sort === 'recent-listed') return (nft) => views.listedAt(nft) || undefined;
    if (sort.startsWith('volume')) {
      const volumes = new Map<number, number>();
      for (const { nft, drops } of past!.sales) volumes.set(nft, (volumes.get(nft) ?? 0) + drops);
      return (nft) => volumes.get(nft);
    }
    if (sort === 'recent-sale' || sort === 'activity') {
      const sold = new Map<number, number>();
      for (const { nft, time } of [...past!.sales, ...past!.others])
        sold.set(nft, Math.max(sold.get(nft) ?? 0, time));
      if (sort === 'recent-sale') return (nft) => sold.get(nft);
      return (nft) => Math.max(sold.get(nft) ?? 0, nfts.minted[nft]!, nfts.modified[nft]!) || undefined;
    }
    if (sort.startsWith('rarity')) return (nft) => traits?.rank(nft);
    return (nft) => nfts.minted[nft]! || undefined;
  }

  #price(offer: number | undefined): number | undefined {
    if (offer === undefined) return undefined;
    const { offers, assets } = this.#parts.engine.nfts;
    return xrpNumber(assets, { asset: 0, hi: offers.hi[offer]!, lo: offers.lo[offer]! });
  }
}
