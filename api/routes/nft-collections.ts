/** Section 4.5: collections of NFTs, their sales and charts. Amounts are XRP, times Unix ms. */
import { accountText } from '../../engine/codec/base58.ts';
import { rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import type { CollectionSort } from '../../views/nfts/collection-figures.ts';
import { collectionId, collectionSlug } from '../../views/nfts/collection-ids.ts';
import { type CollectionSale, collectionTraders } from '../../views/nfts/collection-sales.ts';
import { shown } from '../../views/nfts/market-figures.ts';
import { addressParam, flag, limit, offset, order } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { anyObject, boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import {
  collectionSlugParam,
  DAY_S,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';
import { eventRow, nftRow } from './nfts.ts';
import { addressOf } from './trader-schemas.ts';

const PAGE_MAX = 200;
/** Tags beside a list. */
const TAGS_SHOWN = 100;

const members = {
  _id: describe(string, '<issuer>:<taxon>'),
  slug: string,
  account: describe(string, 'Its issuer'),
  issuer: string,
  taxon: integer,
  'created?': describe(integer, 'Of its first minting; absent: before the first ledger read'),
  items: describe(integer, 'NFTs that exist'),
  owners: integer,
  burnedItems: integer,
  'floor?': describe(number, 'The cheapest NFT that anyone can buy for XRP; absent: none is listed'),
  'floor24hAgo?': describe(number, 'The floor a day ago; absent: nothing was listed, or it is not known'),
  'floor1dPercent?': describe(number, 'By how much the floor has changed in a day'),
  'floor7dPercent?': number,
  'floor30dPercent?': number,
  totalVol24h: number,
  volume: describe(number, 'Of all sales for XRP that were seen'),
  totalVolume: number,
  sales24h: integer,
  totalSales: integer,
  listedCount: describe(integer, 'NFTs that anyone can buy for XRP'),
  'topOffer?': object({ amount: number }),
  'marketcap?': describe(object({ amount: number }), 'All its NFTs at the floor'),
  trendingScore: describe(number, 'Sales of 24 hours x log10(1 + their volume)'),
  'name?': describe(string, 'As its issuer says here, else as most of its newest NFTs do'),
  'description?': string,
  'category?': string,
  'logoImage?': describe(
    string,
    'Picture of one of its NFTs: the file of that name below /s1/nft-collection/',
  ),
  'website?': string,
  'twitter?': string,
  'tags?': list(string),
  'sources?': describe(
    anyObject,
    'Where these texts are from: `service` (its issuer, here) or `metadata` (its NFTs)',
  ),
  verified: describe(boolean, 'The admin of the service knows whose it is'),
};
const collectionRow = object(members);

function rowOf(row: number, { views, engine }: RouteContext) {
  const { collections } = engine.nfts;
  const _id = collectionId(collections, row);
  const issuer = _id.slice(0, _id.indexOf(':'));
  const figures = views.nfts.collections.of(row);
  const { floor, topOffer, marketcap, volume, time } = figures;
  return {
    _id,
    slug: collectionSlug(collections, row),
    account: issuer,
    issuer,
    taxon: collections.taxon(row),
    ...(time !== null && { created: time }),
    items: figures.items,
    owners: figures.owners,
    burnedItems: figures.burned,
    ...(floor !== null && { floor }),
    ...views.nfts.past.floorsAgo(row, floor ?? undefined),
    totalVol24h: figures.vol24h,
    volume,
    totalVolume: volume,
    sales24h: figures.sales24h,
    totalSales: figures.sales,
    listedCount: figures.listed,
    ...(topOffer !== null && { topOffer: { amount: topOffer } }),
    ...(marketcap !== null && { marketcap: { amount: marketcap } }),
    trendingScore: figures.trending,
    ...views.nfts.texts.of(row),
  };
}

/** What lists can be sorted by, and the figure that each is. */
const SORTS: Readonly<Record<string, CollectionSort>> = {
  vol24h: 'vol24h',
  totalVol24h: 'vol24h',
  volume: 'volume',
  totalVolume: 'volume',
  new: 'time',
  created: 'time',
  latest: 'time',
  trendingScore: 'trending',
  items: 'items',
  owners: 'owners',
  floor: 'floor',
  listedCount: 'listed',
  sales24h: 'sales24h',
  totalSales: 'sales',
  'marketcap.amount': 'marketcap',
};

const PERIODS_OF_LISTS = ['24h', '7d', '30d'] as const;
type PeriodOfList = (typeof PERIODS_OF_LISTS)[number];
const PERIOD_SECONDS: Readonly<Record<PeriodOfList, number>> = {
  '24h': DAY_S,
  '7d': 7 * DAY_S,
  '30d': 30 * DAY_S,
};

const collections = route({
  ...ofCollections,
  path: '/nft/collections',
  example: { limit: 10, sort: 'vol24h' },
  summary: 'Collections of NFTs',
  params: {
    sort: {
      in: 'query',
      kind: 'enum',
      values: Object.keys(SORTS),
      default: 'vol24h',
      about: 'What to sort by; collections without the figure come last in descending order',
    },
    order,
    limit: limit(20, PAGE_MAX),
    offset,
    interval: {
      in: 'query',
      kind: 'enum',
      values: PERIODS_OF_LISTS,
      about: 'Where it is sent, rows have the sales of that time: intervalVolume, intervalSales',
    },
    tag: {
      in: 'query',
      kind: 'text',
      maxLength: 100,
      about: 'Only collections to which their issuers gave this tag',
    },
    origin: {
      in: 'query',
      kind: 'text',
      maxLength: 100,
      about: 'Only collections made at this place; the ledger does not name it',
    },
    includeGlobalMetrics: flag('With figures of all collections'),
    minOwners: { in: 'query', kind: 'int', min: 0, default: 0, about: 'Only those with so many owners' },
    lightweight: flag('Without what is not needed for a list'),
    skip_metrics: flag('Accepted; answers carry no market figures'),
  },
  response: object({
    collections: list(anyObject),
    count: integer,
    total: integer,
    sort: string,
    order: string,
    tags: describe(list(object({ tag: string, count: integer })), 'Of all collections, the most frequent'),
    pagination: object({ total: integer, offset: integer, limit: integer, hasMore: boolean }),
    'globalMetrics?': object({
      // As /nft/global-metrics has them.
      total24hVolume: number,
      total24hSales: integer,
      totalCollections: integer,
      activeCollections24h: describe(integer, 'Of which an NFT was sold'),
    }),
  }),
  handler: async (input, context) => {
    const { sort, order, limit, offset, minOwners, lightweight, interval } = input;
    const { collections, texts } = context.views.nfts;
    const isAscending = order === 'asc';
    const page = { skip: offset, limit, isAscending, minOwners };
    const tagged = input.tag ? texts.tagged(input.tag) : undefined;
    // Nothing says where a collection was made.
    const only = input.origin ? new Set<number>() : tagged;
    const { rows, total } = await collections.list(SORTS[sort]!, { ...page, only });
    const ofInterval = interval === undefined ? undefined : await salesWithin(rows, interval, context);
    const found = rows.map((row, i) => {
      const { _id, slug, issuer, taxon, items, owners, totalVol24h, totalVolume, ...rest } = rowOf(
        row,
        context,
      );
      const light = {
        ...{ _id, slug, issuer, taxon, items, owners, totalVol24h, totalVolume },
        ...ofInterval?.[i],
      };
      const { name, logoImage, floor } = rest;
      return lightweight
        ? {
            ...light,
            ...(name !== undefined && { name }),
            ...(logoImage !== undefined && { logoImage }),
            ...(floor !== undefined && { floor }),
          }
        : { ...light, ...rest };
    });
    const pagination = { total, offset, limit, hasMore: offset + found.length < total };
    const globalMetrics = input.includeGlobalMetrics ? { globalMetrics: await totalsOf(context) } : {};
    const tags = texts.tags().slice(0, TAGS_SHOWN);
    return {
      collections: found,
      count: found.length,
      total,
      sort,
      order,
      tags,
      pagination,
      ...globalMetrics,
    };
  },
});

/** The same figures as those of /nft/global-metrics. */
async function totalsOf({ views: { nfts }, engine }: RouteContext) {
  const { volume, sales } = shown(nfts.market.sums('24h'));
  const distinct = await nfts.market.distinct();
  return {
    total24hVolume: volume,
    total24hSales: sales,
    totalCollections: Math.max(0, engine.nfts.collections.count - 1),
    activeCollections24h: distinct['24h'].collections,
  };
}

/** Sales of some collections in the newest time. */
async function salesWithin(rows: readonly number[], interval: PeriodOfList, { views, engine }: RouteContext) {
  const since = (engine.head?.closeTime ?? 0) - PERIOD_SECONDS[interval];
  const found: { intervalVolume: number; intervalSales: number }[] = [];
  for (const row of rows) {
    const { sales } = await views.nfts.sales.of(row);
    const { volume, sales: count } = windowOf(sales, since);
    found.push({ intervalVolume: volume, intervalSales: count });
  }
  return found;
}

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
    return rowOf(row, context);
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
      about: 'By the order in which they were first seen, or by the price at which anyone can buy them',
    },
    nftOrder: { ...order, about: 'Direction of nftSort' },
  },
  response: object({ ...members, 'nfts?': list(nftRow) }),
  handler: async ({ slug, includeNFTs, nftLimit, nftSort, nftOrder }, context) => {
    const { views } = context;
    const row = existingCollection(slug, context);
    await views.nfts.collections.ready();
    if (!includeNFTs) return rowOf(row, context);
    const found = await views.nfts.collections.members(row, nftSort);
    if (nftOrder === 'asc') found.reverse();
    return { ...rowOf(row, context), nfts: await views.nfts.rows.page(found.slice(0, nftLimit)) };
  },
});

