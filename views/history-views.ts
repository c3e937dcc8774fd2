/** Trade records as rows: pages with what is needed to ask for the next, and the trades of the newest ledger. */

import type { Engine, LedgerEvent } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { HistoryQuery } from '../engine/market/figures.ts';
import { pageOffset, VISITS_AT_ONCE } from '../engine/market/history.ts';
import { TradeReader } from '../engine/market/trade-record.ts';
import { rippleSeconds, unixMs } from '../engine/ripple-time.ts';
import { tradeObject, tradeObjects } from './trade-row.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

/** Questions whose total is kept for one ledger: the next page need not count again. */
const TOTALS_KEPT = 1000;

export type TradeKind = 'trades' | 'liquidity' | 'all';

/** A trade of the ledger that was just applied. */
export interface NewTrade {
  readonly paid: number;
  readonly got: number;
  readonly isLiquidity: boolean;
  /** The trade row as JSON text; rendered once, when it is first read. */
  json(): string;
}

export interface HistoryRequest {
  readonly token?: number | undefined;
  /** r-address. */
  readonly account?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Unix ms, inclusive. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly type: TradeKind;
  readonly liquidityType?: 'create' | 'deposit' | 'withdraw' | undefined;
  readonly pairType?: 'xrp' | 'token' | undefined;
  readonly xrpOnly: boolean;
  readonly xrpAmount?: number | undefined;
  readonly cursor?: number | undefined;
  readonly direction: 'asc' | 'desc';
}

export class HistoryViews {
  readonly #engine: Engine;
  readonly #totals: VersionedCache<Promise<number | undefined>>;
  readonly #newTrades: VersionedCache<readonly NewTrade[]>;

  constructor(engine: Engine, { ledger }: Revisions) {
    this.#engine = engine;
    this.#totals = new VersionedCache([ledger], TOTALS_KEPT);
    this.#newTrades = new VersionedCache([ledger], 1);
  }

  /** The trades of a ledger, in its order; for listeners, during their call. The same objects for all of them. */
  newTrades({ events }: LedgerEvent): readonly NewTrade[] {
    const { trades, tradeCount } = events.market;
    return this.#newTrades.get('trades', () => tradesOf(this.#engine, trades, tradeCount));
  }

  /** The latest rows of a token, newest first, as JSON text joined by commas; read in one go. */
  latest(
    token: number,
    type: TradeKind,
    pairType: HistoryRequest['pairType'],
    limit: number,
  ): { readonly count: number; readonly rows: string } {
    const { state, market } = this.#engine;
    const query = { token, limit, type, ...(pairType ? { pairType } : {}) };
    const { records, count } = market.history.page(query, VISITS_AT_ONCE);
    const rows = tradeObjects(state, records, count);
    return { count, rows: rows.map((row) => JSON.stringify(row)).join(',') };
  }

  async page(request: HistoryRequest) {
    const { state, market } = this.#engine;
    const account = request.account === undefined ? undefined : state.accounts.findText(request.account);
    const query = queryOf(request, account);
    const filter = request.xrpAmount === undefined ? {} : { xrp_amount: request.xrpAmount };
    if (request.account !== undefined && account === undefined)
      return empty(query, request.direction, filter);
    const page = await market.history.pageInSlices(query, yieldToLoop);
    const total = await this.#total(query);
    const { timeRange, truncated } = page;
    const keptFrom = this.#keptFrom(query);
    return {
      data: tradeObjects(state, page.records, page.count),
      meta: {
        // The same on every page; absent where the matches of the filters are not counted.
        ...(total !== undefined && { total }),
        offset: page.offset,
        limit: page.limit,
        direction: page.direction,
        ...filter,
        recordsReturned: page.count,
        nextCursor: page.nextCursor ?? null,
        hasMore: page.hasMore,
        ...(truncated && { truncated: true }),
        ...(keptFrom !== undefined && { keptFrom: unixMs(keptFrom) }),
        timeRange: timeRange ? { start: unixMs(timeRange.start), end: unixMs(timeRange.end) } : null,
      },
    };
  }

  /** From when on trades are kept, where older ones may have matched; a token has none from before it. */
  #keptFrom(query: HistoryQuery): number | undefined {
    const { state, market } = this.#engine;
    const keptFrom = market.history.keptFrom(query);
    if (keptFrom === undefined || query.token === undefined) return keptFrom;
    return state.tokens.createdAt(query.token) < keptFrom ? keptFrom : undefined;
  }

  /** How many records match a query, paging aside; undefined: not known. */
  #total({ cursor, offset, limit, direction, ...every }: HistoryQuery): Promise<number | undefined> {
    const { history } = this.#engine.market;
    return this.#totals.get(JSON.stringify(every), () => history.total({ ...every, limit: 0 }, yieldToLoop));
  }
}

function tradesOf({ state }: Engine, records: Uint8Array, count: number): NewTrade[] {
  const reader = new TradeReader(records);
  return Array.from({ length: count }, (_, i) => {
    const { paidToken: paid, gotToken: got, isLiquidity } = reader.at(i);
    let row: string | undefined;
    const json = () => {
      row ??= JSON.stringify(tradeObject(state, reader.at(i)));
      return row;
    };
    return { paid, got, isLiquidity, json };
  });
}

function queryOf(request: HistoryRequest, account: number | undefined): HistoryQuery {
  const { startMs, endMs } = request;
  const query: { -readonly [K in keyof HistoryQuery]: HistoryQuery[K] } = {
    limit: request.limit,
    offset: request.offset,
    type: request.type,
    direction: request.direction,
    xrpOnly: request.xrpOnly,
  };
  if (request.token !== undefined) query.token = request.token;
  if (account !== undefined) query.account = account;
  // A start within a second excludes what closed at its beginning.
  const start = startMs === undefined ? 0 : rippleSeconds(startMs + 999);
  if (start > 0) query.start = start;
  if (endMs !== undefined) query.end = rippleSeconds(endMs);
  if (request.liquidityType !== undefined) query.liquidityType = request.liquidityType;
  if (request.pairType !== undefined) query.pairType = request.pairType;
  if (request.xrpAmount !== undefined) query.xrpAmount = request.xrpAmount;
  if (request.cursor !== undefined) query.cursor = request.cursor;
  return query;
}

/** No ledger names the account: nothing can match. */
function empty(query: HistoryQuery, direction: 'asc' | 'desc', filter: { readonly xrp_amount?: number }) {
  const { offset, truncated } = pageOffset(query);
  return {
    data: [],
    meta: {
      total: 0,
      offset,
      limit: query.limit,
      direction,
      ...filter,
      recordsReturned: 0,
      nextCursor: null,
      hasMore: false,
      ...(truncated && { truncated: true }),
      timeRange: null,
    },
  };
}
