/**
 * What readers see of the engine: JSON fragments, lists, books, charts. One instance an engine; it listens to each
 * applied ledger and forgets just what that ledger changed.
 *
 *   ledger applied -> touched tokens ---> row bytes forgotten, list orders noted, rankings forgotten
 *                     trades            -> volumes of pools
 *
 * Nothing is computed for data that nobody asks for, and nothing twice for one version of the engine. When the
 * version moves without a ledger (restore, a hole in a recording) everything is forgotten.
 */

import { DROPS_PER_XRP, decimalNumber } from '../engine/codec/amount.ts';
import { accountBytes } from '../engine/codec/base58.ts';
import type { Engine } from '../engine/engine.ts';
import { Fiat, hasLeft, Window } from '../engine/market/figures.ts';
import { unpackHolders } from '../engine/market/holders-history.ts';
import { DAY } from '../engine/ripple-time.ts';
import { Charts, type Currency, FIAT_OF, type OhlcQuery } from './charts.ts';
import type { Forms } from './forms.ts';
import { Fresh, FreshMap } from './fresh.ts';
import { type HistoryRequest, historyAnswer } from './history-answer.ts';
import { Holders, holderPoint } from './holders.ts';
import { assetObject, tokenKey, XRP } from './identity.ts';
import { RANGES, type Range } from './intervals.ts';
import { type OrderBook, orderBook } from './orderbook.ts';
import { pairHash } from './pair-hash.ts';
import { pairsOf } from './pairs.ts';
import { PoolVolumes } from './pool-volumes.ts';
import { type PoolQuery, PoolViews } from './pools.ts';
import { type SparklineQuery, sparkline } from './sparkline.ts';
import { TokenViews } from './token-views.ts';
import { turn } from './turn.ts';

/** Books kept for one version: a book, its limit and its direction each. */
const BOOKS_KEPT = 1000;
/** Questions to /history whose total is kept for one version: the next page need not count again. */
const TOTALS_KEPT = 1000;

export interface OrderBookAnswer {
  /** Pair hash. */
  readonly pair: string;
  readonly base: ReturnType<typeof assetObject>;
  readonly quote: ReturnType<typeof assetObject>;
  readonly bids: OrderBook['bids'];
  readonly asks: OrderBook['asks'];
  readonly ledger_index: number;
}

export interface SearchAnswer {
  readonly tokens: number[];
  readonly account: {
    readonly address: string;
    /** XRP; absent when the ledgers seen do not hold the account. */
    readonly balance?: number;
    /** 1 = largest; null for who is not among the largest. */
    readonly rank: number | null;
  } | null;
}

export class Views extends TokenViews {
  readonly #holders: Holders;
  readonly #volumes: PoolVolumes;
  readonly #pools: PoolViews;
  readonly #charts: Charts;
  /** The first ledger of those that reach the newest without a hole. */
  #firstRead: { readonly index: number; readonly closeTime: number } | undefined;
  readonly #hasDay = new Fresh(() => this.#readWholeDay());
  readonly #books = new FreshMap<OrderBookAnswer>(BOOKS_KEPT);
  readonly #totals = new FreshMap<Promise<number | undefined>>(TOTALS_KEPT);