const windowFigures = object({
  volume: number,
  sales: integer,
  averagePrice: orNull(number),
  traders: integer,
});

const metrics = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/metrics',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'Figures of a collection, with its sales of a day, a week, a month and all time',
  params: { slug: collectionSlugParam },
  response: object({
    ...members,
    listedPct: describe(number, 'Percent of its NFTs'),
    uniqueOwnersPct: describe(number, 'Owners for 100 NFTs'),
    windows: object({ '24h': windowFigures, '7d': windowFigures, '30d': windowFigures, all: windowFigures }),
    royalties: describe(number, 'Of sales for XRP'),
    brokerFees: number,
    'truncated?': describe(boolean, 'It has older events, which windows do not count'),
  }),
  handler: async ({ slug }, context) => {
    const { views, engine } = context;
    const row = existingCollection(slug, context);
    await views.nfts.collections.ready();
    const { sales, days, isPart } = await views.nfts.sales.of(row);
    const now = engine.head?.closeTime ?? 0;
    const figures = rowOf(row, context);
    const of = (seconds: number) => windowOf(sales, seconds === 0 ? -1 : now - seconds);
    const percent = (part: number) => (figures.items === 0 ? 0 : (part / figures.items) * 100);
    return {
      ...figures,
      listedPct: percent(figures.listedCount),
      uniqueOwnersPct: percent(figures.owners),
      windows: { '24h': of(DAY_S), '7d': of(7 * DAY_S), '30d': of(30 * DAY_S), all: of(0) },
      royalties: days.reduce((sum, { royalties }) => sum + royalties, 0),
      brokerFees: days.reduce((sum, { brokerFees }) => sum + brokerFees, 0),
      ...(isPart && { truncated: true }),
    };
  },
});

