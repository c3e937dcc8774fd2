/** What readers see of NFTs, by subject. */
import { accountBytes, accountText } from '../../engine/codec/base58.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CollectionData } from '../../platform/collection-metadata.ts';
import type { NftMetadata } from '../../platform/nft-metadata.ts';
import type { AccountNames } from '../accounts/names.ts';
import type { Invalidation } from '../invalidation.ts';
import type { ScamViews } from '../scams.ts';
import type { Revision } from '../versioned-cache.ts';
import { NftAccounts } from './account-nfts.ts';
import { CollectionFigures } from './collection-figures.ts';
import { CollectionFilter } from './collection-filter.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import { CollectionNfts } from './collection-nfts.ts';
import { NftCollectionPast } from './collection-past.ts';
import { CollectionSales } from './collection-sales.ts';
import { CollectionTextViews } from './collection-texts.ts';
import { NftEvents } from './events.ts';
import { NftHolders } from './holders.ts';
import { NftMarketFigures } from './market-figures.ts';
import { NftLists } from './nft-lists.ts';
import { NftRows } from './nft-row.ts';
import { NftSearch } from './nft-search.ts';
import { NftOfferViews } from './offers.ts';
import { NftRecentSales } from './recent-sales.ts';
import { NftRotations } from './rotations.ts';
import { NftTraders } from './trader-figures.ts';
import { NftTraits } from './traits.ts';
import { WatchedNfts } from './watched-nfts.ts';

const TAXON_MAX = 0xffffffff;

interface NftViewParts {
  readonly engine: Engine;
  readonly metadata: NftMetadata;
  readonly data: CollectionData;
  readonly scams: Pick<ScamViews, 'categoryOf'>;
  readonly invalidation: Invalidation;
  readonly accounts: { readonly names: Pick<AccountNames, 'of'>; readonly revision: Revision };
}

export class NftViews {
  readonly offers: NftOfferViews;
  readonly events: NftEvents;
  readonly rows: NftRows;
  readonly holders: NftHolders;
  readonly collections: CollectionFigures;
  readonly past: NftCollectionPast;
  readonly lists: NftLists;
  readonly traders: NftTraders;
  readonly rotations: NftRotations;
  readonly market: NftMarketFigures;
  readonly accounts: NftAccounts;
  readonly sales: CollectionSales;
  readonly members: CollectionNfts;
  readonly traits: NftTraits;
  readonly texts: CollectionTextViews;
  readonly filter: CollectionFilter;
  readonly metadata: NftMetadata;
  readonly search: NftSearch;
  readonly watched: WatchedNfts;
  readonly #engine: Engine;

  constructor({ engine, metadata, data, scams, invalidation, accounts }: NftViewParts) {
    this.#engine = engine;
    this.metadata = metadata;
    this.offers = new NftOfferViews(engine, scams);
    this.events = new NftEvents(engine);
    const recent = new NftRecentSales(engine);
    invalidation.add(recent);
    this.past = new NftCollectionPast(engine);
    this.collections = new CollectionFigures({ engine, offers: this.offers, recent, past: this.past });
    invalidation.add(this.collections);
    this.sales = new CollectionSales(engine);
    invalidation.add(this.sales);
    this.holders = new NftHolders(engine, this.sales);
    this.traits = new NftTraits(engine, metadata);
    invalidation.add(this.traits);
    const idOf = (row: number) => collectionId(engine.nfts.collections, row);
    this.texts = new CollectionTextViews({ engine, metadata, data, idOf });
    const { offers, sales, traits, texts, collections } = this;
    this.filter = new CollectionFilter({
      engine,
      texts,
      accountName: (address) => accounts.names.of(address)?.name,
      revisions: [data, accounts.revision],
    });
    this.members = new CollectionNfts({ engine, offers, sales, traits });
    this.rows = new NftRows({ engine, offers, metadata, traits, texts, collections, scams });
    this.market = new NftMarketFigures(engine, recent);
    this.traders = new NftTraders(engine, this.collections, recent);
    this.rotations = new NftRotations(engine, recent);
    this.search = new NftSearch({
      engine,
      metadata,
      revisions: [metadata, data],
      nameOf: (row) => texts.of(row).name,
      collection: (text) => this.collection(text),
      nft: (id) => this.find(id),
      popular: async (limit) => (await this.collections.list('vol24h', { skip: 0, limit })).rows,
    });
    this.watched = new WatchedNfts({
      engine,
      rows: this.rows,
      texts,
      offers,
      nft: (id) => this.find(id),
      collection: (id) => this.collection(id),
    });
    this.lists = new NftLists(engine, this.offers, this.traits);
    this.accounts = new NftAccounts({
      engine,
      metadata,
      offers: this.offers,
      collections: this.collections,
      past: this.past,
      texts: this.texts,
    });
  }

  /** The row of an NFT by its 64 hex digits; 0: no ledger has shown it. */
  find(id: string): number {
    const { nfts } = this.#engine.nfts;
    const row = nfts.find(bytesOf(id), 0);
    // One that only an offer has named may never have existed.
    return row !== 0 && (nfts.owner[row] !== 0 || nfts.minted[row] !== 0 || nfts.burned[row] !== 0) ? row : 0;
  }

  /** As its issuer or its NFTs say, else `<issuer>-<taxon>`. */
  collectionName(row: number): string {
    return this.texts.of(row).name ?? collectionSlug(this.#engine.nfts.collections, row);
  }

  collectionNames(row: number) {
    const { collections } = this.#engine.nfts;
    const { logoImage, verified } = this.texts.of(row);
    return {
      slug: collectionSlug(collections, row),
      name: this.collectionName(row),
      ...(logoImage !== undefined && { logoImage }),
      verified,
      account: accountText(collections.key(row).subarray(0, 20)),
    };
  }

  /** Row of an account among those that have to do with NFTs; 0: it has not. */
  party(address: string): number {
    const bytes = accountBytes(address);
    return bytes ? this.#engine.nfts.parties.find(bytes, 0) : 0;
  }

  /** Row of a collection by `<issuer>:<taxon>` or its slug; 0: there is none. */
  collection(text: string): number {
    const [, issuer, taxon] = /^(r[1-9A-HJ-NP-Za-km-z]{24,34})[:-]([0-9]{1,10})$/.exec(text) ?? [];
    const bytes = issuer === undefined ? undefined : accountBytes(issuer);
    if (!bytes || Number(taxon) > TAXON_MAX) return 0;
    return this.#engine.nfts.collections.findByTaxon(bytes, Number(taxon));
  }
}
