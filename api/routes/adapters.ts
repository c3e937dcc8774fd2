/**
 * Market data in the formats of other programs, beside the contract.
 *
 * `/udf/*`: the universal data feed that TradingView's charting library reads: symbols, and candles as columns. A symbol is
 * a token id with the currency of its prices, `<issuer>-<currency>/USD`; without one, in XRP. Errors have the members
 * `s` and `errmsg` besides those of every error.
 *
 * `/tickers/*`: markets with XRP, in the shapes that CoinGecko and CoinMarketCap ask of exchanges. Every ticker at once,
 * since neither reads pages.
 */
import { DAY, MINUTE, WEEK } from '../../engine/ripple-time.ts';
import { TOKEN_TYPES } from '../../engine/state/tokens.ts';
import { ApiError, type ErrorCode } from '../../requests/errors.ts';
import { CANDLES_MAX, CURRENCIES, type Currency, type OhlcRow } from '../../views/charts.ts';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '../../views/intervals.ts';
import { numberText } from '../../views/number-format.ts';
import type { Ticker } from '../../views/tickers.ts';
import type { Views } from '../../views/views.ts';
import { samples } from '../examples.ts';
import { Fragment, type Route, route } from '../route.ts';
import { anyObject, boolean, describe, integer, list, number, object, oneOf, string } from '../schema.ts';

/** How the charting library names intervals: minutes, days, weeks. */
const RESOLUTIONS = new Map<string, Interval>(
  INTERVAL_NAMES.map((name) => [resolutionName(INTERVALS[name].seconds), name]),
);
const MINUTES = [...RESOLUTIONS.keys()].filter((name) => /^\d+$/.test(name));
const EXCHANGE = 'XRP Ledger';
/** Digits of a price that the chart shows. */
const PRICE_DIGITS = 6;
/** Most decimal places: the largest power of ten that is an exact integer in every client. */
const PLACES_MAX = 15;
/** An ETag, and one computation, for so long, seconds: listing sites read once a minute. */
const TICKERS_KEPT_S = 30;
const SEARCH_MAX = 100;
/** Seconds of the year 2106, when ledger times end. */
const TIME_MAX = 2 ** 32;

function resolutionName(seconds: number): string {
  if (seconds === DAY) return '1D';
  return seconds === WEEK ? '1W' : String(seconds / MINUTE);
}

/** An error that the library can show. */
const udfError = (code: ErrorCode, text: string, hint: string): ApiError =>
  new ApiError(code, text, { hint, extra: { s: 'error', errmsg: text } });

interface Symbol {
  readonly token: number;
  readonly currency: Currency;
}

/** @throws ApiError not_found */
function symbolOf(views: Views, text: string): Symbol {
  const slash = text.lastIndexOf('/');
  const [id, quote] = slash < 0 ? [text, 'XRP'] : [text.slice(0, slash), text.slice(slash + 1).toUpperCase()];
  const currency = CURRENCIES.find((name) => name === quote);
  const token = views.tokens.resolve(id);
  if (token !== undefined && currency) return { token, currency };
  throw udfError('not_found', 'Unknown symbol', `Send <token id>/<${CURRENCIES.join('|')}>`);
}

/** Decimal places that show a price's first digits. @param price undefined: not known, as if it were 1 */
function placesOf(price = 1): number {
  const above = price > 0 ? Math.floor(Math.log10(price)) + 1 : 1;
  return Math.min(PLACES_MAX, Math.max(0, PRICE_DIGITS - above));
}

const symbolParam = {
  in: 'query',
  kind: 'text',
  maxLength: 140,
  required: true,
  about: `Token id, and after a slash the currency of prices: ${CURRENCIES.join(', ')}`,
} as const;

const shared = { method: 'GET', section: 'adapters', auth: 'none', tier: 'anonymous', bare: true } as const;
const udf = { ...shared, cost: 1, bucket: '/udf' } as const;

const config = route({
  ...udf,
  path: '/udf/config',
  example: {},
  summary: 'What this data feed can do, for the charting library',
  params: {},
  response: object({
    supported_resolutions: list(string),
    supports_search: boolean,
    supports_group_request: boolean,
    supports_marks: boolean,
    supports_timescale_marks: boolean,
    supports_time: boolean,
    exchanges: list(anyObject),
    symbols_types: list(anyObject),
  }),
  handler: () => ({
    supported_resolutions: [...RESOLUTIONS.keys()],
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: EXCHANGE }],
    symbols_types: [{ name: 'All', value: '' }, ...TOKEN_TYPES.map((type) => ({ name: type, value: type }))],
  }),
});

