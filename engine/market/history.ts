/**
 * Answers to /history: trade records that match a query, newest or oldest first, from the store and from what is
 * not durable yet.
 *
 *     ... store, ledgers up to the durable one ...][ pending, younger ]
 *
 * Paging is by cursor (ledger * 2^20 + number in the ledger: an exact JSON integer; the next page holds what lies
 * strictly behind it) or by offset, capped at OFFSET_MAX. One query visits at most VISITS_MAX records, so a filter
 * that matches nothing cannot hold up the main thread: it then answers what it found and a cursor that goes on.
 *
 * `total` counts what matches without paging: exact when it is cheap (a token's own counters, or everything fits in
 * the visits), else a lower bound with `totalExact` false.
 */
import { rawNumber } from '../codec/amount.ts';
import type { Position, Store, Walk } from '../store.ts';
import type { HistoryPage, HistoryQuery } from './figures.ts';
import type { PendingTrades } from './pending-trades.ts';
import type { Prices } from './prices.ts';
import { cursorLedger, cursorOf, TRADE_BYTES, TradeReader, TradeType } from './trade-record.ts';

export const OFFSET_MAX = 100_000;
export const VISITS_MAX = 200_000;
/** Visits spent on counting once the page itself is full. */
const COUNT_VISITS_MAX = 10_000;
/** Transaction and entry numbers of positions fit 16 bits. */
const NUMBER_MAX = 0xffff;

type HistoryStore = Pick<Store, 'trades' | 'tokenTrades' | 'accountTrades' | 'ledgerAt'>;

export class History {
  private readonly store: HistoryStore;
  private readonly pending: PendingTrades;
  private readonly prices: Prices;
  /** Last durable ledger: younger records come from `pending`. */
  private durableLedger = 0;

  constructor(store: HistoryStore, pending: PendingTrades, prices: Prices) {
    this.store = store;
    this.pending = pending;
    this.prices = prices;
  }

  durable(ledger: number): void {
    this.durableLedger = ledger;
  }

  page(query: HistoryQuery): HistoryPage {
    const total = this.ownTotal(query);
    const scan = new Scan(query, total === undefined && query.cursor === undefined);
    const descending = scan.direction === 'desc';
    if (descending) this.scanPending(scan, true);
    if (!scan.done) this.scanStore(scan, descending);
    if (!descending && !scan.done) this.scanPending(scan, false);
    return scan.page(total);
  }

  /** The exact total where the token's own counters tell it. */
  private ownTotal(query: HistoryQuery): number | undefined {
    const { token, account, type = 'trades' } = query;
    if (token === undefined || token === 0 || account !== undefined || isFiltered(query)) return undefined;
    const trades = this.prices.tradesEver(token);
    const liquidity = this.prices.liquidityEver(token);
    return type === 'trades' ? trades : type === 'liquidity' ? liquidity : trades + liquidity;
  }

  private scanPending(scan: Scan, newestFirst: boolean): void {
    const { pending } = this;
    const { count } = pending;
    for (let i = 0; i < count && !scan.done; i++) {
      const at = newestFirst ? count - 1 - i : i;
      if (cursorLedger(pending.cursor(at)) > this.durableLedger) scan.visit(pending.record(at));
    }
  }

  private scanStore(scan: Scan, reverse: boolean): void {
    const { query } = scan;
    const range = this.range(query);
    if (range === undefined) return;
    const walk: Walk<Position> = { ...range, reverse };
    const visit = (_position: Position, record: Uint8Array): boolean => {
      scan.visit(record);
      return !scan.done;
    };
    if (query.account !== undefined) this.store.accountTrades(query.account, walk, visit);
    else if (query.token !== undefined) this.store.tokenTrades(query.token, walk, visit);
    else this.store.trades(walk, visit);
  }

  /** Positions between which durable records can match; undefined when there are none. */
  private range(query: HistoryQuery): { from: Position; to: Position } | undefined {
    let first = 0;
    let last = this.durableLedger;
    if (query.start !== undefined) first = this.store.ledgerAt(query.start - 1)?.index ?? 0;
    if (query.end !== undefined) {
      const at = this.store.ledgerAt(query.end);
      if (at === undefined) return undefined;
      last = Math.min(last, at.index);
    }
    if (query.cursor !== undefined) {
      const ledger = cursorLedger(query.cursor);
      if (query.direction === 'asc') first = Math.max(first, ledger);
      else last = Math.min(last, ledger);
    }
    if (first > last) return undefined;
    return {
      from: { ledger: first, tx: 0, entry: 0 },
      to: { ledger: last, tx: NUMBER_MAX, entry: NUMBER_MAX },
    };
  }
}

/** True when a query asks for less than all records of its token or account of one type. */
function isFiltered(query: HistoryQuery): boolean {
  return (
    query.start !== undefined ||
    query.end !== undefined ||
    query.liquidityType !== undefined ||
    query.pairType !== undefined ||
    query.xrpOnly === true ||
    (query.xrpAmount !== undefined && query.xrpAmount > 0)
  );
}

const LIQUIDITY_TYPE = {
  create: TradeType.create,
  deposit: TradeType.deposit,
  withdraw: TradeType.withdraw,
} as const;

