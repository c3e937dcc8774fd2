/** Sections 4.2 and 4.5: tokens and collections of NFTs that share an audience, and where a creator's tokens went. */
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import {
  anyObject,
  boolean,
  describe,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  string,
} from '../schema.ts';
import {
  collectionSlugParam,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';
import { tokenOf } from './tokens.ts';

const relatedRows = describe(
  list(
    object({
      type: oneOf(['token', 'collection']),
      'md5?': describe(string, 'Of a token'),
      'collectionId?': describe(string, 'Of a collection: <issuer>:<taxon>'),
      slug: string,
      name: string,
      issuer: string,
      holders: integer,
      sharedHolders: describe(integer, 'How many of the audience hold it'),
      sharedPct: describe(number, 'Percent of the audience'),
      score: describe(
        number,
        'Shared holders by the root of audience times holders (cosine similarity): 0 to 1',
      ),
      wallets: describe(
        list(string),
        'Some of the shared holders; a shared audience is no link between them',
      ),
      posts: describe(list(anyObject), 'Empty, and posters absent: no social network is read'),
      sameProject: describe(boolean, 'Same issuer; of tokens also same creator'),
    }),
  ),
  'At most 20 tokens and 20 collections, with 2 shared holders at least, the highest score first',
);

const related = route({
  method: 'GET',
  path: '/token/{md5}/related',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { md5: samples.token },
  summary: 'Tokens and collections of NFTs that the largest holders of a token hold, too',
  params: { md5: tokenId },
  response: object({
    md5: string,
    audience: describe(integer, 'Holders that were looked at: the largest, at most 500, without pools'),
    count: integer,
    related: relatedRows,
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  handler: ({ md5 }, { views }) => {
    const token = tokenOf(views, md5);
    if (token === XRP)
      throw badRequest('XRP has no audience of its own', 'Ask for an issued token or an MPT');
    return views.related.of(token);
  },
});

const relatedToCollection = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/related',
  example: { slug: EXAMPLE_COLLECTION },
  summary: 'Tokens and collections of NFTs that the largest holders of a collection hold, too',
  params: { slug: collectionSlugParam },
  response: object({
    cid: describe(string, '<issuer>:<taxon>'),
    slug: string,
    audience: describe(integer, 'Holders that were looked at: the largest, at most 500, without the issuer'),
    count: integer,
    related: relatedRows,
  }),
  handler: ({ slug }, context) => context.views.related.ofCollection(existingCollection(slug, context)),
});

const node = object({
  id: describe(string, 'r-address'),
  type: oneOf(['creator', 'issuer', 'level1', 'level2']),
  label: describe(orNull(string), 'Domain that the account gives; null: it gives none'),
  received: describe(string, 'Tokens'),
  soldXrp: number,
  boughtXrp: number,
  sells: integer,
  buys: integer,
  'relation?': oneOf(['direct', 'indirect']),
  'from?': string,
  'action?': describe(
    oneOf(['sold', 'transferred', 'holding']),
    'What most of the tokens that left did; holding: none left',
  ),
  transfersOut: integer,
  exchangeDeposits: integer,
  exchangeCount: integer,
  exchangeKeys: describe(list(string), 'address:tag'),
});

const flow = route({
  method: 'GET',
  path: '/token/flow/{id}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token },
  summary: 'Where the tokens went that the creator gave away',
  params: { id: tokenId },
  response: object({
    md5: string,
    creator: string,
    issuer: string,
    summary: object({
      totalTransferred: describe(string, 'Tokens that level 1 got'),
      totalSoldXrp: number,
      recipientCount: integer,
      holdingCount: integer,
      totalToExchanges: describe(number, 'XRP'),
      creatorBoughtXrp: number,
      creatorBoughtTokens: string,
      creatorSoldXrp: number,
      creatorSoldTokens: string,
      creatorDepositXrp: number,
      creatorDepositTokens: string,
      creatorWithdrawXrp: number,
      creatorWithdrawTokens: string,
    }),
    graph: object({
      nodes: list(node),
      edges: list(
        object({
          from: string,
          to: string,
          amount: string,
          hashes: describe(list(string), 'The newest, at most 20'),
        }),
      ),
    }),
    linkedAddresses: list(object({ exchangeKey: string, addresses: list(string) })),
    exchangeBreakdown: list(
      object({ exchange: string, exchangeName: orNull(string), xrp: number, addresses: list(string) }),
    ),
    'truncated?': describe(
      boolean,
      'More accounts were given tokens than are shown, or older events were not read',
    ),
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  handler: ({ id }, { views }) => {
    const token = tokenOf(views, id);
    if (token === XRP) throw badRequest('Nobody created XRP', 'Ask for an issued token or an MPT');
    return views.flows.of(token);
  },
});

export const relatedRoutes: Route[] = [related, relatedToCollection, flow];
