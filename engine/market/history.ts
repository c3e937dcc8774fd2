/**
 * Answers to /history: trade records that match a query, newest or oldest first, from the store and from what is
 * not durable yet.
 *
 *     ... store, ledgers up to the durable one ...][ pending, younger ]
 *
 * Paging is by cursor (ledger * 2^20 + number in the ledger: an exact JSON integer; the next page has the records
 * after it) or by offset, capped at OFFSET_MAX. One query visits at most VISITS_MAX records, so a filter
 * that matches nothing cannot block the main thread: the answer is then what was found, and a cursor to continue.
 *
 * The total number of matching records is given only where it is exact on every page: from the counters of a token or an
 * account, or by counting, where that is cheap.
 */
import { rawNumber } from '../codec/amount.ts';
import { XRP } from '../state/tokens.ts';
import { type Position, PRUNED_TRADES_VALUE, type Store, type Walk } from '../store.ts';
import type { AccountCounts } from './account-counts.ts';
import type { HistoryPage, HistoryQuery } from './figures.ts';
import type { PendingTrades } from './pending-trades.ts';
import type { Prices } from './prices.ts';
import { cursorLedger, cursorOf, TRADE_BYTES, TradeReader, TradeType } from './trade-record.ts';

/** Offset paging ends here; a cursor can continue. */
const OFFSET_MAX = 100_000;
export const VISITS_MAX = 200_000;
/** Records that are visited to count those that match: about 20 ms, once a ledger for all pages of a query. */
const COUNT_VISITS_MAX = 10_000;
/** Visits of a query that is answered synchronously: about 30 ms. */
export const VISITS_AT_ONCE = 20_000;
/** Visits before the event loop runs, where the caller can wait: about 20 ms. */
const VISITS_A_SLICE = 10_000;
/** Transaction and entry numbers of positions fit 16 bits. */
const NUMBER_MAX = 0xffff;

/** First and last position of a search, both inclusive. */
interface Range {
  readonly from: Position;
  readonly to: Position;
  /** One of them that was visited already. */
  readonly except?: Position;
}

const samePosition = (a: Position, b: Position): boolean =>
  a.ledger === b.ledger && a.tx === b.tx && a.entry === b.entry;

/** Receives the records of a query one after another, until it is done. */
interface Visitor {
  readonly done: boolean;
  visit(record: Uint8Array): void;
}

/** Ripple epoch seconds, both included. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** Only records with this token. */
  readonly token?: number | undefined;
  readonly direction?: 'asc' | 'desc';
}

type HistoryStore = Pick<Store, 'trades' | 'tokenTrades' | 'accountTrades' | 'ledgerAt' | 'value'>;

export class History {
  readonly #store: HistoryStore;
  readonly #pending: PendingTrades;
  readonly #prices: Prices;
  readonly #accountCounts: AccountCounts;
  /** Last durable ledger: younger records come from `pending`. */
  #durableLedger = 0;
  /** First ledger whose trades are kept, and its close time. */
  #kept: { readonly first: number; readonly time: number } | undefined;

  constructor(store: HistoryStore, pending: PendingTrades, prices: Prices, accountCounts: AccountCounts) {
    this.#store = store;
    this.#pending = pending;
    this.#prices = prices;
    this.#accountCounts = accountCounts;
  }

  durable(ledger: number): void {
    this.#durableLedger = ledger;
  }

  /** @param visits the most records that are read */
  page(query: HistoryQuery, visits = VISITS_MAX): HistoryPage {
    const scan = new PageScan(query, visits);
    this.#walk(scan, query, Number.POSITIVE_INFINITY).next();
    return scan.page();
  }

