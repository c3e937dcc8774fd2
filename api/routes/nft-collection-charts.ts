/** Section 4.5: charts of the sales of collections of NFTs, their mints, owners and listings by price. Amounts are XRP, times UTC. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import { bucketStart } from '../../engine/market/intervals.ts';
import { DAY, DAY_MS, rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import { type NftContent, shownContent } from '../../platform/nft-metadata.ts';
import { dayStart } from '../../requests/calendar-day.ts';
import { badRequest } from '../../requests/errors.ts';
import { dateText } from '../../views/date-text.ts';
import { collectionSlug } from '../../views/nfts/collection-ids.ts';
import type { CollectionDayValues } from '../../views/nfts/collection-past.ts';
import { type CollectionSale, saleCandles } from '../../views/nfts/collection-sales.ts';
import { thumbnailOf } from '../../views/nfts/pictures.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import { flag, limit, offset } from '../common.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, mapOf, number, object, oneOf, orNull, string } from '../schema.ts';
import {
  collectionSlugParam,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';

/** Seconds of an interval. */
const RESOLUTIONS = {
  '5': 300,
  '15': 900,
  '30': 1800,
  '60': 3600,
  '240': 14_400,
  D: DAY,
  W: 7 * DAY,
} as const;
type Resolution = keyof typeof RESOLUTIONS;
const RESOLUTION_NAMES = ['5', '15', '30', '60', '240', 'D', 'W'] as const satisfies readonly Resolution[];
/** Days; 0: all. */
const RANGES = { '1D': 1, '5D': 5, '1M': 30, '3M': 90, '1Y': 365, ALL: 0 } as const;
const RANGE_NAMES = ['1D', '5D', '1M', '3M', '1Y', 'ALL'] as const;
const CANDLES_MAX = 2000;

/** Whole days as dates, shorter intervals as times. */
const timeText = (ms: number, resolution: Resolution): string => {
  const text = new Date(ms).toISOString();
  return resolution === 'D' || resolution === 'W' ? text.slice(0, 10) : text;
};

const ohlc = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/ohlc',
  example: { slug: EXAMPLE_COLLECTION, resolution: 'D' },
  summary:
    'Candles of the sales of a collection for XRP, the oldest first; intervals without a sale have none',
  params: {
    slug: collectionSlugParam,
    limit: { ...limit(365, 1000), about: 'Newest candles to answer' },
    offset: { ...offset, about: 'Newest candles to skip' },
    resolution: {
      in: 'query',
      kind: 'enum',
      values: RESOLUTION_NAMES,
      default: 'D',
      about: 'Minutes, D a day, W a week from Monday on',
    },
    range: {
      in: 'query',
      kind: 'enum',
      values: RANGE_NAMES,
      default: 'ALL',
      about: 'Only the newest days, from the candle in which they begin',
    },
    cb: { in: 'query', kind: 'int', min: 1, max: CANDLES_MAX, about: 'In place of limit: candles' },
  },
  response: object({
    ohlc: list(
      object({
        t: describe(string, 'YYYY-MM-DD, or the time of shorter intervals, UTC'),
        o: number,
        h: number,
        l: number,
        c: number,
        v: describe(number, 'XRP'),
        s: describe(integer, 'Sales'),
        'lo?': describe(
          integer,
          'NFTs listed at the end, for anyone and XRP; of days and weeks, where it is known',
        ),
        'bo?': describe(integer, 'Offers in XRP to buy one of its NFTs, as above'),
        'ho?': describe(integer, 'Accounts that own its NFTs, as above'),
      }),
    ),
    count: integer,
    total: integer,
    resolution: string,
    range: string,
    limit: integer,
    offset: integer,
    'cb?': integer,
    'truncated?': boolean,
  }),
  handler: async ({ slug, limit, offset, resolution, range, cb }, context) => {
    const { views, engine } = context;
    const row = existingCollection(slug, context);
    const { sales, isPart } = await views.nfts.sales.of(row);
    const seconds = RESOLUTIONS[resolution];
    const days = RANGES[range];
    // The candle in which the range begins, too: a week may have begun before the newest five days.
    const now = engine.head?.closeTime ?? 0;
    const first = days === 0 ? 0 : unixMs(bucketStart(seconds, Math.max(0, now - days * DAY)));
    const all = saleCandles(sales, seconds).filter(({ time }) => time >= first);
    const end = Math.max(0, all.length - offset);
    const shown = all.slice(Math.max(0, end - (cb ?? limit)), end);
    const endOf = endsOf(resolution, views.nfts.past.days(row));
    return {
      ohlc: shown.map(({ time, open, high, low, close, volume, sales }) => ({
        t: timeText(time, resolution),
        o: xrpOf(open),
        h: xrpOf(high),
        l: xrpOf(low),
        c: xrpOf(close),
        v: xrpOf(volume),
        s: sales,
        ...endOf(time),
      })),
      count: shown.length,
      total: all.length,
      resolution,
      range,
      limit,
      offset,
      ...(cb !== undefined && { cb }),
      ...(isPart && { truncated: true }),
    };
  },
});

