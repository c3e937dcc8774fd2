/**
 * Tokens as readers see them: rows as bytes, lists, tags. Kept until a ledger, or a rate of an outside feed, changes what
 * they are made of.
 */

import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine, LedgerEvent } from '../engine/engine.ts';
import { mapInSlices, yieldToLoop } from '../engine/event-loop.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import { Fiat, Window } from '../engine/market/figures.ts';
import { rippleSeconds } from '../engine/ripple-time.ts';
import { type TokenType, XRP } from '../engine/state/tokens.ts';
import { ChangedTokens } from './changed-tokens.ts';
import { FigureColumn } from './figure-column.ts';
import type { Forms } from './forms.ts';
import { HolderRankings } from './holder-ranking.ts';
import { resolveIssue, resolveToken, tokenName } from './identity.ts';
import type { Invalidation } from './invalidation.ts';
import { IssuedTokens } from './issued-tokens.ts';
import { KeptRows } from './kept-rows.ts';
import type { LockedChange } from './locked-change.ts';
import { NameIndex } from './name-index.ts';
import type { RowWriter } from './row-writer.ts';
import type { ServiceData } from './service-data.ts';
import { type FactSources, TokenFacts } from './token-facts.ts';
import type { RowSize } from './token-fields/field.ts';
import type { FieldTexts, TokenFields, TokenSort } from './token-fields.ts';
import { TokenFigures } from './token-figures.ts';
import { TokenList, type TokenQuery } from './token-list.ts';
import { TokenTags } from './token-tags.ts';
import { TypeColumn } from './type-column.ts';
import { type Revision, type Revisions, VersionedCache } from './versioned-cache.ts';

const NO_TOKENS: ReadonlySet<number> = new Set();
/** Rows made before other work may run: about 2 ms of rows whose data is in no cache. */
const ROWS_A_SLICE = 16;
/** Names and tags made before other work may run: about 3 ms. */
const NAMES_A_SLICE = 1000;
/** Weights computed before other work may run: about 2 ms. */
const WEIGHTS_A_SLICE = 1000;

/** Tokens whose largest holders are found before other work may run: about 1 ms. */
const SHARES_A_SLICE = 64;

export interface ListRequest extends Omit<TokenQuery, 'since'> {
  /** First appearance at or after (Unix ms). */
  readonly sinceMs?: number | undefined;
}

/** Which of the most traded tokens are wanted. */
export interface TokenFilter {
  /** 24 h volume in XRP. */
  readonly minVolume?: number;
  /** With one of these at least. */
  readonly tags?: readonly string[];
  readonly topN: number;
}

export interface TokenViewParts {
  readonly engine: Engine;
  readonly forms: Forms;
  readonly lockedChange: LockedChange;
  readonly revisions: Revisions;
  readonly invalidation: Invalidation;
  /** What rows show. */
  readonly fields: TokenFields;
  readonly heavy?: HeavyReads | undefined;
  readonly data: ServiceData;
}

export class TokenViews {
  readonly rankings: HolderRankings;
  readonly figures: TokenFigures;
  readonly changed: ChangedTokens;
  readonly #engine: Engine;
  readonly #fields: TokenFields;
  readonly #sources: FactSources;
  readonly #beside: RowWriter;
  readonly #lockedChange: LockedChange;
  readonly #invalidation: Invalidation;
  readonly #types: TypeColumn;
  readonly #tags: TokenTags;
  readonly #names: NameIndex;
  readonly #issued: IssuedTokens;
  readonly #list: TokenList;
  readonly #weights: FigureColumn;
  readonly #top10: FigureColumn;
  readonly #rows: KeptRows;
  /** Of each token; 0: it has none. */
  readonly #places: VersionedCache<Uint32Array>;
  readonly #rates: Revision;
  #ratesVersion = 0;
  /** What all rows show, or those of the market: see `#applyToAll`. */
  #usd: number | undefined;
  #marketcap = 0;
  #daysKnown = '';
  #isChangeKnown = false;