  constructor(engine: Engine, forms?: Forms) {
    super(engine, forms);
    this.#holders = new Holders(engine.state, this.rankings, (token) =>
      engine.market.windows.uniqueTraders(token),
    );
    this.#volumes = new PoolVolumes(engine.store, engine.state.tokens);
    this.#pools = new PoolViews(engine.state, engine.market.totals, this.#volumes);
    this.#charts = new Charts(engine.market);
    engine.onLedger((applied) => {
      // First, so that what is read from the store ends before the first ledger that came in live.
      const { head, events } = applied;
      const { trades, tradeCount } = events.market;
      this.#volumes.add(head.index, head.closeTime, trades, tradeCount);
      this.applied(applied);
    });
  }

  /** Tokens that match, best first, and the account of an r-address: its balance and its rank among holders of XRP. */
  async search(text: string, limit: number): Promise<SearchAnswer> {
    const { tokens, address, account } = await this.find(text, limit);
    if (address === undefined) return { tokens, account: null };
    const { accounts } = this.engine.state;
    if (account === undefined || !accounts.exists(account))
      return { tokens, account: { address, rank: null } };
    await this.holdersReady(XRP);
    const balance = decimalNumber({ m: accounts.balanceDrops(account), e: -6 });
    const rank = this.holders.ranks(XRP, [address]).ranks[address] ?? null;
    return { tokens, account: { address, balance, rank } };
  }

  /** Rows of the standing pools behind LP tokens; other tokens have none. */
  async poolsOf(tokens: readonly number[]): Promise<Record<string, unknown>[]> {
    const pools = tokens
      .map((token) => this.engine.state.tokens.poolOf(token))
      .filter((id) => id !== undefined);
    if (pools.length === 0) return [];
    await this.#loadVolumes();
    return pools.map((pool) => this.#pools.row(pool, this.now)).filter((row) => row !== undefined);
  }

  // Markets

  /** Open offers of a pair; XRP is always the quote side. */
  orderbook(base: number, quote: number, limit: number): OrderBookAnswer {
    const { version, state, head } = this.engine;
    return this.#books.at(version, `${base}/${quote}/${limit}`, () => {
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

  pairs(token: number, limit: number) {
    return pairsOf(this.engine.state, this.engine.market.windows, token, limit);
  }

  /** Resolves when the volumes of the last seven days are read from the store (once). */
  async pools(query: PoolQuery) {
    await this.#loadVolumes();
    return this.#pools.list(query, this.now, this.engine.version);
  }

  /** The pool with this r-address as it is now. */
  poolByAccount(address: string) {
    const { accounts, pools } = this.engine.state;
    const account = accounts.findText(address);
    return account === undefined ? undefined : this.#pools.info(pools.byAccount(account));
  }

  poolByAssets(a: number, b: number) {
    return this.#pools.info(this.engine.state.pools.byAssets(a, b));
  }

  history(request: HistoryRequest) {
    return historyAnswer(this.engine, request, (query) => {
      const { cursor, offset, limit, direction, ...every } = query;
      const { history } = this.engine.market;
      return this.#totals.at(this.engine.version, JSON.stringify(every), () =>
        history.total({ ...every, limit: 0 }, turn),
      );
    });
  }

  /** The fiat that a chart currency (USD, EUR, JPY, CNH) is quoted with; dollars for anything else. */
  fiat(currency: string): Fiat {
    return FIAT_OF[currency as Exclude<Currency, 'XRP'>] ?? Fiat.USD;
  }

  ohlc(query: OhlcQuery) {
    return this.#charts.ohlc(query, this.#newest);
  }

  /** The same as JSON: the inside of the array of rows, in parts. */
  ohlcText(query: OhlcQuery) {
    return this.#charts.ohlcText(query, this.#newest);
  }

  sparkline(query: SparklineQuery) {
    return sparkline(this.#charts, this.#newest, query);
  }

  // Holders

  get holders(): Holders {
    this.sync();
    return this.#holders;
  }

  /** Resolves when what is asked of a token's holders holds up nobody; undefined: it does not now. */
  holdersReady(token: number): Promise<void> | undefined {
    this.sync();
    return this.#holders.ready(token, this.now);
  }

  holderInfo(token: number) {
    return this.holders.info(token, this.now);
  }

  /** Stored points of the range, oldest first, and one of now. Times in Unix ms, shares in percent. */
  holderGraph(token: number, range: Range): Record<string, number>[] {
    this.sync();
    const now = this.now;
    if (now === 0) return [];
    const from = Math.max(0, now - RANGES[range].seconds);
    const points: Record<string, number>[] = [];
    this.engine.store.records('holders', [token], { from, to: now - 1 }, (time, record) => {
      points.push(holderPoint(time, unpackHolders(record)));
      return true;
    });
    points.push(this.#holders.info(token, now));
    return points;
  }

  isAddress(text: string): boolean {
    return accountBytes(text) !== undefined;
  }

  get #newest() {
    return { closeTime: this.now, version: this.engine.version };
  }

  protected override drop(): void {
    super.drop();
    this.#holders.drop();
    this.#charts.drop();
  }

  protected override preparations(): Promise<void>[] {
    return [...super.preparations(), this.#loadVolumes()];
  }

  async #loadVolumes(): Promise<void> {
    if (this.#volumes.loaded) return;
    await this.#volumes.load(this.now, this.engine.head?.index ?? 0);
    // Rows tell more from now on.
    this.forgetRows();
  }

  /** Known when every ledger of the day was read, and the token had a pool then. Pools deleted since count nothing. */
  protected override lockedChange(token: number): number | undefined {
    if (token === XRP || !this.dayIsRead()) return undefined;
    const { pools } = this.engine.state;
    let isKnown = false;
    let change = 0;
    for (const pool of pools.of(token)) {
      change += this.engine.market.totals.lockedDrops(pool) / DROPS_PER_XRP;
      if (!hasLeft(pools.createdAt(pool), this.now, DAY)) continue;
      isKnown = true;
      change -= this.#lockedDayAgo(pool);
    }
    return isKnown ? change : undefined;
  }

  /** What a pool locked at the beginning of the day, by what it held and the prices then, XRP. */
  #lockedDayAgo(pool: number): number {
    const { pools, tokens } = this.engine.state;
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    const held = (side: 1 | 2, token: number, other: number) =>
      tokens.number(token, ...pools.reserveRaw(pool, side)) - this.#volumes.day.flow(pool, token, other);
    if (one === XRP) return 2 * held(1, one, two);
    if (two === XRP) return 2 * held(2, two, one);
    return held(1, one, two) * this.#priceDayAgo(one) + held(2, two, one) * this.#priceDayAgo(two);
  }

  #priceDayAgo(token: number): number {
    const { totals, windows } = this.engine.market;
    const now = totals.priceInPools(token);
    return now > 0 ? (windows.basePrice(token, Window.h24) ?? now) : 0;
  }

  protected override dayIsRead(): boolean {
    return this.#volumes.loaded && this.#volumes.day.isWhole && this.#hasDay.at(this.engine.version);
  }

  /** Whether every ledger of the last 24 hours was read. */
  #readWholeDay(): boolean {
    const index = this.engine.ledgerRanges().at(-1)?.[0];
    if (index === undefined) return false;
    if (this.#firstRead?.index !== index) {
      const closeTime = this.engine.ledgerBytes(index)?.closeTime;
      if (closeTime === undefined) return false;
      this.#firstRead = { index, closeTime };
    }
    return hasLeft(this.#firstRead.closeTime, this.now, DAY);
  }
}