/** Listings, offers and owners at the end of the candle that begins at a time, Unix ms; of those that end with a day. */
function endsOf(resolution: Resolution, days: readonly CollectionDayValues[]) {
  const length = RESOLUTIONS[resolution] / DAY;
  const byDay = new Map(days.map((values) => [values.time, values]));
  const newest = days.at(-1)?.time ?? 0;
  return (time: number) => {
    const values = length < 1 ? undefined : byDay.get(Math.min(newest, time + (length - 1) * DAY_MS));
    return values && { lo: values.listed, bo: values.bids, ho: values.owners };
  };
}

const SALE_SORTS = ['costXRP', 'time'] as const;

const salesOfDay = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/ohlc/{date}/sales',
  example: { slug: EXAMPLE_COLLECTION, date: '2026-01-01' },
  summary: 'The sales of a collection for XRP within one candle',
  params: {
    slug: collectionSlugParam,
    date: {
      in: 'path',
      kind: 'text',
      maxLength: 16,
      about: 'YYYY-MM-DD, or a Unix timestamp within the candle, UTC',
    },
    interval: {
      in: 'query',
      kind: 'enum',
      values: RESOLUTION_NAMES,
      default: 'D',
      about: 'Of the candle: minutes, D a day, W a week',
    },
    limit: limit(100, 100),
    offset,
    sortBy: {
      in: 'query',
      kind: 'enum',
      values: SALE_SORTS,
      default: 'costXRP',
      about: 'The largest, or the newest, first',
    },
  },
  response: object({
    date: string,
    interval: oneOf(RESOLUTION_NAMES),
    total: integer,
    limit: integer,
    offset: integer,
    sortBy: oneOf(SALE_SORTS),
    sales: list(
      object({
        NFTokenID: string,
        serial: integer,
        costXRP: number,
        time: integer,
        buyer: string,
        seller: string,
        'name?': string,
        'thumbnail?': describe(
          object({ small: string, medium: string }),
          'Files below /s1/nft/; absent: no picture is known',
        ),
      }),
    ),
  }),
  handler: async ({ slug, date, interval, limit, offset, sortBy }, context) => {
    const { views, engine } = context;
    const row = existingCollection(slug, context);
    const seconds = RESOLUTIONS[interval];
    const begin = beginOf(date, seconds);
    const { sales } = await views.nfts.sales.of(row);
    const { nfts, parties } = engine.nfts;
    const found = sales.filter(({ time }) => time >= begin && time < begin + seconds).reverse();
    if (sortBy === 'costXRP') found.sort((a, b) => b.drops - a.drops);
    return {
      date: timeText(unixMs(begin), interval),
      interval,
      total: found.length,
      limit,
      offset,
      sortBy,
      sales: found.slice(offset, offset + limit).map(({ nft, drops, time, buyer, seller }) => ({
        NFTokenID: nfts.idText(nft),
        serial: nfts.sequence[nft]!,
        costXRP: xrpOf(drops),
        time: unixMs(time),
        buyer: accountText(parties.key(buyer)),
        seller: accountText(parties.key(seller)),
        ...shownAs(shownContent(views.nfts.metadata, nfts.idText(nft))),
      })),
    };
  },
});

/** What is known of an NFT from beyond the ledger. */
function shownAs(content: NftContent | undefined) {
  const { name, imageHash } = content ?? {};
  return {
    ...(name !== undefined && { name }),
    ...(imageHash !== undefined && { thumbnail: thumbnailOf(imageHash) }),
  };
}