  constructor(parts: TokenViewParts) {
    const { engine, forms, lockedChange, revisions, invalidation, fields, heavy, data } = parts;
    const { state, market } = engine;
    this.#engine = engine;
    this.#fields = fields;
    this.#beside = fields.writer('beside');
    this.#lockedChange = lockedChange;
    this.#issued = new IssuedTokens(state.tokens);
    this.changed = new ChangedTokens(revisions.ledger, this.#issued);
    this.#places = new VersionedCache([revisions.ledger], 1);
    this.#rates = revisions.rates;
    this.#invalidation = invalidation;
    const top10 = new FigureColumn((token) => market.holdersHistory.top10(token));
    this.#top10 = top10;
    const figures = new TokenFigures(engine, {
      lockedChange: (token) => lockedChange.of(token),
      top10: (token) => (state.lines.holdersCount(token) > 0 ? top10.of(token) : undefined),
      standing: (token) => data.standing(token),
      views: (token) => data.views(token),
      isDescribed: (token) => data.description(token) !== undefined,
    });
    this.figures = figures;
    this.#weights = new FigureColumn((token) => figures.weight(token));
    this.rankings = new HolderRankings(state, { onFigures: (token) => this.#rows.forget(token), heavy });
    const name = (token: number) => tokenName(state, token);
    const types = new TypeColumn(state.tokens);
    this.#types = types;
    const isListed = (token: number) => market.totals.isListed(token);
    const kinds = {
      isAnchor: (token: number) => market.anchors.isAnchor(token, engine.head?.closeTime ?? 0),
      claims: (token: number) => market.anchors.claim(token) !== undefined,
      launchpad: (token: number) => market.launches.platform(token)?.launchpad,
      given: (token: number) => data.tags(token),
    };
    const tags = new TokenTags(state, types, kinds, isListed);
    this.#tags = tags;
    this.#sources = {
      figures,
      rankings: this.rankings,
      tags,
      data,
      forms,
      get ledger() {
        return engine.head?.index ?? 0;
      },
      type: (token) => types.of(token),
      place: (token) => this.#place(token),
      funder: (account) => engine.traders.funders.of(account),
    };
    this.#rows = new KeptRows(fields, (token) => new TokenFacts(this.#sources, token));
    this.#names = new NameIndex(name);
    const listed = {
      get end() {
        return state.tokens.count;
      },
      get listed() {
        return market.totals.listed;
      },
      isListed,
      sortKey: (sort: TokenQuery['sort']) => fields.sortKey(sort, figures),
      type: (token: number) => types.of(token),
      createdAt: (token: number) => state.tokens.createdAt(token),
      tagged: (tag: string) => tags.find(tag)?.tokens,
    };
    this.#list = new TokenList(listed, this.#names);
    data.onChange((token) => this.#dataChanged(token));
    invalidation.add({ applied: (ledger) => this.#applied(ledger), drop: () => this.#drop() });
  }

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

  /** Number of all listed tokens (engine/state/listing.ts). */
  get total(): number {
    return this.#list.total;
  }

  /** JSON object of a token, as bytes; kept until something about the token changes. */
  row(token: number, size: RowSize = 'full'): Uint8Array {
    this.#ensureCurrent();
    return this.#rows.bytes(token, size);
  }

  /** The same as text, for frames that contain it. */
  rowText(token: number, size: RowSize = 'full'): string {
    this.#ensureCurrent();
    return this.#rows.text(token, size);
  }

  /** What stands beside the full row, as members of an object; nothing is kept. The order by volume must be ready. */
  beside(token: number): string {
    this.#ensureCurrent();
    return this.#beside.write(new TokenFacts(this.#sources, token)).slice(1, -1);
  }

  #place(token: number): number | undefined {
    const places = this.#places.get('places', () => this.#list.places('vol24hxrp'));
    return places[token] || undefined;
  }

  /**
   * JSON texts of single fields of the full row; nothing is kept.
   * @param names undefined: all fields.
   */
  texts(token: number, names?: readonly string[]): FieldTexts {
    this.#ensureCurrent();
    return this.#fields.texts(new TokenFacts(this.#sources, token), names);
  }

  /** The same for the frames of a stream: what happened to nobody but the market is not made again. */
  watchedTexts(token: number, names?: readonly string[]): FieldTexts {
    this.#ensureCurrent();
    return this.#rows.texts(token, names);
  }

  /** Resolves when the rows of these tokens can be made without a long computation; undefined: they can be now. */
  rowsReady(tokens: readonly number[], size: RowSize = 'full'): Promise<void> | undefined {
    this.#ensureCurrent();
    const ledger = this.#engine.head?.index ?? 0;
    const figures = size === 'full' ? this.rankings.figuresReady(tokens, ledger) : undefined;
    const missing = tokens.filter((token) => !this.#rows.has(token, size));
    if (missing.length <= ROWS_A_SLICE) return figures;
    return this.#makeRows(missing, size, figures);
  }

  async #makeRows(tokens: readonly number[], size: RowSize, figures?: Promise<void>): Promise<void> {
    await figures;
    await mapInSlices(tokens, ROWS_A_SLICE, (token) => this.row(token, size));
  }

  /** Address of the icon that its issuer names, on the ledger or at its domain; undefined: none is known. */
  issuerIcon(token: number): string | undefined {
    return this.#sources.data.issuerIcon(token);
  }

  /** What is said of a token; undefined: nothing. */
  description(token: number): string | undefined {
    return this.#sources.data.description(token);
  }

  /** Resolves when lists of this sort need no long computation; undefined: they need none now. */
  listReady(sort: TokenSort): Promise<void> | undefined {
    this.#ensureCurrent();
    this.#checkLockedChange();
    const needed = this.#list.isReady(sort) ? undefined : this.#neededFor(sort);
    return needed ? needed.then(() => this.#list.ready(sort)) : this.#list.ready(sort);
  }

  /** What the keys of a sort are made of, where making it takes long. */
  #neededFor(sort: TokenSort): Promise<void> | undefined {
    if (sort === 'name') return this.namesReady();
    return sort === 'assessmentScore' ? this.prepareShares() : undefined;
  }

  /** Changes of a day are known from some time on. */
  #checkLockedChange(): void {
    const { isKnown } = this.#lockedChange;
    if (isKnown === this.#isChangeKnown) return;
    this.#isChangeKnown = isKnown;
    this.#list.drop('tvlChange24h');
  }

  /** The first tokens of a sort, descending, that carry the tag; without a tag, of all. */
  first(sort: TokenSort, limit: number, tag?: string): readonly number[] {
    if (tag === undefined) return this.list({ sort, ascending: false, offset: 0, limit }).ids;
    this.#ensureCurrent();
    return this.#list.first(sort, limit, this.#tags.find(tag)?.tokens ?? NO_TOKENS);
  }

  /** The most traded tokens (24 h, XRP) that pass the filter. */
  mostTraded({ topN, minVolume = 0, tags }: TokenFilter): readonly number[] {
    const { windows } = this.#engine.market;
    const volume = (token: number) => windows.volumeDrops(token, Window.h24) / DROPS_PER_XRP;
    const lists = (tags ?? [undefined]).map((tag) => this.first('vol24hxrp', topN, tag));
    const ids = [...new Set(lists.flat())].filter((token) => volume(token) >= minVolume);
    if (lists.length > 1) ids.sort((a, b) => volume(b) - volume(a) || a - b);
    return ids.slice(0, topN);
  }

  /** The keys that a sort orders listed tokens by, NaN = nothing known; until the next ledger. Await `listReady` first. */
  keys(sort: TokenSort): (token: number) => number {
    this.#ensureCurrent();
    return this.#list.keys(sort);
  }

  list(request: ListRequest): { readonly ids: number[]; readonly total: number } {
    this.#ensureCurrent();
    this.#checkLockedChange();
    const { sinceMs, ...query } = request;
    return this.#list.list({ ...query, since: sinceMs === undefined ? undefined : rippleSeconds(sinceMs) });
  }

  /** Names of all tags, most tokens first. */
  tags(): string[] {
    this.#ensureCurrent();
    return this.#tags.names();
  }

  /** Name of a tag given by name or slug; undefined when no token carries it. */
  tag(tag: string): string | undefined {
    this.#ensureCurrent();
    return this.#tags.find(tag)?.name;
  }

  /** XRP per token; undefined when it is not known. */
  price(token: number): number | undefined {
    return this.figures.price(token);
  }

  /** Orders what a search finds: the heavier token first. */
  weight(token: number): number {
    this.#ensureCurrent();
    return this.#weights.of(token);
  }

  /** Makes the weights of all tokens, in slices: the first search would compute thousands. */
  async prepareWeights(): Promise<void> {
    this.#ensureCurrent();
    while (!this.#weights.extend(this.#engine.state.tokens.count, WEIGHTS_A_SLICE)) {
      await yieldToLoop();
      this.#ensureCurrent();
    }
  }

  /** Finds the ten largest holders of all tokens, in slices; from then on they follow the ledgers. */
  async prepareShares(): Promise<void> {
    this.#ensureCurrent();
    while (!this.#top10.extend(this.#engine.state.tokens.count, SHARES_A_SLICE)) {
      await yieldToLoop();
      this.#ensureCurrent();
    }
  }

  name(token: number): string {
    return tokenName(this.#engine.state, token);
  }

  /** `<issuer>-<currency>` or `mpt-<id>`. */
  slug(token: number): string {
    return this.#engine.state.tokens.slug(token);
  }

  type(token: number): TokenType {
    return this.#types.of(token);
  }

  /** Forgets what a ledger changed. */
  #applied({ head, events }: LedgerEvent): void {
    for (const token of this.#sources.data.applied(head.closeTime)) this.#shownOtherwise(token);
    const { state: changed, market } = events;
    for (const token of changed.tokens) this.#invalidate(token);
    for (const token of market.changedCandles) this.#invalidate(token);
    for (const token of market.closedCandles) this.#invalidateFigures(token);
    for (const token of changed.repriced) this.#invalidateLocked(token);
    this.rankings.applied(changed.holderLines, changed.balances);
    for (const token of changed.holders) {
      this.#invalidate(token);
      this.#top10.forget(token);
      this.#invalidateAssets(token);
    }
    this.#forgetRowsOfIssuers(changed.accounts);
    this.#invalidate(XRP);
    this.#applyToAll();
  }

  /** Rows show the price in dollars, and changes of a day once it is known; those of the market their share of all. */
  #applyToAll(): void {
    const { rates, totals, holderChanges } = this.#engine.market;
    const usd = rates.xrpPer(Fiat.USD);
    const { marketcap } = totals;
    const daysKnown = `${holderChanges.isKnown} ${this.#lockedChange.isKnown}`;
    if (daysKnown !== this.#daysKnown) this.#rows.drop();
    else if (usd !== this.#usd) this.#rows.forgetRows();
    else if (marketcap !== this.#marketcap) for (const token of totals.ofMarket) this.#rows.forgetRow(token);
    this.#usd = usd;
    this.#marketcap = marketcap;
    this.#daysKnown = daysKnown;
  }

  /** Rows show who holds the shares of their pool. */
  #invalidateAssets(lpToken: number): void {
    const { tokens, pools } = this.#engine.state;
    const pool = tokens.poolOf(lpToken);
    if (pool === undefined) return;
    this.#invalidate(pools.asset1(pool));
    this.#invalidate(pools.asset2(pool));
  }

  /** Resolves when filters, tags and the order by name need no long computation; undefined: they need none now. */
  namesReady(): Promise<void> | undefined {
    this.#ensureCurrent();
    const { count } = this.#engine.state.tokens;
    return this.#names.count >= count - NAMES_A_SLICE && this.#tags.count >= count - NAMES_A_SLICE
      ? undefined
      : this.prepare();
  }

  /** Makes names and tags of all tokens, for filters, in slices. */
  async prepare(): Promise<void> {
    for (;;) {
      const tagged = this.#tags.extend(NAMES_A_SLICE);
      const { count } = this.#engine.state.tokens;
      this.#names.extend(Math.min(count, this.#names.count + NAMES_A_SLICE));
      if (tagged && this.#names.count === count) return;
      await yieldToLoop();
    }
  }

  /** Rows show settings of their issuer. */
  #forgetRowsOfIssuers(accounts: ReadonlySet<number>): void {
    if (this.#list.showsIssuers)
      for (const account of accounts)
        this.#issued.each(account, (token) => this.#list.markIssuerChanged(token));
    this.#rows.forgetOf(accounts, this.#engine.state.tokens.issuers);
  }

  /** What its pools lock has another value. */
  #invalidateLocked(token: number): void {
    this.#rows.forget(token);
    this.#list.markRepriced(token);
    this.#weights.forget(token);
  }

  /** Figures of the token are others, but none that weights or tags are made of. */
  #invalidateFigures(token: number): void {
    this.#rows.forget(token);
    this.#list.markDirty(token);
  }

  #invalidate(token: number): void {
    this.#rows.forget(token);
    this.#list.markDirty(token);
    this.#weights.forget(token);
    this.#tags.update(token);
  }

  /** Everything kept is current when this returns. */
  #ensureCurrent(): void {
    this.#invalidation.ensureCurrent();
    if (this.#rates.version === this.#ratesVersion) return;
    this.#ratesVersion = this.#rates.version;
    this.#rows.forgetRows();
  }

  /** Forgets everything that was made of the state. */
  #drop(): void {
    this.forgetRows();
    this.#list.drop();
    this.#weights.drop();
    this.#top10.drop();
    this.rankings.drop();
    this.#tags.drop();
  }

  #dataChanged(token: number): void {
    this.#shownOtherwise(token);
    this.#tags.reclassify(token);
  }

  /** What does not follow from ledgers is something else. */
  #shownOtherwise(token: number): void {
    this.#rows.forget(token);
    this.#list.markDirty(token);
    this.changed.add(token);
  }

  /** Something that rows show is known from now on. */
  forgetRows(): void {
    this.#rows.drop();
  }
}
