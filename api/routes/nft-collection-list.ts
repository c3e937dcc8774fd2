/** Section 4.5: the list of collections of NFTs. Amounts are XRP, times Unix ms. */
import { DAY } from '../../engine/ripple-time.ts';
import type { CollectionSort } from '../../views/nfts/collection-figures.ts';
import { flag, limit, offset, order } from '../common.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  number,
  object,
  type Schema,
  type Static,
  string,
} from '../schema.ts';
import { collectionMembers, collectionRowOf, salesWindow } from './nft-collection-rows.ts';
import { ofCollections } from './nft-collection-schemas.ts';
import { globalMetrics, globalMetricsOf } from './nft-market.ts';

const PAGE_MAX = 200;
/** Tags beside a list. */
const TAGS_SHOWN = 100;

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
  marketcap: 'marketcap',
  'marketcap.amount': 'marketcap',
  topOffer: 'topOffer',
  'topOffer.amount': 'topOffer',
  offers: 'bids',
  burnedItems: 'burned',
  floor24hAgo: 'floor24hAgo',
  floor1dPercent: 'floor1dPercent',
  floor7dPercent: 'floor7dPercent',
  floor30dPercent: 'floor30dPercent',
  totalRoyalties: 'royalties',
  totalBrokerFees: 'brokerFees',
  totalFees: 'fees',
  transferFee: 'transferFee',
  royaltyFee: 'transferFee',
};

const PERIODS_OF_LISTS = ['24h', '7d', '30d'] as const;
type PeriodOfList = (typeof PERIODS_OF_LISTS)[number];
const PERIOD_SECONDS: Readonly<Record<PeriodOfList, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
};

/** New collections of a day that are named. */
const TOP_SHOWN = 5;

/** What rows have with `lightweight`, too. */
const ALWAYS = [
  '_id',
  'slug',
  'issuer',
  'taxon',
  'items',
  'owners',
  'totalVol24h',
  'totalVolume',
] as const satisfies (keyof typeof collectionMembers)[];

const fullRow = object({
  ...collectionMembers,
  'intervalVolume?': describe(number, 'Of sales for XRP in the interval that was sent'),
  'intervalSales?': integer,
});

const listedCollection = { ...fullRow, required: ALWAYS } as Schema<
  Pick<Static<typeof fullRow>, (typeof ALWAYS)[number]>
>;

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
      about: 'What to sort by; collections without the figure come last in either direction',
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
      about: 'Only collections whose NFTs were minted through this platform',
    },
    filter: {
      in: 'query',
      kind: 'text',
      maxLength: 100,
      about: 'Only collections whose name or slug, or the name of whose issuer, contains this text',
    },
    includeGlobalMetrics: flag('With figures of all collections'),
    minOwners: { in: 'query', kind: 'int', min: 0, default: 0, about: 'Only those with so many owners' },
    lightweight: flag('Without what is not needed for a list'),
    skip_metrics: flag('Accepted; answers carry no market figures'),
  },
  response: object({
    collections: list(listedCollection),
    count: integer,
    total: integer,
    sort: string,
    order: string,
    'tagName?': describe(string, 'With tag: as collections have it; blank: none has it'),
    minOwners: integer,
    tags: describe(list(object({ tag: string, count: integer })), 'Of all collections, the most frequent'),
    pagination: object({ total: integer, offset: integer, limit: integer, hasMore: boolean }),
    'globalMetrics?': describe(globalMetrics, 'As /nft/global-metrics has them'),
    'collectionCreation?': describe(
      list(
        object({
          date: string,
          totalCollections: describe(integer, 'Of which the first NFT was minted on the day'),
          totalItems: describe(integer, 'NFTs of these that exist'),
          mints: integer,
          sales: integer,
          volume: number,
          uniqueCollections: describe(integer, 'Collections sold of'),
          topCollections: describe(
            list(
              object({ slug: string, 'name?': string, 'logoImage?': string, items: integer, volume: number }),
            ),
            `The ${TOP_SHOWN} of these with most volume since`,
          ),
        }),
      ),
      'With includeGlobalMetrics: the last days, the oldest first',
    ),
  }),
  handler: async (input, context) => {
    const { sort, order, limit, offset, minOwners, lightweight, interval } = input;
    const { collections, texts, filter } = context.views.nfts;
    const isAscending = order === 'asc';
    const page = { skip: offset, limit, isAscending, minOwners };
    const tagged = input.tag ? texts.tagged(input.tag) : undefined;
    const made = input.origin ? collections.ofOrigin(input.origin, tagged) : tagged;
    const only = input.filter ? await filter.containing(input.filter, made) : made;
    const { rows, total } = await collections.list(SORTS[sort]!, { ...page, only });
    const ofInterval = interval === undefined ? undefined : await salesWithin(rows, interval, context);
    const found = rows.map((row, i) => {
      const { _id, slug, issuer, taxon, items, owners, totalVol24h, totalVolume, ...rest } = collectionRowOf(
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
    const ofAll = input.includeGlobalMetrics ? await withMetrics(context) : {};
    const tags = texts.tags().slice(0, TAGS_SHOWN);
    return {
      collections: found,
      count: found.length,
      total,
      sort,
      order,
      ...(input.tag && { tagName: texts.tagName(input.tag) }),
      minOwners,
      tags,
      pagination,
      ...ofAll,
    };
  },
});

/** Figures of all collections, and what was made on each of the last days. */
async function withMetrics(context: RouteContext) {
  const { nfts } = context.views;
  const globalMetrics = await globalMetricsOf(context);
  const created = await nfts.market.created(TOP_SHOWN);
  const collectionCreation = globalMetrics.daily.map(({ date, mints, sales, volume, uniqueCollections }) => {
    const { count, items: totalItems, top } = created.get(date) ?? { count: 0, items: 0, top: [] };
    const topCollections = top.map((row) => {
      const { slug, name, logoImage, items, volume } = collectionRowOf(row, context);
      return {
        slug,
        ...(name !== undefined && { name }),
        ...(logoImage !== undefined && { logoImage }),
        items,
        volume,
      };
    });
    const figures = { mints, sales, volume, uniqueCollections };
    return { date, totalCollections: count, totalItems, ...figures, topCollections };
  });
  return { globalMetrics, collectionCreation };
}

/** Sales of some collections in the newest time. */
async function salesWithin(rows: readonly number[], interval: PeriodOfList, { views, engine }: RouteContext) {
  const since = (engine.head?.closeTime ?? 0) - PERIOD_SECONDS[interval];
  const found: { intervalVolume: number; intervalSales: number }[] = [];
  for (const row of rows) {
    const { volume, sales: count } = salesWindow(await views.nfts.sales.of(row), since);
    found.push({ intervalVolume: volume, intervalSales: count });
  }
  return found;
}

export const nftCollectionListRoutes: Route[] = [collections];
