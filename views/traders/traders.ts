/**
 * Answers about traders: lists over all of them, the traders of a token, and the pages of one. Figures are of trades from
 * `since` on (the first ledger whose trades were read); see engine/traders/positions.ts for how profit is counted.
 *
 * Cost: a list is ordered in another thread (trader-orders.ts); a page of one trader walks its positions, in slices.
 */
import { wholeDrops } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, mapInSlices } from '../../engine/event-loop.ts';
import type { HeavyReads } from '../../engine/heavy-reads.ts';
import { platformByNumber, platformNumber } from '../../engine/market/platforms.ts';
import type { Buckets } from '../../engine/traders/buckets.ts';
import { totalRoiOf, winRateOf } from '../../engine/traders/figures.ts';
import {
  addRow,
  type Interval,
  NO_WINDOW_SUM,
  positionWindow,
  rankKey,
  type TokenTraderSort,
  type TraderQuery,
  traderRoi,
  UNKNOWN,
  type WindowSum,
  windowOf,
} from '../../engine/traders/rankings.ts';
import { FURTHER_TAGS } from '../../engine/traders/sources.ts';
import { atOneVersion } from '../at-one-version.ts';
import { dateText } from '../date-text.ts';
import { percent, rounded } from '../number-format.ts';
import type { BestPayments } from '../quotes/best-payments.ts';
import { MarketDayViews } from './market-days.ts';
import { RotationViews } from './rotations.ts';
import { TokenStats } from './token-stats.ts';
import { TraderOrders } from './trader-orders.ts';
import { TraderRows, timeOf, xrpOf } from './trader-rows.ts';

/** Positions of one trader passed before other work may run: about 3 ms. */
const POSITIONS_A_SLICE = 2000;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export interface TraderListQuery extends Omit<TraderQuery, 'now'>, Page {
  readonly compact: boolean;
  /** Only this account. */
  readonly account?: number | undefined;
}

export interface TokenTradersQuery extends Page {
  readonly token: number;
  readonly interval: Interval;
  readonly sort: TokenTraderSort;
  readonly ascending: boolean;
  /** A part of an address. */
  readonly search?: string | undefined;
}

/** Which tokens of an account, and in which order. */
interface TokensQuery {
  readonly sort: TokenTraderSort;
  readonly ascending: boolean;
  /** Only this one. */
  readonly token: number | undefined;
}

/** Addresses searched, from the first of the order on: writing one costs about 4 us. */
const SEARCHED_MAX = 20_000;
/** Of these, before other work may run: about 3 ms. */
const SEARCHED_A_SLICE = 500;

export class Traders {
  readonly rows: TraderRows;
  readonly orders: TraderOrders;
  readonly days: MarketDayViews;
  readonly rotations: RotationViews;
  readonly stats: TokenStats;
  readonly #engine: Engine;

  constructor(engine: Engine, heavy: HeavyReads | undefined, payments: BestPayments) {
    this.#engine = engine;
    this.rows = new TraderRows(engine);
    this.orders = new TraderOrders(engine, heavy);
    this.days = new MarketDayViews(engine, [engine]);
    this.stats = new TokenStats(engine, this.rows, payments);
    this.rotations = new RotationViews(engine, this.orders);
  }

