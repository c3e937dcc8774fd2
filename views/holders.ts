/**
 * Answers about who holds a token. Ranks and shares are of holders with a balance above zero; `length` of the token
 * is the number of its trust lines (or MPT holdings). Shares are percent of the issued amount.
 */

import { type Decimal, decimalNumber, decimalText, ZERO } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { mapInSlices, yieldToLoop } from '../engine/event-loop.ts';
import { type HolderRecord, topShares, unpackHolders } from '../engine/market/holders-history.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import { type HolderRow, holderAccount, holderSummary, holdingPercent } from './holder-account.ts';
import { HolderAddresses, type Searched } from './holder-addresses.ts';
import { type HolderQuery, searchOf } from './holder-query.ts';
import type { HolderRankings } from './holder-ranking.ts';
import { IdMarks } from './id-marks.ts';
import { RANGES, type Range } from './intervals.ts';
import type { Invalidation } from './invalidation.ts';
import { rounded } from './number-format.ts';
import { quotient, truncateDecimal } from './ratio.ts';
import { type DayBalances, type HolderOrder, HolderOrders } from './traders/holder-orders.ts';
import { holderTrading } from './traders/holder-trading.ts';
import type { Traders } from './traders/traders.ts';
import { XrpHolders } from './xrp-holders.ts';

/**
 * A part of an address is searched for among this many of the largest holders: writing an address costs two hashes,
 * about 4 us. A whole address is looked up, whatever its rank.
 */
const SEARCHED_MAX = 20_000;
/** Frozen lines are looked up in the ranking one by one where they are fewer than one in this many of it. */
const FROZEN_PART = 64;
/** Lines read, and addresses written, before other work may run: about 4 ms. */
const LINES_A_SLICE = 10_000;
const TEXTS_A_SLICE = 1000;

const SHARE_DECIMALS = 4;

/** A point of the history of holders as readers see it, stored or of now. @param time Ripple epoch seconds. */
function holderPoint(time: number, { length, holders, active24H, ...shares }: HolderRecord) {
  return { time: unixMs(time), length, holders, ...roundedShares(shares), active24H };
}

/** Shares as every answer shows them. */
export function roundedShares<T extends Readonly<Record<string, number>>>(shares: T): T {
  const rows = Object.entries(shares).map(([name, share]) => [name, rounded(share, SHARE_DECIMALS)]);
  return Object.fromEntries(rows) as T;
}

interface ListOptions {
  /** Of a day ago; rows then show it. */
  readonly before?: DayBalances | undefined;
  readonly order?: Uint32Array | undefined;
}

export class Holders {
  readonly #engine: Engine;
  readonly #state: State;
  readonly #allRankings: HolderRankings;
  readonly #invalidation: Invalidation;
  readonly #xrp: XrpHolders;
  readonly #addresses: HolderAddresses;
  readonly #traders: Traders;
  readonly #orders: HolderOrders;