/** Digits of a Unix timestamp in seconds; more are milliseconds. */
const SECONDS_DIGITS = 10;

/** Close time at which the candle of a time begins. @throws ApiError 400 */
function beginOf(text: string, seconds: number): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text)
    ? (dayStart(text) ?? Number.NaN)
    : /^\d{9,13}$/.test(text)
      ? Number(text) * (text.length <= SECONDS_DIGITS ? 1000 : 1)
      : Number.NaN;
  const time = rippleSeconds(ms);
  if (!(time >= 0)) throw badRequest('Invalid date', 'Send YYYY-MM-DD, or a Unix timestamp');
  return bucketStart(seconds, time);
}

const PERIODS = { '7d': 7, '30d': 30, '365d': 365 } as const;
const PERIOD_NAMES = ['7d', '30d', '365d'] as const;
const COLORS = { up: '#22c55e', down: '#ef4444' } as const;

/** Average price of each day with a sale, the oldest first, thinned to so many. */
function pricesOf(sales: readonly CollectionSale[], sinceMs: number, points: number) {
  const daily = saleCandles(sales, DAY).filter(({ time }) => time >= sinceMs);
  const step = Math.max(1, (daily.length - 1) / (points - 1));
  const chosen =
    daily.length <= points ? daily : Array.from({ length: points }, (_, i) => daily[Math.round(i * step)]!);
  const prices = chosen.map(({ volume, sales }) => xrpOf(volume) / sales);
  const isUp = (prices.at(-1) ?? 0) >= (prices[0] ?? 0);
  return { prices, timestamps: chosen.map(({ time }) => time), chartColor: isUp ? COLORS.up : COLORS.down };
}

const sparkline = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/sparkline',
  example: { slug: EXAMPLE_COLLECTION, period: '30d' },
  summary: 'Average price of the sales of each day of a collection, for a small chart',
  params: {
    slug: collectionSlugParam,
    period: { in: 'query', kind: 'enum', values: PERIOD_NAMES, default: '7d', about: 'The newest days' },
    lightweight: flag('Without times'),
    maxPoints: { in: 'query', kind: 'int', min: 2, max: 500, default: 20, about: 'Most points' },
  },
  response: object({
    data: object({ prices: list(number), 'timestamps?': list(integer) }),
    chartColor: string,
    period: string,
    maxPoints: integer,
  }),
  handler: async ({ slug, period, lightweight, maxPoints }, context) => {
    const { views, engine } = context;
    const { sales } = await views.nfts.sales.of(existingCollection(slug, context));
    const since = (engine.head?.closeTimeMs ?? 0) - PERIODS[period] * DAY_MS;
    const { prices, timestamps, chartColor } = pricesOf(sales, since, maxPoints);
    return { data: { prices, ...(!lightweight && { timestamps }) }, chartColor, period, maxPoints };
  },
});

const BATCH_MAX = 50;
const BATCH_POINTS = 20;
/** How long batches of small charts may be kept (section 8.3 of the contract). */
const BATCH_SECONDS = 30;

const sparklines = route({
  ...ofCollections,
  cache: BATCH_SECONDS,
  path: '/nft/collections/sparkline/batch',
  example: {},
  summary: `The small charts of up to ${BATCH_MAX} collections; without slugs those of the most traded of the day`,
  params: {
    slugs: { in: 'query', kind: 'list', maxItems: BATCH_MAX, about: 'Collections, with commas between' },
    period: { in: 'query', kind: 'enum', values: PERIOD_NAMES, default: '7d', about: 'The newest days' },
  },
  response: object({
    data: describe(mapOf(object({ prices: list(number), chartColor: string })), 'By slug, as it was sent'),
    count: integer,
    period: string,
  }),
  handler: async ({ slugs, period }, context) => {
    const { views, engine } = context;
    const { collections } = engine.nfts;
    const page = { skip: 0, limit: BATCH_MAX, isAscending: false, minOwners: 0 };
    const asked =
      slugs && slugs.length > 0
        ? slugs.map((slug) => [slug, views.nfts.collection(slug)] as const)
        : (await views.nfts.collections.list('vol24h', page)).rows.map(
            (row) => [collectionSlug(collections, row), row] as const,
          );
    const since = (engine.head?.closeTimeMs ?? 0) - PERIODS[period] * DAY_MS;
    const data: Record<string, { prices: number[]; chartColor: string }> = {};
    for (const [slug, row] of asked) {
      if (row === 0) continue;
      const { sales } = await views.nfts.sales.of(row);
      const { prices, chartColor } = pricesOf(sales, since, BATCH_POINTS);
      data[slug] = { prices, chartColor };
    }
    return { data, count: Object.keys(data).length, period };
  },
});

