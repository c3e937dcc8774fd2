/** Section 4.2: what traders sold to buy something else. */
import { ROTATION_PERIODS, type RotationPeriod } from '../../views/traders/rotations.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import { account, limit, offsetOfPages, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, list, number, object, string } from '../schema.ts';
import { asset } from './market-schemas.ts';
import { tokenOf } from './tokens.ts';
import { addressOf, pageInfo, pagination, since } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/traders',
  cache: 'ledger',
} as const;

const period = {
  in: 'query',
  kind: 'enum',
  values: Object.keys(ROTATION_PERIODS) as RotationPeriod[],
  default: '24h',
  about: 'Whole hours (UTC), the present one included',
} as const;

const rotation = object({
  from: describe(asset, 'What was sold'),
  to: describe(asset, 'What was bought'),
  volume: describe(
    number,
    'XRP of proceeds that were spent within an hour, or the value of trades between both',
  ),
  count: describe(integer, 'Purchases'),
  traders: integer,
  lastSeen: describe(
    integer,
    'Unix ms: end of the hour of the newest, at most the close time of the newest ledger',
  ),
});

const rows = {
  since,
  period: string,
  count: integer,
  total: integer,
  rotations: list(rotation),
  pagination,
} as const;

const page = { period, offset: offsetOfPages, limit: limit(50, 100) } as const;

const rotations = route({
  ...shared,
  path: '/traders/rotations',
  example: { limit: 10 },
  summary: 'What traders sold to buy something else, by pair of tokens, largest first',
  params: page,
  response: object(rows),
  handler: async ({ period, offset, limit }, { views }) => {
    const all = await views.traders.rotations.all(period);
    const shown = all.slice(offset, offset + limit).map((sum) => views.traders.rotations.row(sum));
    return {
      since: views.traders.since,
      period,
      count: shown.length,
      total: all.length,
      rotations: shown,
      pagination: pageInfo(all.length, offset, limit),
    };
  },
});

const tokenRotations = route({
  ...shared,
  path: '/traders/rotations/{tokenId}',
  example: { tokenId: samples.token, limit: 10 },
  summary: 'What traders sold to buy a token, and bought with what they got for it, largest first',
  params: { tokenId, ...page },
  response: object({
    md5: string,
    since,
    period: string,
    offset: integer,
    limit: integer,
    inflow: describe(number, 'XRP rotated into it'),
    outflow: number,
    netFlow: number,
    totalIn: describe(integer, 'Tokens it was bought with'),
    totalOut: integer,
    into: list(rotation),
    outOf: list(rotation),
  }),
  handler: async ({ tokenId, period, offset, limit }, { views }) => {
    const token = tokenOf(views, tokenId);
    const { into, outOf } = await views.traders.rotations.ofToken(token, period);
    const flow = (list: typeof into) => list.reduce((sum, { drops }) => sum + drops, 0);
    const [inDrops, outDrops] = [flow(into), flow(outOf)];
    const shown = (list: typeof into) =>
      list.slice(offset, offset + limit).map((sum) => views.traders.rotations.row(sum));
    return {
      md5: views.traders.md5(token),
      since: views.traders.since,
      period,
      offset,
      limit,
      inflow: xrpOf(inDrops),
      outflow: xrpOf(outDrops),
      netFlow: xrpOf(inDrops - outDrops),
      totalIn: into.length,
      totalOut: outOf.length,
      into: shown(into),
      outOf: shown(outOf),
    };
  },
});

const traderRotations = route({
  ...shared,
  path: '/traders/{account}/rotations',
  example: { account: samples.account, limit: 10 },
  summary: 'What a trader sold to buy something else, by pair of tokens, largest first',
  params: { account, ...page },
  response: object({ address: string, ...rows }),
  handler: ({ account, period, offset, limit }, { views }) => {
    const address = addressOf(account);
    const all = views.traders.rotations.ofTrader(address, period);
    const shown = all.slice(offset, offset + limit).map((sum) => views.traders.rotations.row(sum));
    return {
      address,
      since: views.traders.since,
      period,
      count: shown.length,
      total: all.length,
      rotations: shown,
      pagination: pageInfo(all.length, offset, limit),
    };
  },
});

export const rotationRoutes: Route[] = [rotations, tokenRotations, traderRotations];
