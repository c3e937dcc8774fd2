/**
 * The trust lines and MPT holdings of an account, as what it holds: by their age, or by their value now.
 *
 *     HeldLines of the account, and their LineValues (kept over ledgers) -> the rows of a page
 *
 * Cost: see line-values.ts; the first time, and where an account has so few lines that they are not kept, 500 ns a line; a row of a
 * page 5 us.
 */
import { AssetKind, decimalNumber, divToNumber, rawText, wholeDrops } from '../../engine/codec/amount.ts';
import { nodeIssuedValue } from '../../engine/codec/node-spelling.ts';
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, runInSlices, yieldToLoop } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { TokenKind } from '../../engine/state/tokens.ts';
import { atOneVersion } from '../at-one-version.ts';
import { rounded } from '../number-format.ts';
import type { TokenViews } from '../token-views.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { ChangedPrices } from './changed-prices.ts';
import { HeldLines, LINES_MAX } from './held-lines.ts';
import { LineValues } from './line-values.ts';

export const LINE_FORMATS = ['default', 'raw', 'full'] as const;
export type LineFormat = (typeof LINE_FORMATS)[number];

/** Lines searched before other work may run: about 5 ms. */
const SEARCHED_A_SLICE = 512;
/** Accounts whose values are kept for one ledger. */
const ACCOUNTS_KEPT = 64;
/** Lines from which on those of an account are kept over ledgers, and how many are kept of all accounts: 60 MB. */
const FOLLOWED_MIN = 1024;
const FOLLOWED_LINES_MAX = 500_000;
/** Rows of the first pages, for which not all lines are put in order. */
const HIGHEST_MAX = 256;
/** The issuer in balances of the ledger's entries: account one. */
const NO_ISSUER = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

/** What an account holds, at the prices of one ledger. */
interface Valued {
  readonly held: HeldLines;
  readonly values: LineValues;
  /** Value of all, XRP. */
  readonly value: number;
  byValue: Promise<Uint32Array> | undefined;
}

export interface LineQuery {
  readonly account: number;
  readonly format: LineFormat;
  readonly byValue: boolean;
  readonly includeZero: boolean;
  /** Part of a name, a currency or an issuer; '': all. */
  readonly search: string;
  /** Fewer fields of tokens. */
  readonly lightweight: boolean;
  readonly offset: number;
  readonly limit: number;
}

export class AccountLines {
  readonly #engine: Engine;
  readonly #tokens: TokenViews;
  readonly #valued: VersionedCache<Promise<Valued>>;
  /** By account, the one that was read last at the end. */
  readonly #followed = new Map<number, LineValues>();
  readonly #followedMin: number;
  readonly #prices: ChangedPrices;

