/** Section 4.2: trades of whales. */
import { notFound } from '../../requests/errors.ts';
import { isAddress } from '../../views/identity.ts';
import { WHALE_XRP } from '../../views/whales.ts';
import { limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, mapOf, number, object, oneOf, string } from '../schema.ts';
import { tokenOrAccount } from './creators.ts';
import { assetMembers } from './market-schemas.ts';
import { tokenOf } from './tokens.ts';

const event = object({
  _id: string,
  hash: string,
  ledger: integer,
  time: describe(integer, 'Unix ms'),
  account: describe(string, 'Who signed'),
  side: oneOf(['buy', 'sell']),
  md5: describe(string, 'Token'),
  amount: describe(string, 'Tokens, on balance'),
  xrp: describe(number, 'What they were worth, XRP'),
  'price?': describe(string, 'XRP per token'),
  trades: describe(integer, 'Offers and pools that it took'),
  isAMM: describe(boolean, 'In pools alone'),
  'sourceTag?': integer,
  'platform?': string,
});

const response = object({
  limit: integer,
  'minXrp?': describe(number, 'Of the feed: the least worth, XRP'),
  count: integer,
  events: list(event),
  tokens: describe(mapOf(object({ ...assetMembers, slug: string })), 'By md5'),
});

const since = {
  in: 'query',
  kind: 'time',
  about: 'Only newer ones (Unix ms, exclusive). Events of the last 7 days are kept',
} as const;

const feed = route({
  method: 'GET',
  path: '/whale-activity/feed',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { limit: 10 },
  summary: `Purchases and sales worth ${WHALE_XRP} XRP or more, of accounts that move the market with them, newest first`,
  params: {
    limit: limit(30, 100),
    since,
    minXrp: { in: 'query', kind: 'float', default: WHALE_XRP, min: WHALE_XRP, about: 'Least worth, XRP' },
    side: { in: 'query', kind: 'enum', values: ['buy', 'sell'], about: 'Only purchases, or only sales' },
  },
  response,
  cost: 1,
  bucket: '/whale-activity',
  cache: 'ledger',
  handler: async (query, { views }) => {
    await views.whales.ready();
    return { limit: query.limit, minXrp: query.minXrp, ...views.whales.events(query) };
  },
});

const one = route({
  method: 'GET',
  path: '/whale-activity/{id}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, limit: 10 },
  summary: `The same of one token or one account: purchases and sales worth ${WHALE_XRP} XRP or more`,
  params: { id: tokenOrAccount, since, limit: limit(50, 200) },
  response,
  cost: 1,
  bucket: '/whale-activity',
  cache: 'ledger',
  handler: async ({ id, limit, since }, { views, engine }) => {
    const account = isAddress(id) ? engine.state.accounts.findText(id) : undefined;
    if (isAddress(id) && account === undefined) throw notFound('Account not found', 'No ledger names it');
    const token = isAddress(id) ? undefined : tokenOf(views, id);
    await views.whales.ready();
    return { limit, ...views.whales.events({ limit, since, token, account }) };
  },
});

export const whaleRoutes: Route[] = [feed, one];
