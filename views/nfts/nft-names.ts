/**
 * Names of NFTs, as their fetched metadata say, to search in. NFTs of one collection with one name are editions of one thing.
 *
 *     newest LOOKED_AT NFTs -> name, collection -> groups -> index of names (views/search.ts) -> groups that exist, best first
 *
 * The index is made when a name is first searched for, and goes on where it was after REFRESH_SECONDS of close time, where more
 * metadata is known: NFTs that had no name yet, those that came since, and those whose URI was changed are looked at. Until then
 * the latter are not found by their old names. NFTs that are no longer among the newest stay in it until it has twice as many;
 * then it is built again.
 *
 * Cost: 10 to 30 us for each NFT that is looked at, in slices of 32; some 200 bytes a name.
 */
import { cutText } from '../../engine/codec/cut-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import type { NftMetadata } from '../../platform/nft-metadata.ts';
import { withoutHidden } from '../../platform/written-texts.ts';
import { TokenSearch } from '../search.ts';

/** Newest NFTs that are looked at. */
const LOOKED_AT = 100_000;
const NFTS_A_SLICE = 32;
const REFRESH_SECONDS = 600;
const NAME_MAX = 100;

export interface NamedNft {
  /** One of them. */
  readonly row: number;
  /** NFTs of its collection that have its name. */
  readonly editions: number;
}

interface Group {
  readonly name: string;
  readonly collection: number;
  /** NFTs, in the order in which they were found. */
  readonly rows: number[];
}

interface Named {
  /** Id of its group. */
  readonly group: number;
  /** When its URI had been changed last, as it was looked at. */
  readonly modified: number;
}

export class NftNames {
  readonly #engine: Engine;
  readonly #metadata: NftMetadata;
  readonly #lookedAt: number;
  #index: TokenSearch;
  /** By the id that the index knows them by; 0 is none. */
  #groups: (Group | undefined)[] = [undefined];
  readonly #ids = new Map<string, number>();
  /** Of the rows that are in a group. */
  readonly #named = new Map<number, Named>();
  #looking: Promise<void> | undefined;
  /** Of the last look: version of the metadata, and close time. */
  #looked = { version: -1, time: 0 };

  /** @param lookedAt newest NFTs that are looked at */
  constructor(engine: Engine, metadata: NftMetadata, lookedAt = LOOKED_AT) {
    this.#engine = engine;
    this.#metadata = metadata;
    this.#lookedAt = lookedAt;
    this.#index = this.#indexOf(this.#groups);
  }

  /** NFTs that are in the index, and groups that it knows. */
  get size(): { readonly nfts: number; readonly groups: number } {
    return { nfts: this.#named.size, groups: this.#groups.length - 1 };
  }

  #indexOf(groups: readonly (Group | undefined)[]): TokenSearch {
    const { nfts } = this.#engine;
    return new TokenSearch({
      get end() {
        return groups.length;
      },
      name: (id) => groups[id]?.name ?? '',
      isIndexed: (id) => id !== 0,
      isListed: (id) => groups[id]!.rows.some((row) => nfts.nfts.owner[row] !== 0),
      weight: (id) => Number(nfts.collections.volumeDrops(groups[id]!.collection)),
    });
  }

  /** Those that are like the text, best first. */
  async find(text: string, limit: number): Promise<NamedNft[]> {
    await this.#ready();
    const { owner } = this.#engine.nfts.nfts;
    return this.#index.search(text, limit).flatMap((id) => {
      const { name, rows } = this.#groups[id]!;
      const existing = rows.filter((row) => owner[row] !== 0 && this.#isCurrent(row));
      const row = existing.findLast((row) => this.#nameOf(row) === name);
      return row === undefined ? [] : [{ row, editions: existing.length }];
    });
  }

  /** Whether a row that is in a group has the URI with which it was put there. */
  #isCurrent(row: number): boolean {
    return this.#named.get(row)!.modified === this.#engine.nfts.nfts.modified[row];
  }

  async #ready(): Promise<void> {
    const { version } = this.#metadata;
    const time = this.#engine.head?.closeTime ?? 0;
    const { version: known, time: since } = this.#looked;
    const isNew = known < 0;
    const isOld = known !== version && time - since >= REFRESH_SECONDS;
    if (isNew || isOld) {
      this.#looked = { version, time };
      this.#looking = this.#look();
      this.#looking.catch(() => {
        this.#looked = { version: -1, time: 0 };
      });
    }
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { nfts } = this.#engine.nfts;
    const end = nfts.count;
    const { nfts: known, groups } = this.size;
    if (Math.max(known, groups) > 2 * this.#lookedAt) this.#forget();
    for (let row = Math.max(1, end - this.#lookedAt); row < end; row++) {
      if (row % NFTS_A_SLICE === 0) await yieldToLoop();
      if (nfts.owner[row] === 0) continue;
      if (this.#named.has(row)) {
        if (this.#isCurrent(row)) continue;
        this.#remove(row);
      }
      const name = this.#nameOf(row);
      if (name !== '') this.#add(row, nfts.collection[row]!, name);
    }
    await this.#index.complete();
  }

  #add(row: number, collection: number, name: string): void {
    const key = `${collection} ${name}`;
    const group = this.#ids.get(key) ?? this.#groups.length;
    this.#named.set(row, { group, modified: this.#engine.nfts.nfts.modified[row]! });
    if (group < this.#groups.length) {
      this.#groups[group]!.rows.push(row);
      return;
    }
    this.#ids.set(key, group);
    this.#groups.push({ name, collection, rows: [row] });
  }

  #forget(): void {
    this.#groups = [undefined];
    this.#index = this.#indexOf(this.#groups);
    this.#ids.clear();
    this.#named.clear();
  }

  #remove(row: number): void {
    const { rows } = this.#groups[this.#named.get(row)!.group]!;
    rows.splice(rows.indexOf(row), 1);
    this.#named.delete(row);
  }

  #nameOf(row: number): string {
    const { nfts } = this.#engine.nfts;
    const { name = '' } = this.#metadata.content(nfts.idText(row)) ?? {};
    return cutText(withoutHidden(name).trim(), NAME_MAX);
  }
}
