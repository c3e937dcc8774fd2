/**
 * Search over collections and single NFTs: an id finds its NFT; a slug, `<issuer>:<taxon>` or an issuer finds collections; another
 * text those collections and NFTs whose name is like it, where it is known. Nothing: the most traded collections of the day.
 *
 * Cost: an issuer is a scan of the collections, in slices; the index of names is made in slices when a
 * name is first searched for, and again after REBUILD_SECONDS of close time where more names are known.
 */
import { accountBytes } from '../../engine/codec/base58.ts';
import { sameBytes } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, yieldToLoop } from '../../engine/event-loop.ts';
import { type NftMetadata, NO_METADATA } from '../../platform/nft-metadata.ts';
import { atOneVersion } from '../at-one-version.ts';
import { TokenSearch } from '../search.ts';
import { type Revision, versionOf } from '../versioned-cache.ts';
import { type NamedNft, NftNames } from './nft-names.ts';

/** Collections and NFTs of an answer. The contract's figure. */
export const FOUND_MAX = 20;
const REBUILD_SECONDS = 600;
/** Collections compared before other work may run: about a millisecond. */
const SLICE = 65_536;
/** Collections whose name is looked up before other work may run. */
const NAMES_A_SLICE = 64;
const ISSUER_BYTES = 20;
const NFT_ID = /^[0-9A-Fa-f]{64}$/;

interface Parts {
  readonly engine: Engine;
  readonly metadata: NftMetadata;
  /** Of what names come from. */
  readonly revisions: readonly Revision[];
  readonly nameOf: (row: number) => string | undefined;
  /** Row by slug or `<issuer>:<taxon>`; 0: there is none. */
  readonly collection: (text: string) => number;
  /** Row by 64 hex digits; 0: no ledger has shown it. */
  readonly nft: (id: string) => number;
  /** Rows of the most traded ones. */
  readonly popular: (limit: number) => Promise<readonly number[]>;
}

export interface NftSearchAnswer {
  /** Rows, best first. */
  readonly collections: readonly number[];
  readonly nfts: readonly NamedNft[];
  /** The text names one of them, and nothing else can be meant. */
  readonly isExact: boolean;
}

const NOTHING: NftSearchAnswer = { collections: [], nfts: [], isExact: false };

export class NftSearch {
  readonly #parts: Parts;
  readonly #names: NftNames;
  #index: Promise<TokenSearch> | undefined;
  #indexed = { version: -1, time: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#names = new NftNames(parts.engine, parts.metadata);
  }

  async find(text: string): Promise<NftSearchAnswer> {
    const wanted = text.trim();
    const { collection, nft, popular } = this.#parts;
    if (wanted === '') return { ...NOTHING, collections: await popular(FOUND_MAX) };
    if (NFT_ID.test(wanted)) {
      const row = nft(wanted.toUpperCase());
      return row === 0 ? NOTHING : { collections: [], nfts: [{ row, editions: 1 }], isExact: true };
    }
    const issuer = accountBytes(wanted);
    if (issuer) return { ...NOTHING, collections: await this.#ofIssuer(issuer) };
    const row = collection(wanted);
    if (row !== 0) return { collections: [row], nfts: [], isExact: true };
    const nfts = await this.#nftsNamed(wanted);
    return { ...NOTHING, collections: await this.#named(wanted), nfts };
  }

  /** Those with the largest volume first. */
  #ofIssuer(issuer: Uint8Array): Promise<number[]> {
    return atOneVersion([this.#parts.engine], () => this.#scan(issuer));
  }

  *#scan(issuer: Uint8Array): CooperativeTask<number[]> {
    const { collections } = this.#parts.engine.nfts;
    const found: number[] = [];
    for (let row = 1; row < collections.count; row++) {
      if (row % SLICE === 0) yield;
      if (sameBytes(collections.key(row), 0, issuer, 0, ISSUER_BYTES)) found.push(row);
    }
    const volume = (row: number) => Number(collections.volumeDrops(row));
    return found.sort((a, b) => volume(b) - volume(a) || a - b).slice(0, FOUND_MAX);
  }

  async #nftsNamed(text: string): Promise<readonly NamedNft[]> {
    return this.#parts.metadata === NO_METADATA ? [] : this.#names.find(text, FOUND_MAX);
  }

  async #named(text: string): Promise<number[]> {
    const { engine, metadata, revisions } = this.#parts;
    const version = versionOf(revisions);
    // Nobody has said anything. Where content is fetched, that of an earlier run is held without a version.
    if (version === 0 && metadata === NO_METADATA) return [];
    const time = engine.head?.closeTime ?? 0;
    const isOld = time - this.#indexed.time >= REBUILD_SECONDS;
    if (!this.#index || (isOld && this.#indexed.version !== version)) {
      this.#indexed = { version, time };
      this.#index = this.#makeIndex();
      this.#index.catch(() => {
        this.#index = undefined;
      });
    }
    return (await this.#index).search(text, FOUND_MAX);
  }

  async #makeIndex(): Promise<TokenSearch> {
    const { engine, nameOf } = this.#parts;
    const { collections } = engine.nfts;
    const { count } = collections;
    const names: (string | undefined)[] = [];
    for (let row = 1; row < count; row++) {
      if (row % NAMES_A_SLICE === 0) await yieldToLoop();
      if (collections.items[row]! > 0) names[row] = nameOf(row);
    }
    const index = new TokenSearch({
      end: count,
      name: (row) => names[row] ?? '',
      isIndexed: (row) => Boolean(names[row]),
      isListed: (row) => collections.items[row]! > 0,
      weight: (row) => Number(collections.volumeDrops(row)),
    });
    await index.complete();
    return index;
  }
}
