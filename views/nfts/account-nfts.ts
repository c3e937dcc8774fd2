/**
 * What an account has to do with NFTs: those that it owns, by collection and one by one, the offers that it has made, and the
 * offers that others make for what it owns.
 *
 * An NFT counts as much as the cheapest listing of its collection that anyone can take (its floor): what somebody asks, which
 * nobody has to pay. NFTs of collections in which nothing is listed count nothing.
 *
 * Cost: the NFTs and offers of the account are walked, in slices; and once after an event of it each collection that it holds.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { type NftMetadata, shownContent } from '../../platform/nft-metadata.ts';
import { atOneVersion } from '../at-one-version.ts';
import { percentAbove } from '../number-format.ts';
import { xrpNumber } from './amounts.ts';
import type { CollectionFigures } from './collection-figures.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import type { NftCollectionPast } from './collection-past.ts';
import type { CollectionTextViews } from './collection-texts.ts';
import type { NftOfferViews } from './offers.ts';
import { filesOf } from './pictures.ts';

/** NFTs that are searched before other work may run, each for its name: about 2 ms. */
const NAMES_A_SLICE = 1000;
/** The same where only columns are read. */
const ROWS_A_SLICE = 16_384;
/** NFTs whose offers are sorted before other work may run. */
const BOOKS_A_SLICE = 32;
/** Newest NFTs of an account whose offers from others are looked for (section 4.5 of the contract). */
export const SCANNED_MAX = 500;

interface Parts {
  readonly engine: Engine;
  readonly metadata: NftMetadata;
  readonly offers: NftOfferViews;
  readonly collections: CollectionFigures;
  readonly past: NftCollectionPast;
  readonly texts: CollectionTextViews;
}

export interface AccountNftQuery {
  /** Row of the account; 0: it has nothing to do with NFTs. */
  readonly party: number;
  /** Only of this collection; 0: of one that is not known. */
  readonly collection: number | undefined;
  /** In the NFT's name, or at the beginning of its id; '': all. */
  readonly search: string;
}

interface Page {
  readonly skip: number;
  readonly limit: number;
}

export class NftAccounts {
  readonly #engine: Engine;
  readonly #metadata: NftMetadata;
  readonly #offers: NftOfferViews;
  readonly #collections: CollectionFigures;
  readonly #past: NftCollectionPast;
  readonly #texts: CollectionTextViews;

  constructor({ engine, metadata, offers, collections, past, texts }: Parts) {
    this.#past = past;
    this.#texts = texts;
    this.#engine = engine;
    this.#metadata = metadata;
    this.#offers = offers;
    this.#collections = collections;
  }

  /** Rows of the NFTs that an account owns, the newest first, and how many match in all. */
  async owned(query: AccountNftQuery, { skip, limit }: Page) {
    const found = await this.#atOnce(() => this.#owned(query));
    return { rows: found.slice(skip, skip + limit), total: found.length };
  }

  /** The collections that an account holds NFTs of, those with most NFTs or of most value first; `value` in XRP. */
  async portfolio(party: number, byValue: boolean, { skip, limit }: Page) {
    const held = await this.#atOnce(() => this.#held(party));
    held.sort((a, b) => (byValue ? b.drops - a.drops : 0) || b.count - a.count || a.row - b.row);
    const { collections } = this.#engine.nfts;
    const rows = held.slice(skip, skip + limit).map(({ row, count, drops, floor }) => {
      const { floor24hAgo } = this.#past.floorsAgo(row, floor ?? undefined);
      return {
        _id: collectionId(collections, row),
        cid: collectionId(collections, row),
        slug: collectionSlug(collections, row),
        ...this.#texts.named(row),
        count,
        value: drops / DROPS_PER_XRP,
        floor,
        ...(floor24hAgo !== undefined && { floor24hAgo }),
      };
    });
    return {
      rows,
      total: held.length,
      value: held.reduce((sum, { drops }) => sum + drops, 0) / DROPS_PER_XRP,
    };
  }

