/** Section 4.1: who bought and sold a token. */
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { MOVERS_MAX } from '../../views/holder-movers.ts';
import { limit, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const pressure = object({
  sellers: integer,
  sellPressureXrp: number,
  buyers: integer,
  buyPressureXrp: number,
});

const mover = object({
  account: string,
  name: describe(orNull(string), 'null: not known'),
  balance: string,
  balance24h: describe(string, 'Balance 24 hours ago'),
  change: string,
  holding: describe(number, 'Percent of the supply'),
  'value?': describe(number, 'XRP; absent without a price'),
  'lastTrade?': describe(integer, 'Unix ms; absent: none in 24 hours'),
  'pnl?': describe(number, 'XRP, realised and unrealised, average cost; absent: it never traded the token'),
  'roi?': describe(number, 'pnl in percent of what was spent'),
  'breakevenMcap?': describe(
    number,
    'Market cap at which what it bought and has not sold is worth its cost, XRP',
  ),
  'trades?': describe(
    list(list(number)),
    'Its newest changes, oldest first, at most 120: Unix ms, 1 more or -1 less, XRP, market cap in XRP then, 0 trade, 1 liquidity or 2 transfer',
  ),
  'isAMM?': boolean,
  'isCreator?': boolean,
  'freeze?': boolean,
});

const movers = route({
  method: 'GET',
  path: '/holders/movers/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, limit: 10 },
  summary: 'Who bought and sold a token in the last 24 hours',
  params: { id: tokenId, limit: limit(20, MOVERS_MAX) },
  response: object({
    limit: integer,
    holders: integer,
    movers: describe(integer, 'Accounts whose balance is another than 24 hours ago'),
    buyersTotal: describe(integer, 'Those that have more'),
    sellersTotal: describe(integer, 'Those that have less'),
    boughtTotal: string,
    soldTotal: string,
    boughtTotalXrp: number,
    soldTotalXrp: number,
    'since?': describe(integer, 'Unix ms: changes are known from here on; absent: all of the 24 hours are'),
    'pressure?': describe(
      object({ m15: pressure, m30: pressure, h1: pressure, h4: pressure, h24: pressure }),
      'Accounts other than pools with less (more) than at the start of a window, and the differences in XRP; absent without a price',
    ),
    buyers: list(mover),
    sellers: list(mover),
  }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async ({ id, limit }, { views }) => {
    const token = tokenOf(views, id);
    if (token === XRP)
      throw badRequest('No movers of XRP', 'Every fee moves XRP: ask for an issued token or an MPT');
    return { ...(await views.movers.of(token, limit)) };
  },
});

export const moverRoutes: Route[] = [movers];
