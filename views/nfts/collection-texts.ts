/**
 * What is said of collections, and by whom: their issuers here (platform/collection-metadata.ts), else their NFTs, each of which
 * may name its collection and have a picture.
 *
 *     name           issuer, else the name that most of some NFTs give
 *     logoImage      picture of the newest of these NFTs that has one
 *     all the rest   issuer
 *
 * Anyone writes either: names are texts without what hides or reorders text, of NAME_MAX characters, and no proof of anything.
 * Cost: LOOKED_AT NFTs are looked up once for each version of the metadata, of collections that are shown.
 */
import { accountBytes } from '../../engine/codec/base58.ts';
import { cutText } from '../../engine/codec/cut-text.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CollectionData, CollectionMetadata } from '../../platform/collection-metadata.ts';
import { IMAGE_SIDE } from '../../platform/images.ts';
import { type NftMetadata, NO_METADATA } from '../../platform/nft-metadata.ts';
import { pictureFile } from '../../platform/nft-pictures.ts';
import { withoutHidden } from '../../platform/written-texts.ts';
import { SOURCES } from '../text-sources.ts';
import { tagSlug } from '../token-tags.ts';
import { type Revision, VersionedCache } from '../versioned-cache.ts';

/** Newest NFTs of a collection whose metadata is asked for its name and picture. */
const LOOKED_AT = 32;
const KEPT = 20_000;
const NAME_MAX = 100;

interface Parts {
  readonly engine: Engine;
  readonly metadata: NftMetadata;
  readonly data: CollectionData;
  /** `<issuer>:<taxon>` of a row. */
  readonly idOf: (row: number) => string;
}

interface OfNfts {
  readonly name?: string;
  readonly logoImage?: string;
}

/** Collections by the form of a tag that links have. */
type Tags = ReadonlyMap<string, { readonly tag: string; readonly rows: ReadonlySet<number> }>;

const NOTHING: OfNfts = {};
const NO_ROWS: ReadonlySet<number> = new Set();

export class CollectionTextViews {
  readonly #engine: Engine;
  readonly #metadata: NftMetadata;
  readonly #data: CollectionData;
  readonly #idOf: Parts['idOf'];
  readonly #ofNfts: VersionedCache<OfNfts>;
  readonly #tags: VersionedCache<Tags>;

  constructor({ engine, metadata, data, idOf }: Parts) {
    this.#engine = engine;
    this.#idOf = idOf;
    this.#metadata = metadata;
    this.#data = data;
    this.#ofNfts = new VersionedCache([metadata], KEPT);
    this.#tags = new VersionedCache([data], 1);
  }

  /** What the issuer says of it; undefined: nothing. */
  given(row: number): CollectionMetadata | undefined {
    return this.#data.isEmpty ? undefined : this.#data.of(this.#idOf(row));
  }

  /** Of what NFTs say. */
  get revision(): Revision {
    return this.#metadata;
  }

  /** The name that its NFTs give it; nothing is fetched for that. */
  saidName(row: number): string | undefined {
    if (this.#metadata === NO_METADATA) return undefined;
    return (this.#ofNfts.known(String(row)) ?? this.#look(row)).name;
  }

  /** What lists of collections show of it beside figures. */
  named(row: number) {
    const { name: said, logoImage } = this.#said(row);
    const name = this.given(row)?.name ?? said;
    return { ...(name !== undefined && { name }), ...(logoImage !== undefined && { logoImage }) };
  }

  /** Members of the answers about a collection. */
  of(row: number) {
    const given = this.given(row);
    const said = this.#said(row);
    const name = given?.name ?? said.name;
    const { logoImage } = said;
    const { description, category, website, twitter, tags } = given ?? {};
    const ofService = { name: given?.name, description, category, website, twitter, tags };
    const sources = {
      ...(said.name !== undefined && { name: METADATA }),
      ...(logoImage !== undefined && { logoImage: METADATA }),
      ...Object.fromEntries(
        Object.entries(ofService).flatMap(([name, value]) => (value ? [[name, SOURCES.service]] : [])),
      ),
    };
    return {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(category !== undefined && { category }),
      ...(logoImage !== undefined && { logoImage }),
      ...(website !== undefined && { website }),
      ...(twitter !== undefined && { twitter }),
      ...(tags !== undefined && { tags }),
      ...(Object.keys(sources).length > 0 && { sources }),
      verified: given?.verified ?? false,
    };
  }

  /** Rows of the collections with a tag. */
  tagged(tag: string): ReadonlySet<number> {
    return this.#byTag().get(tagSlug(tag))?.rows ?? NO_ROWS;
  }

  /** The tag as collections have it; '': none has it. */
  tagName(tag: string): string {
    return this.#byTag().get(tagSlug(tag))?.tag ?? '';
  }

  /** Tags with how many collections have them, the most frequent first. */
  tags(): { readonly tag: string; readonly count: number }[] {
    return [...this.#byTag().values()]
      .map(({ tag, rows }) => ({ tag, count: rows.size }))
      .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
  }

  #byTag(): Tags {
    return this.#tags.get('tags', () => {
      const found = new Map<string, { readonly tag: string; readonly rows: Set<number> }>();
      for (const [id, tags] of this.#data.tagged()) {
        const row = tags.length === 0 ? 0 : rowOf(this.#engine, id);
        if (row === 0) continue;
        for (const tag of tags) {
          const slug = tagSlug(tag);
          const one = found.get(slug) ?? { tag, rows: new Set<number>() };
          found.set(slug, one);
          one.rows.add(row);
        }
      }
      return found;
    });
  }

  #said(row: number): OfNfts {
    if (this.#metadata === NO_METADATA) return NOTHING;
    return this.#ofNfts.get(String(row), () => {
      const { newest, ...said } = this.#look(row);
      // Pictures are fetched of what is shown: that of one is shown for the collection.
      if (said.logoImage === undefined && newest !== 0)
        this.#metadata.ask?.(this.#engine.nfts.nfts.idText(newest));
      return said;
    });
  }

  /** @returns also its newest NFT that exists; 0: there is none among those looked at */
  #look(row: number): OfNfts & { readonly newest: number } {
    const { nfts } = this.#engine.nfts;
    const names = new Map<string, number>();
    let logoImage: string | undefined;
    let looked = 0;
    let newest = 0;
    for (let nft = nfts.newestOf(row); nft !== 0 && looked < LOOKED_AT; nft = nfts.before(nft)) {
      looked++;
      if (nfts.owner[nft] === 0) continue;
      newest ||= nft;
      const content = this.#metadata.content(nfts.idText(nft));
      if (!content) continue;
      logoImage ??= content.imageHash && pictureFile(content.imageHash, IMAGE_SIDE);
      const name = cutText(withoutHidden(content.collection ?? '').trim(), NAME_MAX);
      if (name !== '') names.set(name, (names.get(name) ?? 0) + 1);
    }
    const [most] = [...names].sort((a, b) => b[1] - a[1]);
    return { newest, ...(most && { name: most[0] }), ...(logoImage !== undefined && { logoImage }) };
  }
}

const METADATA = 'metadata';

/** 0: no ledger read here has shown it. */
function rowOf({ nfts: { collections } }: Engine, id: string): number {
  const [issuer = '', taxon = ''] = id.split(':');
  const bytes = accountBytes(issuer);
  return bytes ? collections.findByTaxon(bytes, Number(taxon)) : 0;
}
