/** The figures of the market part: the interfaces of Windows, Candles, Rates, Globals and History. */
import { DAY, HOUR, MINUTE, WEEK } from '../ripple-time.ts';

/** Windows on ledger close time. */
export const Window = { m5: 0, h1: 1, h6: 2, h24: 3, d7: 4, d30: 5 } as const;
export type Window = (typeof Window)[keyof typeof Window];
/** Lengths of the windows in seconds, by Window. */
export const WINDOW_SECONDS: readonly number[] = [5 * MINUTE, HOUR, 6 * HOUR, DAY, WEEK, 30 * DAY];

/**
 * Whether a ledger that closed at `then` is outside the window of `seconds` that ends with the ledger that closed at `now`.
 * Every window of close time has these bounds: later than `now - seconds`, up to and including `now`.
 */
export function hasLeft(then: number, now: number, seconds: number): boolean {
  return then <= now - seconds;
}

/** Rolling figures of a token. Volumes are integer drops. Token 0 (XRP) counts every trade with an XRP leg; Windows.all counts every trade once. */
export interface WindowFigures {
  /** Value of the trades in the window, drops. */
  volumeDrops(token: number, window: Window): number;
  /** Number of trades in the window. */
  trades(token: number, window: Window): number;
  /** Last price before the window began, else the first in it (XRP per token); undefined when there is none. */
  basePrice(token: number, window: Window): number | undefined;
  /** Percent change of the price over the window (5 = 5 %); undefined without a baseline. */
  change(token: number, window: Window): number | undefined;
  // All below: last 24 hours.
  buyDrops(token: number): number;
  sellDrops(token: number): number;
  buys(token: number): number;
  sells(token: number): number;
  ammDrops(token: number): number;
  bookDrops(token: number): number;
  /** Token units, a double. */
  tokenVolume(token: number): number;
  uniqueTraders(token: number): number;
  uniqueBuyers(token: number): number;
  uniqueSellers(token: number): number;
  depositDrops(token: number): number;
  withdrawDrops(token: number): number;
  deposits(token: number): number;
  withdrawals(token: number): number;
  /** Highest and lowest price, XRP per token; undefined without a priced trade in the window. */
  max(token: number): number | undefined;
  min(token: number): number | undefined;
}

/** Prices of tokens in XRP. */
export interface PriceFigures {
  /** XRP per token; 1 for XRP itself; undefined when no trade has set one. */
  price(token: number): number | undefined;
  /** Close time of the trade that set it. */
  priceTime(token: number): number;
  /** Highest price seen since the engine began, and its close time. */
  athPrice(token: number): number | undefined;
  athTime(token: number): number;
  /** Close time of the last trade, 0 when never. */
  lastTradeTime(token: number): number;
  /** Trades and liquidity events of the token since the engine began. */
  tradesEver(token: number): number;
  liquidityEver(token: number): number;
}

/** Columns of a candle row. */
export const Candle = {
  /** Start of the interval, Ripple epoch seconds. */
  time: 0,
  /** XRP per token; in fiat candles, units of the fiat per token. */
  open: 1,
  high: 2,
  low: 3,
  close: 4,
  /** Drops; in fiat candles, units of the fiat. */
  volume: 5,
  tokenVolume: 6,
  trades: 7,
  buys: 8,
  /** As volume, of trades whose signer received the token. */
  buyVolume: 9,
} as const;
export const CANDLE_COLUMNS = 10;

/** Rows of CANDLE_COLUMNS numbers, oldest first. */
export interface CandleSeries {
  readonly rows: Float64Array;
  readonly length: number;
}

export interface CandleQuery {
  readonly token: number;
  /** Interval in seconds: any multiple of 60 that divides a day, whole days, or 604800 (weeks start Monday UTC). */
  readonly seconds: number;
  /** Close times, inclusive; candles whose start is in the range. */
  readonly from?: number;
  readonly to?: number;
  /** At most this many, the newest ones. */
  readonly limit?: number;
}

export const Fiat = { USD: 0, EUR: 1, JPY: 2, CNY: 3 } as const;
export type Fiat = (typeof Fiat)[keyof typeof Fiat];
export const FIATS = ['USD', 'EUR', 'JPY', 'CNY'] as const;

/** An outside price feed, used only while the ledger gives no rate. Time and value are passed in by its owner. */
export interface RateFeed {
  readonly name: string;
  /** Grows whenever the result of `latest` may have changed. */
  readonly version: number;
  /** XRP per unit and the close time it is from; undefined when it has none. */
  latest(fiat: Fiat): { xrpPerUnit: number; time: number } | undefined;
}

export interface HistoryQuery {
  readonly token?: number;
  readonly account?: number;
  readonly limit: number;
  readonly offset?: number;
  /** Close times (Ripple epoch seconds), inclusive. */
  readonly start?: number;
  readonly end?: number;
  readonly type?: 'trades' | 'liquidity' | 'all';
  readonly liquidityType?: 'create' | 'deposit' | 'withdraw';
  readonly pairType?: 'xrp' | 'token';
  readonly xrpOnly?: boolean;
  /** Least size of the XRP leg in XRP. */
  readonly xrpAmount?: number;
  readonly cursor?: number;
  readonly direction?: 'asc' | 'desc';
}

export interface HistoryPage {
  /** TRADE_BYTES each, in the order asked for. */
  readonly records: Uint8Array;
  readonly count: number;
  readonly offset: number;
  readonly limit: number;
  readonly direction: 'asc' | 'desc';
  /** Pass as `cursor` for the next page; undefined at the end. */
  readonly nextCursor: number | undefined;
  readonly hasMore: boolean;
  /** Offset paging ended at 100,000 rows. */
  readonly truncated: boolean;
  /** Close times of the first and last row of the page. */
  readonly timeRange: { readonly start: number; readonly end: number } | undefined;
}

/** `H24` and `global` of the API; a key whose value the ledger does not give is absent. */
export type Figures = Record<string, number | string>;