  constructor(engine: Engine, rankings: HolderRankings, invalidation: Invalidation, traders: Traders) {
    this.#traders = traders;
    this.#orders = new HolderOrders(engine, traders.orders);
    this.#engine = engine;
    this.#state = engine.state;
    this.#allRankings = rankings;
    this.#invalidation = invalidation;
    this.#xrp = new XrpHolders(engine.state, engine.traders.funders);
    this.#addresses = new HolderAddresses(engine.state.accounts);
    // The largest holders of XRP are looked up again by age; rankings are forgotten by the token views.
    invalidation.add({ applied: () => undefined, drop: () => this.#xrp.drop() });
  }

  /** Resolves when answers about a token's holders need no long computation; undefined: they need none now. */
  ready(token: number): Promise<void> | undefined {
    this.#invalidation.ensureCurrent();
    return token === XRP ? this.#xrp.ready(this.#now) : this.#rankings.ready(token);
  }

  /** Resolves when `info` and `graph` need no long computation; undefined: they need none now. */
  infoReady(token: number): Promise<void> | undefined {
    return token === XRP ? this.ready(token) : undefined;
  }

  /** Resolves when a page of the list needs no long computation; undefined: it needs none now. */
  listReady(token: number, query: HolderQuery): Promise<void> | undefined {
    const ranked = this.ready(token);
    const isSearched = token !== XRP && searchOf(query) !== undefined;
    const searchReady = () => this.#addresses.ready(this.#searched(token));
    if (!ranked) return isSearched ? searchReady() : undefined;
    return isSearched ? ranked.then(searchReady) : ranked;
  }

  #searched(token: number): Searched {
    const { lines } = this.#state;
    const ranked = this.#rankings.of(token).lines;
    const accountAt = (i: number) => lines.holderAccount(ranked[i]!, token);
    return { count: Math.min(ranked.length, SEARCHED_MAX), accountAt };
  }

  /**
   * How many hold the token, the shares of the largest in percent, and how many traded it in the last day: the point that
   * the history would get now.
   */
  info(token: number) {
    this.#invalidation.ensureCurrent();
    const now = this.#now;
    if (token === XRP) return this.#xrp.info(now);
    return holderPoint(now, this.#engine.market.holdersHistory.measure(token));
  }

  /** Stored points of the range, oldest first, and one of now. Times in Unix ms, shares in percent. */
  graph(token: number, range: Range): Record<string, number>[] {
    const now = this.#now;
    if (now === 0) return [];
    const from = Math.max(0, now - RANGES[range].seconds);
    const points: Record<string, number>[] = [];
    this.#engine.store.records('holders', [token], { from, to: now - 1 }, (time, record) => {
      points.push(holderPoint(time, unpackHolders(record)));
      return true;
    });
    points.push(this.info(token));
    return points;
  }

  /** A page of the list in an order of its own, with the balances of a day ago. */
  async page(token: number, query: HolderQuery, sort: 'balance' | HolderOrder) {
    await this.listReady(token, query);
    if (token === XRP) return this.#xrp.page(query);
    const before = await this.#orders.dayBalances(token);
    const ranked = this.#rankings.of(token).lines;
    const price = this.#traders.rows.price(token);
    const { ascending } = query;
    const order =
      sort === 'balance'
        ? undefined
        : await this.#orders.lines(token, { by: sort, ascending }, ranked, price);
    return this.list(token, query, { before, order });
  }