/** Sales later than a close time. */
function windowOf(all: readonly CollectionSale[], since: number) {
  const sales = all.filter(({ time }) => time > since);
  const volume = sales.reduce((sum, { xrp }) => sum + xrp, 0);
  const traders = new Set(sales.flatMap(({ buyer, seller }) => [buyer, seller])).size;
  return {
    volume,
    sales: sales.length,
    averagePrice: sales.length === 0 ? null : volume / sales.length,
    traders,
  };
}

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
    traders: list(
      object({
        address: string,
        volume: number,
        buyVolume: number,
        buys: integer,
        sellVolume: number,
        sells: integer,
        lastTrade: integer,
      }),
    ),
    count: integer,
    total: integer,
    sort: string,
    'truncated?': boolean,
  }),
  handler: async ({ slug, sort, limit }, context) => {
    const { views, engine } = context;
    const { sales, isPart } = await views.nfts.sales.of(existingCollection(slug, context));
    const now = engine.head?.closeTime ?? 0;
    const all = collectionTraders(sales, sort === 'all' ? -1 : now - 7 * DAY_S);
    const rows = all.slice(0, limit).map(({ party, lastTrade, ...figures }) => ({
      address: accountText(engine.nfts.parties.key(party)),
      volume: figures.buyVolume + figures.sellVolume,
      ...figures,
      lastTrade: unixMs(lastTrade),
    }));
    return { traders: rows, count: rows.length, total: all.length, sort, ...(isPart && { truncated: true }) };
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
  }),
  handler: async ({ slug, limit }, context) => {
    const { asks, bids } = await context.views.nfts.collections.book(existingCollection(slug, context));
    return {
      asks: asks.slice(0, limit),
      bids: bids.slice(0, limit),
      totalAsks: asks.length,
      totalBids: bids.length,
    };
  },
});

/** What clients ask for here, and the events that each is. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  SALE: ['SALE'],
  MINT: ['MINT'],
  BURN: ['BURN'],
  TRANSFER: ['TRANSFER'],
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
      keep: (event) =>
        event.closeTime >= from &&
        event.ledger >= sinceLedger &&
        (of === undefined || (of !== 0 && (event.from === of || event.to === of || event.broker === of))),
    });
    const pagination = { total, offset, limit, hasMore: offset + rows.length < total };
    return { history: rows, count: rows.length, total, pagination, ...(isPart && { truncated: true }) };
  },
});

const partsOf = ({ views: { nfts } }: RouteContext) => ({
  events: nfts.events,
  party: (address: string) => nfts.party(address),
});

export const nftCollectionRoutes: Route[] = [collections, resolve, one, metrics, traders, orderbook, history];
