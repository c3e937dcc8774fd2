/** Answers the streams from a real engine. The only file of the streams that uses the engine's parts. */

import type { Engine, LedgerApplied } from '../engine/engine.ts';
import { Window } from '../engine/market/figures.ts';
import { VISITS_AT_ONCE } from '../engine/market/history.ts';
import { TradeReader } from '../engine/market/trade-record.ts';
import { unixMs } from '../engine/ripple-time.ts';
import { CURRENCIES, FIAT_OF } from '../views/charts.ts';
import type { Network } from '../views/network.ts';
import { tradeObject, tradeObjects } from '../views/trade-row.ts';
import type { Views } from '../views/views.ts';
import type { BookDependencies, Feed, LedgerEvent, NewTrade, SyncFilter } from './feed.ts';

const decoder = new TextDecoder();
const text = (bytes: Uint8Array) => decoder.decode(bytes);

export function engineFeed({ engine, views }: Network): Feed {
  const { state, market } = engine;
  return {
    get head() {
      return engine.head;
    },
    get version() {
      return views.version;
    },
    onLedger: (listener) => engine.onLedger((applied) => listener(ledgerEventOf(engine, applied))),
    resolve: (id) => views.tokens.resolve(id),
    resolveIssue: (currency, issuer) => views.tokens.resolveIssue(currency, issuer),
    md5: (token) => views.tokens.md5(token),
    total: () => views.tokens.total,
    row: (token, lightweight) => text(views.tokens.row(token, lightweight ? 'light' : 'full')),
    texts: (token, names) => views.tokens.texts(token, names),
    metrics: () => ({
      exch: text(views.market.exch()),
      H24: text(views.market.h24()),
      global: text(views.market.global()),
    }),
    rowBasis: () => `${text(views.market.exch())} ${market.totals.marketcap}`,
    tags: () => views.tokens.tags(),
    select: (filter) => select(engine, views, filter),
    depth(base, quote, limit) {
      const { pair, bids, asks } = views.books.book(base, quote, limit);
      return { pair, bids: JSON.stringify(bids), asks: JSON.stringify(asks) };
    },
    bookDependencies: (base, quote) => bookDependencies(engine, base, quote),
    candles(token, interval, vs, limit) {
      const { rows } = views.charts.ohlc({
        token,
        interval,
        count: limit,
        currency: vs,
        invert: false,
      });
      return rows;
    },
    history(token, kind, pair, limit) {
      const query = { token, limit, type: kind, ...(pair ? { pairType: pair } : {}) };
      const page = market.history.page(query, VISITS_AT_ONCE);
      const rows = tradeObjects(state, page.records, page.count);
      return { count: page.count, rows: rows.map((row) => JSON.stringify(row)).join(',') };
    },
    holdersReady: (token) => views.holders.ready(token),
    holders(token, limit) {
      const query = { offset: 0, limit, ascending: false, frozen: false };
      const { length, summary, richList, accounts } = views.holders.list(token, query);
      return {
        total: length,
        summary: JSON.stringify(summary),
        holders: JSON.stringify(richList),
        accounts: () => new Set(accounts),
      };
    },
    fees() {
      const { reserveBaseDrops, reserveIncrementDrops, baseFeeDrops } = state.fees;
      return {
        reserveBase: reserveBaseDrops,
        reserveIncrement: reserveIncrementDrops,
        baseFee: baseFeeDrops,
      };
    },
  };
}

function ledgerEventOf(engine: Engine, { head, events }: LedgerApplied): LedgerEvent {
  const { state: changed, market } = events;
  const { trades, tradeCount, changedCandles, revalued } = market;
  // A token's row shows its price, so a trade changes it, too.
  const tokens = new Set(changed.tokens);
  for (const token of changedCandles) tokens.add(token);
  let made: NewTrade[] | undefined;
  const { books } = engine.state;
  const isChanged = (book: number | undefined) => book !== undefined && changed.books.has(book);
  return {
    head,
    tokens,
    accounts: changed.accounts,
    hasBook: (base, quote) => isChanged(books.book(base, quote)) || isChanged(books.book(quote, base)),
    candles: changedCandles,
    revalued: {
      currencies: new Set(CURRENCIES.filter((name) => name !== 'XRP' && revalued.fiats.has(FIAT_OF[name]))),
      tokens: revalued.tokens,
    },
    trades() {
      made ??= tradesOf(engine, trades, tradeCount);
      return made;
    },
  };
}

function bookDependencies({ state, head }: Engine, base: number, quote: number): BookDependencies {
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

/** Rows are rendered when a stream asks, once each. */
function tradesOf({ state }: Engine, records: Uint8Array, count: number): NewTrade[] {
  const reader = new TradeReader(records);
  return Array.from({ length: count }, (_, i) => {
    const { paidToken: paid, gotToken: got, isLiquidity } = reader.at(i);
    let row: string | undefined;
    const json = () => {
      row ??= JSON.stringify(tradeObject(state, reader.at(i)));
      return row;
    };
    return { paid, got, isLiquidity, json };
  });
}

/** Most traded first, so the walk may stop at the first token below the volume. */
function select(
  { market }: Engine,
  views: Views,
  { topN, minVolume = 0, tags }: SyncFilter,
): readonly number[] {
  const volume = (token: number) => market.windows.volumeDrops(token, Window.h24) / 1e6;
  const lists = (tags ?? [undefined]).map((tag) => views.tokens.first('vol24hxrp', topN, tag));
  const ids = [...new Set(lists.flat())].filter((token) => volume(token) >= minVolume);
  if (lists.length > 1) ids.sort((a, b) => volume(b) - volume(a) || a - b);
  return ids.slice(0, topN);
}
