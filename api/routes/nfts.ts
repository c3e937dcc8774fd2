/** Section 4.5: one NFT, the offers for it, and what happened to NFTs. */
import { bytesOf } from '../../engine/codec/bytes.ts';
import { isJsonObject } from '../../engine/codec/values.ts';
import type { NftPlace, NftScope } from '../../engine/nfts/event-history.ts';
import { SCAM_CATEGORIES } from '../../engine/scams/rule.ts';
import { badRequest, notFound } from '../../requests/errors.ts';
import { isHashForm, patterns } from '../../requests/identifiers.ts';
import { isPartyOf, NFT_EVENT_NAMES } from '../../views/nfts/events.ts';
import type { Views } from '../../views/views.ts';
import { addressParam, flag, limit } from '../common.ts';
import { samples } from '../examples.ts';
import { askNodeObject } from '../ledger/node-reads.ts';
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
  type Schema,
  string,
} from '../schema.ts';
import { noTransaction } from './ledger.ts';
import { addressOf } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft',
} as const;
const OFFERS_MAX = 500;
/** Of each side, with an NFT. */
const OFFERS_SHOWN = 20;
const EVENTS_MAX = 200;
/** Of the side, and the index of an offer. */
const MARKER_LENGTH = 'sell:'.length + 64;

export const nftId = {
  in: 'path',
  kind: 'text',
  maxLength: 80,
  pattern: patterns.nftokenId,
  about: 'NFTokenID, 64 hex digits',
} as const;

export const marker = {
  in: 'query',
  kind: 'text',
  maxLength: MARKER_LENGTH,
  about: '`marker` of the page before',
} as const;

/** @throws ApiError 400 for what is no id, 404 for an NFT that no ledger has shown */
export function existingNft(id: string, { nfts }: Views): number {
  if (!isHashForm(id)) throw badRequest('Invalid NFTokenID', 'Send its 64 hex digits');
  const row = nfts.find(id.toUpperCase());
  if (row === 0) throw notFound('NFT not found', 'None of the ledgers read shows it');
  return row;
}

const amount: Schema<string | object> = { anyOf: [string, object({ value: string })] };

const collection: Schema<string | object> = { anyOf: [string, anyObject] };

export const nftFiles = describe(
  list(
    object({
      type: oneOf(['image']),
      thumbnail: object({ small: string, medium: string, large: string }),
      convertedFile: string,
    }),
  ),
  'Names of files below /s1/nft/; absent: no picture is known',
);

export const nftMembers = {
  _id: string,
  NFTokenID: string,
  'account?': describe(string, 'Its owner; absent: burned'),
  issuer: string,
  taxon: integer,
  cid: describe(string, 'Its collection: <issuer>:<taxon>'),
  cslug: string,
  total: describe(integer, 'NFTs of its collection'),
  flags: integer,
  royalty: describe(integer, '1/1000 percent of each sale'),
  transferFee: integer,
  sequence: integer,
  serial: integer,
  is_burned: boolean,
  status: oneOf(['live', 'burned']),
  'date?': describe(integer, 'Unix ms of its minting; absent: before the first ledger read'),
  'burnedAt?': integer,
  'modifiedAt?': describe(integer, 'Unix ms; when its URI was changed last'),
  scam: describe(boolean, 'Its issuer is on the blocklist (/scams/check)'),
  'scamType?': oneOf(SCAM_CATEGORIES),
  volume: describe(number, 'XRP of all its sales'),
  'url?': describe(string, 'Its URI, hex'),
  'cost?': describe(
    object({ amount: number, currency: string, issuer: string }),
    'The cheapest listing in XRP that anyone can take; absent: there is none',
  ),
  'cfloor?': describe(
    object({ amount: number }),
    'The floor of its collection, XRP; absent: nothing of it is listed that anyone can take',
  ),
  'name?': string,
  'collection?': describe(collection, 'Its name; with includeCollection what is known of it'),
  'collectionVerified?': describe(boolean, 'The admin of the service knows whose collection it is'),
  'meta?': describe(anyObject, 'What its URI names; absent: not fetched'),
  'files?': nftFiles,
  'rarity_rank?': describe(
    integer,
    'In its collection, 1 the rarest (OpenRarity, see /docs); absent: its metadata is not known',
  ),
  'props?': describe(
    list(object({ type: string, value: string, count: integer })),
    'Its traits, and how many NFTs of its collection have each',
  ),
};