/** Whether a record is what a query asks for, paging aside. */
export function matches(query: HistoryQuery, record: TradeReader): boolean {
  const { token, account, type = 'trades' } = query;
  if (token !== undefined && record.paidToken !== token && record.gotToken !== token) return false;
  if (account !== undefined && record.maker !== account && record.taker !== account) return false;
  if (type !== 'all' && record.isLiquidity !== (type === 'liquidity')) return false;
  if (query.liquidityType !== undefined && record.isLiquidity) {
    if (record.type !== LIQUIDITY_TYPE[query.liquidityType]) return false;
  }
  const hasXrp = record.paidToken === 0 || record.gotToken === 0;
  if ((query.pairType === 'xrp' || query.xrpOnly) && !hasXrp) return false;
  if (query.pairType === 'token' && hasXrp) return false;
  if (query.xrpAmount !== undefined && query.xrpAmount > 0 && !(xrpLeg(record) >= query.xrpAmount))
    return false;
  const { closeTime } = record;
  return (
    (query.start === undefined || closeTime >= query.start) &&
    (query.end === undefined || closeTime <= query.end)
  );
}

/** XRP of the record's XRP leg; 0 when it has none. */
function xrpLeg(record: TradeReader): number {
  if (record.paidToken === 0) return rawNumber(0, record.paidHi, record.paidLo);
  return record.gotToken === 0 ? rawNumber(0, record.gotHi, record.gotLo) : 0;
}

/** One query under way. */
class Scan {
  readonly query: HistoryQuery;
  readonly direction: 'asc' | 'desc';
  /** Nothing further needs to be visited. */
  done = false;
  private readonly reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  private readonly counting: boolean;
  private readonly offset: number;
  private readonly truncated: boolean;
  private records: Uint8Array;
  private count = 0;
  private matched = 0;
  private visits = 0;
  private visitsWhenFull = 0;
  private hasMore = false;
  private cut = false;
  private lastCursor: number | undefined;

  /** @param counting go on behind the page to count what matches */
  constructor(query: HistoryQuery, counting: boolean) {
    this.query = query;
    this.counting = counting;
    this.direction = query.direction ?? 'desc';
    const asked = query.cursor === undefined ? (query.offset ?? 0) : 0;
    this.offset = Math.min(asked, OFFSET_MAX);
    this.truncated = asked + query.limit > OFFSET_MAX;
    this.records = new Uint8Array(Math.min(query.limit, 64) * TRADE_BYTES);
  }

  visit(record: Uint8Array): void {
    const { query } = this;
    if (
      this.visits >= VISITS_MAX ||
      (this.hasMore && this.visits - this.visitsWhenFull >= COUNT_VISITS_MAX)
    ) {
      this.cut = true;
      this.done = true;
      return;
    }
    this.visits++;
    const reader = this.reader.load(record);
    const cursor = cursorOf(reader.ledger, reader.number);
    if (query.cursor !== undefined && !this.isBehind(cursor, query.cursor)) return;
    if (!this.hasMore) this.lastCursor = cursor;
    if (!matches(query, reader)) return;
    this.matched++;
    if (this.matched <= this.offset) return;
    if (this.count < query.limit && (query.cursor !== undefined || this.offset + this.count < OFFSET_MAX)) {
      this.take(record);
    } else if (!this.hasMore) {
      this.hasMore = true;
      this.visitsWhenFull = this.visits;
      this.lastCursor = this.takenCursor();
      if (!this.counting) this.done = true;
    }
  }

  private isBehind(cursor: number, from: number): boolean {
    return this.direction === 'desc' ? cursor < from : cursor > from;
  }

  private take(record: Uint8Array): void {
    const at = this.count * TRADE_BYTES;
    if (at + TRADE_BYTES > this.records.length) {
      const larger = new Uint8Array(Math.max(this.records.length * 2, TRADE_BYTES));
      larger.set(this.records);
      this.records = larger;
    }
    this.records.set(record.subarray(0, TRADE_BYTES), at);
    this.count++;
  }

  /** Cursor of the last record on the page. */
  private takenCursor(): number | undefined {
    if (this.count === 0) return this.lastCursor;
    const reader = this.reader.load(this.records).at(this.count - 1);
    return cursorOf(reader.ledger, reader.number);
  }

  page(ownTotal: number | undefined): HistoryPage {
    const records = this.records.subarray(0, this.count * TRADE_BYTES);
    const hasMore = this.hasMore || this.cut;
    const exact = ownTotal !== undefined || (this.counting && !this.cut);
    let timeRange: { start: number; end: number } | undefined;
    if (this.count > 0) {
      const first = this.reader.load(records).at(0).closeTime;
      const last = this.reader.at(this.count - 1).closeTime;
      timeRange = { start: Math.min(first, last), end: Math.max(first, last) };
    }
    return {
      records,
      count: this.count,
      total: ownTotal ?? this.matched,
      totalExact: exact,
      offset: this.offset,
      limit: this.query.limit,
      direction: this.direction,
      nextCursor: hasMore ? this.lastCursor : undefined,
      hasMore,
      truncated: this.truncated,
      timeRange,
    };
  }
}
