/** Sections 4.1 and 4.2: traders, of all tokens and of each, and the market by day. Amounts are XRP unless named otherwise. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { DAY, rippleSeconds } from '../../engine/ripple-time.ts';
import { INTERVALS, type TOKEN_TRADER_SORTS, TRADER_SORTS } from '../../engine/traders/rankings.ts';
import { traderBalances } from '../../views/traders/market-days.ts';
import type { Views } from '../../views/views.ts';
import { addressParam, flag, limit, offset, offsetOfPages, order, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import { oneTraderRoutes } from './one-trader.ts';
import { tokenOf } from './tokens.ts';
import {
  addressOf,
  analytics,
  marketDay,
  marketSums,
  pageInfo,
  pagination,
  platformFigures,
  since,
  tokenSort,
  tokenTraderRow,
  traderPages,
  traderRow,
  tradersByWindow,
} from './trader-schemas.ts';

const BALANCES_ABOUT = 'How many traded in each window, and the XRP that they have now; pools are left out';

const market = route({
  ...analytics,
  section: '4.1',
  path: '/token/analytics/market',
  example: {},
  summary: 'The market by day, with sums over windows and platforms',
  params: {
    startDate: { in: 'query', kind: 'time', about: 'First day (YYYY-MM-DD or Unix ms); default a year ago' },
  },
  response: object({
    since,
    daily: describe(list(marketDay), 'The oldest first'),
    aggregates: describe(
      object({ '24h': marketSums, '7d': marketSums, '30d': marketSums, all: marketSums }),
      '24h: whole hours; 7d and 30d: whole days',
    ),
    percentChanges: describe(
      object({
        volume24hPct: orNull(number),
        trades24hPct: orNull(number),
        marketcap24hPct: orNull(number),
        volume7dPct: orNull(number),
      }),
      'Against the same time before; null: not all of that was read',
    ),
    platformStatsAll: platformFigures,
    traderBalances: describe(tradersByWindow, BALANCES_ABOUT),
    uniqueTraderCount: integer,
    lastUpdated: describe(integer, 'Unix ms'),
  }),
  handler: async ({ startDate }, { views }) => {
    const { value } = await views.traders.orders.active();
    return { since: views.traders.since, ...views.traders.days.answer(startDate, value) };
  },
});

const traders = route({
  ...analytics,
  path: '/token/analytics/traders',
  example: { limit: 10 },
  summary: 'Traders of all tokens, by volume, profit and other figures',
  params: {
    offset: offsetOfPages,
    limit: limit(50, 100),
    sort: {
      in: 'query',
      kind: 'enum',
      values: TRADER_SORTS,
      synonyms: { volume: 'totalVolume', pnl: 'totalProfit', trades: 'totalTrades', roi: 'avgROI' },
      default: 'volume24h',
      about: 'Figure to sort by; pnl, trades, roi and volume are other names',
    },
    order,
    address: addressParam('Only this account'),
    includeAMM: { in: 'query', kind: 'bool', default: true, about: 'Pools too' },
    minVolume: { in: 'query', kind: 'float', about: 'Least volume, XRP' },
    minTrades: { in: 'query', kind: 'int', min: 0, about: 'Least number of trades' },
    minProfit: { in: 'query', kind: 'float', about: 'Least realised profit, XRP' },
    minROI: { in: 'query', kind: 'float', about: 'Least return on what was sold, percent' },
    minTokens: { in: 'query', kind: 'int', min: 0, about: 'Least number of tokens' },
    startDate: { in: 'query', kind: 'time', about: 'Last trade not before' },
    endDate: {
      in: 'query',
      kind: 'time',
      endsSpan: true,
      about: 'Last trade not after; a date: its whole day',
    },
    period: {
      in: 'query',
      kind: 'enum',
      values: INTERVALS,
      default: 'all',
      about: 'Only those who traded in it',
    },
    compact: flag('Without balances, volumes by venue, and sources'),
  },
  response: object({
    since,
    sort: string,
    order: string,
    period: string,
    'minTrades?': integer,
    'minTokens?': integer,
    data: list(traderRow),
    pagination,
  }),
  handler: async (input, { views, engine }) => {
    const now = engine.head?.closeTime ?? 0;
    const spans = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, all: now } as const;
    const start = input.startDate === undefined ? 0 : rippleSeconds(input.startDate + 999);
    const from = Math.max(start, now - spans[input.period] + (input.period === 'all' ? 0 : 1));
    const own = input.address === undefined ? undefined : addressOf(input.address);
    const { minTrades, minTokens } = input;
    const { data, total } = await views.traders.list({
      sort: input.sort,
      withPools: input.includeAMM,
      minVolume: dropsOrNone(input.minVolume),
      minProfit: dropsOrNone(input.minProfit),
      minTrades,
      minRoi: input.minROI,
      minTokens,
      from: roundedUp(from),
      to: input.endDate === undefined ? undefined : rippleSeconds(input.endDate),
      offset: input.offset,
      limit: input.limit,
      ascending: input.order === 'asc',
      compact: input.compact,
      account: own === undefined ? undefined : (engine.state.accounts.findText(own) ?? 0),
    });
    return {
      since: views.traders.since,
      sort: input.sort,
      order: input.order,
      period: input.period,
      ...(minTrades !== undefined && { minTrades }),
      ...(minTokens !== undefined && { minTokens }),
      data,
      pagination: pageInfo(total, input.offset, input.limit),
    };
  },
});

function dropsOrNone(xrp: number | undefined): number | undefined {
  return xrp === undefined ? undefined : xrp * DROPS_PER_XRP;
}

/** undefined for none. */
function roundedUp(from: number): number | undefined {
  return from > 0 ? from : undefined;
}

