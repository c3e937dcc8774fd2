/** Section 4.5: the market of NFTs. Prices and sums are XRP; sales for other assets count as sales, and are in no sum. */
import { DAY_MS, unixMs } from '../../engine/ripple-time.ts';
import { changePercent, NFT_WINDOWS, type NftWindow, shown } from '../../views/nfts/market-figures.ts';
import { traderBalances } from '../../views/traders/market-days.ts';
import { account, limit, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { describe, integer, list, mapOf, number, object, oneOf, orNull, string } from '../schema.ts';
import { addressOf, tradersByWindow } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft',
  cache: 'ledger',
} as const;
/** Days of a period that is asked for; today is one of them. */
const DAYS: Readonly<Record<NftWindow, number>> = { '24h': 2, '7d': 7, '30d': 30, all: 366 };
/** Days of `/nft/global-metrics`. */
const METRICS_DAYS = 30;

const sums = {
  volume: number,
  sales: integer,
  avgPrice: describe(number, 'Of sales for XRP; 0: there were none'),
  mints: integer,
  burns: integer,
  transfers: integer,
  buyOffers: integer,
  sellOffers: integer,
  cancelledOffers: describe(integer, 'Offers of either side that ended untaken'),
  royalties: number,
  brokerFees: number,
};

const day = object({
  date: string,
  ...sums,
  uniqueBuyers: integer,
  uniqueSellers: integer,
  uniqueCollections: describe(integer, 'Collections sold of'),
  volumeByPlatform: describe(mapOf(object({ volume: number, sales: integer })), 'By name of the platform'),
  feesByPlatform: mapOf(object({ royalties: number, brokerFees: number })),
});

const window = object({ ...sums, uniqueBuyers: integer, uniqueSellers: integer, uniqueTraders: integer });
const change = orNull(number);

const lastUpdated = describe(integer, 'Unix ms, close of the newest ledger');

/** Close of the newest ledger, Unix ms. */
const timeOf = ({ engine }: RouteContext): number => unixMs(engine.head?.closeTime ?? 0);

async function windowsOf({ views }: RouteContext) {
  const { market } = views.nfts;
  const distinct = await market.distinct();
  const of = (window: NftWindow) => ({
    ...shown(market.sums(window)),
    uniqueBuyers: distinct[window].buyers,
    uniqueSellers: distinct[window].sellers,
    uniqueTraders: distinct[window].traders,
  });
  return { distinct, aggregates: { '24h': of('24h'), '7d': of('7d'), '30d': of('30d'), all: of('all') } };
}