const time = route({
  ...udf,
  path: '/udf/time',
  example: {},
  summary: 'The time of this service in Unix seconds, as text',
  params: {},
  response: integer,
  produces: ['text/plain'],
  handler: (_input, { service }) =>
    new Response(String(Math.floor(service.now() / 1000)), {
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    }),
});

const symbols = route({
  ...udf,
  path: '/udf/symbols',
  example: { symbol: samples.token },
  summary: 'What the charting library must know of a token to draw it',
  params: { symbol: symbolParam },
  response: object({
    name: string,
    ticker: string,
    description: string,
    type: string,
    session: string,
    timezone: string,
    exchange: string,
    listed_exchange: string,
    format: string,
    minmov: integer,
    pricescale: integer,
    has_intraday: boolean,
    has_daily: boolean,
    has_weekly_and_monthly: boolean,
    intraday_multipliers: list(string),
    supported_resolutions: list(string),
    volume_precision: integer,
    data_status: string,
    currency_code: string,
  }),
  cache: 'ledger',
  handler: ({ symbol }, { views }) => {
    const { token, currency } = symbolOf(views, symbol);
    const { name, slug } = nameOf(views, token);
    const newest = views.charts.ohlc({ token, interval: '1d', count: 1, currency, invert: false }).rows[0];
    return {
      name: `${name}/${currency}`,
      ticker: `${slug}/${currency}`,
      description: `${name} (${slug}) in ${currency}`,
      type: views.tokens.type(token),
      session: '24x7',
      timezone: 'Etc/UTC',
      exchange: EXCHANGE,
      listed_exchange: EXCHANGE,
      format: 'price',
      minmov: 1,
      pricescale: 10 ** placesOf(newest?.[4]),
      has_intraday: true,
      has_daily: true,
      has_weekly_and_monthly: true,
      intraday_multipliers: MINUTES,
      supported_resolutions: [...RESOLUTIONS.keys()],
      volume_precision: PRICE_DIGITS,
      data_status: 'streaming',
      currency_code: currency,
    };
  },
});

const search = route({
  ...udf,
  path: '/udf/search',
  example: { query: 'USD', limit: 5 },
  summary: 'Tokens by name, for the search of the charting library',
  params: {
    query: { in: 'query', kind: 'text', default: '', maxLength: 128, about: 'Name; empty: the most traded' },
    type: { in: 'query', kind: 'text', default: '', maxLength: 32, about: 'Only tokens of this type' },
    exchange: { in: 'query', kind: 'text', default: '', maxLength: 64, about: `${EXCHANGE}, or empty` },
    limit: { in: 'query', kind: 'int', default: 30, min: 1, max: SEARCH_MAX, about: 'Most rows to answer' },
  },
  response: list(
    object({
      symbol: string,
      full_name: string,
      description: string,
      exchange: string,
      ticker: string,
      type: string,
    }),
  ),
  handler: async ({ query, type, exchange, limit }, { views }) => {
    if (exchange !== '' && exchange !== EXCHANGE) return new Fragment([], '[]');
    const { tokens } = await views.search.find(query, SEARCH_MAX);
    const rows = tokens
      .filter((token) => type === '' || views.tokens.type(token) === type)
      .slice(0, limit)
      .map((token) => {
        const { name, slug } = nameOf(views, token);
        return {
          symbol: name,
          full_name: `${slug}/XRP`,
          description: slug,
          exchange: EXCHANGE,
          ticker: `${slug}/XRP`,
          type: views.tokens.type(token),
        };
      });
    return rowsOf(rows);
  },
});

