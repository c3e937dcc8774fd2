/** What readers see of NFTs, by subject. */
import { accountBytes } from '../../engine/codec/base58.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Invalidation } from '../invalidation.ts';
import { NftAccounts } from './account-nfts.ts';
import { CollectionFigures } from './collection-figures.ts';
import { CollectionNfts } from './collection-nfts.ts';
import { CollectionSales } from './collection-sales.ts';
import { NftEvents } from './events.ts';
import { NftHolders } from './holders.ts';
import { NftMarketFigures } from './market-figures.ts';
import type { NftMetadata } from './metadata.ts';
import { NftLists } from './nft-lists.ts';
import { NftRows } from './nft-row.ts';
import { NftOfferViews } from './offers.ts';
import { NftRecentSales } from './recent-sales.ts';
import { NftRotations } from './rotations.ts';
import { NftTraders } from './trader-figures.ts';

const TAXON_MAX = 0xffffffff;

export class NftViews {
  readonly offers: NftOfferViews;
  readonly events: NftEvents;
  readonly rows: NftRows;
  readonly holders: NftHolders;
  readonly collections: CollectionFigures;
  readonly lists: NftLists;
  readonly traders: NftTraders;
  readonly rotations: NftRotations;
  readonly market: NftMarketFigures;
  readonly accounts: NftAccounts;
  readonly sales: CollectionSales;
  readonly members: CollectionNfts;
  readonly #engine: Engine;

  constructor(engine: Engine, metadata: NftMetadata, invalidation: Invalidation) {
    this.#engine = engine;
    this.offers = new NftOfferViews(engine);
    this.events = new NftEvents(engine);
    this.holders = new NftHolders(engine);
    this.collections = new CollectionFigures(engine, this.offers);
    invalidation.add(this.collections);
    this.sales = new CollectionSales(engine);
    invalidation.add(this.sales);
    this.members = new CollectionNfts({ engine, offers: this.offers, sales: this.sales, metadata });
    this.rows = new NftRows(engine, this.offers, metadata);
    this.market = new NftMarketFigures(engine);
    this.traders = new NftTraders(engine, this.collections);
    const recent = new NftRecentSales(engine);
    invalidation.add(recent);
    this.rotations = new NftRotations(engine, recent);
    this.lists = new NftLists(engine, this.offers);
    this.accounts = new NftAccounts({ engine, metadata, offers: this.offers, collections: this.collections });
  }

  /** The row of an NFT by its 64 hex digits; 0: no ledger has shown it. */
  find(id: string): number {
    const { nfts } = this.#engine.nfts;
    const row = nfts.find(bytesOf(id), 0);
    // One that only an offer has named may never have existed.
    return row !== 0 && (nfts.owner[row] !== 0 || nfts.minted[row] !== 0 || nfts.burned[row] !== 0) ? row : 0;
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