  constructor(engine: Engine, tokens: TokenViews, followedMin = FOLLOWED_MIN) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#followedMin = followedMin;
    this.#prices = new ChangedPrices(engine);
    this.#valued = new VersionedCache([engine], ACCOUNTS_KEPT);
  }

  /** Resolves when the lines of accounts can be read. */
  async ready(): Promise<void> {
    const { byAccount } = this.#engine.state.lines;
    while (!byAccount.isReady) await runInSlices(byAccount.linking());
  }

  /** Lines on which the account holds something, or may; without a balance last. Up to the next ledger. */
  async held(account: number): Promise<HeldLines> {
    return (await this.#of(account)).held;
  }

  async page(query: LineQuery) {
    const valued = await this.#of(query.account);
    const { held } = valued;
    const counts = { zeroCount: held.zeros, tokenCount: held.count, totalValue: wholeDrops(valued.value) };
    const all = held.count + (query.includeZero ? held.zeros : 0);
    const end = query.offset + query.limit;
    const isFirst = query.search === '' && end <= HIGHEST_MAX;
    const first = () => valued.values.highest(end);
    const order = query.byValue ? (isFirst ? first() : await this.#byValue(valued)) : undefined;
    const matching = query.search === '' ? undefined : await this.#found(held, order, query);
    const total = matching?.length ?? all;
    const places = matching
      ? matching.slice(query.offset, end)
      : pageOf(placesOf(held, order, query.includeZero), query.offset, query.limit);
    const shown = places.map((place) => ({ line: held.line(place), token: held.token(place) }));
    if (query.format === 'full')
      await this.#tokens.rowsReady(
        shown.map(({ token }) => token),
        query.lightweight ? 'line' : 'full',
      );
    return {
      total,
      ...counts,
      ...(held.isPart && { truncated: true, subsetSize: LINES_MAX, partial: true }),
      // A ledger may have come in since they were found, and a line gone.
      lines: shown
        .filter(({ line, token }) => this.#holds(query.account, line, token))
        .map(({ line, token }) => this.row(line, token, query)),
    };
  }

  #holds(account: number, line: number, token: number): boolean {
    const { lines } = this.#engine.state;
    return token !== 0 && lines.carries(line, token) && lines.holderAccount(line, token) === account;
  }

  row(line: number, token: number, { account, format, lightweight }: Omit<LineQuery, 'offset' | 'limit'>) {
    const { lines, tokens } = this.#engine.state;
    if (format === 'raw') return this.#raw(line, token, account);
    const [hi, lo] = lines.balanceRaw(line, token);
    const balance = tokens.decimal(token, hi, lo);
    const supply = lines.supply(token);
    const price = this.#engine.market.totals.price(token) ?? 0;
    const isHolding = lines.highs[line] === 0;
    return {
      currency: tokens.currencyText(token),
      issuer: tokens.issuerText(token),
      balance: tokens.text(token, hi, lo),
      ...(!isHolding && { limit: tokens.text(token, ...lines.limitRaw(line, token)) }),
      value: decimalNumber(balance) * price,
      percentOwned: supply.m > 0n && balance.m > 0n ? rounded(divToNumber(balance, supply) * 100, 6) : 0,
      ...(lines.isFrozen(line) && { freeze: true }),
      ...(format === 'full'
        ? { token: JSON.parse(this.#tokens.rowText(token, lightweight ? 'line' : 'full')) as object }
        : { md5: tokens.md5(token), name: this.#tokens.name(token) }),
    };
  }

  /** The entry as the ledger has it, without what columns do not have: places in directories, and the thread. */
  #raw(line: number, token: number, account: number) {
    const { lines, tokens, accounts } = this.#engine.state;
    const currency = tokens.currencyText(token);
    const holder = accounts.text(account);
    const _id = `${holder}_${currency}_${tokens.issuerText(token)}`;
    if (tokens.kind(token) === TokenKind.mpt) {
      return {
        _id,
        LedgerEntryType: 'MPToken',
        Account: holder,
        MPTokenIssuanceID: tokens.mptId(token),
        MPTAmount: rawText(AssetKind.mpt, ...lines.balanceRaw(line, token)),
        Flags: lines.flags[line]!,
      };
    }
    const amount = (issuer: string, hi: number, lo: number) => ({
      currency,
      issuer,
      value: nodeIssuedValue(rawText(1, hi, lo)),
    });
    return {
      _id,
      LedgerEntryType: 'RippleState',
      Balance: amount(NO_ISSUER, lines.balancesHi[line]!, lines.balancesLo[line]!),
      Flags: lines.flags[line]! * 0x10000,
      LowLimit: amount(accounts.text(lines.lows[line]!), lines.lowLimitsHi[line]!, lines.lowLimitsLo[line]!),
      HighLimit: amount(
        accounts.text(lines.highs[line]!),
        lines.highLimitsHi[line]!,
        lines.highLimitsLo[line]!,
      ),
    };
  }

  async #of(account: number): Promise<Valued> {
    await this.ready();
    return this.#valued.get(String(account), () =>
      atOneVersion([this.#engine], () => this.#reading(account)),
    );
  }

  *#reading(account: number): CooperativeTask<Valued> {
    const values = yield* this.#valuesOf(account);
    yield* values.updating();
    return { held: values.held, values, value: values.sum(), byValue: undefined };
  }

  /** What is kept of the account, or what is read now. */
  *#valuesOf(account: number): CooperativeTask<LineValues> {
    const kept = this.#followed.get(account);
    if (kept?.held.isFollowing) {
      this.#followed.delete(account);
      this.#followed.set(account, kept);
      return kept;
    }
    if (kept) this.#forget(kept);
    const held = new HeldLines(this.#engine.state, account);
    yield* held.reading();
    const { totals } = this.#engine.market;
    const values = new LineValues(held, this.#prices, (token) => totals.price(token) ?? 0);
    if (held.places >= this.#followedMin && !held.isPart) this.#keep(values);
    return values;
  }

  #keep(values: LineValues): void {
    const { held } = values;
    const before = this.#followed.get(held.account);
    if (before) this.#forget(before);
    held.follow();
    this.#followed.set(held.account, values);
    let lines = 0;
    for (const one of this.#followed.values()) lines += one.held.places;
    for (const one of this.#followed.values()) {
      if (lines <= FOLLOWED_LINES_MAX && this.#followed.size <= ACCOUNTS_KEPT) return;
      lines -= one.held.places;
      this.#forget(one);
    }
  }

  #forget(values: LineValues): void {
    const { held } = values;
    held.close();
    if (this.#followed.get(held.account) === values) this.#followed.delete(held.account);
  }

  /** Places with a value, the most valuable first. */
  #byValue(valued: Valued): Promise<Uint32Array> {
    valued.byValue ??= runInSlices(sortingByValue(valued));
    return valued.byValue;
  }

  async #found(held: HeldLines, order: Iterable<number> | undefined, query: LineQuery): Promise<number[]> {
    const { tokens } = this.#engine.state;
    const wanted = query.search.toLowerCase();
    const found: number[] = [];
    let searched = 0;
    for (const place of placesOf(held, order, query.includeZero)) {
      if (++searched % SEARCHED_A_SLICE === 0) await yieldToLoop();
      const token = held.token(place);
      // Gone since the walk began.
      if (token === 0) continue;
      const texts = [this.#tokens.name(token), tokens.currencyText(token), tokens.issuerText(token)];
      if (texts.some((text) => text.toLowerCase().includes(wanted))) found.push(place);
    }
    return found;
  }
}

/** Places in the order of an answer. @param order those with a balance; undefined: the newest line first */
function* placesOf(
  held: HeldLines,
  order: Iterable<number> | undefined,
  withZeros: boolean,
): Generator<number, void, undefined> {
  if (!order) {
    yield* held.ordered(withZeros);
    return;
  }
  yield* order;
  if (withZeros) yield* held.zeroPlaces();
}

function pageOf(places: Iterable<number>, offset: number, limit: number): number[] {
  const page: number[] = [];
  let at = 0;
  for (const place of places) {
    if (page.length >= limit) break;
    if (at++ >= offset) page.push(place);
  }
  return page;
}

/** Those of the same value, and so all without a price, the newest line first. */
function* sortingByValue({ held, values: kept }: Valued): CooperativeTask<Uint32Array> {
  // Both before the first yield: they move on with ledgers.
  const places = Uint32Array.from(held.ordered(false));
  const values = kept.all();
  yield;
  const priced = places.filter((place) => values[place]! > 0);
  yield* sortingDescending(priced, values);
  if (priced.length < places.length) {
    const others = places.filter((place) => !(values[place]! > 0));
    places.set(priced);
    places.set(others, priced.length);
    return places;
  }
  return priced;
}