const history = route({
  ...udf,
  path: '/udf/history',
  example: { symbol: samples.token, resolution: '60', countback: 24 },
  summary: 'Candles as columns, for the charting library',
  params: {
    symbol: symbolParam,
    resolution: {
      in: 'query',
      kind: 'text',
      default: '60',
      maxLength: 8,
      about: `Length of a candle: ${[...RESOLUTIONS.keys()].join(', ')}`,
    },
    from: { in: 'query', kind: 'int', min: 0, max: TIME_MAX, default: 0, about: 'First start, Unix seconds' },
    to: {
      in: 'query',
      kind: 'int',
      min: 0,
      max: TIME_MAX,
      default: TIME_MAX,
      about: 'Candles start before this time, Unix seconds',
    },
    countback: {
      in: 'query',
      kind: 'int',
      min: 1,
      max: CANDLES_MAX,
      about: 'Newest candles wanted; from is then not read',
    },
  },
  response: object({
    s: oneOf(['ok', 'no_data']),
    't?': describe(list(integer), 'Start, Unix seconds'),
    'o?': list(number),
    'h?': list(number),
    'l?': list(number),
    'c?': list(number),
    'v?': describe(list(number), 'Tokens'),
    'nextTime?': describe(integer, 'Of the newest candle before from; absent where there is none'),
  }),
  cache: 'ledger',
  handler: ({ symbol, resolution, from, to, countback }, { views }) => {
    const { token, currency } = symbolOf(views, symbol);
    const interval = RESOLUTIONS.get(
      resolution === 'D' || resolution === 'W' ? `1${resolution}` : resolution,
    );
    if (!interval)
      throw udfError(
        'invalid_parameter',
        'Unknown resolution',
        `Send one of ${[...RESOLUTIONS.keys()].join(', ')}`,
      );
    const candles = (before: number, count: number) =>
      views.charts.ohlc({ token, interval, count, before: before * 1000, currency, invert: false }).rows;
    const rows = candles(to, countback ?? CANDLES_MAX).filter(
      ([start]) => countback !== undefined || start >= from * 1000,
    );
    if (rows.length > 0) return columnsOf(rows);
    const before = candles(from, 1)[0];
    return { s: 'no_data' as const, nextTime: before && before[0] / 1000 };
  },
});

function columnsOf(rows: readonly OhlcRow[]) {
  const column = (at: 1 | 2 | 3 | 4 | 6) => rows.map((row) => row[at]);
  return {
    s: 'ok' as const,
    t: rows.map(([start]) => start / 1000),
    o: column(1),
    h: column(2),
    l: column(3),
    c: column(4),
    v: column(6),
  };
}

const tickers = {
  ...shared,
  cost: 1,
  bucket: '/tickers',
  example: {},
  params: {},
  cache: TICKERS_KEPT_S,
} as const;

const coingecko = route({
  ...tickers,
  path: '/tickers/coingecko',
  summary: 'Every token traded against XRP in 24 hours, as CoinGecko reads exchanges',
  response: list(
    object({
      ticker_id: string,
      base_currency: string,
      target_currency: string,
      'pool_id?': describe(string, "r-address of the pool's account"),
      'last_price?': string,
      base_volume: string,
      target_volume: string,
      'bid?': string,
      'ask?': string,
      'high?': string,
      'low?': string,
      'liquidity_in_usd?': describe(string, 'What the pool locks'),
    }),
  ),
  handler: async (_input, { views }) => rowsOf((await views.tickers.all()).map(asCoingecko)),
});

const textOf = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : numberText(value);

const asCoingecko = (ticker: Ticker) => ({
  ticker_id: `${ticker.slug}_XRP`,
  base_currency: ticker.slug,
  target_currency: 'XRP',
  pool_id: ticker.pool,
  last_price: textOf(ticker.price),
  base_volume: numberText(ticker.tokens),
  target_volume: numberText(ticker.xrp),
  bid: ticker.bid,
  ask: ticker.ask,
  high: textOf(ticker.high),
  low: textOf(ticker.low),
  liquidity_in_usd: textOf(ticker.liquidityUsd),
});

const coinmarketcap = route({
  ...tickers,
  path: '/tickers/coinmarketcap',
  summary: 'The same as CoinMarketCap reads exchanges',
  response: list(
    object({
      trading_pairs: string,
      base_currency: string,
      quote_currency: string,
      'last_price?': number,
      'lowest_ask?': number,
      'highest_bid?': number,
      base_volume: number,
      quote_volume: number,
      'price_change_percent_24h?': number,
      'highest_price_24h?': number,
      'lowest_price_24h?': number,
    }),
  ),
  handler: async (_input, { views }) => rowsOf((await views.tickers.all()).map(asCoinmarketcap)),
});

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

const asCoinmarketcap = (ticker: Ticker) => ({
  trading_pairs: `${ticker.slug}_XRP`,
  base_currency: ticker.slug,
  quote_currency: 'XRP',
  last_price: ticker.price,
  lowest_ask: numberOf(ticker.ask),
  highest_bid: numberOf(ticker.bid),
  base_volume: ticker.tokens,
  quote_volume: ticker.xrp,
  price_change_percent_24h: ticker.change,
  highest_price_24h: ticker.high,
  lowest_price_24h: ticker.low,
});

function nameOf(views: Views, token: number): { readonly name: string; readonly slug: string } {
  return { name: views.tokens.name(token), slug: views.tokens.slug(token) };
}

/** A list as the whole answer. */
const rowsOf = (rows: readonly object[]): Fragment => new Fragment([JSON.stringify(rows).slice(1, -1)], '[]');

export const adapterRoutes: Route[] = [config, time, symbols, search, history, coingecko, coinmarketcap];