export const nftRow = object(nftMembers);

export const offerMembers = {
  nft_offer_index: string,
  index: string,
  NFTokenID: string,
  owner: string,
  amount: describe(amount, 'Drops, or currency, issuer and value'),
  flags: describe(integer, '1: it sells'),
  'destination?': describe(string, 'The only account that may take it'),
  'expiration?': describe(integer, 'Seconds of the Ripple epoch'),
  'date?': describe(integer, 'Unix ms; absent: made before the first ledger read'),
  orphaned: describe(oneOf(['yes', 'no']), 'yes: its maker no longer owns the NFT'),
  funded: boolean,
  fraud: describe(
    boolean,
    'Its maker, the only account that may take it, or the issuer of the NFT is on the blocklist (/scams/check)',
  ),
  'fraudType?': oneOf(SCAM_CATEGORIES),
};
export const offerRow = object(offerMembers);

const one = route({
  ...shared,
  path: '/nft/{nftId}',
  example: { nftId: samples.nft },
  summary: 'An NFT: owner, identity, cheapest listing, and its metadata where that has been fetched',
  params: { nftId, includeCollection: flag('With its collection') },
  response: object({
    ...nftMembers,
    offers: describe(list(offerRow), `The best ${OFFERS_SHOWN} open offers to sell, then those to buy`),
  }),
  cache: 'ledger',
  handler: async ({ nftId, includeCollection }, { views }) => {
    const nft = existingNft(nftId, views);
    const { rows, offers } = views.nfts;
    const open = [true, false].flatMap((isSell) => offers.open(nft, isSell).slice(0, OFFERS_SHOWN));
    const row = { ...(await rows.whole(nft)), offers: open.map((offer) => offers.row(offer)) };
    return includeCollection ? { ...row, collection: rows.collection(nft) } : row;
  },
});

/** A page of one side, best first. @throws ApiError 400 for a marker that no open offer has */
function offerPage(nft: number, isSell: boolean, limit: number, from: string | undefined, views: Views) {
  const { offers } = views.nfts;
  const open = offers.open(nft, isSell);
  const rows = from === undefined ? open : open.slice(open.findIndex((row) => offers.indexOf(row) === from));
  if (from !== undefined && !open.some((row) => offers.indexOf(row) === from))
    throw badRequest('No open offer has this marker', 'Begin again without it');
  const next = rows[limit];
  return {
    offers: rows.slice(0, limit).map((row) => offers.row(row)),
    total: open.length,
    ...(next !== undefined && { marker: offers.indexOf(next) }),
  };
}

const bothSides = route({
  ...shared,
  path: '/nft/{nftId}/offers',
  example: { nftId: samples.nft, limit: 20 },
  summary: 'Open offers for an NFT: to sell, the cheapest first, and to buy, the highest first',
  params: { nftId, limit: limit(100, OFFERS_MAX), marker },
  response: object({
    NFTokenID: string,
    limit: integer,
    sellOffers: list(offerRow),
    buyOffers: list(offerRow),
    totalSell: integer,
    totalBuy: integer,
    'marker?': describe(string, 'Of the next page, of the side that has one first'),
  }),
  cache: 'ledger',
  handler: ({ nftId, limit, marker }, { views }) => {
    const nft = existingNft(nftId, views);
    const isBuy = marker?.startsWith('buy:') === true;
    const place = marker?.replace(/^(sell|buy):/, '');
    const empty = { offers: [], total: views.nfts.offers.open(nft, true).length, marker: undefined };
    const sell = isBuy ? empty : offerPage(nft, true, limit, place, views);
    const room = sell.marker === undefined ? limit - sell.offers.length : 0;
    const buy = offerPage(nft, false, room, isBuy ? place : undefined, views);
    const next = sell.marker === undefined ? buy.marker && `buy:${buy.marker}` : `sell:${sell.marker}`;
    return {
      NFTokenID: nftId.toUpperCase(),
      limit,
      sellOffers: sell.offers,
      buyOffers: buy.offers,
      totalSell: sell.total,
      totalBuy: buy.total,
      ...(next !== undefined && { marker: next }),
    };
  },
});