  /** Unix ms from which on trades were counted; null: no ledger has been read. */
  get since(): number | null {
    return timeOf(this.#engine.traders.since);
  }

  md5(token: number): string {
    return this.#engine.state.tokens.md5(token);
  }

  /** A page of the list over all traders. */
  async list({ offset, limit, compact, account, ...query }: TraderListQuery) {
    const { value, ledger } = await this.orders.traders(query);
    const own = account === undefined ? undefined : this.#engine.traders.traders.find(account);
    const rows = own === undefined ? value.rows : onlyRow(value.rows, own);
    const total = rows.length;
    const data = pageOf(rows, offset, limit).map((row) =>
      this.rows.trader(row, this.#sumOf(row, this.#engine.traders.hours).ownDrops, compact),
    );
    return { data, total, ledger };
  }

  /** A page of the traders of a token. */
  async ofToken({ token, interval, sort, ascending, search, offset, limit }: TokenTradersQuery) {
    const price = this.rows.price(token);
    const { value, ledger } = await this.orders.tokenTraders({ token, interval, sort, ascending, price });
    const rows = search === undefined ? value.rows : await this.#found(value.rows, token, search);
    const { traders: parts } = this.#engine;
    const window = windowOf(parts, interval);
    const traders = pageOf(rows, offset, limit).map((row) => {
      if (!window) return this.rows.tokenTrader(row, undefined);
      const trader = parts.traders.find(parts.positions.accounts[row]!);
      const { latestHour, latestDay } = parts.traders;
      const latest = (window.ring === parts.hours ? latestHour : latestDay)[trader]!;
      return this.rows.tokenTrader(row, positionWindow(window, row, latest, this.#now));
    });
    return { traders, total: rows.length, ledger };
  }

  async #found(rows: Uint32Array, token: number, search: string): Promise<Uint32Array> {
    const { accounts } = this.#engine.state;
    const { positions } = this.#engine.traders;
    const whole = accounts.findText(search);
    if (whole !== undefined) return onlyRow(rows, positions.find(whole, token));
    const part = search.toLowerCase();
    const searched = rows.subarray(0, SEARCHED_MAX);
    const isFound = await mapInSlices(searched, SEARCHED_A_SLICE, (row) =>
      accounts.text(positions.accounts[row]!).toLowerCase().includes(part),
    );
    return searched.filter((_, i) => isFound[i]);
  }

  /** The figures of an account over all its tokens. Zero for one that never traded. */
  async overview(address: string) {
    const trader = this.#traderOf(address);
    const [sums, rank] = await Promise.all([this.#sums(trader), this.#rank(trader)]);
    const { traders, hours, days } = this.#engine.traders;
    const day = this.#sumOf(trader, hours);
    const profit = traders.realised(trader);
    const { holding, unrealised } = sums;
    const total = xrpOf(profit) + unrealised;
    return {
      address,
      since: this.since,
      rank,
      isAMM: traders.isPool[trader] === 1,
      profit: xrpOf(profit),
      totalProfit: xrpOf(profit),
      unrealizedPnl: unrealised,
      totalPnl: wholeDrops(total),
      holdingValue: holding,
      roi: percent(traderRoi(traders, trader)) ?? null,
      totalRoi: percent(totalRoiOf(total, traders.spent[trader]!)) ?? null,
      winRate: percent(winRateOf(traders.winningTrades[trader]!, traders.losingTrades[trader]!)) ?? null,
      winningTokens: traders.winningTokens[trader]!,
      losingTokens: traders.losingTokens[trader]!,
      winningTrades: traders.winningTrades[trader]!,
      losingTrades: traders.losingTrades[trader]!,
      totalTokensTraded: sums.traded,
      totalTrades: traders.trades[trader]!,
      buyCount: traders.buys[trader]!,
      sellCount: traders.sells[trader]!,
      buyVolume: xrpOf(traders.spent[trader]!),
      sellVolume: xrpOf(traders.received[trader]!),
      dexVolume: xrpOf(traders.bookDrops[trader]!),
      ammVolume: xrpOf(traders.poolDrops[trader]!),
      dexProfit: xrpOf(traders.bookRealised[trader]!),
      ammProfit: xrpOf(traders.poolRealised[trader]!),
      volume24h: xrpOf(day.ownDrops),
      trades24h: day.ownTrades,
      profit24h: xrpOf(day.realised),
      profit7d: xrpOf(this.#sumOf(trader, days, 7).realised),
      profit30d: xrpOf(this.#sumOf(trader, days).realised),
      maxProfitTrade: xrpOf(traders.maxGain[trader]!),
      maxLossTrade: xrpOf(traders.maxLoss[trader]!),
      washTradingScore: rounded(traders.washScore(trader), 2),
      firstTradeDate: timeOf(traders.first[trader]!),
      lastTradeDate: timeOf(traders.last[trader]!),
    };
  }

  /** A page of the tokens of an account. @param token only this one */
  async tokens(address: string, sort: TokenTraderSort, ascending: boolean, page: Page, token?: number) {
    const trader = this.#traderOf(address);
    const rows = await atOneVersion([this.#engine], () =>
      this.#tokenOrder(trader, { sort, ascending, token }),
    );
    const { offset, limit } = page;
    const shown = pageOf(rows, offset, limit).map((row) => this.rows.token(row));
    return { tokens: shown, total: rows.length };
  }

  /** What an account did on each day (UTC) with a trade, newest first, from a day on. Close times, Ripple epoch seconds. */
  history(address: string, from: number, to: number) {
    const trader = this.#traderOf(address);
    const { traders, days } = this.#engine.traders;
    const byDay = new Map<number, TraderSum>();
    days.visit(traders.latestDay[trader]!, Math.max(from, this.historyStart), (row) => {
      const day = days.buckets[row]!;
      if (day > to) return;
      const sum = byDay.get(day) ?? emptySum();
      addOwn(days, row, sum);
      byDay.set(day, sum);
    });
    return [...byDay]
      .sort(([a], [b]) => b - a)
      .map(([day, sum]) => ({
        date: dateText(day * days.seconds),
        volume: xrpOf(sum.ownDrops),
        trades: sum.ownTrades,
        buyVolume: xrpOf(sum.spent),
        sellVolume: xrpOf(sum.received),
        profit: xrpOf(sum.realised),
      }));
  }

  /** Source tags by volume, largest first; `sourceTag` null: trades without one. */
  sources({ offset, limit }: Page, ascending: boolean) {
    const { sources } = this.#engine.traders;
    const rows = Array.from({ length: Math.max(0, sources.table.count - 1) }, (_, i) => i + 1)
      .filter((row) => sources.trades[row]! > 0)
      .sort((a, b) => (sources.drops[b]! - sources.drops[a]!) * (ascending ? -1 : 1) || a - b);
    const data = pageOf(rows, offset, limit).map((row) => {
      const sourceTag = sources.tag(row);
      const platform = sourceTag === undefined ? 0 : platformNumber(sourceTag);
      return {
        sourceTag: sourceTag ?? null,
        name: platformByNumber(platform)?.name ?? null,
        ...(row === FURTHER_TAGS && { further: true as const }),
        volume: xrpOf(sources.drops[row]!),
        volumeAMM: xrpOf(sources.poolDrops[row]!),
        trades: sources.trades[row]!,
        traders: sources.traders[row]!,
        firstTradeDate: timeOf(sources.first[row]!),
        lastTradeDate: timeOf(sources.last[row]!),
      };
    });
    return { sources: data, total: rows.length };
  }

  /** Figures of all that traded a token; pools are left out. */
  async totals(token: number) {
    const { value, ledger } = await this.orders.totals(token);
    const price = this.rows.price(token);
    const { held, cost, traders, winning, losing, trades, bought, sold, spent, received, realised } = value;
    return {
      ledger,
      traders,
      winningTraders: winning,
      losingTraders: losing,
      winRate: percent(winRateOf(winning, losing)) ?? null,
      trades,
      tokensBought: bought,
      tokensSold: sold,
      xrpBought: xrpOf(spent),
      xrpSold: xrpOf(received),
      avgBuyPrice: bought > 0 ? xrpOf(spent) / bought : null,
      avgSellPrice: sold > 0 ? xrpOf(received) / sold : null,
      profit: xrpOf(realised),
      heldWithCost: held,
      costOfHeld: xrpOf(cost),
      avgCost: held > 0 ? xrpOf(cost) / held : null,
      valueOfHeld: price === undefined ? null : held * price,
      activeTraders: value.active,
    };
  }

  /** First day that `history` has: days since the Ripple epoch. */
  get historyStart(): number {
    const { days } = this.#engine.traders;
    return Math.max(0, days.firstOf(this.#now, days.kept));
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  /** 0: none, whose columns are zero. */
  #traderOf(address: string): number {
    const account = this.#engine.state.accounts.findText(address);
    return account === undefined ? 0 : this.#engine.traders.traders.find(account);
  }

  /** 1: the largest realised profit; null: it never traded, or is a pool. */
  async #rank(trader: number): Promise<number | null> {
    const { traders } = this.#engine.traders;
    if (traders.trades[trader] === 0 || traders.isPool[trader] === 1) return null;
    const { value } = await this.orders.traders({ sort: 'totalProfit', withPools: false });
    const at = value.rows.indexOf(trader);
    return at < 0 ? null : at + 1;
  }

  /** Sums over the tokens of a trader that follow from prices and balances, XRP. */
  #sums(trader: number): Promise<{ holding: number; unrealised: number; traded: number }> {
    const { rows } = this;
    const { positions, traders } = this.#engine.traders;
    const newest = traders.newest[trader]!;
    return atOneVersion([this.#engine], function* () {
      let [holding, unrealised, traded, passed] = [0, 0, 0, 0];
      for (let row = newest; row !== 0; row = positions.next[row]!) {
        if (++passed % POSITIONS_A_SLICE === 0) yield;
        const value = rows.value(row, rows.price(positions.tokens[row]!));
        holding += value.holding;
        unrealised += value.unrealised;
        if (positions.trades[row]! > 0) traded++;
      }
      return { holding, unrealised: wholeDrops(unrealised), traded };
    });
  }

  *#tokenOrder(trader: number, { sort, ascending, token }: TokensQuery): CooperativeTask<number[]> {
    const { positions, traders } = this.#engine.traders;
    const found: { row: number; key: number }[] = [];
    let passed = 0;
    for (let row = traders.newest[trader]!; row !== 0; row = positions.next[row]!) {
      if (++passed % POSITIONS_A_SLICE === 0) yield;
      if (positions.trades[row] === 0 || (token !== undefined && positions.tokens[row] !== token)) continue;
      found.push({ row, key: rankKey(this.#figure(row, sort), ascending) });
    }
    return found.sort((a, b) => b.key - a.key || a.row - b.row).map(({ row }) => row);
  }

  #figure(row: number, sort: TokenTraderSort): number {
    const { positions } = this.#engine.traders;
    if (sort === 'volume') return positions.spent[row]! + positions.received[row]!;
    if (sort === 'trades') return positions.trades[row]!;
    if (sort === 'lastActive') return positions.last[row]!;
    const { total } = this.rows.value(row, this.rows.price(positions.tokens[row]!));
    return sort === 'pnl' ? total : (totalRoiOf(total, positions.spent[row]!) ?? UNKNOWN);
  }

  #sumOf(trader: number, ring: Buckets, count = ring.kept): TraderSum {
    const { traders, hours } = this.#engine.traders;
    const sum = emptySum();
    const latest = (ring === hours ? traders.latestHour : traders.latestDay)[trader]!;
    ring.visit(latest, ring.firstOf(this.#now, count), (row) => addOwn(ring, row, sum));
    return sum;
  }
}

interface TraderSum extends WindowSum {
  ownTrades: number;
  ownDrops: number;
}

function emptySum(): TraderSum {
  return { ...NO_WINDOW_SUM, ownTrades: 0, ownDrops: 0 };
}

function addOwn(ring: Buckets, row: number, sum: TraderSum): void {
  addRow(ring, row, sum);
  sum.ownTrades += ring.ownTrades[row]!;
  sum.ownDrops += ring.ownDrops[row]!;
}

/** A row, where it is among others: a search of the whole order, which is sequential. */
function onlyRow(rows: Uint32Array, row: number): Uint32Array {
  return rows.includes(row) ? Uint32Array.of(row) : new Uint32Array(0);
}

const pageOf = (rows: Uint32Array | readonly number[], offset: number, limit: number): number[] => [
  ...rows.slice(offset, offset + limit),
];
