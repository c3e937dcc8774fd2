/** Section 4.5: collections of NFTs, their sales and charts. Amounts are XRP, times Unix ms. */
import { accountText } from '../../engine/codec/base58.ts';
import { DAY, rippleSeconds } from '../../engine/ripple-time.ts';
import { collectionTraders, volumeOf } from '../../views/nfts/collection-sales.ts';
import { isPartyOf, NFT_EVENT_NAMES } from '../../views/nfts/events.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import { addressParam, flag, limit, offset, order } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import {
  collectionMembers,
  collectionRow,
  collectionRowOf,
  salesWindow,
  traderFiguresOf,
  traderMembers,
} from './nft-collection-rows.ts';
import {
  collectionSlugParam,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';
import { eventRow, nftRow } from './nfts.ts';
import { addressOf } from './trader-schemas.ts';

const PAGE_MAX = 200;

const resolve = route({
  ...ofCollections,
  path: '/nft/collections/resolve',
  example: { account: samples.account, taxon: 0 },
  summary: 'A collection by its issuer and taxon',
  params: {
    account: {
      ...addressParam('Its issuer'),
      aliases: ['issuer'],
      required: true,
    },
    taxon: { in: 'query', kind: 'int', min: 0, max: 0xffffffff, default: 0, about: 'Its taxon' },
  },
  response: collectionRow,
  handler: async ({ account, taxon }, context) => {
    const row = existingCollection(`${addressOf(account)}:${taxon}`, context);
    await context.views.nfts.collections.ready();
    return collectionRowOf(row, context);
  },
});

const NFT_SORTS = ['minted', 'price'] as const;

const one = route({
  ...ofCollections,
  path: '/nft/collections/{slug}',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'A collection of NFTs',
  params: {
    slug: collectionSlugParam,
    includeNFTs: flag('With NFTs of it'),
    nftLimit: { ...limit(20, 100), about: 'Most of them' },
    nftSort: {
      in: 'query',
      kind: 'enum',
      values: NFT_SORTS,
      default: 'minted',
      about:
        'By the order in which they were first seen, or by the price at which anyone can buy them; those that nobody can buy come last',
    },
    nftOrder: { ...order, about: 'Direction of nftSort' },
  },
  response: object({ ...collectionMembers, 'nfts?': list(nftRow), 'nftLimit?': integer }),
  handler: async ({ slug, includeNFTs, nftLimit, nftSort, nftOrder }, context) => {
    const { views } = context;
    const row = existingCollection(slug, context);
    await views.nfts.collections.ready();
    if (!includeNFTs) return collectionRowOf(row, context);
    const found = await views.nfts.collections.members(row, nftSort, nftOrder === 'asc');
    const nfts = await views.nfts.rows.page(found.slice(0, nftLimit));
    return { ...collectionRowOf(row, context), nfts, nftLimit };
  },
});

const windowFigures = object({
  volume: number,
  sales: integer,
  averagePrice: describe(orNull(number), 'Of sales for XRP; null: there were none'),
  traders: integer,
});

const metrics = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/metrics',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'Figures of a collection, with its sales of a day, a week, a month and all time',
  params: { slug: collectionSlugParam },
  response: object({
    ...collectionMembers,
    listedPct: describe(number, 'Percent of its NFTs'),
    uniqueOwnersPct: describe(number, 'Owners for 100 NFTs'),
    windows: object({ '24h': windowFigures, '7d': windowFigures, '30d': windowFigures, all: windowFigures }),
    royalties: describe(number, 'As totalRoyalties'),
    brokerFees: number,
    'truncated?': describe(boolean, 'It has older events, which windows do not count'),
  }),
  handler: async ({ slug }, context) => {
    const { views, engine } = context;
    const row = existingCollection(slug, context);
    await views.nfts.collections.ready();
    const past = await views.nfts.sales.of(row);
    const now = engine.head?.closeTime ?? 0;
    const figures = collectionRowOf(row, context);
    const of = (seconds: number) => salesWindow(past, seconds === 0 ? -1 : now - seconds);
    const percent = (part: number) => (figures.items === 0 ? 0 : (part / figures.items) * 100);
    return {
      ...figures,
      listedPct: percent(figures.listedCount),
      uniqueOwnersPct: percent(figures.owners),
      windows: { '24h': of(DAY), '7d': of(7 * DAY), '30d': of(30 * DAY), all: of(0) },
      royalties: figures.totalRoyalties,
      brokerFees: figures.totalBrokerFees,
      ...(past.isPart && { truncated: true }),
    };
  },
});

const collectionTrader = object({
  address: string,
  volume: number,
  ...traderMembers,
});

const traderSorts = ['all', 'volume7d'] as const;

