/** Section 4.5: lists of NFTs, and what accounts own, offer and are offered. Prices are in XRP unless they name an asset. */
import { accountBytes } from '../../engine/codec/base58.ts';
import { badRequest } from '../../requests/errors.ts';
import { SCANNED_MAX } from '../../views/nfts/account-nfts.ts';
import { NFT_SORTS, type NftListScope } from '../../views/nfts/nft-lists.ts';
import { account, addressParam, flag, limit, offset, order } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
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
import { nftFiles, nftRow, offerMembers, offerRow } from './nfts.ts';
import { addressOf } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft',
} as const;
const TAXON_MAX = 0xffffffff;
/** Of NFTs in search mode (section 4.5 of the contract). */
const SEARCH_MAX = 50;

const cid = {
  in: 'query',
  kind: 'text',
  maxLength: 64,
  about: 'Collection: <issuer>:<taxon>, or its slug',
} as const;

interface ScopeParams {
  readonly cid?: string | undefined;
  readonly issuer?: string | undefined;
  readonly taxon?: number | undefined;
}

/** @throws ApiError 400 */
function scopeOf({ cid, issuer, taxon }: ScopeParams, { views, engine }: RouteContext): NftListScope {
  if (cid !== undefined && cid !== '') return { collection: views.nfts.collection(cid) };
  if (issuer === undefined || issuer === '') {
    if (taxon !== undefined)
      throw badRequest('taxon needs issuer', 'A taxon is one of its issuer’s: send issuer, too');
    return 'all';
  }
  const bytes = accountBytes(addressOf(issuer))!;
  if (taxon === undefined) return { issuer: bytes };
  return { collection: engine.nfts.collections.findByTaxon(bytes, taxon) };
}

const nfts = route({
  ...shared,
  path: '/nft',
  example: { issuer: samples.account, limit: 20 },
  summary: 'NFTs that exist: of a collection, of an issuer, or all',
  params: {
    cid,
    issuer: addressParam('Only those that it issued'),
    taxon: {
      in: 'query',
      kind: 'int',
      min: 0,
      max: TAXON_MAX,
      about: 'Only those of this taxon; needs issuer',
    },
    offset,
    limit: limit(20, 200),
    sort: {
      in: 'query',
      kind: 'enum',
      values: NFT_SORTS,
      default: 'created',
      about:
        'NFTs without a value come last: volume is XRP of all sales, cost.amount the cheapest listing that anyone can take, rarity_rank compares NFTs of one collection, where metadata was fetched: it needs cid or issuer',
    },
    order,
  },
  response: object({
    'taxon?': integer,
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    sort: oneOf(NFT_SORTS),
    order: oneOf(['asc', 'desc']),
    nfts: list(nftRow),
  }),
  cache: 'ledger',
  handler: async ({ cid, issuer, taxon, offset, limit, sort, order }, context) => {
    const scope = scopeOf({ cid, issuer, taxon }, context);
    const { lists, rows } = context.views.nfts;
    const page = await lists.page({ scope, sort, order, offset, limit });
    return {
      ...(taxon !== undefined && { taxon }),
      count: page.rows.length,
      total: page.total,
      offset,
      limit,
      sort,
      order,
      nfts: await rows.page(page.rows),
    };
  },
});

const holding = object({
  _id: string,
  cid: string,
  slug: string,
  'name?': string,
  'logoImage?': describe(string, 'File below /s1/nft-collection/'),
  count: integer,
  value: describe(number, 'XRP: count times floor; 0 where nothing of it is listed'),
  floor: describe(orNull(number), 'XRP; null: nothing of it is listed that anyone can take'),
  'floor24hAgo?': describe(number, 'The floor a day ago; absent: nothing was listed, or it is not known'),
});

const ofAccount = route({
  ...shared,
  path: '/nft/account/{account}/nfts',
  example: { account: samples.account, limit: 20 },
  summary:
    'What an account owns: its collections, or with cid or search its NFTs, the newest first. No NFT counts more than its collection’s floor',
  params: {
    account,
    cid,
    limit: { ...limit(20, 100), about: `Most rows to answer; at most ${SEARCH_MAX} with search` },
    offset,
    sortByValue: flag('Collections by what they are worth at their floors, not by how many NFTs are held'),
    search: {
      in: 'query',
      kind: 'text',
      maxLength: 64,
      about: 'NFTs whose name has this text, or whose id begins with it',
    },
  },
  response: object({
    account: string,
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    'portfolioValue?': describe(number, 'XRP'),
    'collections?': list(holding),
    'nfts?': list(nftRow),
  }),
  cache: 'ledger',
  handler: async ({ account, cid, offset, sortByValue, search, ...input }, { views }) => {
    const party = views.nfts.party(addressOf(account));
    const { accounts, rows } = views.nfts;
    const isSearch = search !== undefined && search !== '';
    const limit = isSearch ? Math.min(input.limit, SEARCH_MAX) : input.limit;
    const page = { skip: offset, limit };
    if (isSearch || (cid !== undefined && cid !== '')) {
      const collection = cid === undefined || cid === '' ? undefined : views.nfts.collection(cid);
      const found = await accounts.owned({ party, collection, search: search ?? '' }, page);
      const nfts = await rows.page(found.rows);
      return { account, count: nfts.length, total: found.total, offset, limit, nfts };
    }
    const found = await accounts.portfolio(party, sortByValue, page);
    return {
      account,
      count: found.rows.length,
      total: found.total,
      offset,
      limit,
      portfolioValue: found.value,
      collections: found.rows,
    };
  },
});

const incomingRow = object({
  ...offerMembers,
  _id: string,
  cid: string,
  cslug: string,
  issuer: string,
  'collection?': string,
  'meta?': anyObject,
  'files?': nftFiles,
  'costXRP?': describe(number, 'The price, where it is in XRP'),
  floor: describe(orNull(number), 'XRP, of its collection; null: nothing of it is listed'),
  'floorDiffPct?': describe(number, 'Percent by which the price is above the floor'),
});

const SIDES = ['buy', 'sell'] as const;

const offersOfAccount = route({
  ...shared,
  path: '/nft/account/{account}/offers',
  example: { account: samples.account, limit: 20 },
  summary: `Open offers that an account has made, the newest first, and those of others for the newest ${SCANNED_MAX} NFTs that it owns`,
  params: {
    account,
    type: { in: 'query', kind: 'enum', values: SIDES, about: 'Only offers of the account of this side' },
    limit: limit(50, 200),
    offset: { ...offset, about: 'Rows to skip of each of both lists' },
  },
  response: object({
    account: string,
    count: integer,
    total: integer,
    offset: integer,
    limit: integer,
    offers: list(offerRow),
    incomingOffers: list(incomingRow),
    totalIncoming: integer,
    incomingOffersTruncated: describe(boolean, `The account owns more than ${SCANNED_MAX} NFTs`),
  }),
  cache: 'ledger',
  handler: async ({ account, type, limit, offset }, { views }) => {
    const party = views.nfts.party(addressOf(account));
    const { accounts } = views.nfts;
    const isSell = type === undefined ? undefined : type === 'sell';
    const made = await accounts.made(party, isSell, { skip: offset, limit });
    const incoming = await accounts.incoming(party, { skip: offset, limit });
    return {
      account,
      count: made.rows.length,
      total: made.total,
      offset,
      limit,
      offers: made.rows,
      incomingOffers: incoming.rows,
      totalIncoming: incoming.total,
      incomingOffersTruncated: incoming.isPart,
    };
  },
});

export const nftListRoutes: readonly Route[] = [nfts, ofAccount, offersOfAccount];
