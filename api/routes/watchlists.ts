/** Section 4.3: what accounts watch. Only the account itself reads and writes its lists; `/tokens?watchlist=` (4.1) shows anybody their tokens. */

import { WATCHED_MAX, type WatchedKind, WatchlistFullError } from '../../platform/account-data.ts';
import { ApiError, badRequest, unavailable } from '../../requests/errors.ts';
import { isHashForm, patterns } from '../../requests/identifiers.ts';
import { addressParam } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { anyObject, describe, integer, list, object, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const shared = {
  section: '4.3',
  auth: 'wallet',
  owner: 'account',
  needsPublicKey: true,
  tier: 'anonymous',
  cost: 1,
  bucket: '/watchlist',
  unavailable: true,
} as const;

const ownAccount = {
  in: 'body',
  kind: 'text',
  maxLength: 64,
  required: true,
  about: 'The wallet that signed',
} as const;
const action = {
  in: 'body',
  kind: 'enum',
  values: ['add', 'remove'],
  required: true,
  about: 'What to do with it',
} as const;

/** The wallet that signed, and whose list it is. @throws ApiError 503 */
function own({ wallet, network }: RouteContext): string {
  if (!network.accountData.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return wallet;
}

async function change(
  kind: WatchedKind,
  { id, action }: { id: string; action: 'add' | 'remove' },
  context: RouteContext,
) {
  const wallet = own(context);
  const { accountData } = context.network;
  try {
    await accountData.watch(wallet, kind, id, action, context.service.now());
  } catch (error) {
    if (!(error instanceof WatchlistFullError)) throw error;
    throw new ApiError('conflict', `A watch list has at most ${WATCHED_MAX} entries`);
  }
  return { account: wallet, action, ids: accountData.watched(wallet, kind) };
}

const changed = { account: string, action: string, count: describe(integer, 'Entries of the list now') };
const tokenList = describe(list(string), 'md5');
const nftList = describe(
  anyObject,
  'By slug: collectionName, collectionId, items[] { nftokenId, name, collectionName, rarityRank, offer { amount }, files, image, meta }; of an item, what is not known is absent; offer: the cheapest listing in XRP that anyone can take, drops',
);

const tokens = route({
  ...shared,
  method: 'GET',
  path: '/watchlist',
  example: { account: samples.account },
  summary: 'Tokens that the wallet that signed watches',
  params: { account: addressParam('The wallet that signed') },
  response: object({ account: string, count: integer, watchlist: tokenList }),
  handler: (_, context) => {
    const wallet = own(context);
    const watchlist = context.network.accountData.watched(wallet, 'token');
    return { account: wallet, count: watchlist.length, watchlist };
  },
});

const changeTokens = route({
  ...shared,
  method: 'POST',
  path: '/watchlist',
  example: { md5: samples.token, account: samples.account, action: 'add' },
  summary: `Adds a token to the list of the wallet that signed, or removes it; at most ${WATCHED_MAX}`,
  params: {
    md5: { in: 'body', kind: 'text', maxLength: 128, required: true, about: 'Token, by any form of its id' },
    account: ownAccount,
    action,
  },
  response: object({ ...changed, watchlist: tokenList, md5: string }),
  handler: async ({ md5: id, action }, context) => {
    const md5 = context.engine.state.tokens.md5(tokenOf(context.views, id));
    const { ids, ...done } = await change('token', { id: md5, action }, context);
    return { ...done, count: ids.length, watchlist: ids, md5 };
  },
});

const nfts = route({
  ...shared,
  method: 'GET',
  path: '/watchlist/nft',
  example: { account: samples.account },
  summary: 'NFTs that the wallet that signed watches, by collection',
  params: { account: addressParam('The wallet that signed') },
  response: object({
    account: string,
    count: integer,
    watchlist: nftList,
  }),
  handler: async (_, context) => {
    const wallet = own(context);
    const ids = context.network.accountData.watched(wallet, 'nft');
    return { account: wallet, count: ids.length, watchlist: await context.views.nfts.watched.of(ids) };
  },
});

const changeNfts = route({
  ...shared,
  method: 'POST',
  path: '/watchlist/nft',
  example: { nftokenId: '0'.repeat(64), account: samples.account, action: 'add' },
  summary: `Adds an NFT to the list of the wallet that signed, or removes it; at most ${WATCHED_MAX}`,
  params: {
    nftokenId: {
      in: 'body',
      kind: 'text',
      maxLength: 80,
      required: true,
      pattern: patterns.nftokenId,
      about: '64 hex digits',
    },
    account: ownAccount,
    action,
  },
  response: object({ ...changed, watchlist: nftList, nftokenId: string }),
  handler: async ({ nftokenId, action }, context) => {
    if (!isHashForm(nftokenId)) throw badRequest('nftokenId is not 64 hex digits');
    const id = nftokenId.toUpperCase();
    const { ids, ...done } = await change('nft', { id, action }, context);
    const watchlist = await context.views.nfts.watched.of(ids);
    return { ...done, count: ids.length, watchlist, nftokenId: id };
  },
});

export const watchlistRoutes: Route[] = [tokens, changeTokens, nfts, changeNfts];
