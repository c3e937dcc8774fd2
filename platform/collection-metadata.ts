/**
 * What issuers say of their collections of NFTs: a name, a description, links, tags. It is not on the ledger; who may write it is
 * checked before (api/wallet.ts). One row a collection, by `<issuer>:<taxon>`.
 *
 * Reads of collections without a row, which is nearly all of them, ask a map in memory and not the store.
 */
import type { Collection, PlatformStore } from './store.ts';
import {
  type Changes,
  changedNames,
  merged,
  refuseSoon,
  type Writer,
  type Written,
} from './written-texts.ts';

export interface CollectionTexts {
  readonly name?: string;
  readonly description?: string;
  readonly category?: string;
  readonly website?: string;
  /** Handle. */
  readonly twitter?: string;
  readonly tags?: readonly string[];
  /** The service's admin knows whose it is. */
  readonly verified?: true;
}

export interface CollectionMetadata extends CollectionTexts, Written {}

export type CollectionChanges = Changes<CollectionTexts>;

const COLLECTION_METADATA: Collection<CollectionMetadata> = {
  name: 'collection-metadata',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16 * 1024, rows: 100_000 },
  indexes: {},
};

/** What is kept of collections of NFTs. */
export const NFT_COLLECTIONS = [COLLECTION_METADATA as Collection<unknown>];

const NO_TAGS: readonly string[] = [];

export class CollectionData {
  /** Grows with each change. */
  version = 0;
  #store: PlatformStore | undefined;
  /** Tags of the collections that have a row. */
  readonly #tags = new Map<string, readonly string[]>();

  /** From now on it is kept there. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(COLLECTION_METADATA, {}, (metadata, [id]) => {
      this.#changed(String(id), metadata);
      return true;
    });
  }

  /** false: there is no store, so nothing can be written. */
  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  /** Of no collection is anything kept. */
  get isEmpty(): boolean {
    return this.#tags.size === 0;
  }

  /** @param id `<issuer>:<taxon>` */
  of(id: string): CollectionMetadata | undefined {
    return this.#tags.has(id) ? this.#store?.get(COLLECTION_METADATA, [id]) : undefined;
  }

  /** Every collection that has a row, with its tags. */
  tagged(): Iterable<readonly [id: string, tags: readonly string[]]> {
    return this.#tags;
  }

  /**
   * Resolves when the changes are durable.
   * @returns names of what is another value than before
   * @throws CooldownError, PlatformError; nothing is written then
   */
  async write(id: string, changes: CollectionChanges, { now, by }: Writer): Promise<string[]> {
    const { names, metadata } = await this.#store!.transaction((transaction) => {
      const before = transaction.get(COLLECTION_METADATA, [id]);
      refuseSoon(before, now);
      const names = changedNames<CollectionTexts>(before, changes);
      const metadata = { ...merged<CollectionTexts>(before, changes), changedAt: now, changedBy: by };
      transaction.put(COLLECTION_METADATA, [id], metadata);
      return { names, metadata };
    });
    this.#changed(id, metadata);
    return names;
  }

  #changed(id: string, { tags = NO_TAGS }: CollectionMetadata): void {
    this.#tags.set(id, tags);
    this.version++;
  }
}
