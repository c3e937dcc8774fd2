/** Section 4.1: tokens by relative strength. */
import { RSI_FRAMES } from '../../engine/market/relative-strength.ts';
import type { Param } from '../../requests/param.ts';
import { BOUNDED_FIGURES, type BoundedFigure, ordersOfFilter, rsiFilter } from '../../views/rsi-filter.ts';
import type { TokenSort } from '../../views/token-fields.ts';
import { flag, limit, offset, order } from '../common.ts';
import { jsonArray } from '../json-array.ts';
import { Fragment, type Route, route } from '../route.ts';
import { boolean, describe, integer, list, marketSummary, number, object, oneOf, string } from '../schema.ts';
import { tokenRow } from '../token-schema.ts';

const ROWS_MAX = 100;

const SORTS = [
  'rsi15m',
  'rsi1h',
  'rsi4h',
  'rsi24h',
  'rsi7d',
  'rsi30d',
  'rsi90d',
  'marketcap',
  'vol24hxrp',
  'pro24h',
  'pro7d',
  'pro30d',
  'holders',
  'tvl',
  'uniqueTraders24h',
] as const satisfies readonly TokenSort[];

type BoundParams = {
  readonly [K in `min${BoundedFigure}` | `max${BoundedFigure}`]: {
    readonly in: 'query';
    readonly kind: 'float';
    readonly about: string;
  };
};

const BOUND_TEXTS: Readonly<Record<BoundedFigure, string>> = {
  MarketCap: 'market cap, XRP',
  Volume24h: 'volume of 24 hours, XRP',
  PriceChange24h: 'price change of 24 hours, percent',
  Rsi15m: 'RSI of 15 minutes',
  Rsi1h: 'RSI of an hour',
  Rsi4h: 'RSI of four hours',
  Rsi24h: 'RSI of a day',
  Rsi7d: 'RSI of a week',
  Rsi30d: 'RSI of 30 days',
  Rsi90d: 'RSI of 90 days',
};

const boundParams = Object.fromEntries(
  BOUNDED_FIGURES.flatMap((name) => [
    [`min${name}`, { in: 'query', kind: 'float', about: `Least ${BOUND_TEXTS[name]}` }],
    [`max${name}`, { in: 'query', kind: 'float', about: `Largest ${BOUND_TEXTS[name]}` }],
  ]),
) as BoundParams;

type UsedBounds = Readonly<Record<`${keyof BoundParams}?`, typeof number>>;

const text = <const A extends string>(about: A) =>
  ({ in: 'query', kind: 'text', maxLength: 100, about }) as const satisfies Param;

const usedFilters = object({
  'filter?': string,
  'tag?': string,
  'origin?': string,
  ...(Object.fromEntries(Object.keys(boundParams).map((name) => [`${name}?`, number])) as UsedBounds),
  activeOnly: boolean,
  'minHolders?': integer,
  'minTVL?': number,
  excludeNeutral: boolean,
  'minUniqueTraders?': integer,
});

const rsi = route({
  method: 'GET',
  path: '/rsi',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { timeframe: '1h', sort: 'rsi1h', limit: 5 },
  summary: 'Tokens by relative strength (RSI) in seven timeframes',
  params: {
    offset,
    limit: limit(ROWS_MAX, ROWS_MAX),
    sort: {
      in: 'query',
      kind: 'enum',
      values: SORTS,
      default: 'rsi24h',
      about: 'What to sort by; tokens without the figure come last in either direction',
    },
    order,
    timeframe: {
      in: 'query',
      kind: 'enum',
      values: RSI_FRAMES,
      default: '24h',
      about: 'The candles whose RSI excludeNeutral judges',
    },
    filter: text('Only names that contain this text'),
    tag: text('Only tokens with this tag, by name or slug'),
    origin: text('Only tokens of this launch platform; XRPL: of none'),
    ...boundParams,
    activeOnly: flag('Only tokens that traded in the last 24 hours'),
    minHolders: { in: 'query', kind: 'int', min: 0, about: 'Fewest holders' },
    minTVL: { in: 'query', kind: 'float', about: 'Least value that its pools lock, XRP' },
    excludeNeutral: flag('Only tokens whose RSI of the timeframe is at most 30 or at least 70'),
    minUniqueTraders: { in: 'query', kind: 'int', min: 0, about: 'Fewest distinct traders of 24 hours' },
  },
  response: object({
    timeframe: oneOf(RSI_FRAMES),
    sort: string,
    order: string,
    filters: describe(usedFilters, 'The filters that were used'),
    tokens: describe(
      list(tokenRow('full')),
      'Tokens with an RSI in any timeframe. Of closed candles: it moves at the first ledger after a candle has ended',
    ),
    count: describe(integer, 'Rows answered'),
    total: describe(integer, 'Rows that match'),
    start: integer,
    limit: integer,
    exch: marketSummary.exch,
    'cached?': describe(boolean, 'Not sent: a kept answer is that of the newest ledger, as a new one is'),
  }),
  cost: 2,
  bucket: '/rsi',
  cache: 'ledger',
  handler: async (input, { views }) => {
    const { offset: start, limit: rows, sort, order: direction, timeframe, ...filters } = input;
    const { tokens } = views;
    if (filters.filter !== undefined || filters.tag !== undefined) await tokens.namesReady();
    const wanted = { ...filters, timeframe };
    await tokens.listReady(sort);
    for (const order of ordersOfFilter(wanted)) await tokens.listReady(order);
    const find = () =>
      tokens.list({
        sort,
        ascending: direction === 'asc',
        offset: start,
        limit: rows,
        filter: filters.filter,
        tag: filters.tag,
        keep: rsiFilter(tokens, wanted),
      });
    const { version } = views;
    let found = find();
    await tokens.rowsReady(found.ids);
    if (views.version !== version) found = find();
    const { ids, total } = found;
    const head = { timeframe, sort, order: direction, filters, count: ids.length, total, start, limit: rows };
    return new Fragment([
      JSON.stringify(head).slice(1, -1),
      ',"tokens":',
      ...jsonArray(ids.map((id) => tokens.row(id))),
      ',"exch":',
      views.market.exch(),
    ]);
  },
});

export const signalRoutes: Route[] = [rsi];