const oneSide = (side: 'buy' | 'sell') =>
  route({
    ...shared,
    path: `/nft/offers/${side}/{nftId}`,
    example: { nftId: samples.nft, limit: 20 },
    summary:
      side === 'sell'
        ? 'Open offers to sell an NFT, the cheapest first'
        : 'Open offers to buy an NFT, the highest first',
    params: { nftId, limit: limit(100, OFFERS_MAX), marker },
    response: object({
      NFTokenID: string,
      limit: integer,
      count: integer,
      total: integer,
      offers: list(offerRow),
      'marker?': string,
    }),
    cache: 'ledger',
    handler: ({ nftId, limit, marker }, { views }) => {
      const page = offerPage(existingNft(nftId, views), side === 'sell', limit, marker, views);
      return { NFTokenID: nftId.toUpperCase(), limit, count: page.offers.length, ...page };
    },
  });

export const eventRow = object({
  _id: string,
  type: oneOf(Object.keys(NFT_EVENT_NAMES)),
  NFTokenID: string,
  cid: string,
  account: describe(string, 'Who minted it first, sold, burned, or made the offer'),
  'seller?': string,
  'buyer?': string,
  'costXRP?': describe(number, 'What the buyer pays, or the offer names'),
  'amountXRP?': number,
  'cost?': object({ amount: number, currency: string, issuer: string }),
  'brokerFeeXRP?': number,
  'royaltyAmountXRP?': number,
  'broker?': string,
  'destination?': string,
  'expiration?': integer,
  'SourceTag?': integer,
  'origin?': describe(string, 'The marketplace, by broker, source tag or memo'),
  time: describe(integer, 'Unix ms'),
  ledger_index: integer,
  hash: string,
});

const historyAnswer = object({
  count: integer,
  limit: integer,
  histories: list(eventRow),
  history: list(eventRow),
  'marker?': describe(string, 'Of the next page'),
});

interface HistoryQuery {
  readonly scope: NftScope;
  readonly limit: number;
  readonly marker?: string | undefined;
  readonly types?: readonly string[] | undefined;
  /** Only those of which it is a party; 0: none. */
  readonly party?: number | undefined;
}

/** @throws ApiError 400 */
function history({ scope, limit, marker, types, party }: HistoryQuery, { views }: RouteContext) {
  const { rows, next } = views.nfts.events.page({
    scope,
    limit,
    from: placeOf(marker),
    types: types && types.length > 0 ? new Set(types) : undefined,
    keep: party === undefined ? undefined : (event) => isPartyOf(event, party),
  });
  return {
    count: rows.length,
    limit,
    histories: rows,
    history: rows,
    ...(next && { marker: `${next.ledger}_${next.tx}_${next.number}` }),
  };
}

/** @throws ApiError 400 */
export function placeOf(text: string | undefined): NftPlace | undefined {
  if (text === undefined || text === '') return undefined;
  const [, ledger, tx, number] = /^([0-9]{1,10})_([0-9]{1,5})_([0-9]{1,5})$/.exec(text) ?? [];
  if (ledger === undefined || Number(ledger) > 0xffffffff)
    throw badRequest('Invalid marker', 'Send it as it came');
  return { ledger: Number(ledger), tx: Number(tx), number: Number(number) };
}

