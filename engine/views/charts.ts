/**
 * Candle charts and sparklines from stored candles. Nothing is filled in: an interval without a trade has no
 * candle, and a time without a known rate has no price in that fiat.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { CANDLE_COLUMNS, Candle, type CandleSeries, Fiat } from '../market/figures.ts';
import { bucketStart } from '../market/intervals.ts';
import type { Market } from '../market/market.ts';
import { rippleSeconds, unixMs } from '../ripple-time.ts';
import type { Store } from '../store.ts';
import { XRP } from './identity.ts';
import { INTERVALS, type Interval, RANGES, type Range } from './intervals.ts';
import { plainNumber, rounded } from './plain-number.ts';
import { thinned } from './thin.ts';

export const CANDLES_MAX = 5000;
export const CURRENCIES = ['XRP', 'USD', 'EUR', 'JPY', 'CNH'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Offshore yuan (CNH) is quoted with the rate of CNY: the ledger tells one of them. */
export const FIAT_OF: Readonly<Record<Exclude<Currency, 'XRP'>, Fiat>> = {
  USD: Fiat.USD,
  EUR: Fiat.EUR,
  JPY: Fiat.JPY,
  CNH: Fiat.CNY,
};

/** What charts are drawn from. */
export interface ChartGround {
  readonly candles: Market['candles'];
  readonly rates: Market['rates'];
  /** History of rates, for charts of XRP itself; without it they are empty. */
  readonly store?: Pick<Store, 'rates'>;
}

export interface OhlcQuery {
  readonly token: number;
  readonly interval: Interval;
  readonly range?: Range | undefined;
  /** Newest candles wanted. */
  readonly count: number;
  /** Only candles that start before this time, Unix ms. */
  readonly before?: number | undefined;
  readonly currency: Currency;
  readonly invert: boolean;
}

/** [time Unix ms, open, high, low, close, volume, token volume, trades]; volume in the quote currency. */
export type OhlcRow = readonly number[];

/** What the columns of a row are; clients read the first six. */
export const OHLC_FORMAT = [
  'time',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'tokenVolume',
  'trades',
] as const;

/** @param now close time of the newest ledger, Ripple epoch seconds. */
export function ohlc(market: ChartGround, now: number, query: OhlcQuery): { rows: OhlcRow[] } {
  const seconds = INTERVALS[query.interval].seconds;
  const span = query.range === undefined ? Number.POSITIVE_INFINITY : RANGES[query.range].seconds;
  // Strictly older: a candle that starts at the very time is left out.
  const to = query.before === undefined ? undefined : rippleSeconds(query.before - 1);
  const until = Math.min(now, to ?? now);
  const rate = query.currency === 'XRP' ? undefined : FIAT_OF[query.currency];
  const from = Number.isFinite(span) ? Math.max(0, until - span) : 0;
  if (query.token === XRP) {
    const rows =
      rate === undefined || !market.store
        ? []
        : xrpRows(market.store, rate, { seconds, from, to: until, limit: query.count });
    return { rows: query.invert ? rows.map(turned) : rows };
  }
  const series = market.candles.series({
    token: query.token,
    seconds,
    limit: query.count,
    ...(from > 0 && { from }),
    // Nothing starts after the newest ledger.
    ...(to !== undefined && to < now && { to }),
  });
  const priced = rate === undefined ? series : market.rates.inFiat(series, rate);
  const rows: OhlcRow[] = [];
  for (let i = 0; i < priced.length; i++) {
    const row = ohlcRow(market, priced, i, rate, query.invert);
    if (row) rows.push(row);
  }
  return { rows };
}

function ohlcRow(
  market: ChartGround,
  series: CandleSeries,
  i: number,
  fiat: Fiat | undefined,
  invert: boolean,
): OhlcRow | undefined {
  const column = (c: number) => series.rows[i * CANDLE_COLUMNS + c]!;
  const time = column(Candle.time);
  // The rate the prices were converted with.
  const perUnit =
    fiat === undefined
      ? 1
      : (market.rates.at(fiat, time) ?? market.rates.at(fiat, time + series.baseSeconds - 1));
  const [open, high, low, close] = [Candle.open, Candle.high, Candle.low, Candle.close].map(column) as [
    number,
    number,
    number,
    number,
  ];
  if (
    perUnit === undefined ||
    ![open, high, low, close].every((price) => price > 0 && Number.isFinite(price))
  )
    return undefined;
  const volume = column(Candle.volumeDrops) / DROPS_PER_XRP / perUnit;
  const tokens = column(Candle.tokenVolume);
  const at = unixMs(time);
  const trades = column(Candle.trades);
  return invert
    ? [at, 1 / open, 1 / low, 1 / high, 1 / close, tokens, volume, trades]
    : [at, open, high, low, close, volume, tokens, trades];
}

