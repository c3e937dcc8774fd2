/** Section 4.5: NFTs of what collection traders sold to buy those of another. */
import { NFT_ROTATION_PERIODS, type NftRotationPeriod } from '../../views/nfts/rotations.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import { account, limit, offsetOfPages } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, string } from '../schema.ts';
import { collectionSlugParam, EXAMPLE_COLLECTION, existingCollection } from './nft-collection-schemas.ts';
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

const page = {
  period: {
    in: 'query',
    kind: 'enum',
    values: Object.keys(NFT_ROTATION_PERIODS) as NftRotationPeriod[],
    default: '7d',
    about: 'Before the newest ledger',
  },
  offset: offsetOfPages,
  limit: limit(50, 100),
} as const;

const collection = object({ cid: string, slug: string });

const rotation = object({
  from: describe(collection, 'Of which an NFT was sold'),
  to: describe(collection, 'Of which one was bought'),
  volume: describe(number, 'XRP of proceeds that were spent within a day'),
  count: describe(integer, 'Purchases'),
  traders: integer,
  lastSeen: describe(integer, 'Unix ms'),
});

const truncated = describe(boolean, 'Only the newest events were looked at');

const rows = {
  period: string,
  count: integer,
  total: integer,
  rotations: list(rotation),
  pagination,
  'truncated?': truncated,
} as const;

const rotations = route({
  ...shared,
  path: '/nft/analytics/rotations',
  example: { limit: 10 },
  summary: 'What traders of NFTs sold to buy something else, by pair of collections, largest first',
  params: page,
  response: object(rows),
  handler: async ({ period, offset, limit }, { views }) => {
    const all = await views.nfts.rotations.sums(period);
    const shown = all.rows.slice(offset, offset + limit).map((sum) => views.nfts.rotations.row(sum));
    return {
      period,
      count: shown.length,
      total: all.rows.length,
      rotations: shown,
      pagination: pageInfo(all.rows.length, offset, limit),
      ...(all.isPart && { truncated: true }),
    };
  },
});

const ofTrader = route({
  ...shared,
  path: '/nft/analytics/trader/{account}/rotations',
  example: { account: samples.account, limit: 10 },
  summary: 'What an account sold of NFTs to buy something else, by pair of collections, largest first',
  params: { account, ...page },
  response: object({ account: string, ...rows }),
  handler: async ({ account, period, offset, limit }, { views }) => {
    const all = await views.nfts.rotations.sums(period, { party: views.nfts.party(addressOf(account)) });
    const shown = all.rows.slice(offset, offset + limit).map((sum) => views.nfts.rotations.row(sum));
    return {
      account,
      period,
      count: shown.length,
      total: all.rows.length,
      rotations: shown,
      pagination: pageInfo(all.rows.length, offset, limit),
      ...(all.isPart && { truncated: true }),
    };
  },
});

const ofCollection = route({
  ...shared,
  path: '/nft/analytics/rotations/{cid}',
  example: { cid: EXAMPLE_COLLECTION, limit: 10 },
  summary:
    'What traders sold to buy NFTs of a collection, and bought with what they got for them, largest first',
  params: { cid: collectionSlugParam, ...page },
  response: object({
    cid: string,
    period: string,
    offset: integer,
    limit: integer,
    inflow: describe(number, 'XRP rotated into it'),
    outflow: number,
    netFlow: number,
    totalIn: describe(integer, 'Collections it was bought with'),
    totalOut: integer,
    into: list(rotation),
    outOf: list(rotation),
    'truncated?': truncated,
  }),
  handler: async ({ cid, period, offset, limit }, context) => {
    const { views } = context;
    const collection = existingCollection(cid, context);
    const all = await views.nfts.rotations.sums(period, { collection });
    const into = all.rows.filter(({ to }) => to === collection);
    const outOf = all.rows.filter(({ from }) => from === collection);
    const flow = (list: typeof into) => list.reduce((sum, { drops }) => sum + drops, 0);
    const shown = (list: typeof into) =>
      list.slice(offset, offset + limit).map((sum) => views.nfts.rotations.row(sum));
    return {
      cid,
      period,
      offset,
      limit,
      inflow: xrpOf(flow(into)),
      outflow: xrpOf(flow(outOf)),
      netFlow: xrpOf(flow(into) - flow(outOf)),
      totalIn: into.length,
      totalOut: outOf.length,
      into: shown(into),
      outOf: shown(outOf),
      ...(all.isPart && { truncated: true }),
    };
  },
});

export const nftRotationRoutes: readonly Route[] = [rotations, ofCollection, ofTrader];
