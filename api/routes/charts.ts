/** Section 4.1: candles and sparklines. */

import { patterns } from '../../requests/identifiers.ts';
import { CANDLES_MAX, CURRENCIES, OHLC_FORMAT } from '../../views/charts.ts';
import {
  baseOf,
  INTERVAL_NAMES,
  INTERVALS,
  intervalOfResolution,
  RANGE_NAMES,
  RANGES,
  resolutionOf,
} from '../../views/intervals.ts';
import { rowChange, sparkline } from '../../views/sparkline.ts';
import { flag, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { Fragment, type Route, route } from '../route.ts';
import { boolean, describe, integer, list, mapOf, number, object, orNull, string } from '../schema.ts';
import { tableFormat } from '../table-formats.ts';
import { tokenOf } from './tokens.ts';

const CURRENCY_SYNONYMS = { CNY: 'CNH' } as const;
/** Number of candles if neither range nor count is sent. */
const CANDLES_DEFAULT = 500;
const BATCH_MAX = 100;

const period = {
  in: 'query',
  kind: 'enum',
  values: ['24h', '7d'],
  default: '7d',
  about: 'How far back the line reaches',
} as const;
const sparklineCurrency = {
  in: 'query',
  kind: 'enum',
  values: ['XRP', 'USD'],
  default: 'XRP',
  about: 'What prices are in',
} as const;

/** Larger than any real percent change; an unbounded number could not be rounded. */
const CHANGE_MAX = 1e9;
const shownChange = (period: string) =>
  ({
    in: 'query',
    kind: 'float',
    min: -CHANGE_MAX,
    max: CHANGE_MAX,
    about: `Percent change to show for ${period} instead of the token’s own`,
  }) as const;

const ohlc = route({
  method: 'GET',
  path: '/ohlc/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, interval: '1h', cb: 24 },
  summary: 'Candles of a token; intervals without a trade have none',
  params: {
    id: tokenId,
    range: {
      in: 'query',
      kind: 'enum',
      values: RANGE_NAMES,
      about: 'How far back; default all that cb allows',
    },
    interval: {
      in: 'query',
      kind: 'enum',
      values: INTERVAL_NAMES,
      about: 'Length of a candle; default by resolution, else by range',
    },
    vs_currency: {
      in: 'query',
      kind: 'enum',
      values: CURRENCIES,
      default: 'XRP',
      synonyms: CURRENCY_SYNONYMS,
      about: 'What prices are in; fiat by the rate of each candle’s time',
    },
    resolution: {
      in: 'query',
      kind: 'text',
      maxLength: 8,
      about: 'Minutes, D or W: another name of interval',
    },
    cb: { in: 'query', kind: 'int', min: 1, max: CANDLES_MAX, about: 'Newest candles wanted' },
    abn: { in: 'query', kind: 'time', about: 'Only candles that start before this time (Unix ms)' },
    at: {
      in: 'query',
      kind: 'time',
      about: 'Candles as they were at this time (Unix ms or ISO), after the last full minute before it',
    },
    invert: flag('Tokens per unit of currency instead'),
    format: tableFormat,
  },
  table: { rows: 'ohlc', columns: 'format' },
  response: object({
    length: integer,
    format: list(string),
    resolution: string,
    interval: string,
    interval_seconds: integer,
    vs_currency: string,
    inverted: boolean,
    base_interval: string,
    preAgg: boolean,
    'cb?': integer,
    ohlc: list(list(number)),
  }),
  cost: 5,
  bucket: '/ohlc',
  cache: 'ledger',
  handler: (input, { views }) => {
    const token = tokenOf(views, input.id);
    const range = input.range;
    const interval =
      input.interval ??
      (input.resolution === undefined ? undefined : intervalOfResolution(input.resolution)) ??
      RANGES[range ?? '1D'].interval;
    const currency = input.vs_currency;
    const { length, parts } = views.charts.ohlcText({
      token,
      interval,
      range,
      count: input.cb ?? (range === undefined ? CANDLES_DEFAULT : CANDLES_MAX),
      before: input.abn,
      at: input.at,
      currency,
      invert: input.invert,
    });
    const { seconds } = INTERVALS[interval];
    const base = baseOf(interval);
    const head = {
      length,
      format: OHLC_FORMAT,
      resolution: resolutionOf(interval),
      interval,
      interval_seconds: seconds,
      vs_currency: currency,
      inverted: input.invert,
      base_interval: base,
      preAgg: base === interval,
      ...(input.cb !== undefined && { cb: input.cb }),
    };
    return new Fragment([`${JSON.stringify(head).slice(1, -1)},"ohlc":[`, ...parts, ']']);
  },
});

const sparklineRow = route({
  method: 'GET',
  path: '/sparkline/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, period: '24h' },
  summary: 'Closing prices of a day or a week, for a small chart',
  params: {
    id: tokenId,
    period,
    vs_currency: sparklineCurrency,
    lightweight: flag('At most max_points points'),
    max_points: {
      in: 'query',
      kind: 'int',
      default: 20,
      min: 2,
      max: 500,
      about: 'Most points, only with lightweight',
    },
    pro24h: shownChange('24h'),
    pro7d: shownChange('7d'),
  },
  response: object({
    chartColor: string,
    period: string,
    percentChange: number,
    lightweight: boolean,
    'max_points?': describe(integer, 'With lightweight'),
    vsCurrency: string,
    data: object({
      prices: list(string),
      timestamps: list(describe(integer, 'Unix ms')),
      max: describe(orNull(string), 'null without a price'),
      min: describe(orNull(string), 'null without a price'),
    }),
  }),
  cost: 1,
  bucket: '/sparkline',
  cache: 'ledger',
  handler: (input, { views, engine }) => {
    const token = tokenOf(views, input.id);
    const line = sparkline(views.charts, {
      token,
      period: input.period,
      currency: input.vs_currency,
      points: input.lightweight ? input.max_points : undefined,
      change: input.period === '24h' ? input.pro24h : input.pro7d,
      rowChange: input.vs_currency === 'XRP' ? rowChange(engine.market, token, input.period) : undefined,
    });
    const { prices, timestamps, max, min } = line;
    return {
      chartColor: line.chartColor,
      period: input.period,
      percentChange: line.percentChange,
      lightweight: input.lightweight,
      ...(input.lightweight && { max_points: input.max_points }),
      vsCurrency: input.vs_currency,
      data: { prices, timestamps, max: max ?? null, min: min ?? null },
    };
  },
});

const batch = route({
  method: 'GET',
  path: '/sparkline/batch',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { md5s: [samples.token] },
  summary: 'Sparklines of many tokens; unknown ids are left out',
  params: {
    md5s: {
      in: 'query',
      kind: 'list',
      maxItems: BATCH_MAX,
      items: { ...string, pattern: patterns.token },
      required: true,
      about: 'Token ids, at most 100',
    },
    period,
    maxPoints: { in: 'query', kind: 'int', default: 50, min: 2, max: 500, about: 'Most points a line' },
    vs_currency: sparklineCurrency,
  },
  response: object({
    period: string,
    maxPoints: integer,
    vsCurrency: string,
    sparklines: describe(mapOf(list(string)), 'Prices by the id that was sent'),
  }),
  cost: 1,
  bucket: '/sparkline',
  cache: 30,
  handler: (input, { views }) => {
    const sparklines: Record<string, readonly string[]> = {};
    for (const id of input.md5s) {
      const token = views.tokens.resolve(id);
      if (token === undefined) continue;
      const line = sparkline(views.charts, {
        token,
        period: input.period,
        currency: input.vs_currency,
        points: input.maxPoints,
      });
      sparklines[id] = line.prices;
    }
    const { period, maxPoints, vs_currency: vsCurrency } = input;
    return { period, maxPoints, vsCurrency, sparklines };
  },
});

export const chartRoutes: Route[] = [ohlc, batch, sparklineRow];
