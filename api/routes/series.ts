/** Figures of a token over time; beyond the contract. */
import {
  SERIES_INTERVALS,
  SERIES_METRICS,
  SERIES_POINTS_MAX,
  type SeriesInterval,
  tokenSeries,
} from '../../views/token-series.ts';
import { limit, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, list, number, object, string } from '../schema.ts';
import { tableFormat } from '../table-formats.ts';
import { tokenOf } from './tokens.ts';

const points = object({
  time: describe(integer, 'Unix ms: start of the interval'),
  ...Object.fromEntries(SERIES_METRICS.map((name) => [`${name}?`, number])),
});

const series = route({
  method: 'GET',
  path: '/token/{id}/series',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, interval: 'hour', limit: 24 },
  summary: 'Figures of a token hour by hour or day by day: at the end of each interval, and traded in it',
  params: {
    id: tokenId,
    metrics: {
      in: 'query',
      kind: 'list',
      maxItems: SERIES_METRICS.length,
      values: SERIES_METRICS.map((name) => name.toLowerCase()),
      about: `Which figures: ${SERIES_METRICS.join(', ')}; default all. supply and marketcap: days only`,
    },
    interval: {
      in: 'query',
      kind: 'enum',
      values: Object.keys(SERIES_INTERVALS) as SeriesInterval[],
      default: 'day',
      about: 'Length of an interval, UTC',
    },
    from: { in: 'query', kind: 'time', about: 'Only intervals that begin at or after this time' },
    to: { in: 'query', kind: 'time', about: 'Only intervals that begin at or before this time' },
    at: { in: 'query', kind: 'time', about: 'Only the last interval that had ended at this time' },
    limit: { ...limit(100, SERIES_POINTS_MAX), about: 'The newest points' },
    format: tableFormat,
  },
  table: { rows: 'series' },
  response: object({
    md5: string,
    interval: string,
    metrics: list(string),
    limit: integer,
    count: integer,
    series: describe(list(points), 'Oldest first; what is not known of a time is absent'),
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  handler: async ({ id, metrics, interval, from, to, at, limit }, { engine, views }) => {
    const token = tokenOf(views, id);
    const known = SERIES_METRICS.filter((name) => metrics?.includes(name.toLowerCase()));
    const wanted = known.length > 0 ? known : SERIES_METRICS;
    const series = await tokenSeries(engine, { token, metrics: wanted, interval, from, to, at, limit });
    return { md5: views.tokens.md5(token), interval, metrics: wanted, limit, count: series.length, series };
  },
});

export const seriesRoutes: Route[] = [series];