const summary = route({
  ...analytics,
  path: '/token/analytics/traders/summary',
  example: {},
  summary: 'How many traded in the last day, week, month and ever, and the XRP that they have',
  params: {},
  response: object({
    since,
    traderBalances: describe(tradersByWindow, BALANCES_ABOUT),
    uniqueTraderCount: integer,
  }),
  handler: async (_input, { views }) => {
    const { value } = await views.traders.orders.active();
    const balances = traderBalances(value);
    return {
      since: views.traders.since,
      traderBalances: balances,
      uniqueTraderCount: balances.tradersAll,
    };
  },
});

const sources = route({
  ...analytics,
  path: '/token/analytics/sources',
  example: { limit: 10 },
  summary: 'Volume, trades and traders by source tag',
  params: { offset, limit: limit(50, 200), order },
  response: object({
    since,
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    order: string,
    sources: list(
      object({
        sourceTag: describe(orNull(integer), 'null: none'),
        name: describe(orNull(string), 'Of a known platform'),
        'further?': describe(boolean, 'Tags beyond those that are counted one by one'),
        volume: number,
        volumeAMM: number,
        trades: integer,
        traders: integer,
        firstTradeDate: orNull(integer),
        lastTradeDate: orNull(integer),
      }),
    ),
  }),
  handler: (input, { views }) => {
    const { sources, total } = views.traders.sources(input, input.order === 'asc');
    const { offset, limit, order } = input;
    return { since: views.traders.since, count: sources.length, total, offset, limit, order, sources };
  },
});

const tokenTotals = route({
  ...analytics,
  path: '/token/analytics/token/{id}',
  example: { id: samples.token },
  summary: 'What all traders of a token bought, sold, gained and hold; pools left out',
  params: { id: tokenId },
  response: object({
    md5: string,
    since,
    traders: integer,
    winningTraders: integer,
    losingTraders: integer,
    winRate: orNull(number),
    trades: describe(integer, 'Of all traders: a trade between two counts for both'),
    tokensBought: number,
    tokensSold: number,
    xrpBought: number,
    xrpSold: number,
    avgBuyPrice: orNull(number),
    avgSellPrice: orNull(number),
    profit: number,
    heldWithCost: describe(number, 'Tokens bought and not sold'),
    costOfHeld: number,
    avgCost: orNull(number),
    valueOfHeld: orNull(number),
    activeTraders: describe(
      object({ '24h': integer, '7d': integer, '30d': integer, all: integer }),
      'With a trade in that time up to the newest ledger',
    ),
  }),
  handler: async ({ id }, { views, engine }) => {
    const token = tokenOf(views, id);
    const { ledger: _, ...totals } = await views.traders.totals(token);
    return { md5: engine.state.tokens.md5(token), since: views.traders.since, ...totals };
  },
});

const INTERVAL_ABOUT =
  'Trades that count. 24h: of the present hour and the 23 before; 7d, 30d: of today and the days before (UTC)';

const tokenTraderParams = {
  id: tokenId,
  interval: { in: 'query', kind: 'enum', values: INTERVALS, default: 'all', about: INTERVAL_ABOUT },
  offset: offsetOfPages,
  limit: limit(50, 100),
  sort: tokenSort,
  order,
  search: { in: 'query', kind: 'text', minLength: 3, maxLength: 64, about: 'Part of an address' },
} as const;

const tokenTraderAnswer = object({
  md5: string,
  since,
  interval: string,
  sort: string,
  order: string,
  count: describe(integer, 'Rows here'),
  total: integer,
  traders: list(tokenTraderRow),
  pagination,
});

interface TokenTraderInput {
  readonly id: string;
  readonly interval: (typeof INTERVALS)[number];
  readonly sort: (typeof TOKEN_TRADER_SORTS)[number];
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
  readonly search?: string | undefined;
}

async function tokenTraderPage(input: TokenTraderInput, views: Views) {
  const { interval, sort, order, offset, limit, search } = input;
  const token = tokenOf(views, input.id);
  const ascending = order === 'asc';
  const page = await views.traders.ofToken({ token, interval, sort, ascending, search, offset, limit });
  return {
    md5: views.traders.md5(token),
    since: views.traders.since,
    interval,
    sort,
    order,
    count: page.traders.length,
    total: page.total,
    traders: page.traders,
    pagination: pageInfo(page.total, offset, limit),
  };
}

const tokenTraders = route({
  ...traderPages,
  path: '/traders/token-traders/{id}',
  example: { id: samples.token, limit: 10 },
  summary: 'Traders of a token, by volume, trades, profit or time',
  params: tokenTraderParams,
  response: tokenTraderAnswer,
  handler: (input, { views }) => tokenTraderPage(input, views),
});

const analyticsTokenTraders = route({
  ...analytics,
  path: '/token/analytics/token/{id}/traders',
  example: { id: samples.token, limit: 10 },
  summary: 'Traders of a token, by volume, trades, profit or time',
  params: tokenTraderParams,
  response: tokenTraderAnswer,
  handler: (input, { views }) => tokenTraderPage(input, views),
});

export const traderRoutes: Route[] = [
  market,
  traders,
  summary,
  sources,
  tokenTotals,
  tokenTraders,
  analyticsTokenTraders,
  ...oneTraderRoutes,
];
