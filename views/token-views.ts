/**
 * Tokens as readers see them: rows as bytes, lists, tags, search, and the market-wide fragments beside them. Kept until
 * a ledger changes what they are made of.
 */
import { accountBytes } from '../engine/codec/base58.ts';
import { currencyBytes } from '../engine/codec/currency.ts';
import type { Engine, LedgerApplied } from '../engine/engine.ts';
import { Fiat } from '../engine/market/figures.ts';
import { rippleSeconds } from '../engine/ripple-time.ts';
import { TokenKind } from '../engine/state/tokens.ts';
import { CONTRACT_FORMS, type Forms } from './forms.ts';
import { Fresh } from './fresh.ts';
import { HolderRankings } from './holder-ranking.ts';
import { resolveIssue, resolveToken, tokenName, XRP } from './identity.ts';
import { NameIndex } from './name-index.ts';
import { lpTokensNamed } from './pool-search.ts';
import { TokenSearch } from './search.ts';
import { TokenFigures } from './token-figures.ts';
import { TokenList, type TokenQuery } from './token-list.ts';
import { type RowSize, type TokenObject, tokenDescription, tokenObject } from './token-row.ts';
import { TokenTags } from './token-tags.ts';
import { mapInSlices, turn } from './turn.ts';
import { TypeColumn } from './type-column.ts';

/** Row bytes kept per size; the oldest goes first. About 2 KB a full row. */
const ROWS_KEPT = 10_000;
/** Slugs answered at once. */
const SLUGS_MAX = 10_000;
/** Slugs written before other work may run: about 4 ms. */
const TEXTS_A_SLICE = 1000;
/** New names put into the search index per ledger: about 2 ms. */
const NAMES_A_LEDGER = 80;
/** Names and tags made before other work may run: about 3 ms. */
const NAMES_A_SLICE = 1000;
const CURRENCY_HEX = /^[0-9a-f]{40}$/i;

export interface ListRequest extends Omit<TokenQuery, 'since'> {
  /** First seen at or after (Unix ms). */
  readonly sinceMs?: number | undefined;
}

/** What a search finds. */
export interface Found {
  readonly tokens: number[];
  /** The r-address that was searched for. */
  readonly address?: string;
  /** Its account, where the ledgers seen name it. */
  readonly account?: number;
}

