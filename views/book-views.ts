/** Order books, and the pairs that a token is traded in. */
import type { Engine } from '../engine/engine.ts';
import { atOneVersion } from './at-one-version.ts';
import { assetObject, tokenKey } from './identity.ts';
import { type OrderBook, orderBook } from './orderbook.ts';
import { pairHash } from './pair-hash.ts';
import { pairsOf, type TokenPairs } from './pairs.ts';
import { type Revision, type Revisions, VersionedCache } from './versioned-cache.ts';

/** Books kept for one ledger: a book, its limit and its direction each. */
const BOOKS_KEPT = 1000;

/** Tokens whose pairs are kept for one ledger: for requests that come while they are gathered. */
const PAIRS_KEPT = 20;

export interface OrderBookAnswer {
  /** Pair hash. */
  readonly pair: string;
  readonly base: ReturnType<typeof assetObject>;
  readonly quote: ReturnType<typeof assetObject>;
  readonly bids: OrderBook['bids'];
  readonly asks: OrderBook['asks'];
  readonly ledger_index: number;
}

export class BookViews {
  readonly #engine: Engine;
  readonly #books: VersionedCache<OrderBookAnswer>;
  readonly #pairs: VersionedCache<Promise<TokenPairs>>;
  readonly #ledger: Revision;

  constructor(engine: Engine, { ledger }: Revisions) {
    this.#engine = engine;
    this.#ledger = ledger;
    this.#books = new VersionedCache([ledger], BOOKS_KEPT);
    this.#pairs = new VersionedCache([ledger], PAIRS_KEPT);
  }

  /** Open offers of a pair; XRP is always the quote side. */
  book(base: number, quote: number, limit: number): OrderBookAnswer {
    const { state, head } = this.#engine;
    return this.#books.get(`${base}/${quote}/${limit}`, () => {
      const book = orderBook(state, base, quote, limit, head?.closeTime ?? 0);
      return {
        pair: pairHash(tokenKey(state, book.base), tokenKey(state, book.quote)),
        base: assetObject(state, book.base),
        quote: assetObject(state, book.quote),
        bids: book.bids,
        asks: book.asks,
        ledger_index: head?.index ?? 0,
      };
    });
  }

  /** What a token is traded against, the most traded first. */
  pairs(token: number, limit: number): Promise<TokenPairs> {
    const { state, market } = this.#engine;
    return this.#pairs.get(`${token}/${limit}`, () =>
      atOneVersion([this.#ledger], () => pairsOf(state, market.windows, token, limit)),
    );
  }
}
