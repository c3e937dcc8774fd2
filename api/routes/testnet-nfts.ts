/** Section 4.10: NFTs and collections of the test network. Times are Unix ms. */
import type { NftScope } from '../../engine/nfts/event-history.ts';
import { badRequest, notFound } from '../../requests/errors.ts';
import { isHashForm } from '../../requests/identifiers.ts';
import { COLUMN_SORTS } from '../../views/nfts/collection-figures.ts';
import { collectionId as idOfCollection } from '../../views/nfts/collection-ids.ts';
import { addressParam, limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { existingNft, nftId, nftRow, offerRow } from './nfts.ts';
import { page, shared, skipped } from './testnet-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const PAGE_MAX = 200;

/** What clients ask for here, and the events that each is. */
const TYPES = {
  MINT: ['MINT'],
  BURN: ['BURN'],
  LIST: ['CREATE_SELL_OFFER'],
  BID: ['CREATE_BUY_OFFER'],
  CANCEL: ['CANCEL_SELL_OFFER', 'CANCEL_BUY_OFFER'],
  SALE: ['SALE'],
  TRANSFER: ['TRANSFER'],
  MODIFY: ['MODIFY'],
} as const;
const TYPE_NAMES = ['MINT', 'BURN', 'LIST', 'BID', 'CANCEL', 'SALE', 'TRANSFER', 'MODIFY'] as const;
const NAME_OF = new Map<string, (typeof TYPE_NAMES)[number]>(
  TYPE_NAMES.flatMap((name) => TYPES[name].map((type) => [type, name] as const)),
);

const collectionId = { in: 'path', kind: 'text', maxLength: 64, about: '<issuer>:<taxon>' } as const;

/** @throws ApiError 404 */
function collectionOf(id: string, { views }: RouteContext): number {
  const row = views.nfts.collection(id);
  if (row === 0) throw notFound('Collection not found', 'Send <issuer>:<taxon>');
  return row;
}

const collectionRow = object({
  _id: describe(string, '<issuer>:<taxon>'),
  issuer: string,
  taxon: integer,
  items: describe(integer, 'NFTs that exist'),
  burned: integer,
  owners: integer,
  listed: describe(integer, 'NFTs that anyone can buy for XRP'),
  bids: describe(integer, 'Offers to buy one'),
  floor: describe(orNull(number), 'XRP, the cheapest of them; null: none is listed'),
  sales: integer,
  volume: describe(number, 'XRP of all sales for XRP'),
  royalties: describe(number, 'XRP of it that went to the issuer'),
  brokerFees: describe(number, 'XRP of it that went to brokers'),
  fees: describe(number, 'Both, XRP'),
  vol24h: number,
  sales24h: integer,
  time: describe(orNull(integer), 'Of its first minting; null: before the first ledger read'),
});

function rowOf(row: number, { views, engine }: RouteContext) {
  const { collections } = engine.nfts;
  const _id = idOfCollection(collections, row);
  return {
    _id,
    issuer: _id.slice(0, _id.indexOf(':')),
    taxon: collections.taxon(row),
    ...figuresOf(row, views),
  };
}

/** Those of the contract. */
function figuresOf(row: number, { nfts }: RouteContext['views']) {
  const { topOffer: _1, marketcap: _2, trending: _3, ...figures } = nfts.collections.of(row);
  return figures;
}

const collections = route({
  ...shared,
  path: '/testnet/nft/collections',
  example: { limit: 10 },
  summary: 'Collections of NFTs of the test network',
  params: {
    sort: {
      in: 'query',
      kind: 'enum',
      values: COLUMN_SORTS,
      default: 'volume',
      about: 'The largest first',
    },
    limit: limit(50, 100),
    page,
  },
  response: object({
    collections: list(collectionRow),
    count: integer,
    total: integer,
    page: integer,
    limit: integer,
    sortBy: oneOf(COLUMN_SORTS),
  }),
  handler: async ({ sort, limit, page }, context) => {
    const found = await context.views.nfts.collections.list(sort, { skip: skipped(page, limit), limit });
    const rows = found.rows.map((row) => rowOf(row, context));
    return { collections: rows, count: rows.length, total: found.total, page, limit, sortBy: sort };
  },
});

const collection = route({
  ...shared,
  path: '/testnet/nft/collections/{id}',
  example: { id: `${samples.account}:0` },
  summary: 'A collection of NFTs of the test network',
  params: { id: collectionId },
  response: object({ collection: collectionRow }),
  handler: async ({ id }, context) => {
    const row = collectionOf(id, context);
    await context.views.nfts.collections.ready();
    return { collection: rowOf(row, context) };
  },
});

const nftsOfCollection = route({
  ...shared,
  path: '/testnet/nft/collections/{id}/nfts',
  example: { id: `${samples.account}:0`, limit: 20 },
  summary: 'NFTs of a collection of the test network that exist, the newest first',
  params: {
    id: collectionId,
    owner: addressParam('Only those of this account'),
    limit: limit(50, PAGE_MAX),
    page,
  },
  response: object({
    nfts: list(
      object({
        _id: describe(string, 'NFTokenID'),
        owner: string,
        minter: describe(string, 'Its issuer'),
        URI: describe(orNull(string), 'Hex; null: it has none'),
        serial: integer,
        minted: describe(orNull(integer), 'null: before the first ledger read'),
      }),
    ),
    count: integer,
    total: integer,
    page: integer,
    limit: integer,
  }),
  handler: ({ id, owner, limit, page }, context) => {
    const { views, engine } = context;
    const { nfts } = engine.nfts;
    const party = owner === undefined || owner === '' ? undefined : views.nfts.party(addressOf(owner));
    const skip = skipped(page, limit);
    const found: number[] = [];
    let total = 0;
    for (let nft = nfts.newestOf(collectionOf(id, context)); nft !== 0; nft = nfts.before(nft)) {
      const holder = nfts.owner[nft]!;
      if (holder === 0 || (party !== undefined && holder !== party)) continue;
      if (total++ >= skip && found.length < limit) found.push(nft);
    }
    const rows = found.map((nft) => {
      const { _id, account, issuer, serial, date, url } = views.nfts.rows.row(nft);
      return { _id, owner: account ?? '', minter: issuer, URI: url ?? null, serial, minted: date ?? null };
    });
    return { nfts: rows, count: rows.length, total, page, limit };
  },
});

const history = route({
  ...shared,
  path: '/testnet/nft/history',
  example: { account: samples.account, limit: 20 },
  summary:
    'What happened to an NFT, a collection, or the NFTs of an account of the test network: the newest first',
  params: {
    collection: { in: 'query', kind: 'text', maxLength: 64, about: '<issuer>:<taxon>' },
    nft: { in: 'query', kind: 'text', maxLength: 80, about: 'NFTokenID' },
    account: addressParam('Of which this account is a party'),
    type: { in: 'query', kind: 'enum', values: TYPE_NAMES, about: 'Only these' },
    limit: limit(50, PAGE_MAX),
    page,
  },
  needs: [{ anyOf: [['collection'], ['nft'], ['account']] }],
  response: object({
    history: list(
      object({
        type: oneOf(TYPE_NAMES),
        NFTokenID: string,
        cid: describe(string, 'Its collection'),
        account: string,
        buyer: orNull(string),
        seller: orNull(string),
        amount: describe(
          orNull(object({ amount: number, currency: string, issuer: string })),
          'null: nothing was paid or offered',
        ),
        broker: orNull(string),
        hash: string,
        ledger: integer,
        time: integer,
      }),
    ),
    count: integer,
    total: integer,
    page: integer,
    limit: integer,
    'truncated?': describe(boolean, 'There are older ones, which are not counted'),
  }),
  handler: async ({ type, limit, page, ...of }, context) => {
    const types = type === undefined ? undefined : new Set<string>(TYPES[type]);
    const query = { scope: scopeOf(of, context), types, limit, skip: skipped(page, limit) };
    const { rows, total, isPart } = await context.views.nfts.events.window(query);
    return {
      history: rows.map((row) => ({
        type: NAME_OF.get(row.type)!,
        NFTokenID: row.NFTokenID,
        cid: row.cid,
        account: row.account,
        buyer: row.buyer ?? null,
        seller: row.seller ?? null,
        amount: row.cost ?? null,
        broker: row.broker ?? null,
        hash: row.hash,
        ledger: row.ledger_index,
        time: row.time,
      })),
      count: rows.length,
      total,
      page,
      limit,
      ...(isPart && { truncated: true }),
    };
  },
});

interface Of {
  readonly collection?: string | undefined;
  readonly nft?: string | undefined;
  readonly account?: string | undefined;
}

/** @throws ApiError 400 */
function scopeOf({ collection, nft, account }: Of, { views }: RouteContext): NftScope {
  if (nft !== undefined && nft !== '') {
    if (!isHashForm(nft)) throw badRequest('Invalid NFTokenID', 'Send its 64 hex digits');
    return { nft: views.nfts.find(nft.toUpperCase()) };
  }
  if (collection !== undefined && collection !== '') return { collection: views.nfts.collection(collection) };
  return { party: views.nfts.party(addressOf(account ?? '')) };
}

const nft = route({
  ...shared,
  path: '/testnet/nft/{id}',
  example: { id: samples.nft },
  summary: 'An NFT of the test network, with the offers for it',
  params: { id: nftId },
  response: object({ nft: nftRow, offers: describe(list(offerRow), 'To sell, then to buy') }),
  handler: async ({ id }, { views }) => {
    const nft = existingNft(id, views);
    const { sell, buy } = offersOf(nft, views.nfts.offers);
    return { nft: await views.nfts.rows.whole(nft), offers: [...sell, ...buy] };
  },
});

const nftOffers = route({
  ...shared,
  path: '/testnet/nft/{id}/offers',
  example: { id: samples.nft },
  summary: 'Open offers for an NFT of the test network, best first',
  params: { id: nftId },
  response: object({ sell: list(offerRow), buy: list(offerRow), count: integer }),
  handler: ({ id }, { views }) => {
    const { sell, buy } = offersOf(existingNft(id, views), views.nfts.offers);
    return { sell, buy, count: sell.length + buy.length };
  },
});

function offersOf(nft: number, offers: RouteContext['views']['nfts']['offers']) {
  const side = (isSell: boolean) =>
    offers
      .open(nft, isSell)
      .slice(0, OFFERS_MAX)
      .map((row) => offers.row(row));
  return { sell: side(true), buy: side(false) };
}

/** Of each side. */
const OFFERS_MAX = 500;

export const testnetNftRoutes: Route[] = [collections, collection, nftsOfCollection, history, nft, nftOffers];
