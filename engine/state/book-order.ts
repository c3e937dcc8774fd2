/**
 * The offers of each book, best first: one sorted list of offer ids a book. Finding a place is a binary search, making room
 * a memory move. Derived from the offer rows, not persisted; book ids are assigned when books appear and do not survive a
 * restart. Books and lists are on shared memory, beside the columns of offers.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { hash3 } from './hash.ts';
import type { RowIndex } from './row-index.ts';
import { SharedLists } from './shared-lists.ts';
import { type Table, TableFullError } from './table.ts';

/** Books that were ever seen since the start; to make one up costs the fees of two offers. */
const BOOKS_MAX = 2 ** 23;
const GROW_BOOKS = 2 ** 16;

export class BookOrder {
  /** By book id: token paid by the taker, token got by the taker, domain number (0 = open). */
  readonly pays: Uint32Array;
  readonly gets: Uint32Array;
  readonly domains: Uint32Array;

  readonly #buffers: readonly SharedArrayBuffer[];
  /** How many ids are assigned, in its first word. */
  readonly #count: Uint32Array;
  readonly #lists: SharedLists;
  readonly #index: RowIndex;
  readonly #compare: (a: number, b: number) => number;

  /** @param compare total order of two offers of one book: negative when `a` comes first. */
  constructor(offers: Table, compare: (a: number, b: number) => number) {
    this.#compare = compare;
    const names = ['bookPays', 'bookGets', 'bookDomains', 'bookBlocks', 'bookCounts'];
    this.#buffers = names.map((name) => offers.growable(name, BOOKS_MAX * 4));
    const [pays, gets, domains, blocks, counts] = this.#buffers.map((buffer) => new Uint32Array(buffer));
    this.pays = pays!;
    this.gets = gets!;
    this.domains = domains!;
    // Book 0 does not exist, so its columns are free for this.
    this.#count = this.pays;
    const words = offers.growable('book lists', SharedLists.bytesFor(offers.capacity));
    this.#lists = new SharedLists(words, { blocks: blocks!, counts: counts! });
    this.#index = offers.index('books', (book) =>
      hash3(this.pays[book]!, this.gets[book]!, this.domains[book]!),
    );
    if (offers.isAttached) return;
    this.#reserve(1);
    this.#count[0] = 1;
  }

  /** Ids assigned so far are 1 .. count - 1. */
  get count(): number {
    return this.#count[0]!;
  }

  clear(): void {
    this.#count[0] = 1;
    this.#lists.clear();
    this.#index.reset(0);
  }

  /** 0 when it never had an offer. */
  find(pays: number, gets: number, domain: number): number {
    const index = this.#index;
    for (let slot = index.first(hash3(pays, gets, domain)); ; slot = index.next(slot)) {
      const book = index.at(slot);
      if (book === 0) return 0;
      if (this.pays[book] === pays && this.gets[book] === gets && this.domains[book] === domain) return book;
    }
  }

  /** Id of a book; assigned now if new. @throws TableFullError */
  intern(pays: number, gets: number, domain: number): number {
    const found = this.find(pays, gets, domain);
    if (found !== 0) return found;
    const book = this.count;
    this.#reserve(book + 1);
    this.#count[0] = book + 1;
    this.pays[book] = pays;
    this.gets[book] = gets;
    this.domains[book] = domain;
    this.#index.add(book);
    return book;
  }

  /** A view, best first: valid until the next change. */
  list(book: number): Uint32Array {
    return this.#lists.list(book);
  }

  size(book: number): number {
    return this.#lists.count(book);
  }

  insert(book: number, offer: number): void {
    this.#lists.insert(book, this.#place(book, offer), offer);
  }

  /** The offer's order columns must be what they were when it was inserted. */
  remove(book: number, offer: number): void {
    const place = this.#place(book, offer);
    if (place < this.#lists.count(book) && this.#lists.at(book, place) === offer)
      this.#lists.removeAt(book, place);
  }

  /** Appends without sorting; `sort` must follow. */
  append(book: number, offer: number): void {
    this.#lists.append(book, offer);
  }

  *sorting(): RowSteps {
    let offers = 0;
    for (let book = 1; book < this.count; book++) {
      const list = this.list(book);
      list.sort(this.#compare);
      offers += list.length;
      if (offers < ROWS_A_STEP) continue;
      yield offers;
      offers = 0;
    }
  }

  /** First place whose offer does not come before this one. */
  #place(book: number, offer: number): number {
    const lists = this.#lists;
    let low = 0;
    let high = lists.count(book);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(lists.at(book, middle), offer) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #reserve(books: number): void {
    if (books > BOOKS_MAX) throw new TableFullError(`there are more than ${BOOKS_MAX} order books`);
    if (books * 4 <= this.#buffers[0]!.byteLength) return;
    const room = Math.min(BOOKS_MAX, Math.max(1024, books + Math.min(books, GROW_BOOKS)));
    for (const buffer of this.#buffers) buffer.grow(room * 4);
  }
}
