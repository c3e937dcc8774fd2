/**
 * Lists of the NFTs that exist: of a collection, of an issuer, or all.
 *
 *     created   rows as they are: an NFT gets its row when it is minted     no sorting; the page is walked to
 *     volume    those that were sold, the most expensive first              then the rest, the newest first
 *     cost      those that anyone can buy for XRP                           then the rest, the newest first
 *     rarity    those of a collection, or an issuer's, whose metadata is    then the rest, the newest first
 *               known; ranks of all collections would compare nothing
 *
 * NFTs that were minted before the first ledger read have no date: they follow those that have one.
 * NFTs without a value come last, in both directions of a sort.
 *
 * Cost: of one collection or issuer its NFTs are gathered once a ledger; of all only those that have a value (rows that were
 * sold, or are offered). Everything long runs in slices.
 */
import { dropsOf } from '../../engine/codec/amount.ts';
import { sameBytes } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { atOneVersion } from '../at-one-version.ts';
import { VersionedCache } from '../versioned-cache.ts';
import type { CollectionTraits } from './collection-traits.ts';
import type { NftOfferViews } from './offers.ts';
import type { NftTraits } from './traits.ts';

export const NFT_SORTS = ['created', 'time', 'rarity_rank', 'volume', 'cost.amount'] as const;
export type NftSort = (typeof NFT_SORTS)[number];

/** Rows looked at before other work may run: about a millisecond. */
const ROWS_A_SLICE = 32_768;
/** Lists that are kept from one page to the next. */
const KEPT = 32;
/** NFTs of an issuer that are ranked, by whole collections. */
const RANKED_MAX = 200_000;
const ACCOUNT_BYTES = 20;
const NONE = new Uint32Array(0);

/** Of which NFTs; an issuer by its 20 bytes. */
export type NftListScope = 'all' | { readonly collection: number } | { readonly issuer: Uint8Array };

export interface NftListQuery {
  readonly scope: NftListScope;
  readonly sort: NftSort;
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Rarity of an NFT; undefined: not known. */
type RankOf = (nft: number) => number | undefined;

/** Rows of NFTs in ascending order: those gathered, or all. */
interface Rows {
  readonly length: number;
  at(place: number): number;
}

export class NftLists {
  readonly #engine: Engine;
  readonly #offers: NftOfferViews;
  readonly #traits: NftTraits;
  readonly #gathered: VersionedCache<Uint32Array>;
  readonly #ranked: VersionedCache<Uint32Array>;

  constructor(engine: Engine, offers: NftOfferViews, traits: NftTraits) {
    this.#engine = engine;
    this.#offers = offers;
    this.#traits = traits;
    this.#gathered = new VersionedCache([engine], KEPT);
    this.#ranked = new VersionedCache([engine, traits], KEPT);
  }

