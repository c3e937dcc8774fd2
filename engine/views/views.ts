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

import { decimalText } from '../codec/amount.ts';
import { accountBytes } from '../codec/base58.ts';
import type { Engine, LedgerApplied } from '../engine.ts';
import { ANCHORS } from '../market/anchors.ts';
import { Fiat } from '../market/figures.ts';
import { type HolderRecord, unpackHolders } from '../market/holders-history.ts';
import { type Currency, FIAT_OF, type OhlcQuery, ohlc, type SparklineQuery, sparkline } from './charts.ts';
import { Fresh, FreshMap } from './fresh.ts';
import { type HistoryRequest, historyAnswer } from './history-answer.ts';
import { HolderRankings } from './holder-ranking.ts';
import { Holders } from './holders.ts';
import { assetObject, resolveIssue, resolveToken, tokenKey, tokenName, XRP } from './identity.ts';
import { RANGES, type Range } from './intervals.ts';
import { NameIndex } from './name-index.ts';
import { type OrderBook, orderBook } from './orderbook.ts';
import { pairHash } from './pair-hash.ts';
import { pairsOf } from './pairs.ts';
import { PoolVolumes } from './pool-volumes.ts';
import { type PoolQuery, PoolViews } from './pools.ts';
import { TokenSearch } from './search.ts';
import { rippleSeconds, unixMs } from './time.ts';
import { TokenFigures } from './token-figures.ts';
import { TokenList, type TokenQuery } from './token-list.ts';
import { type RowSize, type TokenObject, tokenDescription, tokenObject } from './token-row.ts';
import { TokenTags } from './token-tags.ts';
import { TypeColumn } from './type-column.ts';

/** Row bytes kept per size; the oldest goes first. About 2 KB a full row. */
const ROWS_KEPT = 10_000;
const BOOKS_KEPT = 1000;
/** Slugs answered at once. */
const SLUGS_MAX = 10_000;
const ANCHOR_CURRENCIES: ReadonlySet<string> = new Set(ANCHORS.map(({ currency }) => currency));
const DAY = 86_400;
/** New names put into the search index per ledger: about 2 ms. */
const NAMES_A_LEDGER = 80;
/** Names and tags made before other work may run: about 3 ms. */
const NAMES_A_SLICE = 1000;

export interface ListRequest extends Omit<TokenQuery, 'since'> {
  /** First seen at or after (Unix ms). */
  readonly sinceMs?: number | undefined;
}

export interface OrderBookAnswer {
  /** Pair hash. */
  readonly pair: string;
  readonly base: ReturnType<typeof assetObject>;
  readonly quote: ReturnType<typeof assetObject>;
  readonly bids: OrderBook['bids'];
  readonly asks: OrderBook['asks'];
  readonly ledger_index: number;
}