/** Place of the closing price in a row. */
const CLOSE = 4;

/** Most minutes of rates read for a chart of XRP: about 30 ms, and a month. */
const MINUTES_MAX = 50_000;

/** Candles of XRP itself in a fiat, from the history of its rate (XRP per unit, by the minute). No volume. */
function xrpRows(
  store: Pick<Store, 'rates'>,
  fiat: Fiat,
  { seconds, from, to, limit }: { seconds: number; from: number; to: number; limit: number },
): OhlcRow[] {
  const rows: number[][] = [];
  const walk = { from, to, reverse: true, limit: MINUTES_MAX };
  store.rates(fiat, walk, (minute, xrpPerUnit) => {
    if (!(xrpPerUnit > 0)) return true;
    const price = 1 / xrpPerUnit;
    const at = unixMs(bucketStart(seconds, minute));
    const row = rows.at(-1);
    if (row?.[0] !== at) {
      if (rows.length >= limit) return false;
      rows.push([at, price, price, price, price, 0, 0, 0]);
      return true;
    }
    // Walking back in time: the open moves, the close stays.
    row[1] = price;
    row[2] = Math.max(row[2]!, price);
    row[3] = Math.min(row[3]!, price);
    return true;
  });
  return rows.reverse();
}

/** The other way round: high and low change places. */
function turned([time, open, high, low, close, volume, tokens, trades]: OhlcRow): OhlcRow {
  return [time!, 1 / open!, 1 / low!, 1 / high!, 1 / close!, tokens!, volume!, trades!];
}

/** Colours of a line that went up or down. */
const UP = '#54D62C';
const DOWN = '#ed5565';

export interface SparklineQuery {
  readonly token: number;
  readonly period: '24h' | '7d';
  readonly currency: 'XRP' | 'USD';
  /** Most points; undefined: all there are. */
  readonly points?: number | undefined;
  /** Percent change to show instead of the line's own. */
  readonly change?: number | undefined;
}

export interface Sparkline {
  readonly chartColor: string;
  readonly percentChange: number;
  readonly prices: readonly string[];
  /** Unix ms. */
  readonly timestamps: readonly number[];
  readonly max: string | undefined;
  readonly min: string | undefined;
}

/** 24 h in candles of five minutes, 7 d in candles of an hour. */
const SPARKLINES = {
  '24h': { range: '1D', interval: '5m' },
  '7d': { range: '7D', interval: '1h' },
} as const;

/** Closing prices of the period, oldest first. Percent change is from the first to the last of all points. */
export function sparkline(market: ChartGround, now: number, query: SparklineQuery): Sparkline {
  const { range, interval } = SPARKLINES[query.period];
  const { rows } = ohlc(market, now, {
    token: query.token,
    interval,
    range,
    count: CANDLES_MAX,
    currency: query.currency,
    invert: false,
  });
  const times = rows.map((row) => row[0]!);
  const prices = rows.map((row) => row[CLOSE]!);
  const first = prices[0];
  const own = first === undefined ? 0 : (prices.at(-1)! / first - 1) * 100;
  const change = query.change ?? own;
  const kept = query.points === undefined ? prices.map((_, i) => i) : thinned(prices.length, query.points);
  return {
    chartColor: change >= 0 ? UP : DOWN,
    percentChange: rounded(change, 4),
    prices: kept.map((i) => plainNumber(prices[i]!)),
    timestamps: kept.map((i) => times[i]!),
    max: first === undefined ? undefined : plainNumber(prices.reduce((a, b) => Math.max(a, b))),
    min: first === undefined ? undefined : plainNumber(prices.reduce((a, b) => Math.min(a, b))),
  };
}
