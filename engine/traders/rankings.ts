/**
 * Lists over many traders: who comes first, by one of their figures. One pass over columns gathers the rows that match
 * and the figure of each, then a radix sort orders them; in a worker thread where there is one (engine/heavy-reads.ts),
 * here in slices where there is none.
 *
 *     traders (1.5 million) --filter, figure--> rows, keys --sort--> rows in order        of all tokens
 *     positions of a token, or its rows of a window --sum--> positions, keys --sort-->    of one token
 *
 * Rows of equal figures are in the order of their numbers, so that pages do not overlap. Cost: 10 ms a million rows to gather,
 * 60 ms to sort.
 */

import { DROPS_PER_XRP } from '../codec/amount.ts';
import { growTo } from '../columns.ts';
import type { CooperativeTask } from '../event-loop.ts';
import { roundingOfSum } from '../metrics/rounding-of-sum.ts';
import { sortDescending } from '../metrics/sort-descending.ts';
import { DAY } from '../ripple-time.ts';
import type { Buckets } from './buckets.ts';
import { type PositionWorth, percentOf, roiOf, unrealisedOf, winRateOf } from './figures.ts';
import type { TraderParts } from './shared-traders.ts';
import type { TraderTable } from './trader-table.ts';

/** Rows passed before other work may run: about 3 ms. */
const ROWS_A_SLICE = 50_000;
/** A figure that is not known. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

export const TRADER_SORTS = [
  'volume24h',
  'totalVolume',
  'totalProfit',
  'totalTrades',
  'buyVolume',
  'sellVolume',
  'avgROI',
  'winRate',
  'washTradingScore',
  'lastActive',
  'xrpBalance',
] as const;
export type TraderSort = (typeof TRADER_SORTS)[number];

/** Drops for amounts, percent for rates, Ripple epoch seconds for times. Absent: any. */
export interface TraderQuery {
  readonly sort: TraderSort;
  /** Smallest first. Default: largest first. Unknown figures come last either way. */
  readonly ascending?: boolean;
  /** Close time of the newest ledger. */
  readonly now: number;
  readonly minVolume?: number | undefined;
  readonly minTrades?: number | undefined;
  readonly minProfit?: number | undefined;
  readonly minRoi?: number | undefined;
  readonly minTokens?: number | undefined;
  /** Bounds of the last trade. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly withPools: boolean;
}

/** Rows in order. */
export interface RankedRows {
  readonly rows: Uint32Array;
}

/** XRP that an account has, in drops; 0: it does not exist. */
export type BalanceOf = (account: number) => number;

/** The rows of traders that a query asks for, in order. */
export function* rankTraders(
  parts: TraderParts,
  query: TraderQuery,
  balanceOf: BalanceOf,
): CooperativeTask<Gathered> {
  const { traders } = parts;
  const { count } = traders.table;
  const volumes = query.sort === 'volume24h' ? volumesSince(parts, query.now) : undefined;
  const figure = figureOf(traders, query.sort, balanceOf, volumes);
  const gathered = new Gathered(count, query.ascending);
  for (let row = 1; row < count; row++) {
    if (row % ROWS_A_SLICE === 0) yield;
    if (matches(traders, row, query)) gathered.add(row, figure(row));
  }
  return gathered;
}

function matches(traders: TraderTable, row: number, query: TraderQuery): boolean {
  const { minVolume, minTrades = 1, minProfit, minRoi, minTokens, from, to } = query;
  if (traders.trades[row]! < Math.max(1, minTrades)) return false;
  if (!query.withPools && traders.isPool[row] === 1) return false;
  if (minVolume !== undefined && traders.volume(row) < minVolume) return false;
  if (minProfit !== undefined && traders.realised(row) < minProfit) return false;
  if (minTokens !== undefined && traders.tokens[row]! < minTokens) return false;
  if (minRoi !== undefined && !((traderRoi(traders, row) ?? Number.NEGATIVE_INFINITY) >= minRoi))
    return false;
  const last = traders.last[row]!;
  return (from === undefined || last >= from) && (to === undefined || last <= to);
}

/** Realised profit in percent of what was sold had cost; undefined: nothing that had a cost was sold. */
export function traderRoi(traders: TraderTable, row: number): number | undefined {
  return roiOf(traders.realised(row), traders.spent[row]! - traders.cost[row]!);
}

function figureOf(
  traders: TraderTable,
  sort: TraderSort,
  balanceOf: BalanceOf,
  volumes: Float64Array | undefined,
): (row: number) => number {
  switch (sort) {
    case 'volume24h':
      return (row) => volumes![row]!;
    case 'totalVolume':
      return (row) => traders.volume(row);
    case 'totalProfit':
      return (row) => traders.realised(row);
    case 'totalTrades':
      return (row) => traders.trades[row]!;
    case 'buyVolume':
      return (row) => traders.spent[row]!;
    case 'sellVolume':
      return (row) => traders.received[row]!;
    case 'avgROI':
      return (row) => traderRoi(traders, row) ?? UNKNOWN;
    case 'winRate':
      return (row) => winRateOf(traders.winningTrades[row]!, traders.losingTrades[row]!) ?? UNKNOWN;
    case 'washTradingScore':
      return (row) => traders.washScore(row);
    case 'lastActive':
      return (row) => traders.last[row]!;
    case 'xrpBalance':
      return (row) => balanceOf(traders.accounts[row]!);
  }
}

/** Drops that each trader traded in the last 24 hours. */
function volumesSince({ hours, positions, traders }: TraderParts, now: number): Float64Array {
  const volumes = new Float64Array(traders.table.count);
  const from = hours.firstOf(now, hours.kept);
  for (let sequence = hours.head - 1; sequence >= hours.tail; sequence--) {
    const row = hours.rowOf(sequence);
    if (hours.buckets[row]! < from) break;
    const trader = traders.find(positions.accounts[hours.positions[row]!]!);
    volumes[trader]! += hours.ownDrops[row]!;
  }
  return volumes;
}

export const TOKEN_TRADER_SORTS = ['volume', 'trades', 'pnl', 'roi', 'lastActive'] as const;
export type TokenTraderSort = (typeof TOKEN_TRADER_SORTS)[number];
export const INTERVALS = ['24h', '7d', '30d', 'all'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface TokenTraderQuery {
  readonly token: number;
  readonly interval: Interval;
  readonly sort: TokenTraderSort;
  /** As that of traders. */
  readonly ascending?: boolean;
  readonly now: number;
  /** XRP per token; undefined: not known. */
  readonly price: number | undefined;
}

/** Tokens that an account has. */
export type TokenBalanceOf = (account: number) => number;

/** The positions in a token with trades in an interval, in order. */
export function* rankTokenTraders(
  parts: TraderParts,
  query: TokenTraderQuery,
  balanceOf: TokenBalanceOf,
): CooperativeTask<Gathered> {
  const { positions } = parts;
  const { token, interval } = query;
  const window = windowOf(parts, interval);
  if (window) return gatherWindow(parts, query, window, balanceOf);
  const { count } = positions.table;
  let found = new Uint32Array(1024);
  let size = 0;
  for (let row = 1; row < count; row++) {
    if (row % ROWS_A_SLICE === 0) yield;
    if (positions.tokens[row] !== token || positions.trades[row] === 0) continue;
    found = growTo(found, size + 1);
    found[size++] = row;
  }
  const gathered = new Gathered(size + 1, query.ascending);
  for (let i = 0; i < size; i++) {
    const row = found[i]!;
    gathered.add(row, positionFigure(parts, query, row, balanceOf));
  }
  return gathered;
}

function positionFigure(
  { positions }: TraderParts,
  { sort, price }: TokenTraderQuery,
  row: number,
  balanceOf: TokenBalanceOf,
): number {
  if (sort === 'volume') return positions.spent[row]! + positions.received[row]!;
  if (sort === 'trades') return positions.trades[row]!;
  if (sort === 'lastActive') return positions.last[row]!;
  const balance = balanceOf(positions.accounts[row]!);
  const pnl =
    positions.realised[row]! + unrealisedOf(worthOf(positions, row), balance, price) * DROPS_PER_XRP;
  return sort === 'pnl' ? pnl : (percentOf(pnl, positions.spent[row]!) ?? UNKNOWN);
}

/** What `unrealisedOf` needs of a position. */
export function worthOf(positions: TraderParts['positions'], row: number): PositionWorth {
  return { held: positions.held[row]!, cost: positions.cost[row]! };
}

export interface Window {
  readonly ring: Buckets;
  /** Buckets, the present one included. */
  readonly count: number;
}

/** The ring and the number of its buckets that hold an interval; undefined: all time. */
export function windowOf({ hours, days }: TraderParts, interval: Interval): Window | undefined {
  if (interval === 'all') return undefined;
  if (interval === '24h') return { ring: hours, count: hours.kept };
  return { ring: days, count: interval === '7d' ? 7 : days.kept };
}

/** What a position did in a window; drops, tokens. */
export interface WindowSum {
  trades: number;
  bought: number;
  sold: number;
  spent: number;
  received: number;
  realised: number;
  /** What the sums of tokens lost by rounding. */
  boughtRest: number;
  soldRest: number;
}

export const NO_WINDOW_SUM: WindowSum = {
  trades: 0,
  bought: 0,
  sold: 0,
  spent: 0,
  received: 0,
  realised: 0,
  boughtRest: 0,
  soldRest: 0,
};

/** Sums by position over a window: of the positions in one token. */
export function tokenWindow(parts: TraderParts, token: number, { ring, count }: Window, now: number) {
  const { positions } = parts;
  const sums = new Map<number, WindowSum>();
  const from = ring.firstOf(now, count);
  for (let sequence = ring.head - 1; sequence >= ring.tail; sequence--) {
    const row = ring.rowOf(sequence);
    if (ring.buckets[row]! < from) break;
    const position = ring.positions[row]!;
    if (positions.tokens[position] !== token) continue;
    const known = sums.get(position);
    const sum = known ?? { ...NO_WINDOW_SUM };
    addRow(ring, row, sum);
    if (!known) sums.set(position, sum);
  }
  return sums;
}

/** What one position did in a window. @param latest sequence + 1 of its trader's newest row */
export function positionWindow(
  { ring, count }: Window,
  position: number,
  latest: number,
  now: number,
): WindowSum {
  const sum = { ...NO_WINDOW_SUM };
  ring.visit(latest, ring.firstOf(now, count), (row) => {
    if (ring.positions[row] === position) addRow(ring, row, sum);
  });
  return { ...sum, bought: sum.bought + sum.boughtRest, sold: sum.sold + sum.soldRest };
}

export function addRow(ring: Buckets, row: number, sum: WindowSum): void {
  sum.trades += ring.trades[row]!;
  sum.boughtRest += roundingOfSum(sum.bought, ring.bought[row]!) + ring.boughtRest[row]!;
  sum.bought += ring.bought[row]!;
  sum.soldRest += roundingOfSum(sum.sold, ring.sold[row]!) + ring.soldRest[row]!;
  sum.sold += ring.sold[row]!;
  sum.spent += ring.spent[row]!;
  sum.received += ring.received[row]!;
  sum.realised += ring.realised[row]!;
}

function gatherWindow(
  parts: TraderParts,
  query: TokenTraderQuery,
  window: Window,
  balanceOf: TokenBalanceOf,
): Gathered {
  const { positions } = parts;
  const sums = tokenWindow(parts, query.token, window, query.now);
  const gathered = new Gathered(sums.size + 1, query.ascending);
  for (const [row, sum] of sums) {
    const figure =
      query.sort === 'volume'
        ? sum.spent + sum.received
        : query.sort === 'trades'
          ? sum.trades
          : query.sort === 'lastActive'
            ? positions.last[row]!
            : positionFigure(parts, query, row, balanceOf);
    gathered.add(row, figure);
  }
  return gathered;
}

/** What is sorted by, largest first. */
export const rankKey = (figure: number, ascending: boolean): number =>
  ascending && figure !== UNKNOWN ? 0 - figure : figure;

/** Rows with their figures, to be ordered. */
export class Gathered {
  readonly #rows: Uint32Array;
  readonly #keys: Float64Array;
  readonly #ascending: boolean;
  #count = 0;

  /** @param most rows that may be added */
  constructor(most: number, ascending = false) {
    this.#rows = new Uint32Array(most);
    this.#keys = new Float64Array(most);
    this.#ascending = ascending;
  }

  add(row: number, figure: number): void {
    this.#rows[this.#count] = row;
    this.#keys[this.#count++] = rankKey(figure, this.#ascending);
  }

  /** By figure; equal ones by row. @param shared put the rows on shared memory */
  ordered(shared = false): RankedRows {
    const count = this.#count;
    const order = new Uint32Array(count);
    for (let i = 0; i < count; i++) order[i] = i;
    sortDescending(order, this.#keys);
    const rows = shared ? new Uint32Array(new SharedArrayBuffer(count * 4)) : new Uint32Array(count);
    const keys = this.#keys;
    for (let start = 0; start < count; ) {
      let stop = start + 1;
      while (stop < count && keys[order[stop]!] === keys[order[start]!]) stop++;
      for (let i = start; i < stop; i++) rows[i] = this.#rows[order[i]!]!;
      if (stop - start > 1) rows.subarray(start, stop).sort();
      start = stop;
    }
    return { rows };
  }
}

/** Figures of all that trade a token: traders, those ahead, sums in drops and tokens. */
export interface TokenTotals {
  traders: number;
  winning: number;
  losing: number;
  trades: number;
  bought: number;
  sold: number;
  spent: number;
  received: number;
  realised: number;
  held: number;
  cost: number;
  /** Traders with a trade in the time up to now. */
  active: Record<Interval, number>;
}

/** Sums over the positions in a token; pools are left out. */
export function* tokenTotals(parts: TraderParts, token: number, now: number): CooperativeTask<TokenTotals> {
  const { positions, traders } = parts;
  const active = { '24h': 0, '7d': 0, '30d': 0, all: 0 };
  const sums = { trades: 0, bought: 0, sold: 0, spent: 0, received: 0, realised: 0, held: 0, cost: 0 };
  const totals: TokenTotals = { traders: 0, winning: 0, losing: 0, ...sums, active };
  const { count } = positions.table;
  for (let row = 1; row < count; row++) {
    if (row % ROWS_A_SLICE === 0) yield;
    if (positions.tokens[row] !== token || positions.trades[row] === 0) continue;
    if (traders.isPool[traders.find(positions.accounts[row]!)] === 1) continue;
    totals.traders++;
    const realised = positions.realised[row]!;
    if (realised > 0) totals.winning++;
    else if (realised < 0) totals.losing++;
    totals.trades += positions.trades[row]!;
    totals.bought += positions.bought[row]!;
    totals.sold += positions.sold[row]!;
    totals.spent += positions.spent[row]!;
    totals.received += positions.received[row]!;
    totals.realised += realised;
    totals.held += positions.held[row]!;
    totals.cost += positions.cost[row]!;
    const age = now - positions.last[row]!;
    for (const interval of INTERVALS) if (age < ACTIVE_SPANS[interval]) active[interval]++;
  }
  return totals;
}

/** How many traded in an interval, and the XRP that they have now; pools are left out. */
export interface ActiveTraders {
  readonly traders: number;
  /** Drops. */
  readonly balance: number;
}

const ACTIVE_SPANS: Readonly<Record<Interval, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  all: Number.POSITIVE_INFINITY,
};

export function* activeTraders(
  { traders }: Pick<TraderParts, 'traders'>,
  now: number,
  balanceOf: BalanceOf,
): CooperativeTask<Record<Interval, ActiveTraders>> {
  const counts = INTERVALS.map((interval) => ({ interval, traders: 0, balance: 0 }));
  const { count } = traders.table;
  for (let row = 1; row < count; row++) {
    if (row % ROWS_A_SLICE === 0) yield;
    if (traders.trades[row] === 0 || traders.isPool[row] === 1) continue;
    const age = now - traders.last[row]!;
    const balance = balanceOf(traders.accounts[row]!);
    for (const one of counts) {
      if (age >= ACTIVE_SPANS[one.interval]) continue;
      one.traders++;
      one.balance += balance;
    }
  }
  const entries = counts.map(({ interval, traders, balance }) => [interval, { traders, balance }] as const);
  return Object.fromEntries(entries) as Record<Interval, ActiveTraders>;
}
