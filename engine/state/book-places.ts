/**
 * Places of offers of the same quality, which a snapshot of the ledger's entries does not have in the offers themselves.
 *
 *     Offer          BookNode: the page of the directory ---------------------.
 *     DirectoryNode  Indexes: the offers of a page, in the order in which ----+--> ageOrders = 32 * page + place in the page
 *                    takers take them (rippled `View.cpp`, dirAppend)         |    (books.ts)
 *                                                                    when all entries are there
 *
 * Goal: after a snapshot books have the order of the ledger's. Non-goal: directories after it: offers that come later are younger
 * than those of the snapshot, and their age is known. Places are stored with the pages that they are of, so that an interrupted
 * snapshot goes on with them, and removed when it is complete.
 *
 * Cost: 8 bytes for each offer that shares a page, until the snapshot is complete; then a hash for each offer that shares a quality.
 */
import { readLengthPrefix, readU32 } from '../codec/bytes.ts';
import { type Changes, DirectoryNode, EntryType, NODE_WORDS, Node } from '../codec/changes.ts';
import { HASH_BYTES, sha512Half } from '../codec/hash.ts';
import type { Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { Batch, Store } from '../store.ts';
import { PAGE_ENTRIES } from './books.ts';
import type { State } from './state.ts';

/** Prefix of what the index of an Offer entry is the hash of (rippled `Indexes.cpp`). */
const OFFER_SPACE = 0x6f;
const ACCOUNT_BYTES = 20;

const nameOf = (part: number): string => `book places ${part}`;

/** The first 48 bits of an entry's index. Two of a million are the same once in 500 snapshots: then two offers may change places. */
const keyAt = (bytes: Uint8Array, at: number): number =>
  readU32(bytes, at) * 0x10000 + (readU32(bytes, at + 4) >>> 16);

export class BookPlaces implements Domain<'bookPlaces', undefined> {
  readonly name = 'bookPlaces';
  readonly tables = [];
  readonly events = undefined;
  readonly #state: State;
  /** 32 * key + place. */
  #places: number[] = [];
  /** Of them, how many are in the store, and in how many parts. */
  #stored = 0;
  #parts = 0;
  /** The snapshot is complete. */
  #isDone = false;

  constructor(state: State) {
    this.#state = state;
  }

  get memoryBytes(): number {
    return this.#places.length * 8;
  }

  applyLedger(): void {}

  applyEntries(page: Uint8Array, changes: Changes): void {
    const { words, nodeBase, nodes } = changes;
    this.#isDone = false;
    for (let at = nodeBase; at < nodeBase + nodes * NODE_WORDS; at += NODE_WORDS) {
      // Directories of owners have no rate.
      if (
        words[at + Node.entryType] !== EntryType.DirectoryNode ||
        words[at + DirectoryNode.exchangeRateAt] === 0
      )
        continue;
      const indexesAt = words[at + DirectoryNode.indexesAt]!;
      if (indexesAt !== 0) this.#record(page, indexesAt);
    }
  }

  #record(page: Uint8Array, at: number): void {
    const length = readLengthPrefix(page, at, page.length);
    const count = Math.min(PAGE_ENTRIES, Math.floor(length / HASH_BYTES));
    if (count < 2) return;
    const first = at + (page[at]! <= 192 ? 1 : 2);
    for (let place = 0; place < count; place++)
      this.#places.push(keyAt(page, first + place * HASH_BYTES) * PAGE_ENTRIES + place);
  }

  *snapshotTaken(): RowSteps {
    const places = Float64Array.from(this.#places).sort();
    const hashed = new Uint8Array(2 + ACCOUNT_BYTES + 4);
    const view = new DataView(hashed.buffer);
    const { accounts, books } = this.#state;
    yield* books.placing((offer) => {
      view.setUint16(0, OFFER_SPACE);
      hashed.set(accounts.bytes(books.accounts[offer]!), 2);
      view.setUint32(2 + ACCOUNT_BYTES, books.sequences[offer]!);
      return placeIn(places, keyAt(sha512Half(hashed), 0));
    });
    this.#places = [];
    this.#stored = 0;
    this.#isDone = true;
  }

  gap(): void {}

  persist(batch: Batch): void {
    if (this.#isDone) {
      for (let part = 0; part < this.#parts; part++) batch.value(nameOf(part), null);
      this.#parts = 0;
      this.#isDone = false;
    } else if (this.#places.length > this.#stored) {
      const part = Float64Array.from(this.#places.slice(this.#stored));
      batch.value(nameOf(this.#parts++), new Uint8Array(part.buffer));
      this.#stored = this.#places.length;
    }
  }

  *restoring(store: Pick<Store, 'value'>): RowSteps {
    for (;;) {
      const stored = store.value(nameOf(this.#parts));
      if (!(stored instanceof Uint8Array)) break;
      // Copied: it may lie anywhere in a page of the store.
      for (const place of new Float64Array(new Uint8Array(stored).buffer)) this.#places.push(place);
      this.#parts++;
      yield stored.length / 8;
    }
    this.#stored = this.#places.length;
  }

  *rebuilding(): RowSteps {
    yield 0;
  }

  /** What comes of it is in the rows of the offers. */
  digest(): string {
    return '';
  }
}

/** The place that was recorded with a key, 0 without one. @param places ascending */
function placeIn(places: Float64Array, key: number): number {
  const wanted = key * PAGE_ENTRIES;
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  const found = (places[low] ?? Number.POSITIVE_INFINITY) - wanted;
  return found < PAGE_ENTRIES ? found : 0;
}