const traders = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/traders',
  example: { slug: EXAMPLE_COLLECTION, limit: 20 },
  summary: 'Who traded the NFTs of a collection for XRP, by volume',
  params: {
    slug: collectionSlugParam,
    sort: {
      in: 'query',
      kind: 'enum',
      values: traderSorts,
      default: 'all',
      about: 'Of all time, or of seven days',
    },
    limit: limit(100, PAGE_MAX),
  },
  response: object({
    traders: list(collectionTrader),
    count: integer,
    total: integer,
    limit: integer,
    sort: string,
    'truncated?': boolean,
  }),
  handler: async ({ slug, sort, limit }, context) => {
    const { views, engine } = context;
    const { sales, isPart } = await views.nfts.sales.of(existingCollection(slug, context));
    const now = engine.head?.closeTime ?? 0;
    const all = collectionTraders(sales, sort === 'all' ? -1 : now - 7 * DAY);
    const rows = all.slice(0, limit).map((trader) => ({
      address: accountText(engine.nfts.parties.key(trader.party)),
      volume: xrpOf(volumeOf(trader)),
      ...traderFiguresOf(trader),
    }));
    const counts = { count: rows.length, total: all.length, limit };
    return { traders: rows, ...counts, sort, ...(isPart && { truncated: true }) };
  },
});

const bookRow = object({
  NFTokenID: string,
  index: describe(string, 'Of the offer'),
  price: describe(number, 'XRP'),
  owner: string,
  'expiration?': describe(integer, 'Seconds of the Ripple epoch'),
});

const orderbook = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/orderbook',
  example: { slug: EXAMPLE_COLLECTION, limit: 20 },
  summary:
    'What NFTs of a collection anyone can buy for XRP, the cheapest first, and the highest offer for each, the highest first',
  params: { slug: collectionSlugParam, limit: { ...limit(50, PAGE_MAX), about: 'Most rows of each side' } },
  response: object({
    asks: list(bookRow),
    bids: list(bookRow),
    totalAsks: integer,
    totalBids: integer,
    limit: integer,
  }),
  handler: async ({ slug, limit }, context) => {
    const { asks, bids } = await context.views.nfts.collections.book(existingCollection(slug, context));
    return {
      asks: asks.slice(0, limit),
      bids: bids.slice(0, limit),
      totalAsks: asks.length,
      totalBids: bids.length,
      limit,
    };
  },
});

/** What clients ask for here, and the events that each is: their names in rows, and some of this route alone. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(NFT_EVENT_NAMES).map((name) => [name, [name]])),
  OFFER: ['CREATE_BUY_OFFER'],
  LIST: ['CREATE_SELL_OFFER'],
  DELIST: ['CANCEL_SELL_OFFER'],
  CANCEL: ['CANCEL_SELL_OFFER', 'CANCEL_BUY_OFFER'],
};

const history = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/history',
  example: { slug: EXAMPLE_COLLECTION, limit: 20 },
  summary: 'What happened to the NFTs of a collection, the newest first',
  params: {
    slug: collectionSlugParam,
    type: { in: 'query', kind: 'enum', values: Object.keys(TYPES), about: 'Only these' },
    account: addressParam('Of which this account is a party'),
    limit: limit(20, PAGE_MAX),
    offset,
    since: { in: 'query', kind: 'time', about: 'Unix ms: only from then on' },
    sinceLedger: { in: 'query', kind: 'int', min: 0, default: 0, about: 'Only from this ledger on' },
  },
  response: object({
    history: list(eventRow),
    count: integer,
    total: integer,
    'since?': integer,
    sinceLedger: integer,
    pagination: object({ total: integer, offset: integer, limit: integer, hasMore: boolean }),
    'truncated?': describe(boolean, 'There are older ones, which are not counted'),
  }),
  handler: async ({ slug, type, account, limit, offset, since, sinceLedger }, context) => {
    const { events, party } = partsOf(context);
    const of = account === undefined || account === '' ? undefined : party(addressOf(account));
    const from = since === undefined ? 0 : rippleSeconds(since + 999);
    const { rows, total, isPart } = await events.window({
      scope: { collection: existingCollection(slug, context) },
      types: type === undefined ? undefined : new Set(TYPES[type]),
      limit,
      skip: offset,
      keep: of === undefined ? undefined : (event) => isPartyOf(event, of),
      isTooOld: ({ closeTime, ledger }) => closeTime < from || ledger < sinceLedger,
    });
    const isFull = rows.length === limit;
    const pagination = {
      total,
      offset,
      limit,
      hasMore: offset + rows.length < total || (isPart && isFull),
    };
    return {
      history: rows,
      count: rows.length,
      total,
      ...(since !== undefined && { since }),
      sinceLedger,
      pagination,
      ...(isPart && { truncated: true }),
    };
  },
});

const partsOf = ({ views: { nfts } }: RouteContext) => ({
  events: nfts.events,
  party: (address: string) => nfts.party(address),
});

export const nftCollectionRoutes: Route[] = [resolve, one, metrics, traders, orderbook, history];