  /**
   * As `page`, but yields to the event loop in between. Records that become durable meanwhile are not missed.
   * @param yieldToLoop lets other work run. @param slice visits before that.
   */
  async pageInSlices(
    query: HistoryQuery,
    yieldToLoop: () => Promise<void>,
    slice = VISITS_A_SLICE,
  ): Promise<HistoryPage> {
    const scan = new PageScan(query);
    for (const _ of this.#walk(scan, query, slice)) await yieldToLoop();
    return scan.page();
  }

  /**
   * How many records match a query, whatever page is asked for; undefined where there is no counter and counting would
   * take more than COUNT_VISITS_MAX visits.
   * @param yieldToLoop lets other work run. @param slice visits before that.
   */
  async total(
    query: HistoryQuery,
    yieldToLoop: () => Promise<void>,
    slice = VISITS_A_SLICE,
  ): Promise<number | undefined> {
    const kept = this.#keptTotal(query);
    if (kept !== undefined) return kept;
    const timed = query.start !== undefined || query.end !== undefined;
    if (!timed && this.#indexed(query) > COUNT_VISITS_MAX) return undefined;
    const { cursor: _, ...every } = query;
    const count = new MatchCount(query);
    for (const _slice of this.#walk(count, every, slice)) await yieldToLoop();
    return count.total;
  }

  /**
   * Visits every record of a span of close times, of any type, oldest first unless asked otherwise, until `visit` returns
   * false. The record is valid during the call only.
   * @param yieldToLoop lets other work run. @param slice visits before that
   */
  async every(
    { start, end, token, direction = 'asc' }: Span,
    visit: (record: TradeReader) => unknown,
    yieldToLoop: () => Promise<void>,
    slice = VISITS_A_SLICE,
  ): Promise<void> {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    const visitor = {
      done: false,
      visit: (bytes: Uint8Array) => {
        const record = reader.load(bytes);
        if (record.closeTime < start || record.closeTime > end) return;
        if (token !== undefined && record.paidToken !== token && record.gotToken !== token) return;
        visitor.done = visit(record) === false;
      },
    };
    const query: HistoryQuery = {
      start,
      end,
      ...(token !== undefined && { token }),
      type: 'all',
      direction,
      limit: Number.POSITIVE_INFINITY,
    };
    for (const _slice of this.#walk(visitor, query, slice)) await yieldToLoop();
  }

  /**
   * Close time of the first ledger whose trades are kept, Ripple epoch seconds, where a query may have matched older ones, which
   * were pruned.
   */
  keptFrom({ start = 0 }: Pick<HistoryQuery, 'start'>): number | undefined {
    const first = this.#store.value(PRUNED_TRADES_VALUE) as number | undefined;
    if (first === undefined) return undefined;
    if (this.#kept?.first !== first) this.#kept = { first, time: this.#closeTimeOf(first) };
    return start < this.#kept.time ? this.#kept.time : undefined;
  }

  /** Close times ascend as ledgers do. */
  #closeTimeOf(ledger: number): number {
    let [low, high] = [0, 0xffffffff];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#store.ledgerAt(middle)?.index ?? 0) >= ledger) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The total, where it follows from the counters of the query's token or account. */
  #keptTotal(query: HistoryQuery): number | undefined {
    const { token, account, type = 'trades' } = query;
    if (isFiltered(query) || (token === undefined) === (account === undefined)) return undefined;
    // The counters have every record there ever was.
    if (this.#store.value(PRUNED_TRADES_VALUE) !== undefined) return undefined;
    const [trades, liquidity] = this.#counters(token, account);
    return type === 'trades' ? trades : type === 'liquidity' ? liquidity : trades + liquidity;
  }

  /** Records in the index that a query is answered from; 0 where they are not counted. */
  #indexed({ token, account }: HistoryQuery): number {
    if (token === undefined && account === undefined) return 0;
    const [trades, liquidity] = this.#counters(account === undefined ? token : undefined, account);
    return trades + liquidity;
  }

  #counters(token: number | undefined, account: number | undefined): [number, number] {
    const prices = this.#prices;
    const accountCounts = this.#accountCounts;
    return token === undefined
      ? [accountCounts.trades(account!), accountCounts.liquidity(account!)]
      : [prices.tradesEver(token), prices.liquidityEver(token)];
  }

  /**
   * Passes the records of a query to a visitor, in the query's direction; yields after every `slice` visits in the store.
   */
  *#walk(visitor: Visitor, query: HistoryQuery, slice: number): Generator<void, void, undefined> {
    const descending = query.direction !== 'asc';
    if (descending) this.#scanPending(visitor, true);
    let durable = this.#durableLedger;
    let range = this.#range(query);
    while (range && !visitor.done) {
      const last = this.#scanStore(visitor, query, range, descending, slice);
      if (last) {
        range = descending ? { ...range, to: last, except: last } : { ...range, from: last, except: last };
        yield;
      } else if (!descending && this.#durableLedger > durable) {
        const from = { ledger: durable + 1, tx: 0, entry: 0 };
        durable = this.#durableLedger;
        const whole = this.#range(query);
        range = whole && whole.to.ledger >= from.ledger ? { from, to: whole.to } : undefined;
      } else break;
    }
    if (!descending && !visitor.done) this.#scanPending(visitor, false);
  }

  #scanPending(visitor: Visitor, newestFirst: boolean): void {
    const pending = this.#pending;
    const { count } = pending;
    for (let i = 0; i < count && !visitor.done; i++) {
      const at = newestFirst ? count - 1 - i : i;
      if (cursorLedger(pending.cursor(at)) > this.#durableLedger) visitor.visit(pending.record(at));
    }
  }

  /** Visits at most `visits` records of the range. Returns the last position when there may be more after it. */
  #scanStore(
    visitor: Visitor,
    query: HistoryQuery,
    range: Range,
    reverse: boolean,
    visits: number,
  ): Position | undefined {
    const { except } = range;
    const walk: Walk<Position> = { from: range.from, to: range.to, reverse };
    let left = visits;
    let last: Position | undefined;
    const visit = (position: Position, record: Uint8Array): boolean => {
      if (except && samePosition(position, except)) return true;
      visitor.visit(record);
      if (--left > 0) return !visitor.done;
      last = { ledger: position.ledger, tx: position.tx, entry: position.entry };
      return false;
    };
    if (query.account !== undefined) this.#store.accountTrades(query.account, walk, visit);
    else if (query.token !== undefined) this.#store.tokenTrades(query.token, walk, visit);
    else this.#store.trades(walk, visit);
    return last;
  }

  /** The range of positions in which durable records can match; undefined when there are none. */
  #range(query: HistoryQuery): Range | undefined {
    let first = 0;
    let last = this.#durableLedger;
    if (query.start !== undefined) first = this.#store.ledgerAt(query.start - 1)?.index ?? 0;
    if (query.end !== undefined) {
      const at = this.#store.ledgerAt(query.end);
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
    (query.liquidityType !== undefined && query.type !== 'trades' && query.type !== undefined) ||
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

/** Whether a record matches a query, regardless of paging. */
export function matches(query: HistoryQuery, record: TradeReader): boolean {
  const { token, account, type = 'trades' } = query;
  if (token !== undefined && record.paidToken !== token && record.gotToken !== token) return false;
  if (account !== undefined && record.maker !== account && record.taker !== account) return false;
  if (type !== 'all' && record.isLiquidity !== (type === 'liquidity')) return false;
  if (query.liquidityType !== undefined && record.isLiquidity) {
    if (record.type !== LIQUIDITY_TYPE[query.liquidityType]) return false;
  }
  const { hasXrp } = record;
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
  if (record.paidToken === XRP) return rawNumber(0, record.paidHi, record.paidLo);
  return record.gotToken === XRP ? rawNumber(0, record.gotHi, record.gotLo) : 0;
}

/** Counts the records that match a query; stops without a result after too many visits. */
class MatchCount implements Visitor {
  done = false;
  readonly #query: HistoryQuery;
  readonly #reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  #matched = 0;
  #visits = 0;

  constructor(query: HistoryQuery) {
    this.#query = query;
  }

  visit(record: Uint8Array): void {
    if (this.#visits++ === COUNT_VISITS_MAX) this.done = true;
    else if (matches(this.#query, this.#reader.load(record))) this.#matched++;
  }

  /** undefined: there were too many. */
  get total(): number | undefined {
    return this.done ? undefined : this.#matched;
  }
}

/** Offset at which the page of a query begins, and whether the page crosses OFFSET_MAX. A cursor has no offset. */
export function pageOffset({ cursor, offset = 0, limit }: Pick<HistoryQuery, 'cursor' | 'offset' | 'limit'>) {
  const first = cursor === undefined ? offset : 0;
  return { offset: Math.min(first, OFFSET_MAX), truncated: first + limit > OFFSET_MAX };
}

/** Collects the records of one page. */
class PageScan implements Visitor {
  readonly query: HistoryQuery;
  readonly direction: 'asc' | 'desc';
  /** Nothing further needs to be visited. */
  done = false;
  readonly #reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  readonly #offset: number;
  readonly #truncated: boolean;
  #records: Uint8Array;
  #count = 0;
  #matched = 0;
  readonly #visitsMax: number;
  #visits = 0;
  #hasMore = false;
  #visitsUsedUp = false;
  #lastCursor: number | undefined;

  constructor(query: HistoryQuery, visitsMax = VISITS_MAX) {
    this.query = query;
    this.#visitsMax = visitsMax;
    this.direction = query.direction ?? 'desc';
    const { offset, truncated } = pageOffset(query);
    this.#offset = offset;
    this.#truncated = truncated;
    this.#records = new Uint8Array(Math.min(query.limit, 64) * TRADE_BYTES);
  }

  visit(record: Uint8Array): void {
    const { query } = this;
    if (this.#visits >= this.#visitsMax) {
      this.#visitsUsedUp = true;
      this.done = true;
      return;
    }
    this.#visits++;
    const reader = this.#reader.load(record);
    const cursor = cursorOf(reader.ledger, reader.number);
    if (query.cursor !== undefined && !this.#isAfter(cursor, query.cursor)) return;
    this.#lastCursor = cursor;
    if (!matches(query, reader)) return;
    this.#matched++;
    if (this.#matched <= this.#offset) return;
    if (
      this.#count < query.limit &&
      (query.cursor !== undefined || this.#offset + this.#count < OFFSET_MAX)
    ) {
      this.#take(record);
    } else {
      this.#hasMore = true;
      this.#lastCursor = this.#takenCursor();
      this.done = true;
    }
  }

  #isAfter(cursor: number, from: number): boolean {
    return this.direction === 'desc' ? cursor < from : cursor > from;
  }

  #take(record: Uint8Array): void {
    const at = this.#count * TRADE_BYTES;
    if (at + TRADE_BYTES > this.#records.length) {
      const larger = new Uint8Array(Math.max(this.#records.length * 2, TRADE_BYTES));
      larger.set(this.#records);
      this.#records = larger;
    }
    this.#records.set(record.subarray(0, TRADE_BYTES), at);
    this.#count++;
  }

  /** Cursor of the last record on the page. */
  #takenCursor(): number | undefined {
    if (this.#count === 0) return this.#lastCursor;
    const reader = this.#reader.load(this.#records).at(this.#count - 1);
    return cursorOf(reader.ledger, reader.number);
  }

  page(): HistoryPage {
    const records = this.#records.subarray(0, this.#count * TRADE_BYTES);
    const hasMore = this.#hasMore || this.#visitsUsedUp;
    let timeRange: { start: number; end: number } | undefined;
    if (this.#count > 0) {
      const first = this.#reader.load(records).at(0).closeTime;
      const last = this.#reader.at(this.#count - 1).closeTime;
      timeRange = { start: Math.min(first, last), end: Math.max(first, last) };
    }
    return {
      records,
      count: this.#count,
      offset: this.#offset,
      limit: this.query.limit,
      direction: this.direction,
      nextCursor: hasMore ? this.#lastCursor : undefined,
      hasMore,
      truncated: this.#truncated,
      timeRange,
    };
  }
}
