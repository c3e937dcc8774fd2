/** Section 4.5: the NFTs of a collection, and who traded them. Amounts are XRP, times Unix ms. */
import { accountText } from '../../engine/codec/base58.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { COLLECTION_NFT_SORTS, LISTED } from '../../views/nfts/collection-nfts.ts';
import { type CollectionTrader, collectionTraders, volumeOf } from '../../views/nfts/collection-sales.ts';
import { type Trait, TYPES_MAX, VALUES_MAX } from '../../views/nfts/collection-traits.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import { addressParam, flag, limit, offset } from '../common.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, type Schema, string } from '../schema.ts';
import { traderFiguresOf, traderMembers } from './nft-collection-rows.ts';
import {
  collectionSlugParam,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';
import { nftRow } from './nfts.ts';
import { addressOf } from './trader-schemas.ts';

const TRAITS_MAX = 50;
/** Of a type. */
const VALUES_SHOWN = 1000;

/** `type:value`; the value may have further colons. What would end a type or value early is sent as %2C, %3A or %25. */
function traitOf(text: string): Trait {
  const at = text.indexOf(':');
  const [type, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  return { type: unescaped(type), value: unescaped(value) };
}

const ESCAPES: Readonly<Record<string, string>> = { '%2C': ',', '%3A': ':', '%25': '%' };

const unescaped = (part: string): string =>
  part.replace(/%(2C|3A|25)/gi, (text) => ESCAPES[text.toUpperCase()]!);

const members = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/nfts',
  example: { slug: EXAMPLE_COLLECTION, limit: 20 },
  summary: 'The NFTs of a collection that exist, sorted and filtered',
  params: {
    slug: collectionSlugParam,
    sort: {
      in: 'query',
      kind: 'enum',
      values: COLLECTION_NFT_SORTS,
      default: 'minted-latest',
      about: 'NFTs without the value (not listed, never sold, no rarity known) come last',
    },
    listed: {
      in: 'query',
      kind: 'enum',
      values: LISTED,
      about: 'Only those that anyone can buy, or cannot; for XRP, or for something else',
    },
    traits: {
      in: 'query',
      kind: 'list',
      maxItems: TRAITS_MAX,
      about:
        'Only those with these traits, `type:value` with commas between; of one type any of the values. A comma, percent sign, or colon of a type is sent as %2C, %25, %3A, encoded once more in the address',
    },
    owner: addressParam('Only those of this account'),
    limit: limit(50, 200),
    offset,
    lightweight: flag('Without metadata and dates'),
  },
  response: object({
    nfts: list({ type: 'object', properties: nftRow.properties } as Schema<object>),
    count: integer,
    total: integer,
    sort: oneOf(COLLECTION_NFT_SORTS),
    hasMore: boolean,
    pagination: object({
      total: integer,
      totalPages: integer,
      offset: integer,
      limit: integer,
      hasMore: boolean,
    }),
  }),
  handler: async ({ slug, sort, listed, traits, owner, limit, offset, lightweight }, context) => {
    const { nfts } = context.views;
    const party = owner === undefined || owner === '' ? undefined : nfts.party(addressOf(owner));
    // 0: an account that has never had to do with an NFT.
    const query = { collection: existingCollection(slug, context), sort, listed, offset, limit };
    const asked = { ...query, owner: party, traits: (traits ?? []).map(traitOf) };
    const { rows, total } = party === 0 ? { rows: [], total: 0 } : await nfts.members.page(asked);
    const whole = await nfts.rows.page(rows);
    const found = whole.map((row) => {
      if (!lightweight) return row;
      const { _id, NFTokenID, account, serial, cost, files, rarity_rank } = row as typeof row & {
        files?: unknown;
        rarity_rank?: number;
      };
      return {
        _id,
        NFTokenID,
        account,
        serial,
        ...(cost && { cost }),
        ...(files !== undefined && { files }),
        ...(rarity_rank !== undefined && { rarity_rank }),
      };
    });
    const hasMore = offset + found.length < total;
    const pagination = { total, totalPages: Math.ceil(total / limit), offset, limit, hasMore };
    return { nfts: found, count: found.length, total, sort, hasMore, pagination };
  },
});

const traits = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/traits',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'The traits of a collection: how many of its NFTs have each value of each type',
  params: { slug: collectionSlugParam },
  response: object({
    traits: list(
      object({
        type: string,
        values: describe(list(object({ value: string, count: integer })), 'The most frequent first'),
        total: describe(integer, `Values; the ${VALUES_SHOWN} most frequent are listed`),
        without: describe(integer, 'NFTs that do not have the type'),
      }),
    ),
    count: describe(integer, 'Types'),
    known: describe(integer, 'NFTs whose metadata is known: of these are all counts'),
    total: describe(integer, 'NFTs of the collection'),
    'truncated?': describe(
      boolean,
      `It has types with more than ${VALUES_MAX} values, which are no traits, or more than ${TYPES_MAX} types`,
    ),
  }),
  handler: async ({ slug }, context) => {
    const row = existingCollection(slug, context);
    const made = await context.views.nfts.traits.of(row);
    const shown = made.all().map(({ type, values, without }) => ({
      type,
      values: values.slice(0, VALUES_SHOWN),
      total: values.length,
      without,
    }));
    const total = context.engine.nfts.collections.items[row]!;
    const { known, isPart } = made;
    return { traits: shown, count: shown.length, known, total, ...(isPart && { truncated: true }) };
  },
});