const market = route({
  ...shared,
  path: '/nft/analytics/market',
  example: { period: '7d', includeDailyHistory: true },
  summary: 'The market of NFTs by day, over windows, and by marketplace',
  params: {
    startDate: { in: 'query', kind: 'time', about: 'First day (YYYY-MM-DD or Unix ms), instead of period' },
    endDate: { in: 'query', kind: 'time', about: 'Last day; today unless it is sent' },
    period: {
      in: 'query',
      kind: 'enum',
      values: NFT_WINDOWS,
      default: '30d',
      about: 'Days up to today; all: a year at most',
    },
    includeDailyHistory: { in: 'query', kind: 'bool', default: false, about: 'With the days' },
  },
  response: object({
    period: oneOf(NFT_WINDOWS),
    'daily?': list(day),
    summary: object({
      total24hVolume: number,
      total24hSales: integer,
      activeTraders24h: integer,
      mints24h: integer,
      burns24h: integer,
      transfers24h: integer,
      totalVolume: number,
      totalSales: integer,
      totalCollections: integer,
      activeCollections24h: integer,
    }),
    aggregates: describe(
      object({ '24h': window, '7d': window, '30d': window, all: window }),
      '24h: the present hour and 23 before it; 7d and 30d: whole days and today',
    ),
    percentChanges: describe(
      object({
        volume24hPct: change,
        sales24hPct: change,
        traders24hPct: change,
        mints24hPct: change,
        burns24hPct: change,
        transfers24hPct: change,
      }),
      'Against the 24 hours before; null: nothing happened in them',
    ),
    platformStatsAll: describe(
      mapOf(
        object({ volume: number, sales: integer, avgPrice: number, royalties: number, brokerFees: number }),
      ),
      'By name of the platform; those without sales are absent',
    ),
    traderBalances: describe(
      tradersByWindow,
      'How many bought or sold in each window, and the XRP that they have now',
    ),
    uniqueTraderCount: integer,
    lastUpdated,
  }),
  handler: async ({ startDate, endDate, period, includeDailyHistory }, context) => {
    const { views, engine } = context;
    const { market } = views.nfts;
    const { distinct, aggregates } = await windowsOf(context);
    const [now, before, all] = [aggregates['24h'], shown(market.dayBefore()), aggregates.all];
    const tradersBefore = await market.tradersDayBefore();
    const end = endDate ?? timeOf(context);
    const from = startDate ?? Math.max(0, end - (DAYS[period] - 1) * DAY_MS);
    return {
      period,
      ...(includeDailyHistory && { daily: market.daily(from, endDate) }),
      summary: {
        total24hVolume: now.volume,
        total24hSales: now.sales,
        activeTraders24h: distinct['24h'].traders,
        mints24h: now.mints,
        burns24h: now.burns,
        transfers24h: now.transfers,
        totalVolume: all.volume,
        totalSales: all.sales,
        totalCollections: engine.nfts.collections.count - 1,
        activeCollections24h: distinct['24h'].collections,
      },
      aggregates,
      percentChanges: {
        volume24hPct: changePercent(now.volume, before.volume),
        sales24hPct: changePercent(now.sales, before.sales),
        traders24hPct: changePercent(distinct['24h'].traders, tradersBefore ?? 0),
        mints24hPct: changePercent(now.mints, before.mints),
        burns24hPct: changePercent(now.burns, before.burns),
        transfers24hPct: changePercent(now.transfers, before.transfers),
      },
      platformStatsAll: market.platformStats(),
      traderBalances: traderBalances(distinct),
      uniqueTraderCount: distinct.all.traders,
      lastUpdated: timeOf(context),
    };
  },
});

export const globalMetrics = object({
  total24hVolume: number,
  total24hSales: integer,
  volumePct: describe(change, 'Percent against the 24 hours before; null: nothing happened in them'),
  salesPct: change,
  totalCollections: integer,
  activeCollections24h: describe(integer, 'Collections sold of'),
  total24hMints: integer,
  total24hBrokerFees: number,
  total24hRoyalties: number,
  sentimentScore: describe(
    orNull(number),
    '0 to 100: the mean of marketRSI and of the part of new offers of 24 hours that are to buy, of those that are known',
  ),
  marketRSI: describe(
    orNull(number),
    'Relative strength (14 days, Wilder) of the mean price of sales for XRP of whole days; null: fewer than 15 days had any',
  ),
  daily: list(day),
  volumeHistory: list(object({ date: string, volume: number, sales: integer })),
  lastUpdated,
});

export async function globalMetricsOf(context: RouteContext) {
  const { views, engine } = context;
  const { market } = views.nfts;
  const distinct = await market.distinct();
  const [now, before] = [shown(market.sums('24h')), shown(market.dayBefore())];
  const daily = market.daily(Math.max(0, timeOf(context) - (METRICS_DAYS - 1) * DAY_MS), undefined);
  const marketRSI = market.strength();
  const offers = now.buyOffers + now.sellOffers;
  const known = [
    ...(marketRSI === null ? [] : [marketRSI]),
    ...(offers > 0 ? [(now.buyOffers / offers) * 100] : []),
  ];
  return {
    total24hVolume: now.volume,
    total24hSales: now.sales,
    volumePct: changePercent(now.volume, before.volume),
    salesPct: changePercent(now.sales, before.sales),
    totalCollections: engine.nfts.collections.count - 1,
    activeCollections24h: distinct['24h'].collections,
    total24hMints: now.mints,
    total24hBrokerFees: now.brokerFees,
    total24hRoyalties: now.royalties,
    sentimentScore: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length,
    marketRSI,
    daily,
    volumeHistory: daily.map(({ date, volume, sales }) => ({ date, volume, sales })),
    lastUpdated: timeOf(context),
  };
}