const mints = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/mints',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'How many NFTs of a collection were minted and burned on each day, the oldest first',
  params: { slug: collectionSlugParam },
  response: object({
    minted: describe(integer, 'That were seen'),
    burned: integer,
    mints: list(object({ date: describe(string, 'YYYY-MM-DD, UTC'), mints: integer, burns: integer })),
    'truncated?': boolean,
  }),
  handler: async ({ slug }, context) => {
    const row = existingCollection(slug, context);
    const { days, isPart } = await context.views.nfts.sales.of(row);
    const { minted, burned } = context.engine.nfts.collections;
    return {
      minted: minted[row]!,
      burned: burned[row]!,
      mints: days
        .filter(({ mints, burns }) => mints > 0 || burns > 0)
        .map(({ day, mints, burns }) => ({
          date: dateText(day),
          mints,
          burns,
        })),
      ...(isPart && { truncated: true }),
    };
  },
});

const ownership = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/ownership',
  example: { slug: EXAMPLE_COLLECTION, limit: 10 },
  summary: 'The largest owners of a collection, and what part of it they have',
  params: { slug: collectionSlugParam, limit: limit(20, 100) },
  response: object({
    totalNFTs: integer,
    totalOwners: integer,
    limit: integer,
    owners: list(object({ address: string, count: integer, rank: integer, percentage: number })),
    topShare: describe(number, 'Percent of its NFTs that the owners listed have'),
  }),
  handler: async ({ slug, limit }, context) => {
    const { topHolders, totalNFTs, totalOwners } = await context.views.nfts.holders.page(
      existingCollection(slug, context),
      0,
      limit,
    );
    const held = topHolders.reduce((sum, { count }) => sum + count, 0);
    return {
      totalNFTs,
      totalOwners,
      limit,
      owners: topHolders,
      topShare: totalNFTs === 0 ? 0 : (held / totalNFTs) * 100,
    };
  },
});

/** Upper ends of the price buckets, in floors. The contract's figures. */
const BUCKETS = [1, 1.25, 1.5, 2, 3, 5, 10] as const;

const listingDistribution = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/listings/distribution',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'How many NFTs of a collection are listed for XRP at how many times the floor',
  params: { slug: collectionSlugParam },
  response: object({
    'floor?': number,
    total: integer,
    buckets: list(
      object({
        upTo: describe(orNull(number), 'Times the floor; null: more than the last'),
        maxPrice: describe(orNull(number), 'XRP'),
        count: integer,
      }),
    ),
  }),
  handler: async ({ slug }, context) => {
    const { asks } = await context.views.nfts.collections.book(existingCollection(slug, context));
    const floor = asks[0]?.price;
    // In drops: three floors of 0.7 XRP are a little less than 2.1 XRP as numbers.
    const dropsOf = (price: number) => Math.round(price * DROPS_PER_XRP);
    const floorDrops = dropsOf(floor ?? 0);
    const within = (upTo: number) => asks.filter(({ price }) => dropsOf(price) <= upTo * floorDrops).length;
    const buckets = BUCKETS.map((upTo, i) => ({
      upTo,
      maxPrice: floor === undefined ? null : xrpOf(floorDrops * upTo),
      count: within(upTo) - (i === 0 ? 0 : within(BUCKETS[i - 1]!)),
    }));
    const rest = { upTo: null, maxPrice: null, count: asks.length - within(BUCKETS.at(-1)!) };
    return { ...(floor !== undefined && { floor }), total: asks.length, buckets: [...buckets, rest] };
  },
});

export const nftCollectionChartRoutes: Route[] = [
  sparklines,
  ohlc,
  salesOfDay,
  sparkline,
  mints,
  ownership,
  listingDistribution,
];
