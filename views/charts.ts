/**
 * Candle charts from stored candles. Nothing is filled in: an interval without a trade has no candle, and a time without
 * a known rate has no price in that fiat (market/fiat-candles.ts says which rate a time has).
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import { mergeNewer } from '../engine/market/candle-series.ts';
import { CANDLE_COLUMNS, Candle, type CandleSeries, Fiat } from '../engine/market/figures.ts';
import { bucketStart } from '../engine/market/intervals.ts';
import type { Market } from '../engine/market/market.ts';
import { MINUTE, rippleSeconds, unixMs } from '../engine/ripple-time.ts';
import { CandleCache, type Newest, type SeriesQuery } from './candle-cache.ts';
import { INTERVALS, type Interval, RANGES, type Range } from './intervals.ts';

export const CANDLES_MAX = 5000;
export const CURRENCIES = ['XRP', 'USD', 'EUR', 'JPY', 'CNH'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Offshore yuan (CNH) is quoted with the rate of CNY: the ledger knows one of them. */
export const FIAT_OF: Readonly<Record<Exclude<Currency, 'XRP'>, Fiat>> = {
  USD: Fiat.USD,
  EUR: Fiat.EUR,
  JPY: Fiat.JPY,
  CNH: Fiat.CNY,
};

export interface OhlcQuery {
  readonly token: number;
  readonly interval: Interval;
  readonly range?: Range | undefined;
  /** Newest candles wanted; at most, and where absent, CANDLES_MAX. */
  readonly count?: number;
  /** Only candles that start before this time, Unix ms. */
  readonly before?: number | undefined;
  /** As of this time, Unix ms: of the minutes that had ended then. */
  readonly at?: number | undefined;
  readonly currency: Currency;
  readonly invert: boolean;
}

/** [time Unix ms, open, high, low, close, volume, token volume, trades]; volume in the quote currency. */
export type OhlcRow = readonly [
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
  tokenVolume: number,
  trades: number,
];

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

/** The currencies whose rate a ledger changed. */
export function revaluedCurrencies(fiats: ReadonlySet<Fiat>): ReadonlySet<Currency> {
  return new Set(CURRENCIES.filter((name) => name !== 'XRP' && fiats.has(FIAT_OF[name])));
}

/** What charts are drawn from. */
export type ChartMarket = Pick<Market, 'candles' | 'fiatCandles'>;

export class Charts {
  readonly #cache: CandleCache;
  readonly #newest: () => Newest;
  readonly #read: (query: SeriesQuery) => CandleSeries;

  constructor({ candles, fiatCandles }: ChartMarket, newest: () => Newest) {
    this.#newest = newest;
    this.#read = (query) =>
      query.fiat === undefined ? candles.series(query) : fiatCandles.series(query, query.fiat);
    this.#cache = new CandleCache(this.#read, (rows, at, { fiat }) =>
      JSON.stringify(ohlcRow(rows, at, fiat, false)),
    );
  }

  /** Candles, oldest first. */
  ohlc(query: OhlcQuery): { readonly rows: OhlcRow[] } {
    const newest = this.#newest();
    const { at } = query;
    if (at !== undefined && rippleSeconds(at) < newest.closeTime)
      return { rows: this.#asOf(query, Math.floor(rippleSeconds(at) / MINUTE) * MINUTE) };
    const asked = seriesQuery(query, newest.closeTime);
    const { rows, length } = this.#cache.series(asked, newest);
    return {
      rows: Array.from({ length }, (_, i) => ohlcRow(rows, i * CANDLE_COLUMNS, asked.fiat, query.invert)),
    };
  }

  /** Candles as they were at a full minute: whole ones, and of the one that was open what its minutes had shown. */
  #asOf(query: OhlcQuery, minute: number): OhlcRow[] {
    // Before the Ripple epoch.
    if (minute <= 0) return [];
    const { seconds } = INTERVALS[query.interval];
    const { currency, invert } = query;
    const start = bucketStart(seconds, minute);
    const fiat = currency === 'XRP' ? undefined : FIAT_OF[currency];
    const asked = seriesQuery(query, minute);
    const { from = 0, to = minute } = asked;
    const isOpenShown = minute > start && start >= from && start <= to;
    const minutes = isOpenShown
      ? this.#read({ token: query.token, seconds: MINUTE, from: start, to: minute - MINUTE, fiat })
      : undefined;
    const whole = this.#read({ ...asked, to: Math.min(to, start - 1) });
    const rows = Array.from({ length: whole.length }, (_, i) =>
      ohlcRow(whole.rows, i * CANDLE_COLUMNS, fiat, invert),
    );
    if (minutes && minutes.length > 0) {
      for (let i = 1; i < minutes.length; i++) mergeNewer(minutes.rows, 0, minutes.rows, i * CANDLE_COLUMNS);
      minutes.rows[Candle.time] = start;
      rows.push(ohlcRow(minutes.rows, 0, fiat, invert));
    }
    return rows.slice(-Math.min(CANDLES_MAX, query.count ?? CANDLES_MAX));
  }

  /** The same as JSON: the inside of the array of rows, in parts. */
  ohlcText(query: OhlcQuery): { readonly length: number; readonly parts: readonly (Uint8Array | string)[] } {
    const newest = this.#newest();
    if (!query.invert && query.at === undefined)
      return this.#cache.text(seriesQuery(query, newest.closeTime), newest);
    const { rows } = this.ohlc(query);
    return { length: rows.length, parts: [JSON.stringify(rows).slice(1, -1)] };
  }

  /** New candles are read when a series is requested. */
  applied(): void {}

  /** Forgets what was read. */
  drop(): void {
    this.#cache.drop();
  }
}

/** @param now close time of the newest ledger, Ripple epoch seconds. */
function seriesQuery(
  { token, interval, range, count, before, currency }: OhlcQuery,
  now: number,
): SeriesQuery {
  const { seconds } = INTERVALS[interval];
  const span = range === undefined ? Number.POSITIVE_INFINITY : RANGES[range].seconds;
  // Strictly older: a candle that starts at the very time is left out.
  const to = before === undefined ? undefined : rippleSeconds(before - 1);
  const from = Math.min(now, to ?? now) - span;
  return {
    token,
    seconds,
    limit: Math.min(CANDLES_MAX, count ?? CANDLES_MAX),
    fiat: currency === 'XRP' ? undefined : FIAT_OF[currency],
    ...(from > 0 && { from }),
    // Nothing starts after the newest ledger.
    ...(to !== undefined && to < now && { to }),
  };
}

function ohlcRow(rows: Float64Array, i: number, fiat: Fiat | undefined, invert: boolean): OhlcRow {
  const at = unixMs(rows[i]!);
  const open = rows[i + Candle.open]!;
  const high = rows[i + Candle.high]!;
  const low = rows[i + Candle.low]!;
  const close = rows[i + Candle.close]!;
  const volume = fiat === undefined ? rows[i + Candle.volume]! / DROPS_PER_XRP : rows[i + Candle.volume]!;
  const tokens = rows[i + Candle.tokenVolume]!;
  const trades = rows[i + Candle.trades]!;
  return invert
    ? [at, 1 / open, 1 / low, 1 / high, 1 / close, tokens, volume, trades]
    : [at, open, high, low, close, volume, tokens, trades];
}
