/**
 * Collections that contain a text in what their rows are called by: name, slug, name of the issuer.
 *
 *     names that NFTs give    kept by row, looked up again in slices where metadata or collections were added
 *     name, slug, issuer      one text a row, in an index of its own for each version of what it is made of, in slices
 *     containing              a native search over that index
 *
 * Cost: a look at the NFTs of a collection is up to a millisecond, so that the more collections there are, the rarer it is, and
 * with many of them readers go on with what is known meanwhile; an index takes some 3 us a collection, a search a millisecond.
 */
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, yieldToLoop } from '../../engine/event-loop.ts';
import { atOneVersion } from '../at-one-version.ts';
import { NameIndex } from '../name-index.ts';
import { type Revision, VersionedCache } from '../versioned-cache.ts';
import { collectionSlug } from './collection-ids.ts';
import type { CollectionTextViews } from './collection-texts.ts';

/** Collections looked at for each second of close time: a few percent of the thread. */
const LOOKED_AT_A_SECOND = 100;
/** As many readers wait for: less than a second. */
const FEW = 1000;
/** Before other work may run: 1 to 3 ms. */
const LOOKS_A_SLICE = 4;
const TEXTS_A_SLICE = 256;
/** Between the texts of a row: in none of them, and in no text that is searched for. */
const BETWEEN = '\n';

type Names = readonly (string | undefined)[];

interface Parts {
  readonly engine: Engine;
  readonly texts: CollectionTextViews;
  /** Name of an account by its address. */
  readonly accountName: (address: string) => string | undefined;
  /** Of what issuers say of collections, and of what the service says of accounts. */
  readonly revisions: readonly Revision[];
}

export class CollectionFilter {
  readonly #parts: Parts;
  readonly #revisions: readonly Revision[];
  readonly #index: VersionedCache<Promise<NameIndex>>;
  /** By row; they never change. */
  readonly #ids: { readonly issuer: string; readonly slug: string }[] = [];
  /** What NFTs say, by row. */
  #names: { readonly version: number; readonly said: Names } | undefined;
  /** Of the last look. */
  #looked = { version: -1, time: Number.NEGATIVE_INFINITY };
  #looking: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const names = () => this.#names?.version ?? 0;
    const said: Revision = {
      get version() {
        return names();
      },
    };
    this.#revisions = [parts.engine, ...parts.revisions, said];
    this.#index = new VersionedCache(this.#revisions, 1);
  }

  /** Rows of those that contain the text; case does not matter. @param within only these; undefined: all */
  async containing(text: string, within?: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    await this.#namesReady();
    const index = await this.#index.get('names', () => atOneVersion(this.#revisions, () => this.#indexing()));
    const marks = index.containing(text.replaceAll(BETWEEN, ' '));
    const found = new Set<number>();
    for (let row = 1; row < marks.length; row++)
      if (marks[row] === 1 && (!within || within.has(row))) found.add(row);
    return found;
  }

  *#indexing(): CooperativeTask<NameIndex> {
    const { count } = this.#parts.engine.nfts.collections;
    const said = this.#names?.said ?? [];
    const index = new NameIndex((row) => (row === 0 ? '' : this.#textOf(row, said)));
    for (let row = 0; row < count; row++) {
      // Those that came since the last look are looked at here.
      if (row % (row < said.length ? TEXTS_A_SLICE : LOOKS_A_SLICE) === 0) yield;
      index.extend(row + 1);
    }
    return index;
  }

  #textOf(row: number, said: Names): string {
    const { texts, accountName } = this.#parts;
    const { issuer, slug } = this.#idOf(row);
    const name = texts.given(row)?.name ?? (row < said.length ? said[row] : texts.saidName(row));
    return [name ?? '', slug, accountName(issuer) ?? ''].join(BETWEEN);
  }

  #idOf(row: number) {
    const known = this.#ids[row];
    if (known) return known;
    const slug = collectionSlug(this.#parts.engine.nfts.collections, row);
    const id = { issuer: slug.slice(0, slug.lastIndexOf('-')), slug };
    this.#ids[row] = id;
    return id;
  }

  async #namesReady(): Promise<void> {
    const { engine, texts } = this.#parts;
    const { count } = engine.nfts.collections;
    const time = engine.head?.closeTime ?? 0;
    const version = texts.revision.version + count;
    const isDue = time - this.#looked.time >= Math.floor(count / LOOKED_AT_A_SECOND);
    if (version !== this.#looked.version && isDue && !this.#looking) {
      this.#looked = { version, time };
      this.#looking = this.#look(count).finally(() => {
        this.#looking = undefined;
      });
      this.#looking.catch(() => {
        this.#looked = { version: -1, time };
      });
    }
    if (!this.#names || count < FEW) await this.#looking;
  }

  async #look(count: number): Promise<void> {
    const said: (string | undefined)[] = [undefined];
    for (let row = 1; row < count; row++) {
      if (row % LOOKS_A_SLICE === 0) await yieldToLoop();
      said[row] = this.#parts.texts.saidName(row);
    }
    this.#names = { version: (this.#names?.version ?? 0) + 1, said };
  }
}