const histories = route({
  ...shared,
  path: '/nft/history',
  example: { account: samples.account, limit: 20 },
  summary: 'What happened to an NFT, what an account was a party of, both, or all: the newest first',
  params: {
    NFTokenID: {
      in: 'query',
      kind: 'text',
      maxLength: 80,
      pattern: patterns.nftokenId,
      about: 'Of this NFT',
    },
    account: addressParam('Of which this account is a party'),
    limit: limit(100, EVENTS_MAX),
    types: {
      in: 'query',
      kind: 'list',
      maxItems: 12,
      values: [...Object.keys(NFT_EVENT_NAMES), 'ACCEPT_OFFER'],
      about: 'Only of these; ACCEPT_OFFER: what changed hands by an offer',
    },
    marker,
  },
  response: historyAnswer,
  cache: 'ledger',
  handler: ({ NFTokenID, account, limit, types, marker }, context) => {
    const { nfts } = context.views;
    const query = { limit, types, marker };
    const party = account === undefined || account === '' ? undefined : nfts.party(addressOf(account));
    if (NFTokenID !== undefined && NFTokenID !== '') {
      if (!isHashForm(NFTokenID)) throw badRequest('Invalid NFTokenID', 'Send its 64 hex digits');
      return history({ ...query, scope: { nft: nfts.find(NFTokenID.toUpperCase()) }, party }, context);
    }
    return history({ ...query, scope: party === undefined ? 'all' : { party } }, context);
  },
});

const historyOfOne = route({
  ...shared,
  path: '/nft/history/{nftId}',
  example: { nftId: samples.nft, limit: 20 },
  summary: 'What happened to an NFT, the newest first',
  params: { nftId, limit: limit(50, 100), marker },
  response: historyAnswer,
  cache: 'ledger',
  handler: ({ nftId, ...query }, context) =>
    history({ ...query, scope: { nft: existingNft(nftId, context.views) } }, context),
});

const activity = route({
  ...shared,
  path: '/nft/activity',
  example: { cid: `${samples.account}:0`, limit: 20 },
  summary: 'What happened to the NFTs of a collection, or to all: the newest first',
  params: {
    cid: { in: 'query', kind: 'text', maxLength: 64, about: 'Collection: <issuer>:<taxon>' },
    limit: limit(50, EVENTS_MAX),
    marker,
  },
  response: historyAnswer,
  cache: 'ledger',
  handler: ({ cid, ...query }, context) => {
    if (cid === undefined || cid === '') return history({ ...query, scope: 'all' }, context);
    return history({ ...query, scope: { collection: context.views.nfts.collection(cid) } }, context);
  },
});

const ofTransaction = route({
  ...shared,
  path: '/nft/transactions/{hash}',
  example: { hash: samples.transaction },
  summary: 'What a transaction did to NFTs',
  params: {
    hash: { in: 'path', kind: 'text', maxLength: 80, pattern: patterns.txHash, about: '64 hex digits' },
  },
  response: object({ hash: string, ledger_index: integer, count: integer, transactions: list(eventRow) }),
  unavailable: true,
  cache: 'ledger',
  handler: async ({ hash }, context) => {
    if (!isHashForm(hash)) throw badRequest('hash is not 64 hex digits');
    const name = hash.toUpperCase();
    const at = context.engine.findTransaction(bytesOf(name)) ?? (await placeAtNode(name, context));
    if (!at) throw noTransaction();
    const transactions = context.views.nfts.events.ofTransaction(at.ledger, at.tx);
    return { hash: name, ledger_index: at.ledger, count: transactions.length, transactions };
  },
});

/** Events stay when their ledger is pruned. @returns undefined: the node does not know it, or no ledger with it was read here */
async function placeAtNode(hash: string, { network, engine }: RouteContext) {
  const command = { command: 'tx', transaction: hash, ledger_index: undefined };
  const { ledger_index: ledger, validated, meta } = (await askNodeObject(network, command, { hash })) ?? {};
  const [first, newest] = [engine.store.firstLedger()?.index, engine.head?.index];
  if (typeof ledger !== 'number' || validated !== true || first === undefined || newest === undefined) return;
  if (ledger < first || ledger > newest) return;
  const tx = isJsonObject(meta) ? meta.TransactionIndex : undefined;
  return typeof tx === 'number' ? { ledger, tx } : undefined;
}

export const nftRoutes: readonly Route[] = [
  bothSides,
  oneSide('buy'),
  oneSide('sell'),
  histories,
  historyOfOne,
  activity,
  ofTransaction,
  one,
];