const windows = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;

/** Intervals, and the end of the names of their figures. */
const INTERVALS = { '24h': '24h', '7d': '7d', '30d': '30d', all: 'All' } as const;

const TRADER_SORTS = [
  ...(['volAll', 'vol24h', 'vol7d', 'vol30d'] as const),
  ...(['profitAll', 'profit24h', 'profit7d', 'profit30d'] as const),
  ...(['tradesAll', 'trades24h', 'trades7d', 'trades30d'] as const),
  ...(['buyVolume', 'sellVolume', 'flips', 'roi', 'winRate', 'lastTrade'] as const),
] as const;

const traders = route({
  ...ofCollections,
  path: '/nft/analytics/collection/{slug}/traders',
  example: { slug: EXAMPLE_COLLECTION },
  summary:
    'Who traded the NFTs of a collection for XRP, with volume and trades of a day, a week, a month and all time',
  params: {
    slug: collectionSlugParam,
    sort: {
      in: 'query',
      kind: 'enum',
      values: TRADER_SORTS,
      about:
        'Figure to sort by, the largest first; those without it come last. Default: the volume of the interval',
    },
    interval: {
      in: 'query',
      kind: 'enum',
      values: ['24h', '7d', '30d', 'all'],
      default: 'all',
      about: 'Only those who traded in that time',
    },
    address: addressParam('Only this account'),
    limit: limit(100, 200),
    offset,
  },
  response: object({
    traders: list(
      object({
        address: string,
        vol24h: number,
        vol7d: number,
        vol30d: number,
        volAll: number,
        trades24h: integer,
        trades7d: integer,
        trades30d: integer,
        tradesAll: integer,
        profit24h: number,
        profit7d: number,
        profit30d: number,
        profitAll: number,
        ...traderMembers,
      }),
    ),
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    interval: string,
    sort: oneOf(TRADER_SORTS),
    'truncated?': boolean,
  }),
  handler: async ({ slug, sort: asked, interval, address, limit, offset }, context) => {
    const { views, engine } = context;
    const only = address === undefined || address === '' ? undefined : views.nfts.party(addressOf(address));
    const { sales, isPart } = await views.nfts.sales.of(existingCollection(slug, context));
    const now = engine.head?.closeTime ?? 0;
    const all = collectionTraders(sales, -1).filter(({ party }) => only === undefined || party === only);
    const byParty = (seconds: number) =>
      new Map(collectionTraders(sales, now - seconds).map((trader) => [trader.party, trader]));
    const [day, week, month] = [byParty(windows['24h']), byParty(windows['7d']), byParty(windows['30d'])];
    const volume = (trader: CollectionTrader | undefined) => (trader ? xrpOf(volumeOf(trader)) : 0);
    const trades = (trader: CollectionTrader | undefined) => (trader ? trader.buys + trader.sells : 0);
    const profit = (trader: CollectionTrader | undefined) => xrpOf(trader?.profit ?? 0);
    const whole = all.map((trader) => {
      const { party } = trader;
      const [ofDay, ofWeek, ofMonth] = [day.get(party), week.get(party), month.get(party)];
      return {
        party,
        ...{ vol24h: volume(ofDay), vol7d: volume(ofWeek), vol30d: volume(ofMonth), volAll: volume(trader) },
        trades24h: trades(ofDay),
        trades7d: trades(ofWeek),
        trades30d: trades(ofMonth),
        tradesAll: trades(trader),
        profit24h: profit(ofDay),
        profit7d: profit(ofWeek),
        profit30d: profit(ofMonth),
        profitAll: profit(trader),
        ...traderFiguresOf(trader),
      };
    });
    const ending = INTERVALS[interval];
    const sort = asked ?? (`vol${ending}` as const);
    const figures = whole.filter((row) => row[`trades${ending}`] > 0);
    const keyOf = (row: (typeof figures)[number]) => row[sort] ?? Number.NEGATIVE_INFINITY;
    if (sort !== 'volAll') figures.sort((a, b) => Math.sign(keyOf(b) - keyOf(a)) || 0);
    const rows = figures.slice(offset, offset + limit).map(({ party, ...rest }) => ({
      address: accountText(engine.nfts.parties.key(party)),
      ...rest,
    }));
    return {
      traders: rows,
      count: rows.length,
      total: figures.length,
      offset,
      limit,
      interval,
      sort,
      ...(isPart && { truncated: true }),
    };
  },
});

export const nftCollectionMemberRoutes: Route[] = [members, traits, traders];
