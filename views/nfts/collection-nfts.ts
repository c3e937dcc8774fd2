/**
 * The NFTs of a collection in any order that clients ask for, and those of them that are listed, that have traits, or that an
 * account owns.
 *
 * Cost: a collection's NFTs are looked at once a request, some microseconds each, in slices; orders by sales read its events
 * (collection-sales.ts). Rarity follows from metadata, which may not be known: NFTs without a value of their own come last.
 */
import type { Engine } from '../../engine/engine.ts';
import { atOneVersion } from '../at-one-version.ts';
import { xrpNumber } from './amounts.ts';
import type { CollectionPast, CollectionSales } from './collection-sales.ts';
import type { NftMetadata } from './metadata.ts';
import type { NftOfferViews } from './offers.ts';

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
  readonly traits: readonly { readonly type: string; readonly value: string }[];
  /** Party; undefined: of any. */
  readonly owner?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** NFTs looked at before other work may run: about 3 ms. */
const NFTS_A_SLICE = 1000;
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
  readonly metadata: NftMetadata;
}

export class CollectionNfts {
  readonly #parts: CollectionNftParts;

  constructor(parts: CollectionNftParts) {
    this.#parts = parts;
  }

  /** Rows of the NFTs of a page, and how many match in all. */
  async page(
    query: CollectionNftQuery,
  ): Promise<{ readonly rows: readonly number[]; readonly total: number }> {
    const { engine, sales } = this.#parts;
    const usesSales = /^(activity|volume|recent-sale)/.test(query.sort);
    const past = usesSales ? await sales.of(query.collection) : undefined;
    return atOneVersion([engine], () => this.#page(query, past));
  }

  *#page(query: CollectionNftQuery, past: CollectionPast | undefined) {
    const { nfts } = this.#parts.engine.nfts;
    const keyOf = this.#keyOf(query.sort, past);
    const found: { readonly nft: number; readonly key: number | undefined }[] = [];
    let seen = 0;
    for (let nft = nfts.newestOf(query.collection); nft !== 0; nft = nfts.before(nft)) {
      if (++seen % NFTS_A_SLICE === 0) yield;
      if (nfts.owner[nft] !== 0 && this.#isWanted(nft, query)) found.push({ nft, key: keyOf(nft) });
    }
    const sign = ASCENDING.has(query.sort) ? 1 : -1;
    // The one that was first seen last comes first among equals.
    found.sort((a, b) => {
      if (a.key === undefined || b.key === undefined)
        return Number(a.key === undefined) - Number(b.key === undefined);
      return sign * (a.key - b.key);
    });
    const { offset, limit } = query;
    return { rows: found.slice(offset, offset + limit).map(({ nft }) => nft), total: found.length };
  }

  #isWanted(nft: number, { owner, listed, traits }: CollectionNftQuery): boolean {
    const { engine, metadata } = this.#parts;
    const { nfts } = engine.nfts;
    if (owner !== undefined && nfts.owner[nft] !== owner) return false;
    if (listed !== undefined && !this.#isListed(nft, listed)) return false;
    if (traits.length === 0) return true;
    const attributes = metadata.content(nfts.idText(nft))?.attributes ?? [];
    const has = (type: string, value: string) =>
      attributes.some((one) => one.type === type && String(one.value) === value);
    return traits.every(({ type }) => traits.some((trait) => trait.type === type && has(type, trait.value)));
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
  #keyOf(sort: CollectionNftSort, past: CollectionPast | undefined): (nft: number) => number | undefined {
    const { engine, offers: views } = this.#parts;
    const { nfts, offers } = engine.nfts;
    if (sort.startsWith('price')) return (nft) => this.#price(views.listing(nft));
    if (sort.startsWith('offer')) return (nft) => this.#price(views.topOffer(nft));
    if (sort === 'recent-listed') {
      return (nft) => {
        const listing = views.listing(nft);
        return listing === undefined ? undefined : offers.created[listing]! || undefined;
      };
    }
    if (sort.startsWith('volume')) {
      const volumes = new Map<number, number>();
      for (const { nft, xrp } of past!.sales) volumes.set(nft, (volumes.get(nft) ?? 0) + xrp);
      return (nft) => volumes.get(nft);
    }
    if (sort === 'recent-sale' || sort === 'activity') {
      const sold = new Map(past!.sales.map(({ nft, time }) => [nft, time]));
      if (sort === 'recent-sale') return (nft) => sold.get(nft);
      return (nft) => Math.max(sold.get(nft) ?? 0, nfts.minted[nft]!, nfts.modified[nft]!) || undefined;
    }
    // No rarity is known without the metadata of the whole collection.
    if (sort.startsWith('rarity')) return () => undefined;
    return (nft) => nfts.minted[nft]! || undefined;
  }

  #price(offer: number | undefined): number | undefined {
    if (offer === undefined) return undefined;
    const { offers, assets } = this.#parts.engine.nfts;
    return xrpNumber(assets, { asset: 0, hi: offers.hi[offer]!, lo: offers.lo[offer]! });
  }
}