  /** Resolves when `largest` needs no long computation; undefined: it needs none now. */
  largestReady(token: number): Promise<void> | undefined {
    const ranked = this.ready(token);
    if (token === XRP || this.#orders.dayBalancesNow(token)) return ranked;
    return Promise.all([ranked, this.#orders.dayBalances(token)]).then(() => undefined);
  }

  /**
   * The largest holders, with their balances of a day ago, and the close time (Ripple epoch seconds) at which those are others,
   * though no balance changes.
   */
  largest(token: number, limit: number) {
    const query = { offset: 0, limit, ascending: false, frozen: false };
    const orders = this.#orders;
    const before =
      token === XRP ? undefined : (orders.dayBalancesNow(token) ?? orders.lastDayBalances(token));
    const { expires = Number.POSITIVE_INFINITY } = before ?? {};
    return { ...this.list(token, query, { before }), expires };
  }

  /**
   * A page of the list, largest first (or smallest), and the ids of its accounts.
   * @param order lines in another order; those whose balance is gone since are left out
   */
  list(token: number, query: HolderQuery, { before, order }: ListOptions = {}) {
    if (token === XRP) return this.#xrp.list(query);
    const ranking = this.#rankings.of(token);
    const matching = this.#matching(token, query);
    const shown = order && orderOf(order, ranking.lines, this.#state.lines.table.count, matching);
    const count = shown?.length ?? matching?.length ?? ranking.lines.length;
    const richList: HolderRow[] = [];
    const accounts: number[] = [];
    const stop = Math.min(count, query.offset + query.limit);
    for (let i = query.offset; i < stop; i++) {
      const at = query.ascending ? count - 1 - i : i;
      const row = shown ? this.#placeOf(token, shown[i]!) : (matching?.[at] ?? at);
      if (row === undefined) continue;
      const line = ranking.lines[row]!;
      const account = this.#state.lines.holderAccount(line, token);
      const raw = before?.of.get(account) ?? this.#state.lines.balanceRaw(line, token);
      const balance24h = before && { balance24h: this.#state.tokens.text(token, ...raw) };
      richList.push({ ...this.row(token, line, row + 1), ...balance24h });
      accounts.push(account);
    }
    const summary = holderSummary(roundedShares(this.#shares(token)), this.#state.lines.frozenCount(token));
    return { summary, length: count, richList, accounts };
  }

  /** Row of a line in the ranking; undefined: its balance is gone since it was put in order. */
  #placeOf(token: number, line: number): number | undefined {
    const rank = this.#state.lines.carries(line, token) ? this.#rankings.rank(token, line) : undefined;
    return rank === undefined ? undefined : rank - 1;
  }

  /** One holder. @param rank 1 = largest. */
  row(token: number, line: number, rank: number): HolderRow {
    const { lines, accounts, tokens } = this.#state;
    const account = lines.holderAccount(line, token);
    const balance = tokens.decimal(token, ...lines.balanceRaw(line, token));
    const amount = decimalNumber(balance);
    const price = this.#traders.rows.price(token);
    const byIssuer = lines.frozenByIssuer(line, token);
    return {
      account: accounts.text(account),
      balance: decimalText(balance),
      holding: holdingPercent(balance, lines.supply(token)),
      rank,
      freeze: byIssuer || lines.frozenByHolder(line, token),
      ...(byIssuer && { frozenByIssuer: true as const }),
      isCreator: account === this.#engine.flows.creators.of(token),
      ...(price !== undefined && { value: amount * price }),
      ...holderAccount(this.#state, this.#engine.traders.funders, account),
      ...holderTrading(this.#engine, this.#traders.rows, token, account, amount),
    };
  }

  /**
   * `holding` is percent of the supply, two decimals, rounded down; rank null for an account that holds nothing, or is
   * not among the largest holders of XRP.
   */
  position(token: number, address: string) {
    const { lines, accounts, tokens, fees } = this.#state;
    const account = accounts.findText(address);
    const balance = account === undefined ? ZERO : this.#balance(token, account);
    const supply = token === XRP ? { m: fees.totalDrops, e: -6 } : lines.supply(token);
    const positive = balance.m > 0n && supply.m > 0n;
    const holding = positive
      ? truncateDecimal(quotient({ m: balance.m * 100n, e: balance.e }, supply, 34), 2)
      : undefined;
    return {
      account: address,
      md5: tokens.md5(token),
      balance: decimalText(balance),
      holding: holding === undefined ? 0 : Number(decimalText(holding)),
      rank: this.#rank(token, account),
      holders: lines.holdersCount(token),
    };
  }

  #balance(token: number, account: number): Decimal {
    const { accounts, lines, tokens } = this.#state;
    if (token === XRP) return accounts.exists(account) ? { m: accounts.balanceDrops(account), e: -6 } : ZERO;
    const line = lines.find(account, token);
    return line === undefined ? ZERO : tokens.decimal(token, ...lines.balanceRaw(line, token));
  }

  #rank(token: number, account: number | undefined): number | null {
    if (account === undefined) return null;
    if (token === XRP) return this.#xrp.rank(account);
    const line = this.#state.lines.find(account, token);
    return line === undefined ? null : (this.#rankings.rank(token, line) ?? null);
  }

  /** Rank of each account, null for those that have none. */
  ranks(token: number, addresses: readonly string[]) {
    const { lines, accounts } = this.#state;
    return {
      ranks: Object.fromEntries(
        addresses.map((address) => [address, this.#rank(token, accounts.findText(address))]),
      ),
      total: lines.holdersCount(token),
      source: 'ledger',
    };
  }

  /**
   * Accounts with a line and no balance, by line: all, or a page. The issuer and pools are left out and counted.
   * Made in slices: a token may have hundreds of thousands of lines.
   */
  async empty(token: number, page?: { readonly offset: number; readonly limit: number }) {
    const { lines, accounts, tokens, pools } = this.#state;
    const issuer = tokens.issuer(token);
    const list = lines.holders(token).slice();
    const empties: number[] = [];
    for (let i = 0; i < list.length; i++) {
      if (i % LINES_A_SLICE === LINES_A_SLICE - 1) await yieldToLoop();
      const line = list[i]!;
      // A ledger between two slices may have removed it.
      if (lines.carries(line, token) && !(lines.balanceNumber(line, token) > 0)) empties.push(line);
    }
    const found: number[] = [];
    let excluded = 0;
    // The order in which the state lists them is no promise.
    const ordered = Uint32Array.from(empties).sort();
    for (let i = 0; i < ordered.length; i++) {
      const line = ordered[i]!;
      const account = lines.holderAccount(line, token);
      if (account === issuer || pools.byAccount(account) !== undefined) excluded++;
      else found.push(account);
    }
    const shown = page ? found.slice(page.offset, page.offset + page.limit) : found;
    const texts = await mapInSlices(shown, TEXTS_A_SLICE, (account) => accounts.text(account));
    return { accounts: texts, total: found.length, excluded };
  }

  /** Close time of the newest ledger, Ripple epoch seconds. */
  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  get #rankings(): HolderRankings {
    this.#invalidation.ensureCurrent();
    return this.#allRankings;
  }

  /** Rows of the ranking that a query asks for; undefined = all. */
  #matching(token: number, query: HolderQuery): number[] | undefined {
    const { lines, accounts } = this.#state;
    const search = searchOf(query);
    const { frozen } = query;
    if (!frozen && search === undefined && query.minBalance === undefined && query.maxBalance === undefined)
      return undefined;
    const { minBalance = 0, maxBalance = Number.POSITIVE_INFINITY } = query;
    const ranking = this.#rankings.of(token);
    const isMatch = (row: number): boolean => {
      const balance = ranking.balances[row]!;
      return (
        balance >= minBalance && balance <= maxBalance && (!frozen || lines.isFrozen(ranking.lines[row]!))
      );
    };
    const whole = search === undefined ? undefined : accounts.findText(search);
    if (whole !== undefined) {
      const rank = this.#rank(token, whole);
      return rank !== null && isMatch(rank - 1) ? [rank - 1] : [];
    }
    if (search !== undefined) return this.#foundRows(token, search).filter(isMatch);
    const isFew = lines.frozenLines(token).size * FROZEN_PART < ranking.lines.length;
    if (frozen && isFew) return this.#rowsOf(token, lines.frozenLines(token)).filter(isMatch);
    const rows: number[] = [];
    for (let row = 0; row < ranking.lines.length; row++) if (isMatch(row)) rows.push(row);
    return rows;
  }

  /** Rows among the largest whose address contains a text. */
  #foundRows(token: number, part: string): number[] {
    const { lines } = this.#state;
    const accounts = this.#addresses.containing(part, this.#searched(token));
    const found = accounts.map((account) => lines.find(account, token));
    const rows = this.#rowsOf(
      token,
      found.filter((line) => line !== undefined),
    );
    return rows.filter((row) => row < SEARCHED_MAX);
  }

  /** Rows of lines in the ranking, each looked up. */
  #rowsOf(token: number, lines: Iterable<number>): number[] {
    const rows: number[] = [];
    for (const line of lines) {
      const rank = this.#rankings.rank(token, line);
      if (rank !== undefined) rows.push(rank - 1);
    }
    return rows.sort((a, b) => a - b);
  }

  #shares(token: number) {
    return topShares(this.#rankings.of(token).balances, decimalNumber(this.#state.lines.supply(token)));
  }
}

/** Lines in order, of the rows of a ranking that match. @param end exclusive bound of lines */
function orderOf(
  order: Uint32Array,
  ranked: Uint32Array,
  end: number,
  matching?: readonly number[],
): Uint32Array {
  if (!matching) return order;
  const wanted = new IdMarks(end);
  for (const row of matching) wanted.add(ranked[row]!);
  return order.filter((line) => wanted.has(line));
}
