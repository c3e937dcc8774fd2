/** An NFT as clients read it: what the ledger has of it, and of what its URI names once that was fetched. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { type NftMetadata, shownContent } from '../../platform/nft-metadata.ts';
import type { ScamViews } from '../scams.ts';
import { costObject } from './amounts.ts';
import type { CollectionFigures } from './collection-figures.ts';
import { collectionId, collectionSlug } from './collection-ids.ts';
import type { CollectionTextViews } from './collection-texts.ts';
import type { CollectionTraits } from './collection-traits.ts';
import type { NftOfferViews } from './offers.ts';
import { filesOf } from './pictures.ts';
import type { NftTraits } from './traits.ts';

interface NftRowParts {
  readonly engine: Engine;
  readonly offers: NftOfferViews;
  readonly metadata: NftMetadata;
  readonly traits: NftTraits;
  readonly texts: CollectionTextViews;
  readonly collections: CollectionFigures;
  readonly scams: Pick<ScamViews, 'categoryOf'>;
}

export class NftRows {
  readonly #engine: Engine;
  readonly #offers: NftOfferViews;
  readonly #metadata: NftMetadata;
  readonly #scams: Pick<ScamViews, 'categoryOf'>;
  readonly #traits: NftTraits;
  readonly #texts: CollectionTextViews;
  readonly #collections: CollectionFigures;

  constructor({ engine, offers, metadata, traits, texts, collections, scams }: NftRowParts) {
    this.#engine = engine;
    this.#collections = collections;
    this.#offers = offers;
    this.#metadata = metadata;
    this.#scams = scams;
    this.#traits = traits;
    this.#texts = texts;
  }

  /** The rows of a page; the traits of their collections are made first. */
  async page(nfts: readonly number[]) {
    const { collection } = this.#engine.nfts.nfts;
    const traits = new Map<number, CollectionTraits>();
    for (const nft of nfts) {
      const of = collection[nft]!;
      if (!traits.has(of)) traits.set(of, await this.#traits.of(of));
    }
    return nfts.map((nft) => ({ ...this.row(nft), ...this.#rarity(nft, traits.get(collection[nft]!)!) }));
  }

  /** The same of one. */
  async whole(nft: number) {
    const [row] = await this.page([nft]);
    return row!;
  }

  #rarity(nft: number, traits: CollectionTraits) {
    const rank = traits.rank(nft);
    return rank === undefined ? {} : { rarity_rank: rank, props: traits.props(nft) };
  }

  /** Without what follows from the metadata of the others of its collection. */
  row(nft: number) {
    const { nfts, parties, collections } = this.#engine.nfts;
    const collection = nfts.collection[nft]!;
    const id = nfts.idText(nft);
    const owner = nfts.owner[nft]!;
    const [minted, burned, modified] = [nfts.minted[nft]!, nfts.burned[nft]!, nfts.modified[nft]!];
    const fee = nfts.transferFee[nft]!;
    const serial = nfts.sequence[nft]!;
    const issuer = accountText(collections.key(collection).subarray(0, 20));
    // Of its issuer: NFTs of an honest one that a scammer owns are what they were.
    const scamType = this.#scams.categoryOf(issuer);
    return {
      _id: id,
      NFTokenID: id,
      ...(owner !== 0 && { account: accountText(parties.key(owner)) }),
      issuer,
      taxon: collections.taxon(collection),
      cid: collectionId(collections, collection),
      cslug: collectionSlug(collections, collection),
      total: collections.items[collection]!,
      flags: nfts.flags[nft]!,
      royalty: fee,
      transferFee: fee,
      sequence: serial,
      serial,
      is_burned: burned !== 0,
      status: burned !== 0 ? ('burned' as const) : ('live' as const),
      ...(minted !== 0 && { date: unixMs(minted) }),
      ...(burned !== 0 && { burnedAt: unixMs(burned) }),
      ...(modified !== 0 && { modifiedAt: unixMs(modified) }),
      scam: scamType !== undefined,
      ...(scamType !== undefined && { scamType }),
      volume: Number(nfts.volumeDrops(nft)) / DROPS_PER_XRP,
      ...this.#uri(nft),
      ...this.#cost(nft),
      ...this.#collectionFloor(collection),
      ...this.#content(id, collection),
    };
  }

  /** What is known of its collection. */
  collection(nft: number) {
    const { nfts, collections } = this.#engine.nfts;
    const row = nfts.collection[nft]!;
    const created = collections.created[row]!;
    return {
      _id: collectionId(collections, row),
      slug: collectionSlug(collections, row),
      issuer: accountText(collections.key(row).subarray(0, 20)),
      taxon: collections.taxon(row),
      items: collections.items[row]!,
      burnedItems: collections.burned[row]!,
      ...(created !== 0 && { created: unixMs(created) }),
      ...this.#texts.of(row),
    };
  }

  /** URIs are any bytes: as hex, which clients read. */
  #uri(nft: number) {
    const uri = this.#engine.nfts.uri(nft);
    return uri === undefined ? {} : { url: Buffer.from(uri, 'latin1').toString('hex').toUpperCase() };
  }

  #cost(nft: number) {
    const listing = this.#offers.listing(nft);
    if (listing === undefined) return {};
    const { offers, assets } = this.#engine.nfts;
    const amount = { asset: offers.asset[listing]!, hi: offers.hi[listing]!, lo: offers.lo[listing]! };
    return { cost: costObject(assets, amount) };
  }

  #collectionFloor(collection: number) {
    const drops = this.#collections.floorDrops(collection);
    return drops === undefined ? {} : { cfloor: { amount: drops / DROPS_PER_XRP } };
  }

  #content(id: string, of: number) {
    const { name: given, verified } = this.#texts.given(of) ?? {};
    const ofCollection = {
      ...(given !== undefined && { collection: given }),
      ...(verified && { collectionVerified: true }),
    };
    const content = shownContent(this.#metadata, id);
    if (!content) return ofCollection;
    const { name, description, collection, attributes } = content;
    return {
      ...(name !== undefined && { name }),
      ...(collection !== undefined && { collection }),
      ...ofCollection,
      meta: {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(collection !== undefined && { collection: { name: collection } }),
        attributes: attributes.map(({ type, value }) => ({ trait_type: type, value })),
      },
      ...filesOf(content),
    };
  }
}
