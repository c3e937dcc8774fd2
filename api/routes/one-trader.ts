/** Section 4.2: one trader: what it traded, holds and gained. Amounts are XRP unless named otherwise. */
import { DAY, DAY_MS, rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import { account, limit, offset, offsetOfPages, order, tokenParam } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, string } from '../schema.ts';
import { historyMeta, tradeRow } from './market-schemas.ts';
import { tokenOf } from './tokens.ts';
import {
  addressOf,
  analytics,
  overviewMembers,
  pageInfo,
  pagination,
  since,
  tokenRow,
  tokenSort,
  traderPages,
} from './trader-schemas.ts';

const tokenPage = { offset, limit: limit(20, 100), sort: tokenSort, order } as const;

const trader = route({
  ...traderPages,
  path: '/traders/{account}',
  example: { account: samples.account, limit: 10 },
  summary: 'What an account traded and gained, with its tokens',
  params: { account, ...tokenPage },
  response: object({
    ...overviewMembers,
    tokenPerformance: list(tokenRow),
    pagination: object({ totalTokens: integer, offset: integer, limit: integer, hasMore: boolean }),
  }),
  handler: async (input, { views }) => {
    const address = addressOf(input.account);
    const { offset, limit, sort, order } = input;
    const { tokens, total } = await views.traders.tokens(address, sort, order === 'asc', input);
    return {
      ...(await views.traders.overview(address)),
      tokenPerformance: tokens,
      pagination: { totalTokens: total, offset, limit, hasMore: offset + limit < total },
    };
  },
});

const address = account;

const analyticsTrader = route({
  ...analytics,
  path: '/token/analytics/trader/{address}',
  example: { address: samples.account },
  summary: 'What an account traded and gained over all tokens',
  params: { address },
  response: object(overviewMembers),
  handler: ({ address }, { views }) => views.traders.overview(addressOf(address)),
});

const traderTokens = route({
  ...analytics,
  path: '/token/analytics/trader/{address}/tokens',
  example: { address: samples.account, limit: 10 },
  summary: 'The tokens of a trader',
  params: { address, token: tokenParam('Only this token'), ...tokenPage, offset: offsetOfPages },
  response: object({
    address: string,
    since,
    sort: string,
    order: string,
    count: integer,
    total: integer,
    tokens: list(tokenRow),
    pagination,
  }),
  handler: async (input, { views }) => {
    const own = addressOf(input.address);
    const { offset, limit, sort, order } = input;
    const token = input.token === undefined ? undefined : tokenOf(views, input.token);
    const { tokens, total } = await views.traders.tokens(own, sort, order === 'asc', input, token);
    return {
      address: own,
      since: views.traders.since,
      sort,
      order,
      count: tokens.length,
      total,
      tokens,
      pagination: pageInfo(total, offset, limit),
    };
  },
});

const startDate = { in: 'query', kind: 'time', about: 'Not before (YYYY-MM-DD or Unix ms)' } as const;
const endDate = {
  in: 'query',
  kind: 'time',
  endsSpan: true,
  about: 'Not after; a date: its whole day',
} as const;

const traderHistory = route({
  ...analytics,
  path: '/token/analytics/trader/{address}/history',
  example: { address: samples.account },
  summary: 'What a trader did on each of the last 30 days (UTC) with a trade, newest first',
  params: { address, startDate, endDate, offset: offsetOfPages, limit: limit(30, 100) },
  response: object({
    address: string,
    startDate: describe(integer, 'Unix ms; no earlier than the day 29 days before the present one'),
    endDate: integer,
    count: integer,
    total: integer,
    history: list(
      object({
        date: string,
        volume: number,
        trades: integer,
        buyVolume: number,
        sellVolume: number,
        profit: describe(number, 'Realised'),
      }),
    ),
    pagination,
  }),
  handler: (input, { views, engine }) => {
    const own = addressOf(input.address);
    const { historyStart } = views.traders;
    const now = engine.head?.closeTime ?? 0;
    const day = (ms: number) => Math.floor(rippleSeconds(ms) / DAY);
    const from = Math.max(historyStart, input.startDate === undefined ? 0 : day(input.startDate));
    const today = Math.floor(now / DAY);
    const to = Math.min(today, input.endDate === undefined ? today : day(input.endDate));
    const days = views.traders.history(own, from, to);
    const { offset, limit } = input;
    const history = days.slice(offset, offset + limit);
    const msOf = (one: number) => unixMs(one * DAY);
    return {
      address: own,
      startDate: msOf(from),
      endDate: msOf(to) + DAY_MS - 1,
      count: history.length,
      total: days.length,
      history,
      pagination: pageInfo(days.length, offset, limit),
    };
  },
});

const traderTrades = route({
  ...analytics,
  path: '/token/analytics/trader/{address}/trades',
  example: { address: samples.account, limit: 10 },
  summary: 'The trades of a trader, newest first: rows as in /history',
  params: {
    address,
    token: tokenParam('Only of this token'),
    startDate,
    endDate,
    offset,
    limit: limit(50, 1000),
    order,
  },
  response: object({ address: string, data: list(tradeRow), meta: historyMeta }),
  handler: async (input, { views }) => {
    const own = addressOf(input.address);
    const page = await views.history.page({
      token: input.token === undefined ? undefined : tokenOf(views, input.token),
      account: own,
      limit: input.limit,
      offset: input.offset,
      startMs: input.startDate,
      endMs: input.endDate,
      type: 'trades',
      xrpOnly: false,
      direction: input.order,
    });
    return { address: own, ...page };
  },
});

export const oneTraderRoutes: Route[] = [trader, analyticsTrader, traderTokens, traderHistory, traderTrades];
