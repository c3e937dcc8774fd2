/** NFTs that somebody watches, by collection: what is known of each, and what it can be bought for. */
import { nftCollection } from '../../engine/codec/nft-collection.ts';
import type { Engine } from '../../engine/engine.ts';
import { ledgerAmount } from './amounts.ts';
import type { CollectionTextViews } from './collection-texts.ts';
import type { NftRows } from './nft-row.ts';
import type { NftOfferViews } from './offers.ts';

/** Of a row, where its metadata was fetched. */
interface Known {
  readonly name?: string;
  readonly rarity_rank?: number;
  readonly files?: readonly { readonly convertedFile: string }[];
  readonly meta?: object;
}

interface Parts {
  readonly engine: Engine;
  readonly rows: NftRows;
  readonly texts: CollectionTextViews;
  readonly offers: NftOfferViews;
  /** Row of an NFT by its id; 0: no ledger has shown it. */
  readonly nft: (id: string) => number;
  /** Row of a collection by `<issuer>:<taxon>`; 0: there is none. */
  readonly collection: (id: string) => number;
}

export class WatchedNfts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By slug, in the order of the ids. @param ids 64 hex digits each; no ledger need have shown them */
  async of(ids: readonly string[]) {
    const rows = ids.map((id) => this.#parts.nft(id));
    const pages = await this.#parts.rows.page(rows.filter((row) => row !== 0));
    const shown = new Map(pages.map((page) => [page.NFTokenID, page]));
    const groups: Record<string, ReturnType<WatchedNfts['group']>> = {};
    for (const [at, id] of ids.entries()) {
      const collectionId = nftCollection(id);
      const slug = collectionId.replace(':', '-');
      groups[slug] ??= this.group(collectionId);
      groups[slug].items.push({
        nftokenId: id,
        ...this.#item(rows[at]!, shown.get(id), groups[slug].collectionName),
      });
    }
    return groups;
  }

  /** With nothing in it yet. */
  group(collectionId: string) {
    const row = this.#parts.collection(collectionId);
    const name = row === 0 ? undefined : this.#parts.texts.of(row).name;
    return { collectionName: name ?? null, collectionId, items: [] as object[] };
  }

  #item(
    row: number,
    shown: Awaited<ReturnType<NftRows['page']>>[number] | undefined,
    collectionName: string | null,
  ) {
    if (!shown) return {};
    const known: Known = shown;
    const { name, rarity_rank: rarityRank, files, meta } = known;
    const listing = this.#parts.offers.listing(row);
    const { offers, assets } = this.#parts.engine.nfts;
    const offer = listing !== undefined && {
      amount: ledgerAmount(assets, {
        asset: offers.asset[listing]!,
        hi: offers.hi[listing]!,
        lo: offers.lo[listing]!,
      }),
    };
    return {
      ...(name !== undefined && { name }),
      ...(collectionName !== null && { collectionName }),
      ...(rarityRank !== undefined && { rarityRank }),
      ...(offer && { offer }),
      ...(files && { files, image: files[0]!.convertedFile }),
      ...(meta && { meta }),
    };
  }
}
