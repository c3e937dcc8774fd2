/**
 * Which tokens are exchanged for which: the edges are the pairs that had an offer or a pool.
 *
 *     pays ──► gets      a book in which takers pay one and get the other; a pool is an edge each way
 *
 * Goal: neighbours of a token at once, kept up to date at the cost of what is new. Books and pools have dense ids that only grow, so
 * an update adds those that came since the last one. An edge stays when its book empties or its pool is deleted: whoever
 * follows it sees that nothing is there. Non-goals: prices, books of permissioned domains.
 *
 * Cost: 16 bytes an edge, 16 a token. The 120,000 edges of the main network are added in some 50 ms, once: in steps.
 */
import { growTo } from '../columns.ts';
import type { CooperativeTask } from '../event-loop.ts';
import { TokenKind } from '../state/tokens.ts';
import type { Market } from './market.ts';

/** Books and pools that are added in one step: some 2 ms. */
const PAIRS_A_STEP = 4096;

class Links {
  /** By token: newest edge, and how many. */
  heads = new Uint32Array(1024);
  counts = new Uint32Array(1024);
  /** By edge: the one before it. */
  nexts = new Uint32Array(1024);

  add(token: number, edge: number): void {
    this.heads = growTo(this.heads, token + 1);
    this.counts = growTo(this.counts, token + 1);
    this.nexts = growTo(this.nexts, edge + 1);
    this.nexts[edge] = this.heads[token]!;
    this.heads[token] = edge;
    this.counts[token]! += 1;
  }
}

/** Books and pools that a graph does not have yet: all, or the first of them. */
interface UnseenPairs {
  /** The books were numbered again: the pairs are of the first ones on. */
  readonly renumbered: boolean;
  /** What takers pay and get, one after the other. */
  readonly pairs: readonly number[];
  /** How many the graph then has of each, and the pair of the last book. */
  readonly books: number;
  readonly pools: number;
  readonly lastPair: readonly [number, number];
}

export class TokenGraph {
  readonly #market: Market;
  #outs = new Links();
  #ins = new Links();
  /** By edge; edge 0 does not exist. */
  #pays = new Uint32Array(1024);
  #gets = new Uint32Array(1024);
  #edges = 1;
  #books = 1;
  #pools = 1;
  /** The pair of the last book that was added: another one there means that the books were numbered again. */
  #lastPair: readonly [number, number] = [0, 0];

  constructor(market: Market) {
    this.#market = market;
  }

  get edges(): number {
    return this.#edges - 1;
  }

  /** Adds the books and pools that came since the last call. */
  update(): void {
    this.take(this.unseen());
  }

  /** The same in steps of so many books and pools. The market may change between them. */
  *updating(aStep = PAIRS_A_STEP): CooperativeTask<void> {
    while (!this.isCurrent) {
      this.take(this.unseen(aStep));
      yield;
    }
  }

  /** Whether `update` is one step. */
  get isNearlyCurrent(): boolean {
    const { books, pools } = this.#market;
    const missing = Math.max(books.bookCount - this.#books, pools.count - this.#pools);
    return !this.#isRenumbered() && missing <= PAIRS_A_STEP;
  }

  /** Whether it has every book and pool of the market. */
  get isCurrent(): boolean {
    const { books, pools } = this.#market;
    return !this.#isRenumbered() && this.#books === books.bookCount && this.#pools === pools.count;
  }

  /**
   * What came since the last `take`. Read apart from it, so that a thread in which the market may change on the way can look
   * first whether it did.
   * @param most of each
   */
  unseen(most = Number.POSITIVE_INFINITY): UnseenPairs {
    const { books, pools, tokens } = this.#market;
    const renumbered = this.#isRenumbered();
    const pairs: number[] = [];
    const add = (pays: number, gets: number): void => {
      const isExchanged = tokens.kinds[pays] !== TokenKind.mpt && tokens.kinds[gets] !== TokenKind.mpt;
      if (isExchanged) pairs.push(pays, gets);
    };
    const firstBook = renumbered ? 1 : this.#books;
    const bookCount = Math.min(books.bookCount, firstBook + most);
    for (let book = firstBook; book < bookCount; book += 1)
      if (books.bookDomain(book) === 0) add(books.bookPays(book), books.bookGets(book));
    const firstPool = renumbered ? 1 : this.#pools;
    const count = Math.min(pools.count, firstPool + most);
    for (let pool = firstPool; pool < count; pool += 1) {
      if (!pools.exists(pool)) continue;
      add(pools.asset1(pool), pools.asset2(pool));
      add(pools.asset2(pool), pools.asset1(pool));
    }
    const lastPair = [books.bookPays(bookCount - 1), books.bookGets(bookCount - 1)] as const;
    return { renumbered, pairs, books: bookCount, pools: count, lastPair };
  }

  /** Adds what `unseen` found. */
  take({ renumbered, pairs, books, pools, lastPair }: UnseenPairs): void {
    if (renumbered) this.#clear();
    for (let i = 0; i < pairs.length; i += 2) this.#add(pairs[i]!, pairs[i + 1]!);
    this.#books = books;
    this.#pools = pools;
    this.#lastPair = lastPair;
  }

  /** Tokens that a token can be exchanged for: how many, and which. */
  outDegree(token: number): number {
    return this.#outs.counts[token] ?? 0;
  }

  inDegree(token: number): number {
    return this.#ins.counts[token] ?? 0;
  }

  /** @param most neighbours to answer, the newest first */
  outs(token: number, most: number): number[] {
    return this.#neighbours(this.#outs, this.#gets, token, most);
  }

  /** Tokens that can be exchanged for a token. */
  ins(token: number, most: number): number[] {
    return this.#neighbours(this.#ins, this.#pays, token, most);
  }

  #neighbours({ heads, nexts }: Links, ends: Uint32Array, token: number, most: number): number[] {
    const found: number[] = [];
    for (let edge = heads[token] ?? 0; edge !== 0 && found.length < most; edge = nexts[edge]!)
      found.push(ends[edge]!);
    return found;
  }

  #isRenumbered(): boolean {
    const { books } = this.#market;
    const last = this.#books - 1;
    if (books.bookCount < this.#books) return true;
    return (
      last > 0 && (books.bookPays(last) !== this.#lastPair[0] || books.bookGets(last) !== this.#lastPair[1])
    );
  }

  #clear(): void {
    this.#outs = new Links();
    this.#ins = new Links();
    this.#edges = 1;
    this.#books = 1;
    this.#pools = 1;
  }

  #add(pays: number, gets: number): void {
    if (this.#has(pays, gets)) return;
    const edge = this.#edges;
    this.#edges += 1;
    this.#pays = growTo(this.#pays, edge + 1);
    this.#gets = growTo(this.#gets, edge + 1);
    this.#pays[edge] = pays;
    this.#gets[edge] = gets;
    this.#outs.add(pays, edge);
    this.#ins.add(gets, edge);
  }

  /** By the shorter of the two lists: XRP has edges with nearly everything. */
  #has(pays: number, gets: number): boolean {
    const [outs, ins] = [this.outDegree(pays), this.inDegree(gets)];
    const [links, ends, from, to] =
      outs <= ins
        ? ([this.#outs, this.#gets, pays, gets] as const)
        : ([this.#ins, this.#pays, gets, pays] as const);
    for (let edge = links.heads[from] ?? 0; edge !== 0; edge = links.nexts[edge]!)
      if (ends[edge] === to) return true;
    return false;
  }
}