  /** Rows of the NFTs of a page, and how many there are in all. */
  async page(query: NftListQuery): Promise<{ readonly rows: readonly number[]; readonly total: number }> {
    const rankOf: RankOf = query.sort === 'rarity_rank' ? await this.#ranksOf(query.scope) : () => undefined;
    return atOneVersion([this.#engine], () => this.#page(query, rankOf));
  }

  async #ranksOf(scope: NftListScope): Promise<RankOf> {
    if (scope === 'all') return () => undefined;
    const { nfts, collections } = this.#engine.nfts;
    const of =
      'collection' in scope
        ? [scope.collection]
        : await atOneVersion([this.#engine], () => this.#collectionsOf(scope.issuer));
    const known = new Map<number, CollectionTraits>();
    let left = RANKED_MAX;
    for (const collection of of) {
      left -= collections.items[collection]!;
      if (known.size > 0 && left < 0) break;
      known.set(collection, await this.#traits.of(collection));
    }
    return (nft) => known.get(nfts.collection[nft]!)?.rank(nft);
  }

  *#page({ scope, sort, order, offset, limit }: NftListQuery, rankOf: RankOf) {
    const { nfts } = this.#engine.nfts;
    const gathered = scope === 'all' ? undefined : yield* this.#rowsOf(scope);
    const all: Rows = gathered
      ? { length: gathered.length, at: (place) => gathered[place]! }
      : { length: nfts.count - 1, at: (place) => place + 1 };
    const total = gathered?.length ?? nfts.existing;
    const isKeyed =
      sort === 'volume' || sort === 'cost.amount' || (sort === 'rarity_rank' && scope !== 'all');
    const ranked = isKeyed ? yield* this.#rankedOf(scope, gathered, sort, rankOf) : NONE;
    const isAscending = order === 'asc';
    const rows: number[] = [];
    for (let i = offset; i < ranked.length && rows.length < limit; i++)
      rows.push(ranked[isAscending ? ranked.length - 1 - i : i]!);
    const rest = {
      skip: Math.max(0, offset - ranked.length),
      limit: limit - rows.length,
      isAscending: isAscending && !isKeyed,
      isWanted: isKeyed ? (row: number) => this.#value(sort, row, rankOf) === undefined : () => true,
    };
    if (offset < total) rows.push(...(yield* this.#byTime(all, rest)));
    return { rows, total };
  }

  /** NFTs that exist by the time of their minting; then those whose minting was not seen. */
  *#byTime(
    all: Rows,
    {
      skip,
      limit,
      isAscending,
      isWanted,
    }: {
      readonly skip: number;
      readonly limit: number;
      readonly isAscending: boolean;
      readonly isWanted: (row: number) => boolean;
    },
  ): CooperativeTask<number[]> {
    const { owner, minted } = this.#engine.nfts.nfts;
    const found: number[] = [];
    let left = skip;
    for (const isDated of [true, false]) {
      for (let i = 0; i < all.length && found.length < limit; i++) {
        if (i % ROWS_A_SLICE === ROWS_A_SLICE - 1) yield;
        const row = all.at(isAscending ? i : all.length - 1 - i);
        if (owner[row] === 0 || (minted[row] !== 0) !== isDated || !isWanted(row)) continue;
        if (left-- <= 0) found.push(row);
      }
    }
    return found;
  }

  /** The NFTs of a collection or issuer that exist, in the order of their rows. */
  *#rowsOf(scope: Exclude<NftListScope, 'all'>): CooperativeTask<Uint32Array> {
    const known = this.#gathered.known(keyOf(scope));
    if (known) return known;
    const { nfts, collections } = this.#engine.nfts;
    const found: number[] = [];
    const of = 'collection' in scope ? [scope.collection] : yield* this.#collectionsOf(scope.issuer);
    let seen = 0;
    for (const collection of of) {
      if (collection === 0 || collection >= collections.count) continue;
      for (let row = nfts.newestOf(collection); row !== 0; row = nfts.before(row)) {
        if (++seen % ROWS_A_SLICE === 0) yield;
        if (nfts.owner[row] !== 0) found.push(row);
      }
    }
    return this.#gathered.keep(keyOf(scope), Uint32Array.from(found).sort());
  }

  *#collectionsOf(issuer: Uint8Array): CooperativeTask<number[]> {
    const { collections } = this.#engine.nfts;
    const found: number[] = [];
    for (let row = 1; row < collections.count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      if (sameBytes(collections.key(row), 0, issuer, 0, ACCOUNT_BYTES)) found.push(row);
    }
    return found;
  }

  /** The rows that have a value, the largest first. @param gathered undefined: of all NFTs */
  *#rankedOf(
    scope: NftListScope,
    gathered: Uint32Array | undefined,
    sort: NftSort,
    rankOf: RankOf,
  ): CooperativeTask<Uint32Array> {
    const key = `${sort} ${keyOf(scope)}`;
    const known = this.#ranked.known(key);
    if (known) return known;
    const candidates = gathered ?? (yield* this.#candidates(sort));
    const found: number[] = [];
    const values: number[] = [];
    for (let i = 0; i < candidates.length; i++) {
      if (i % ROWS_A_SLICE === ROWS_A_SLICE - 1) yield;
      const value = this.#value(sort, candidates[i]!, rankOf);
      if (value === undefined) continue;
      found.push(candidates[i]!);
      values.push(value);
    }
    const order = Uint32Array.from(found.keys());
    yield* sortingDescending(order, Float64Array.from(values));
    return this.#ranked.keep(
      key,
      order.map((place) => found[place]!),
    );
  }

  /** Rows that may have a value, in ascending order. */
  *#candidates(sort: NftSort): CooperativeTask<Uint32Array> {
    const { nfts, offers } = this.#engine.nfts;
    const found = new Set<number>();
    const isSale = sort === 'volume';
    const count = isSale ? nfts.count : offers.table.count;
    for (let row = 1; row < count; row++) {
      if (row % ROWS_A_SLICE === 0) yield;
      if (isSale) {
        if (nfts.sold[row] !== 0 && nfts.owner[row] !== 0) found.add(row);
      } else if (offers.has(row) && offers.isSell(row) && offers.asset[row] === 0)
        found.add(offers.nft[row]!);
    }
    return Uint32Array.from(found).sort();
  }

  /** Drops, or its rank; undefined: it has none. */
  #value(sort: NftSort, nft: number, rankOf: RankOf): number | undefined {
    const { nfts, offers } = this.#engine.nfts;
    if (sort === 'rarity_rank') return rankOf(nft);
    if (sort === 'volume') return Number(nfts.volumeDrops(nft)) || undefined;
    const listing = this.#offers.listing(nft);
    return listing === undefined ? undefined : Number(dropsOf(offers.hi[listing]!, offers.lo[listing]!));
  }
}

function keyOf(scope: NftListScope): string {
  if (scope === 'all') return 'all';
  return 'collection' in scope ? `c${scope.collection}` : `i${Buffer.from(scope.issuer).toString('hex')}`;
}
