/** Order books, and the pairs that a token is traded in. */
import type { Engine, LedgerEvent } from '../engine/engine.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { Social } from '../platform/token-metadata.ts';
import { atOneVersion } from './at-one-version.ts';
import { assetObject, tokenKey } from './identity.ts';
import { type OrderBook, orderBook } from './orderbook.ts';
import { pairHash } from './pair-hash.ts';
import { pairsOf, type TokenPairs } from './pairs.ts';
import type { TokenViews } from './token-views.ts';
import { type Revision, type Revisions, VersionedCache } from './versioned-cache.ts';

/** Books kept for one ledger: a book, its limit and its direction each. */
const BOOKS_KEPT = 1000;
/** Rows of all of these, at some 400 bytes: a client may ask for one book with 400 limits of up to 800 rows. */
const BOOK_ROWS_KEPT = 60_000;

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

/** What the shown form of a book depends on, besides its offers. */
export interface BookDependencies {
  /** Owners of its offers, because their funds change, and the issuers, because they can freeze. */
  readonly accounts: ReadonlySet<number>;
  /** Unix ms of the close time at which the next offer in it expires. */
  readonly expires: number;
}

export class BookViews {
  readonly #engine: Engine;
  readonly #books: VersionedCache<OrderBookAnswer>;
  readonly #dependencies: VersionedCache<BookDependencies>;
  readonly #pairs: VersionedCache<Promise<TokenPairs>>;
  readonly #ledger: Revision;
  readonly #tokens: Pick<TokenViews, 'texts'>;

  constructor(engine: Engine, { ledger, tokens: given }: Revisions, tokens: Pick<TokenViews, 'texts'>) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#ledger = ledger;
    this.#books = new VersionedCache([ledger], BOOKS_KEPT, { of: rowsOf, most: BOOK_ROWS_KEPT });
    this.#dependencies = new VersionedCache([ledger], BOOKS_KEPT, {
      of: ({ accounts }) => accounts.size,
      most: BOOK_ROWS_KEPT,
    });
    this.#pairs = new VersionedCache([ledger, given], PAIRS_KEPT);
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

  /** Whether a ledger created, deleted or changed an offer of the book, in either direction. */
  isChanged({ events }: LedgerEvent, base: number, quote: number): boolean {
    const { books } = this.#engine.state;
    return [books.book(base, quote), books.book(quote, base)].some(
      (book) => book !== undefined && events.state.books.has(book),
    );
  }

  /** The same for every limit of the pair. */
  dependencies(base: number, quote: number): BookDependencies {
    return this.#dependencies.get(`${base}/${quote}`, () => dependenciesOf(this.#engine, base, quote));
  }

  #textsOf(token: number): Record<string, unknown> {
    const texts = this.#tokens.texts(token, SIDE_FIELDS);
    const { social, ...rest } = Object.fromEntries(
      Array.from(texts, ([name, text]) => [name, JSON.parse(text) as unknown]),
    );
    const twitter = (social as Social | undefined)?.twitter;
    return { ...rest, ...(twitter !== undefined && { twitter }) };
  }

  /** What a token is traded against, the most traded first. */
  pairs(token: number, limit: number): Promise<TokenPairs> {
    const { state, market } = this.#engine;
    return this.#pairs.get(`${token}/${limit}`, () =>
      atOneVersion([this.#ledger], () =>
        pairsOf(state, market.windows, token, limit, (one) => this.#textsOf(one)),
      ),
    );
  }
}

const rowsOf = ({ bids, asks }: OrderBookAnswer): number => bids.length + asks.length;

/** Fields of token rows that the sides of a pair show, too. */
const SIDE_FIELDS = ['user', 'domain', 'verified', 'social'] as const;

function dependenciesOf({ state, head }: Engine, base: number, quote: number): BookDependencies {
  const { books, tokens } = state;
  const accounts = new Set<number>();
  for (const token of [base, quote]) if (tokens.kind(token) !== 0) accounts.add(tokens.issuer(token));
  const now = head?.closeTime ?? 0;
  let expires = Number.POSITIVE_INFINITY;
  for (const book of [books.book(base, quote), books.book(quote, base)]) {
    if (book === undefined) continue;
    const offers = books.offers(book);
    for (let i = 0; i < offers.length; i++) {
      const offer = offers[i]!;
      accounts.add(books.accounts[offer]!);
      const expiration = books.expirations[offer]!;
      if (expiration > now) expires = Math.min(expires, expiration);
    }
  }
  return { accounts, expires: unixMs(expires) };
}
