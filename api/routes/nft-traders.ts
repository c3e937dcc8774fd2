/** Section 4.5: accounts that trade NFTs. XRP; trades for other assets count as trades, and are in no sum. */
import { NFT_TRADER_SORTS } from '../../views/nfts/trader-figures.ts';
import { account, limit, offset, offsetOfPages } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, list, mapOf, number, object, oneOf, orNull, string } from '../schema.ts';
import { eventRow, marker, placeOf } from './nfts.ts';
import { addressOf, pageInfo, pagination } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft',
  cache: 'ledger',
} as const;
const TRADES_MAX = 200;

const time = describe(orNull(integer), 'Unix ms; null: none was seen');
const truncated = describe(boolean, 'Only its newest events were looked at');

/** Of all time. */
const figures = {
  totalVolume: number,
  totalTrades: integer,
  buyVolume: number,
  sellVolume: number,
  profit: describe(
    number,
    'Of NFTs bought for XRP: what it got for them, without royalties and fees, less what it had paid',
  ),
  combinedProfit: describe(number, 'With what is unrealized'),
  roi: describe(orNull(number), 'Percent of what it had paid for what it sold'),
  winRate: describe(orNull(number), 'Percent of flips with a profit'),
  flips: describe(integer, 'Sales of NFTs that it had bought for XRP'),
  holdingsCount: describe(integer, 'NFTs that it owns'),
  lastTrade: time,
};

const partyOf = (account: string, { views }: RouteContext): number => views.nfts.party(addressOf(account));

const traders = route({
  ...shared,
  path: '/nft/analytics/traders',
  example: { limit: 20 },
  summary: 'Accounts that bought or sold NFTs, the largest first',
  params: {
    offset: offsetOfPages,
    limit: limit(50, 100),
    sort: {
      in: 'query',
      kind: 'enum',
      values: NFT_TRADER_SORTS,
      synonyms: { volume: 'totalVolume', trades: 'totalTrades' },
      default: 'totalVolume',
      about: 'Figure to sort by',
    },
  },
  response: object({
    sort: oneOf(NFT_TRADER_SORTS),
    traders: list(
      object({
        address: string,
        xrpBalance: describe(orNull(number), 'Null: the account is not known'),
        vol24h: describe(number, 'Bought and sold in 24 hours'),
        ...figures,
        buys: integer,
        sells: integer,
        marketplaceBreakdown: describe(
          mapOf(object({ trades: integer, volume: number })),
          'Purchases and sales by the marketplace through which they were made, where that is known: trades, volume',
        ),
      }),
    ),
    pagination,
  }),
  handler: async ({ sort, offset, limit }, { views }) => {
    const { rows, total } = await views.nfts.traders.list(sort, offset, limit);
    return { sort, traders: rows, pagination: pageInfo(total, offset, limit) };
  },
});

const trader = route({
  ...shared,
  path: '/nft/analytics/trader/{account}',
  example: { account: samples.account },
  summary: 'What an account bought and sold of NFTs, and what it gained',
  params: { account },
  response: object({
    account: string,
    rank: describe(orNull(integer), 'By volume; null: it did not trade'),
    ...figures,
    buyCount: integer,
    sellCount: integer,
    unrealizedProfit: describe(
      number,
      'Of NFTs bought and held: floors of their collections less what it had paid',
    ),
    avgHoldingDays: orNull(number),
    firstTrade: time,
    profit24h: number,
    profit7d: number,
    profit30d: number,
    'truncated?': truncated,
  }),
  handler: async ({ account }, context) => ({
    account,
    ...(await context.views.nfts.traders.of(partyOf(account, context))),
  }),
});

const sums = { volume: number, buyVolume: number, sellVolume: number, trades: integer, profit: number };

const history = route({
  ...shared,
  path: '/nft/analytics/trader/{account}/history',
  example: { account: samples.account },
  summary: 'The days on which an account traded NFTs, oldest first',
  params: { account },
  response: object({
    account: string,
    count: integer,
    history: list(object({ date: string, ...sums })),
    'truncated?': truncated,
  }),
  handler: async ({ account }, context) => {
    const { history, isPart } = await context.views.nfts.traders.days(partyOf(account, context));
    return { account, count: history.length, history, ...(isPart && { truncated: true }) };
  },
});

const collections = route({
  ...shared,
  path: '/nft/analytics/trader/{account}/collections',
  example: { account: samples.account, limit: 20 },
  summary: 'The collections of which an account traded NFTs, those with most volume first',
  params: { account, offset, limit: limit(50, 200) },
  response: object({
    account: string,
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    collections: list(
      object({
        cid: string,
        slug: string,
        'name?': string,
        'logo?': describe(string, 'File below /s1/nft-collection/'),
        ...sums,
        roi: orNull(number),
      }),
    ),
    'truncated?': truncated,
  }),
  handler: async ({ account, offset, limit }, context) => {
    const { rows, isPart } = await context.views.nfts.traders.collections(partyOf(account, context));
    const { nfts } = context.views;
    const page = rows.slice(offset, offset + limit).map(({ cid, slug, ...figures }) => {
      const { name, logoImage: logo } = nfts.texts.named(nfts.collection(cid));
      return {
        cid,
        slug,
        ...(name !== undefined && { name }),
        ...(logo !== undefined && { logo }),
        ...figures,
      };
    });
    return {
      account,
      count: page.length,
      total: rows.length,
      offset,
      limit,
      collections: page,
      ...(isPart && { truncated: true }),
    };
  },
});

const SALES = new Set(['SALE']);

const trades = route({
  ...shared,
  path: '/nft/analytics/trader/{account}/trades',
  example: { account: samples.account, limit: 20 },
  summary: 'What an account bought and sold of NFTs, the newest first',
  params: { account, limit: limit(50, TRADES_MAX), marker },
  response: object({
    account: string,
    count: integer,
    limit: integer,
    trades: list(eventRow),
    'marker?': describe(string, 'Of the next page'),
  }),
  handler: ({ account, limit, marker }, context) => {
    const party = partyOf(account, context);
    const { rows, next } = context.views.nfts.events.page({
      scope: { party },
      limit,
      types: SALES,
      from: placeOf(marker),
      keep: ({ from, to }) => from === party || to === party,
    });
    return {
      account,
      count: rows.length,
      limit,
      trades: rows,
      ...(next && { marker: `${next.ledger}_${next.tx}_${next.number}` }),
    };
  },
});

export const nftTraderRoutes: readonly Route[] = [traders, trader, history, collections, trades];