  /** Open offers that an account has made, the newest first. @param isSell undefined: of both sides */
  async made(party: number, isSell: boolean | undefined, { skip, limit }: Page) {
    const found = await this.#atOnce(() => this.#made(party, isSell));
    return {
      rows: found.slice(skip, skip + limit).map((row) => this.#offers.row(row)),
      total: found.length,
    };
  }

  /** Open offers to buy the newest NFTs of an account, of each NFT the highest first. `isPart`: it owns more. */
  async incoming(party: number, { skip, limit }: Page) {
    const { found, isPart } = await this.#atOnce(() => this.#incoming(party));
    const rows = found.slice(skip, skip + limit).map((row) => this.#incomingRow(row));
    return { rows, total: found.length, isPart };
  }

  *#incoming(party: number): CooperativeTask<{ found: number[]; isPart: boolean }> {
    const owned = yield* this.#owned({ party, collection: undefined, search: '' });
    const { offers } = this.#engine.nfts;
    const found: number[] = [];
    for (const [i, nft] of owned.slice(0, SCANNED_MAX).entries()) {
      if (i % BOOKS_A_SLICE === BOOKS_A_SLICE - 1) yield;
      // What it offered before it got the NFT stays open.
      found.push(...this.#offers.open(nft, false).filter((row) => offers.owner[row] !== party));
    }
    return { found, isPart: owned.length > SCANNED_MAX };
  }

  #incomingRow(offer: number) {
    const { nfts, offers, assets, collections } = this.#engine.nfts;
    const nft = offers.nft[offer]!;
    const row = nfts.collection[nft]!;
    const { floor } = this.#collections.of(row);
    const price = xrpNumber(assets, {
      asset: offers.asset[offer]!,
      hi: offers.hi[offer]!,
      lo: offers.lo[offer]!,
    });
    const content = shownContent(this.#metadata, nfts.idText(nft));
    const shown = this.#offers.row(offer);
    const name = content?.name;
    return {
      ...shown,
      _id: shown.index,
      cid: collectionId(collections, row),
      cslug: collectionSlug(collections, row),
      issuer: accountText(collections.key(row).subarray(0, 20)),
      ...(content?.collection !== undefined && { collection: content.collection }),
      ...(name !== undefined && { meta: { name } }),
      ...filesOf(content),
      ...(price !== undefined && { costXRP: price }),
      floor,
      ...(price !== undefined && floor !== null && floor > 0 && { floorDiffPct: percentAbove(price, floor) }),
    };
  }

  *#owned({ party, collection, search }: AccountNftQuery): CooperativeTask<number[]> {
    const { nfts } = this.#engine.nfts;
    const rows: number[] = [];
    if (party === 0) return rows;
    nfts.ofOwner(party, (nft) => {
      if (collection === undefined || nfts.collection[nft] === collection) rows.push(nft);
      return true;
    });
    // Rows of NFTs that were minted before the first ledger read are younger than the NFTs are.
    const when = (nft: number) => nfts.minted[nft]!;
    rows.sort((a, b) => when(b) - when(a) || b - a);
    if (search === '') return rows;
    const text = search.toLowerCase();
    const found: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      if (i % NAMES_A_SLICE === NAMES_A_SLICE - 1) yield;
      const id = nfts.idText(rows[i]!);
      const name = this.#metadata.content(id)?.name;
      if (id.toLowerCase().startsWith(text) || name?.toLowerCase().includes(text)) found.push(rows[i]!);
    }
    return found;
  }

  *#held(party: number): CooperativeTask<Held[]> {
    const { nfts } = this.#engine.nfts;
    const counts = new Map<number, number>();
    if (party === 0) return [];
    nfts.ofOwner(party, (nft) => {
      const row = nfts.collection[nft]!;
      counts.set(row, (counts.get(row) ?? 0) + 1);
      return true;
    });
    const held: Held[] = [];
    let walked = 0;
    for (const [row, count] of counts) {
      const { floor, items } = this.#collections.of(row);
      held.push({ row, count, floor, drops: count * Math.round((floor ?? 0) * DROPS_PER_XRP) });
      walked += items;
      if (walked < ROWS_A_SLICE) continue;
      walked = 0;
      yield;
    }
    return held;
  }

  *#made(party: number, isSell: boolean | undefined): CooperativeTask<number[]> {
    const { offers } = this.#engine.nfts;
    const now = this.#engine.head?.closeTime ?? 0;
    const rows: number[] = [];
    if (party === 0) return rows;
    offers.ofOwner(party, (row) => {
      const expires = offers.expiration[row]!;
      if ((isSell === undefined || offers.isSell(row) === isSell) && (expires === 0 || expires > now))
        rows.push(row);
      return true;
    });
    yield;
    const when = (row: number) => offers.created[row]!;
    return rows.sort((a, b) => when(b) - when(a) || offers.nft[b]! - offers.nft[a]! || b - a);
  }

  #atOnce<T>(makeTask: () => CooperativeTask<T>): Promise<T> {
    return atOneVersion([this.#engine], makeTask);
  }
}

interface Held {
  /** Of the collections. */
  readonly row: number;
  readonly count: number;
  /** XRP. */
  readonly floor: number | null;
  /** What they are worth at it. */
  readonly drops: number;
}