export class TokenViews {
  readonly forms: Forms;
  protected readonly engine: Engine;
  protected readonly figures: TokenFigures;
  protected readonly rankings: HolderRankings;
  readonly #tags: TokenTags;
  readonly #names: NameIndex;
  readonly #list: TokenList;
  readonly #search: TokenSearch;
  readonly #rows: Readonly<Record<RowSize, Map<number, Uint8Array>>> = {
    full: new Map(),
    light: new Map(),
    line: new Map(),
  };
  readonly #exch: Fresh<Uint8Array>;
  readonly #h24: Fresh<Uint8Array>;
  readonly #global: Fresh<Uint8Array>;
  #version = 0;
  /** What all rows show, or those of the market: see `#turn`. */
  #usd: number | undefined;
  #marketcap = 0;
  #daysKnown = '';
  #searching = false;

  constructor(engine: Engine, forms = CONTRACT_FORMS) {
    const { state, market } = engine;
    this.engine = engine;
    this.forms = forms;
    const figures = new TokenFigures(state, market);
    this.figures = figures;
    this.rankings = new HolderRankings(state, (token) => this.#forgetRow(token));
    const name = (token: number) => tokenName(state, token);
    const types = new TypeColumn(state.tokens);
    const isListed = (token: number) => market.totals.isListed(token);
    const kinds = {
      isAnchor: (token: number) => market.anchors.isAnchor(token, this.now),
      claims: (token: number) => market.anchors.claim(token) !== undefined,
      launchpad: (token: number) => market.launches.platform(token)?.launchpad,
    };
    const tags = new TokenTags(state, types, kinds, isListed);
    this.#tags = tags;
    this.#names = new NameIndex(name);
    const listed = {
      get end() {
        return state.tokens.count;
      },
      get listed() {
        return market.totals.listed;
      },
      isListed,
      key: figures.key.bind(figures),
      type: (token: number) => types.of(token),
      createdAt: (token: number) => state.tokens.createdAt(token),
      tagged: (tag: string) => tags.find(tag)?.tokens,
    };
    this.#list = new TokenList(listed, this.#names);
    this.#search = new TokenSearch({
      get end() {
        return state.tokens.count;
      },
      name,
      isIndexed: (token) => token !== XRP && types.of(token) !== 'lp',
      isListed,
      weight: (token) => figures.weight(token),
    });
    this.#exch = new Fresh(() => bytesOf(market.rates.exch()));
    this.#h24 = new Fresh(() => bytesOf(market.globals.h24()));
    this.#global = new Fresh(() => bytesOf(market.globals.global()));
  }

  /** A token by any form of its id; undefined = not known. */
  resolve(id: string): number | undefined {
    return resolveToken(this.engine.state, id);
  }

  /** A token by currency and issuer as amounts name it. */
  resolveIssue(currency: string, issuer: string | undefined): number | undefined {
    return resolveIssue(this.engine.state, currency, issuer);
  }

  /** 32 lower-case hex digits. */
  md5(token: number): string {
    return this.engine.state.tokens.md5(token);
  }

  /** Number of all listed tokens (engine/state/listing.ts). */
  get total(): number {
    return this.#list.total;
  }

  /**
   * JSON object of a token, as bytes; kept until something about the token changes.
   * @param asked a size, or true for the lightweight row.
   */
  tokenRow(token: number, asked: RowSize | boolean = 'full'): Uint8Array {
    const size = asked === true ? 'light' : asked === false ? 'full' : asked;
    this.sync();
    const rows = this.#rows[size];
    let bytes = rows.get(token);
    if (!bytes) {
      bytes = bytesOf(this.tokenObject(token, size));
      if (rows.size >= ROWS_KEPT) rows.delete(rows.keys().next().value as number);
      rows.set(token, bytes);
    }
    return bytes;
  }

  /** Resolves when the rows of these tokens hold up nobody; undefined: none of them would. */
  rowsReady(tokens: readonly number[]): Promise<void> | undefined {
    this.sync();
    return this.rankings.figuresReady(tokens, this.engine.head?.index ?? 0);
  }

  tokenObject(token: number, size: RowSize = 'full'): TokenObject {
    const { state, market, head } = this.engine;
    const context = {
      state,
      market,
      figures: this.figures,
      rankings: this.rankings,
      tags: this.#tags,
      forms: this.forms,
      ledger: head?.index ?? 0,
      lockedChange: (id: number) => this.lockedChange(id),
    };
    return tokenObject(context, token, size);
  }

  /** What its issuer says of a token; undefined: nothing. */
  description(token: number): string | undefined {
    return tokenDescription(this.engine.state, token);
  }

  listTokens(request: ListRequest): { readonly ids: number[]; readonly total: number } {
    this.sync();
    const { sinceMs, ...query } = request;
    return this.#list.list({ ...query, since: sinceMs === undefined ? undefined : rippleSeconds(sinceMs) });
  }

  /** `{USD, EUR, JPY, CNY}`: XRP per unit. JSON object as bytes, as are the next two. */
  exch(): Uint8Array {
    return this.#exch.at(this.engine.version);
  }

  h24(): Uint8Array {
    return this.#h24.at(this.engine.version);
  }

  global(): Uint8Array {
    return this.#global.at(this.engine.version);
  }

  /** Names of all tags, most tokens first. */
  tags(): string[] {
    this.sync();
    return this.#tags.names();
  }

  /** Name of a tag given by name or slug; undefined when no token carries it. */
  tag(tag: string): string | undefined {
    this.sync();
    return this.#tags.find(tag)?.name;
  }

  /** Slugs by 24 h volume, at most SLUGS_MAX; made in slices, since writing an issuer's address is dear. */
  async slugs(): Promise<{ count: number; total: number; truncated: boolean; slugs: string[] }> {
    const { tokens } = this.engine.state;
    const query = { sort: 'vol24hxrp', ascending: false, offset: 0, limit: SLUGS_MAX } as const;
    const { ids, total } = this.listTokens(query);
    const slugs = await mapInSlices(ids, TEXTS_A_SLICE, (id) => tokens.slug(id));
    return { count: ids.length, total, truncated: total > ids.length, slugs };
  }

  /** XRP per token; undefined when nothing tells. */
  price(token: number): number | undefined {
    return this.figures.price(token);
  }

  /** Tokens that match, best first, and what an r-address stands for. Builds the index when first asked. */
  protected async find(text: string, limit: number): Promise<Found> {
    const { accounts, currencies, tokens } = this.engine.state;
    const wanted = text.trim();
    if (wanted === '') return { tokens: this.#popular(limit) };
    const address = accountBytes(wanted);
    if (address) {
      const account = accounts.find(address, 0);
      if (account === undefined) return { tokens: [], address: wanted };
      return { tokens: this.#having(tokens.issuers, account, limit), address: wanted, account };
    }
    const exact = this.resolve(wanted);
    const { totals } = this.engine.market;
    if (exact !== undefined && exact !== XRP) return { tokens: totals.isListed(exact) ? [exact] : [] };
    const currency = CURRENCY_HEX.test(wanted) ? currencies.find(currencyBytes(wanted)!, 0) : 0;
    if (currency !== 0) return { tokens: this.#having(tokens.codes, currency, limit) };
    await this.#startSearch();
    return { tokens: this.#named(wanted, exact, limit) };
  }

  /** XRP itself, tokens by their name, LP tokens by the names of what their pool holds. */
  #named(wanted: string, exact: number | undefined, limit: number): number[] {
    const named = this.#search.search(wanted, limit);
    const { tokens, first } = lpTokensNamed(
      this.engine.state,
      this.#search,
      (token) => this.figures.weight(token),
      wanted,
    );
    const shares = tokens.filter((token) => this.engine.market.totals.isListed(token));
    const found = first ? [...shares, ...named] : [...named, ...shares];
    return (exact === undefined ? found : [exact, ...found]).slice(0, limit);
  }

  #popular(limit: number): number[] {
    const query = { sort: 'vol24hxrp', ascending: false, offset: 0, limit } as const;
    return this.listTokens(query).ids;
  }

  /** Listed tokens with this issuer, or with this currency, the heaviest first; a scan of one column. */
  #having(column: Uint32Array, value: number, limit: number): number[] {
    const { totals } = this.engine.market;
    const { tokens } = this.engine.state;
    // The codes of MPTs are sequence numbers.
    const issuedOnly = column === tokens.codes;
    const found: { token: number; weight: number }[] = [];
    for (let token = 1; token < tokens.count; token++) {
      if (column[token] !== value || !totals.isListed(token)) continue;
      if (issuedOnly && tokens.kind(token) !== TokenKind.issued) continue;
      found.push({ token, weight: this.figures.weight(token) });
    }
    found.sort((a, b) => b.weight - a.weight || a.token - b.token);
    return found.slice(0, limit).map(({ token }) => token);
  }

  /** What the value locked in a token's pools changed by in the last 24 hours, XRP; undefined = not known. */
  protected lockedChange(_token: number): number | undefined {
    return undefined;
  }

  /** Whether every ledger of the last 24 hours was read. */
  protected dayIsRead(): boolean {
    return false;
  }

  /** Forgets what a ledger changed. */
  protected applied({ events }: LedgerApplied): void {
    const { state: touched, market } = events;
    if (this.engine.version !== this.#version + 1) this.drop();
    this.#version = this.engine.version;
    for (const token of touched.tokens) this.#touch(token);
    for (const token of market.touchedCandles) this.#touch(token);
    for (const token of touched.holders) {
      this.rankings.touch(token);
      this.#touch(token);
      this.#touchAssets(token);
    }
    this.#touchIssuers(touched.accounts);
    this.#touch(XRP);
    this.#turn();
    if (this.engine.ready) this.#prepare();
    if (this.#searching) this.#search.advance(NAMES_A_LEDGER);
  }

  /** Rows show the price in dollars, and changes of a day once it is known; those of the market their share of all. */
  #turn(): void {
    const { rates, totals, holderChanges } = this.engine.market;
    const usd = rates.xrpPer(Fiat.USD);
    const { marketcap } = totals;
    const daysKnown = `${holderChanges.isKnown} ${this.dayIsRead()}`;
    if (usd !== this.#usd || daysKnown !== this.#daysKnown) this.forgetRows();
    else if (marketcap !== this.#marketcap) for (const token of totals.ofMarket) this.#forgetRow(token);
    this.#usd = usd;
    this.#marketcap = marketcap;
    this.#daysKnown = daysKnown;
  }

  /** Rows show who holds the shares of their pool. */
  #touchAssets(lpToken: number): void {
    const { tokens, pools } = this.engine.state;
    const pool = tokens.poolOf(lpToken);
    if (pool === undefined) return;
    this.#touch(pools.asset1(pool));
    this.#touch(pools.asset2(pool));
  }

  #prepare(): void {
    if (!this.#searching) for (const work of this.preparations()) work.catch(() => undefined);
  }

  /**
   * What the first reader would have to wait for: made beforehand, once, in slices. What fails here fails for the
   * first reader, too, who then hears of it.
   */
  protected preparations(): Promise<void>[] {
    return [this.#startSearch(), this.#warm()];
  }

  /** Resolves when filters, tags and the order by name hold up nobody; undefined: they would not now. */
  namesReady(): Promise<void> | undefined {
    this.sync();
    const { count } = this.engine.state.tokens;
    return this.#names.count >= count - NAMES_A_SLICE && this.#tags.count >= count - NAMES_A_SLICE
      ? undefined
      : this.#warm();
  }

  /** Names and tags of all tokens, for filters. */
  async #warm(): Promise<void> {
    for (;;) {
      const tagged = this.#tags.extend(NAMES_A_SLICE);
      const { count } = this.engine.state.tokens;
      this.#names.extend(Math.min(count, this.#names.count + NAMES_A_SLICE));
      if (tagged && this.#names.count === count) return;
      await turn();
    }
  }

  /** Builds the search index, or what is missing of it, in slices; from then on every ledger adds its new names. */
  #startSearch(): Promise<void> {
    this.#searching = true;
    return this.#search.complete();
  }

  /** Rows show settings of their issuer. */
  #touchIssuers(accounts: ReadonlySet<number>): void {
    const { issuers } = this.engine.state.tokens;
    for (const rows of Object.values(this.#rows)) {
      for (const token of rows.keys()) if (accounts.has(issuers[token]!)) rows.delete(token);
    }
  }

  #forgetRow(token: number): void {
    for (const rows of Object.values(this.#rows)) rows.delete(token);
  }

  #touch(token: number): void {
    this.#forgetRow(token);
    this.#list.touch(token);
    this.#tags.touch(token);
  }

  /** The version moved without a ledger. */
  protected sync(): void {
    if (this.engine.version === this.#version) return;
    this.drop();
    this.#version = this.engine.version;
  }

  /** Forgets everything that was made of the state. */
  protected drop(): void {
    this.forgetRows();
    this.#list.drop();
    this.rankings.drop();
    this.#tags.drop();
  }

  protected forgetRows(): void {
    for (const rows of Object.values(this.#rows)) rows.clear();
  }

  /** Close time of the newest ledger, Ripple epoch seconds. */
  protected get now(): number {
    return this.engine.head?.closeTime ?? 0;
  }
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
