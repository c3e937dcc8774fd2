/**
 * The offers of each book, best first: one sorted Uint32Array of offer ids a book. Finding a place is a binary
 * search, making room a memory move. Derived from the offer rows, not persisted; book ids are assigned when books
 * appear and do not survive a restart.
 */
import { ROWS_A_STEP, type RowSteps } from '../event-loop.ts';
import { hash3 } from './hash.ts';
import { RowIndex } from './row-index.ts';

const EMPTY = new Uint32Array(0);

export class BookOrder {
  /** By book id: token paid by the taker, token got by the taker, domain number (0 = open). */
  readonly pays: number[] = [0];
  readonly gets: number[] = [0];
  readonly domains: number[] = [0];

  readonly #lists: Uint32Array[] = [EMPTY];
  readonly #counts: number[] = [0];
  readonly #index: RowIndex;
  readonly #compare: (a: number, b: number) => number;

  /** @param compare total order of two offers of one book: negative when `a` comes first. */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
    this.#index = new RowIndex((book) => hash3(this.pays[book]!, this.gets[book]!, this.domains[book]!));
  }

  /** Ids assigned so far are 1 .. count - 1. */
  get count(): number {
    return this.pays.length;
  }

  clear(): void {
    for (const column of [this.pays, this.gets, this.domains, this.#counts]) column.length = 1;
    this.#lists.length = 1;
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

  intern(pays: number, gets: number, domain: number): number {
    const found = this.find(pays, gets, domain);
    if (found !== 0) return found;
    const book = this.pays.push(pays) - 1;
    this.gets.push(gets);
    this.domains.push(domain);
    this.#lists.push(EMPTY);
    this.#counts.push(0);
    this.#index.add(book);
    return book;
  }

  /** A view, best first: valid until the next change. */
  list(book: number): Uint32Array {
    return this.#lists[book]!.subarray(0, this.#counts[book]);
  }

  size(book: number): number {
    return this.#counts[book] ?? 0;
  }

  insert(book: number, offer: number): void {
    const place = this.#place(book, offer);
    const list = this.#room(book);
    const count = this.#counts[book]!;
    list.copyWithin(place + 1, place, count);
    list[place] = offer;
    this.#counts[book] = count + 1;
  }

  /** The offer's order columns must be what they were when it was inserted. */
  remove(book: number, offer: number): void {
    const list = this.#lists[book]!;
    const count = this.#counts[book]!;
    const place = this.#place(book, offer);
    if (list[place] !== offer || place >= count) return;
    list.copyWithin(place, place + 1, count);
    this.#counts[book] = count - 1;
    if (count === 1) this.#lists[book] = EMPTY;
  }

  /** Appends without sorting; `sort` must follow. */
  append(book: number, offer: number): void {
    this.#room(book)[this.#counts[book]!++] = offer;
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
    const list = this.#lists[book]!;
    let low = 0;
    let high = this.#counts[book]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(list[middle]!, offer) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #room(book: number): Uint32Array {
    const list = this.#lists[book]!;
    const count = this.#counts[book]!;
    if (count < list.length) return list;
    const grown = new Uint32Array(Math.max(4, Math.ceil(count * 1.5)));
    grown.set(list);
    this.#lists[book] = grown;
    return grown;
  }
}
