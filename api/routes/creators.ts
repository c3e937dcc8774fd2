/** Section 4.2: what creators of tokens do. */
import { unixMs } from '../../engine/ripple-time.ts';
import { badRequest, notFound } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import {
  CREATOR_SIDES,
  type CreatorActivity,
  type CreatorQuery,
  type Subject,
} from '../../views/creator-activity.ts';
import { isAddress } from '../../views/identity.ts';
import type { Views } from '../../views/views.ts';
import { account, flag, limit, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import { eventRow } from './nfts.ts';
import { tokenOf } from './tokens.ts';

/** A token, or an account. */
export const tokenOrAccount = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  pattern: `(${patterns.token})|(${patterns.account})`,
  about: 'Token (any identifier of section 2.1), or r-address of an account',
} as const;

/** @throws 404 where no ledger shows the token or the account */
function subjectOf(views: Views, creators: CreatorActivity, id: string): Subject {
  const subject = isAddress(id) ? creators.ofAccount(id) : creators.ofToken(tokenOf(views, id));
  if (subject === undefined)
    throw notFound('Creator not found', 'Send a token or the r-address of its creator');
  return subject;
}

const NFT_EVENTS: ReadonlySet<string> = new Set(['MINT', 'BURN', 'SALE', 'TRANSFER', 'MODIFY']);

/** What an account did with NFTs, newest first. @param since exclusive, as `before`, Unix ms */
async function nftsOf({ nfts }: Views, address: string, { limit, since, before }: CreatorQuery) {
  const { rows, isPart } = await nfts.events.window({
    scope: { party: nfts.party(address) },
    skip: 0,
    limit,
    types: NFT_EVENTS,
    keep: ({ closeTime }) => before === undefined || unixMs(closeTime) < before,
    isTooOld: ({ closeTime }) => since !== undefined && unixMs(closeTime) <= since,
  });
  return { nfts: rows, isCut: isPart && rows.length < limit };
}

const sum = object({ count: integer, xrp: number });

const event = object({
  time: describe(integer, 'Unix ms'),
  side: describe(string, CREATOR_SIDES.join(', ')),
  type: describe(string, 'Transaction type'),
  tokenAmount: string,
  xrpAmount: describe(number, 'XRP; of a transfer its value then'),
  hash: string,
  ledger: integer,
  result: describe(string, 'Other than tesSUCCESS: a rejected attempt'),
  currency: string,
  name: string,
  token: describe(string, 'md5'),
  'destination?': string,
  'source?': string,
  'destinationTag?': integer,
});

/** The event as `/ws/creator` sends it. */
const streamed = object({
  h: describe(string, 'Hash'),
  r: describe(string, 'Result'),
  t: describe(integer, 'Unix ms'),
  s: describe(string, 'Side'),
  y: describe(string, 'Transaction type'),
  x: describe(number, 'XRP'),
  a: describe(string, 'Tokens'),
  c: describe(string, 'Currency'),
  n: describe(string, 'Name'),
  'd?': describe(string, 'Destination'),
  token: describe(string, 'md5'),
  'fa?': describe(string, 'Account that sent it'),
});

const activity = route({
  method: 'GET',
  path: '/creator-activity/{id}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, limit: 10 },
  summary: 'What the creator of a token did, newest first',
  params: {
    id: tokenOrAccount,
    since: { in: 'query', kind: 'time', about: 'Only newer ones (Unix ms, exclusive)' },
    before: { in: 'query', kind: 'time', about: 'Only older ones (Unix ms, exclusive)' },
    limit: limit(50, 200),
    side: {
      in: 'query',
      kind: 'list',
      maxItems: CREATOR_SIDES.length,
      values: CREATOR_SIDES,
      about: 'Only these sides; unknown ones are ignored',
    },
    type: { in: 'query', kind: 'text', maxLength: 64, about: 'Only this transaction type' },
    stream: flag('Events as `/ws/creator` sends them'),
  },
  response: object({
    id: string,
    creator: string,
    limit: integer,
    count: integer,
    events: list({ anyOf: [event, streamed] }),
    stats: object({
      buy: sum,
      sell: sum,
      deposit: sum,
      withdraw: sum,
      amm_create: sum,
      transfer_out: object({ count: integer }),
      sellBuyRatio: orNull(number),
      netXrp: describe(number, 'XRP got by selling and withdrawing less XRP spent on buying and depositing'),
    }),
    signals: list(object({ level: string, msg: string })),
    warning: orNull(string),
    'nfts?': describe(
      list(eventRow),
      'Of an account, where neither side nor type is sent: what it did with NFTs, as /nft/history has it, without offers',
    ),
    'truncated?': describe(boolean, 'Older events were not read'),
  }),
  cost: 2,
  bucket: '/creator-activity',
  cache: 'ledger',
  handler: async ({ id, limit, since, before, side, type, stream }, { views }) => {
    const { creators } = views;
    const sides = side && side.length > 0 ? new Set(side.map(String)) : undefined;
    const query = { limit, since, before, sides, type: type || undefined };
    const { events, ...rest } = await creators.page(subjectOf(views, creators, id), query);
    const { nfts, isCut } =
      isAddress(id) && !sides && !query.type ? await nftsOf(views, id, query) : { nfts: undefined };
    const shown = stream ? events.map((one) => creators.streamed(one)) : events;
    return { id, limit, ...rest, events: shown, ...(nfts && { nfts }), ...(isCut && { truncated: true }) };
  },
});

const receiver = route({
  method: 'GET',
  path: '/creator-activity/{id}/receiver/{address}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, address: samples.account },
  summary: 'What an account did with the tokens that the creator gave it',
  params: { id: tokenId, address: account },
  response: object({
    address: string,
    creator: string,
    token: string,
    stats: object({
      received: object({ count: integer, tokens: string }),
      sell: object({ count: integer, xrp: number }),
      transfer_out: object({ count: integer, tokens: string }),
      deposit: object({ count: integer }),
    }),
    behavior: describe(
      string,
      'What most of the tokens that left did: sold, transferred or deposited_lp; holding: none left, or none were received',
    ),
    'truncated?': boolean,
  }),
  cost: 2,
  bucket: '/creator-activity',
  cache: 'ledger',
  handler: async ({ id, address }, { views }) => {
    if (!isAddress(address)) throw badRequest('Invalid account', 'Send an r-address');
    const token = tokenOf(views, id);
    subjectOf(views, views.creators, id);
    return views.creators.receiver(token, address);
  },
});

export const creatorRoutes: Route[] = [activity, receiver];