export class Views {
  readonly #engine: Engine;
  readonly #figures: TokenFigures;
  readonly #rankings: HolderRankings;
  readonly #tags: TokenTags;
  readonly #names: NameIndex;
  readonly #list: TokenList;
  readonly #search: TokenSearch;
  readonly #holders: Holders;
  readonly #volumes: PoolVolumes;
  readonly #pools: PoolViews;
  readonly #rows: Readonly<Record<RowSize, Map<number, Uint8Array>>> = {
    full: new Map(),
    light: new Map(),
    line: new Map(),
  };
  readonly #books = new FreshMap<OrderBookAnswer>(BOOKS_KEPT);
  readonly #exch: Fresh<Uint8Array>;
  readonly #h24: Fresh<Uint8Array>;
  readonly #global: Fresh<Uint8Array>;
  readonly #slugs: Fresh<ReturnType<Views['slugs']>>;
  readonly #wholeMarketcap: Fresh<number>;
  #version = 0;
  #usd: number | undefined;
  #searching = false;

  constructor(engine: Engine) {
    const { state, market, store } = engine;
    this.#engine = engine;
    this.#figures = new TokenFigures(state, market);
    this.#rankings = new HolderRankings(state);
    const name = (token: number) => tokenName(state, token);
    const types = new TypeColumn(state.tokens);
    this.#tags = new TokenTags(state, types, (token) => isAnchor(engine, token));
    const figures = this.#figures;
    const tags = this.#tags;
    const listed = {
      get end() {
        return state.tokens.count;
      },
      key: figures.key.bind(figures),
      name,
      type: (token: number) => types.of(token),
      createdAt: (token: number) => state.tokens.createdAt(token),
      tagged: (tag: string) => tags.find(tag)?.tokens,
    };
    this.#names = new NameIndex(name);
    this.#list = new TokenList(listed, this.#names);
    this.#search = new TokenSearch({
      get end() {
        return state.tokens.count;
      },
      name,
      listed: (token) => token !== XRP && types.of(token) !== 'lp',
      weight: (token) => figures.weight(token),
    });
    this.#holders = new Holders(state, this.#rankings);
    this.#volumes = new PoolVolumes(store);
    this.#pools = new PoolViews(state, figures, this.#volumes);
    this.#exch = new Fresh(() => bytesOf(market.rates.exch()));
    this.#h24 = new Fresh(() => bytesOf(market.globals.h24()));
    this.#global = new Fresh(() => bytesOf(market.globals.global()));
    this.#wholeMarketcap = new Fresh(() => Number(market.globals.global().gMarketcap) || 0);
    this.#slugs = new Fresh(() => this.#makeSlugs());
    engine.onLedger((applied) => this.#applied(applied));
  }

  // Tokens

  /** A token by any form of its id; undefined = not known. */
  resolve(id: string): number | undefined {
    return resolveToken(this.#engine.state, id);
  }

  /** A token by currency and issuer as amounts name it. */
  resolveIssue(currency: string, issuer: string | undefined): number | undefined {
    return resolveIssue(this.#engine.state, currency, issuer);
  }

  /** 32 lower-case hex digits. */
  md5(token: number): string {
    return this.#engine.state.tokens.md5(token);
  }

  /** Number of all indexed tokens, without XRP. */
  get total(): number {
    return this.#list.total;
  }

  /**
   * JSON object of a token, as bytes; kept until something about the token changes.
   * @param asked a size, or true for the lightweight row.
   */
  tokenRow(token: number, asked: RowSize | boolean = 'full'): Uint8Array {
    const size = asked === true ? 'light' : asked === false ? 'full' : asked;
    this.#sync();
    const rows = this.#rows[size];
    let bytes = rows.get(token);
    if (!bytes) {
      bytes = bytesOf(this.tokenObject(token, size));
      if (rows.size >= ROWS_KEPT) rows.delete(rows.keys().next().value as number);
      rows.set(token, bytes);
    }
    return bytes;
  }

  tokenObject(token: number, size: RowSize = 'full'): TokenObject {
    const { state, market, head, version } = this.#engine;
    const context = {
      state,
      market,
      figures: this.#figures,
      rankings: this.#rankings,
      tags: this.#tags,
      ledger: head?.index ?? 0,
      wholeMarketcap: this.#wholeMarketcap.at(version),
      dayAgo: (id: number) => this.#dayAgo(id),
    };
    return tokenObject(context, token, size);
  }

  /** The full row with the description its issuer gives. */
  describedRow(token: number): Uint8Array {
    const description = tokenDescription(this.#engine.state, token);
    return description === undefined
      ? this.tokenRow(token)
      : bytesOf({ ...this.tokenObject(token), description });
  }

  listTokens(request: ListRequest): { readonly ids: number[]; readonly total: number } {
    this.#sync();
    const { sinceMs, ...query } = request;
    return this.#list.list({ ...query, since: sinceMs === undefined ? undefined : rippleSeconds(sinceMs) });
  }

  /** `{USD, EUR, JPY, CNY}`: XRP per unit. JSON object as bytes, as are the next two. */
  exch(): Uint8Array {
    return this.#exch.at(this.#engine.version);
  }

  h24(): Uint8Array {
    return this.#h24.at(this.#engine.version);
  }

  global(): Uint8Array {
    return this.#global.at(this.#engine.version);
  }

  /** Names of all tags, most tokens first. */
  tags(): string[] {
    this.#sync();
    return this.#tags.names();
  }

  /** Name of a tag given by name or slug; undefined when no token carries it. */
  tag(tag: string): string | undefined {
    this.#sync();
    return this.#tags.find(tag)?.name;
  }

  /** Slugs by 24 h volume, at most SLUGS_MAX. */
  slugs(): { count: number; total: number; truncated: boolean; slugs: string[] } {
    return this.#slugs.at(this.#engine.version);
  }

  /** XRP per token; undefined when nothing tells. */
  price(token: number): number | undefined {
    return this.#figures.price(token);
  }

  /** Tokens that match, best first, and the account of an r-address. Builds the index when first asked. */
  async search(
    text: string,
    limit: number,
  ): Promise<{ tokens: number[]; account: { address: string; balance: string } | null }> {
    const { state } = this.#engine;
    const wanted = text.trim();
    if (wanted === '') return { tokens: this.#popular(limit), account: null };
    const address = accountBytes(wanted);
    if (address) {
      const account = state.accounts.find(address, 0);
      if (account === undefined) return { tokens: [], account: null };
      const known = state.accounts.exists(account);
      const balance = decimalText({ m: state.accounts.balanceDrops(account), e: -6 });
      return { tokens: this.#issuedBy(account, limit), account: known ? { address: wanted, balance } : null };
    }
    const exact = this.resolve(wanted);
    if (exact !== undefined && exact !== XRP) return { tokens: [exact], account: null };
    await this.#startSearch();
    const tokens = this.#search.search(wanted, limit);
    return { tokens: exact === undefined ? tokens : [exact, ...tokens].slice(0, limit), account: null };
  }

  // Markets

  /** Open offers of a pair; XRP is always the quote side. */
  orderbook(base: number, quote: number, limit: number): OrderBookAnswer {
    const { version, state, head } = this.#engine;
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
    return pairsOf(this.#engine.state, this.#engine.market.windows, token, limit);
  }

  /** Resolves when the volumes of the last seven days are read from the store (once). */
  async pools(query: PoolQuery) {
    const now = this.#now;
    await this.#volumes.load(now, this.#engine.head?.index ?? 0);
    return this.#pools.list(query, this.#now);
  }

  /** The pool with this r-address as it is now. */
  poolByAccount(address: string) {
    const { accounts, pools } = this.#engine.state;
    const account = accounts.findText(address);
    return account === undefined ? undefined : this.#pools.info(pools.byAccount(account));
  }

  poolByAssets(a: number, b: number) {
    return this.#pools.info(this.#engine.state.pools.byAssets(a, b));
  }

  history(request: HistoryRequest) {
    return historyAnswer(this.#engine, request);
  }

  /** The fiat that a chart currency (USD, EUR, JPY, CNH) is quoted with; dollars for anything else. */
  fiat(currency: string): Fiat {
    return FIAT_OF[currency as Exclude<Currency, 'XRP'>] ?? Fiat.USD;
  }

  ohlc(query: OhlcQuery) {
    return ohlc(this.#charts, this.#now, query);
  }

  sparkline(query: SparklineQuery) {
    return sparkline(this.#charts, this.#now, query);
  }

  // Holders

  get holders(): Holders {
    this.#sync();
    return this.#holders;
  }

  holderInfo(token: number) {
    return this.holders.info(token, this.#now);
  }

  /** Stored points of the range, oldest first, and one of now. Times in Unix ms, shares in percent. */
  holderGraph(token: number, range: Range): Record<string, number>[] {
    this.#sync();
    const now = this.#now;
    const from = Math.max(0, now - RANGES[range].seconds);
    const points: Record<string, number>[] = [];
    this.#engine.store.holders(token, { from, to: now }, (time, record) => {
      points.push({ time: unixMs(time), ...unpackHolders(record) });
      return true;
    });
    if (now > 0) points.push(this.#holders.info(token, now));
    return points;
  }

  /** The newest point recorded at least a day ago: holders have not changed between it and that time. */
  #dayAgo(token: number): HolderRecord | undefined {
    const to = this.#now - DAY;
    let found: HolderRecord | undefined;
    if (to <= 0) return undefined;
    this.#engine.store.holders(token, { to, reverse: true, limit: 1 }, (_time, record) => {
      found = unpackHolders(record);
      return false;
    });
    return found;
  }

  isAddress(text: string): boolean {
    return accountBytes(text) !== undefined;
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  get #charts() {
    const { market, store } = this.#engine;
    return { candles: market.candles, rates: market.rates, store };
  }

  #popular(limit: number): number[] {
    const query = { sort: 'vol24hxrp', ascending: false, offset: 0, limit } as const;
    return this.listTokens(query).ids;
  }

  /** Tokens of an issuer, the heaviest first; a scan of one column. */
  #issuedBy(account: number, limit: number): number[] {
    const { tokens } = this.#engine.state;
    const found: { token: number; weight: number }[] = [];
    for (let token = 1; token < tokens.count; token++) {
      if (tokens.issuers[token] === account) found.push({ token, weight: this.#figures.weight(token) });
    }
    found.sort((a, b) => b.weight - a.weight || a.token - b.token);
    return found.slice(0, limit).map(({ token }) => token);
  }

  #makeSlugs() {
    const { tokens } = this.#engine.state;
    const query = { sort: 'vol24hxrp', ascending: false, offset: 0, limit: SLUGS_MAX } as const;
    const { ids, total } = this.listTokens(query);
    return {
      count: ids.length,
      total,
      truncated: total > ids.length,
      slugs: ids.map((id) => tokens.slug(id)),
    };
  }

  /** Forgets what a ledger changed. */
  #applied({ head, touched, trades, tradeCount, touchedCandles }: LedgerApplied): void {
    if (this.#engine.version !== this.#version + 1) this.#drop();
    this.#version = this.#engine.version;
    for (const token of touched.tokens) this.#touch(token);
    for (const token of touchedCandles) this.#touch(token);
    for (const token of touched.holders) {
      this.#rankings.touch(token);
      this.#touch(token);
    }
    this.#touchIssuers(touched.accounts);
    this.#volumes.add(head.index, trades, tradeCount);
    const usd = this.#engine.market.rates.xrpPer(Fiat.USD);
    if (usd !== this.#usd) for (const rows of Object.values(this.#rows)) rows.clear();
    this.#usd = usd;
    this.#touch(XRP);
    if (this.#engine.ready) this.#prepare();
    if (this.#searching) this.#search.advance(NAMES_A_LEDGER);
  }

  /** What the first reader would have to wait for is made beforehand, once, in slices. */
  #prepare(): void {
    if (this.#searching) return;
    this.#startSearch();
    void this.#warm();
    // A store that fails here fails the first reader, too, who then hears of it.
    this.#volumes.load(this.#now, this.#engine.head?.index ?? 0).catch(() => undefined);
  }

  /** Names and tags of all tokens, for filters. */
  async #warm(): Promise<void> {
    for (;;) {
      const tagged = this.#tags.extend(NAMES_A_SLICE);
      const { count } = this.#engine.state.tokens;
      this.#names.extend(Math.min(count, this.#names.count + NAMES_A_SLICE));
      if (tagged && this.#names.count === count) return;
      await new Promise<void>((resume) => setImmediate(resume));
    }
  }

  /** Builds the search index, or what is missing of it, in slices; from then on every ledger adds its new names. */
  #startSearch(): Promise<void> {
    this.#searching = true;
    return this.#search.complete();
  }

  /** Rows show settings of their issuer. */
  #touchIssuers(accounts: ReadonlySet<number>): void {
    const { issuers } = this.#engine.state.tokens;
    for (const rows of Object.values(this.#rows)) {
      for (const token of rows.keys()) if (accounts.has(issuers[token]!)) rows.delete(token);
    }
  }

  #touch(token: number): void {
    for (const rows of Object.values(this.#rows)) rows.delete(token);
    this.#list.touch(token);
    this.#tags.touch(token);
  }

  /** The version moved without a ledger. */
  #sync(): void {
    if (this.#engine.version === this.#version) return;
    this.#drop();
    this.#version = this.#engine.version;
  }

  #drop(): void {
    for (const rows of Object.values(this.#rows)) rows.clear();
    this.#list.drop();
    this.#rankings.drop();
    this.#tags.drop();
  }
}

/** Whether a token stands for a fiat currency. Its currency is looked at first: writing an address is dear. */
function isAnchor({ state, market }: Engine, token: number): boolean {
  return ANCHOR_CURRENCIES.has(state.tokens.currencyText(token)) && market.rates.anchor(token) >= 0;
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
