/**
 * Traits and rarity of collections, made when somebody looks at a collection and kept until it changes.
 *
 *     NFT minted, burned, changed --\
 *                                    >-- out of date --when next read--> made again, in slices    CollectionTraits
 *     metadata fetched -------------/
 *
 * Goal: readers get traits, counts and ranks of one state of a collection. Non-goal: those of the last second for the largest
 * ones: a collection is made again at the earliest after one ledger for each NFTS_A_LEDGER of its NFTs, since while metadata is
 * fetched, or a collection is minted, it changes all the time.
 * Cost: some microseconds an NFT, when made; KEPT_BYTES at most.
 */
import type { Engine, LedgerEvent } from '../../engine/engine.ts';
import { type CooperativeTask, yieldToLoop } from '../../engine/event-loop.ts';
import { NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { type NftMetadata, NO_METADATA } from '../../platform/nft-metadata.ts';
import type { Invalidated } from '../invalidation.ts';
import { CollectionTraits } from './collection-traits.ts';

/** Of a collection that was made before; those with fewer than half of them are made again at once. */
const NFTS_A_LEDGER = 10_000;
/** Rows gathered before other work may run: about a millisecond. */
const ROWS_A_SLICE = 32_768;
const KEPT_BYTES = 96 * 1024 * 1024;
/** Collections that are kept, most of them of a few NFTs. */
const KEPT = 4096;
/** After which the traits of a collection are others. */
const CHANGES: ReadonlySet<number> = new Set([NftEventType.mint, NftEventType.burn, NftEventType.modify]);

interface Kept {
  readonly traits: CollectionTraits;
  /** Version of the metadata that it was made of. */
  readonly metadata: number;
  /** Version of the engine from which it may be made again. */
  readonly until: number;
}

export class NftTraits implements Invalidated {
  readonly #engine: Engine;
  readonly #metadata: NftMetadata;
  /** In the order in which they were made. */
  readonly #kept = new Map<number, Kept>();
  readonly #changed = new Set<number>();
  readonly #making = new Map<number, Promise<CollectionTraits>>();
  #bytes = 0;
  /** Times that everything was forgotten. */
  #drops = 0;

  constructor(engine: Engine, metadata: NftMetadata) {
    this.#engine = engine;
    this.#metadata = metadata;
  }

  /** Moves when metadata was fetched. */
  get version(): number {
    return this.#metadata.version;
  }

  applied({ events: { nfts } }: LedgerEvent): void {
    const event = new NftEventReader().load(nfts.bytes);
    for (let i = 0; i < nfts.count; i++) {
      const { type, collection } = event.at(i);
      if (CHANGES.has(type) && (this.#kept.has(collection) || this.#making.has(collection)))
        this.#changed.add(collection);
    }
  }

  drop(): void {
    this.#kept.clear();
    this.#changed.clear();
    this.#making.clear();
    this.#bytes = 0;
    this.#drops++;
  }

  /** Of a collection, by its row. */
  of(collection: number): Promise<CollectionTraits> | CollectionTraits {
    if (this.#metadata === NO_METADATA) return CollectionTraits.none;
    const kept = this.#kept.get(collection);
    if (kept && !this.#isOld(collection, kept)) return kept.traits;
    let making = this.#making.get(collection);
    if (!making) {
      making = this.#make(collection).finally(() => {
        if (this.#making.get(collection) === making) this.#making.delete(collection);
      });
      this.#making.set(collection, making);
    }
    return making;
  }

  #isOld(collection: number, { metadata, until }: Kept): boolean {
    if (this.#engine.version < until) return false;
    return metadata !== this.#metadata.version || this.#changed.has(collection);
  }

  async #make(collection: number): Promise<CollectionTraits> {
    this.#changed.delete(collection);
    const metadata = this.#metadata.version;
    const drops = this.#drops;
    const task = this.#task(collection);
    for (;;) {
      const { done, value } = task.next();
      if (done) {
        if (drops === this.#drops) this.#keep(collection, value, metadata);
        return value;
      }
      await yieldToLoop();
      // Rows of before may be those of other NFTs now.
      if (drops !== this.#drops) return this.of(collection);
    }
  }

  *#task(collection: number): CooperativeTask<CollectionTraits> {
    const { nfts } = this.#engine.nfts;
    const rows: number[] = [];
    let seen = 0;
    for (let nft = nfts.newestOf(collection); nft !== 0; nft = nfts.before(nft)) {
      if (++seen % ROWS_A_SLICE === 0) yield;
      if (nfts.owner[nft] !== 0) rows.push(nft);
    }
    const ascending = Uint32Array.from(rows).reverse();
    return yield* CollectionTraits.making(ascending, (nft) => this.#metadata.content(nfts.idText(nft)));
  }

  #keep(collection: number, traits: CollectionTraits, metadata: number): void {
    this.#forget(collection);
    const { items } = this.#engine.nfts.collections;
    const until = this.#engine.version + Math.round(items[collection]! / NFTS_A_LEDGER);
    this.#kept.set(collection, { traits, metadata, until });
    this.#bytes += traits.bytes;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES && this.#kept.size <= KEPT) break;
      this.#forget(oldest);
      this.#changed.delete(oldest);
    }
  }

  #forget(collection: number): void {
    const kept = this.#kept.get(collection);
    if (!kept) return;
    this.#kept.delete(collection);
    this.#bytes -= kept.traits.bytes;
  }
}