const metrics = route({
  ...shared,
  path: '/nft/global-metrics',
  example: {},
  summary: `The market of NFTs in short, with the last ${METRICS_DAYS} days`,
  params: {},
  response: globalMetrics,
  handler: (_, context) => globalMetricsOf(context),
});

const global = route({
  ...shared,
  path: '/nft/stats/global',
  example: {},
  summary: 'How many NFTs and collections there are, and what was paid for them',
  params: {},
  response: object({
    totalNFTs: describe(integer, 'That exist, as far as the ledgers read show'),
    totalCollections: integer,
    totalTraders: describe(integer, 'Accounts that bought or sold'),
    totalBuyers: integer,
    totalSellers: integer,
    collectionsSold: describe(integer, 'Collections that an NFT was sold of'),
    ...sums,
    windows: object({ '24h': window, '7d': window, '30d': window }),
    lastUpdated,
  }),
  handler: async (_, context) => {
    const { nfts } = context.engine;
    const { distinct, aggregates } = await windowsOf(context);
    const { all, ...windows } = aggregates;
    const { uniqueBuyers, uniqueSellers, uniqueTraders, ...sums } = all;
    return {
      totalNFTs: nfts.nfts.existing,
      totalCollections: nfts.collections.count - 1,
      totalTraders: uniqueTraders,
      totalBuyers: uniqueBuyers,
      totalSellers: uniqueSellers,
      collectionsSold: distinct.all.collections,
      ...sums,
      windows,
      lastUpdated: timeOf(context),
    };
  },
});

const marketplace = {
  ...sums,
  volume24h: number,
  sales24h: integer,
  volume30d: number,
  sales30d: integer,
  volumePct: describe(number, 'Percent of the volume of all'),
};

const marketplaces = route({
  ...shared,
  path: '/nft/analytics/marketplaces',
  example: {},
  summary: 'Marketplaces of NFTs by broker, source tag or memo, those with most volume first',
  params: {},
  response: object({
    count: integer,
    total: integer,
    marketplaces: list(object({ name: string, slug: string, sourceTag: integer, ...marketplace })),
    other: describe(object(marketplace), 'Through none that is known by broker, source tag or memo'),
    lastUpdated,
  }),
  handler: (_, context) => {
    const { rows, other } = context.views.nfts.market.marketplaces();
    return {
      count: rows.length,
      total: rows.length,
      marketplaces: rows,
      other,
      lastUpdated: timeOf(context),
    };
  },
});

const brokers = route({
  ...shared,
  path: '/nft/brokers/stats',
  example: { limit: 20 },
  summary: 'Accounts that brokered sales of NFTs, those with most volume first',
  params: { offset, limit: limit(50, 200) },
  response: object({
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    brokers: list(
      object({
        address: string,
        'name?': describe(string, 'The marketplace that it brokers for, where that is known'),
        sales: integer,
        volume: number,
        fees: describe(number, 'What it kept of the sales for XRP'),
        feePct: describe(number, 'Percent of the volume'),
        firstSale: integer,
        lastSale: integer,
      }),
    ),
  }),
  handler: ({ offset, limit }, { views }) => {
    const { rows, total } = views.nfts.market.brokers(offset, limit);
    return { count: rows.length, total, offset, limit, brokers: rows };
  },
});

const time = describe(orNull(integer), 'Unix ms; null: none was seen');

const volumeOfTrader = route({
  ...shared,
  path: '/nft/traders/{account}/volume',
  example: { account: samples.account },
  summary: 'What an account paid for NFTs, and what others paid it',
  params: { account },
  response: object({
    account: string,
    buys: integer,
    sells: integer,
    trades: integer,
    buyVolume: number,
    sellVolume: describe(number, 'Prices of what it sold, royalties and fees included'),
    totalVolume: number,
    lastBuy: time,
    lastSell: time,
  }),
  handler: ({ account }, { views }) => ({
    account,
    ...views.nfts.market.ofParty(views.nfts.party(addressOf(account))),
  }),
});

export const nftMarketRoutes: readonly Route[] = [
  market,
  metrics,
  global,
  marketplaces,
  brokers,
  volumeOfTrader,
];
