/** Section 4.2: trade history, order books, pairs and pools. */

import { badRequest, notFound } from '../../requests/errors.ts';
import { isAddress } from '../../views/identity.ts';
import { POOL_SORTS } from '../../views/pools.ts';
import { LIQUIDITY_TYPES } from '../../views/trade-row.ts';
import type { Views } from '../../views/views.ts';
import { addressParam, offset, tokenId, tokenParam } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, object, orNull, string } from '../schema.ts';
import { tableFormat } from '../table-formats.ts';
import { asset, historyMeta, pairRow, poolNow, poolRow, poolSummary, tradeRow } from './market-schemas.ts';
import { tokenOf } from './tokens.ts';

const HISTORY_MAX = 1000;
const HISTORY_DEFAULT = 50;
const BOOK_MAX = 400;
const PAIRS_MAX = 100;

const history = route({
  method: 'GET',
  path: '/history',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { md5: samples.token, limit: 10 },
  summary: 'Trades and liquidity events of a token, an account or both',
  params: {
    md5: { ...tokenParam('Token; optional with account'), aliases: ['id', 'token'] },
    account: addressParam('r-address of a trader or provider; optional with md5'),
    limit: {
      in: 'query',
      kind: 'int',
      default: HISTORY_DEFAULT,
      min: 1,
      max: HISTORY_MAX,
      about: 'Most rows to answer',
    },
    offset,
    start_time: { in: 'query', kind: 'time', about: 'Not before (Unix ms)' },
    end_time: {
      in: 'query',
      kind: 'time',
      endsSpan: true,
      about: 'Not after (Unix ms); a date: its whole day',
    },
    type: {
      in: 'query',
      kind: 'enum',
      values: ['trades', 'liquidity', 'all'],
      default: 'trades',
      about: 'What to list',
    },
    liquidity_type: {
      in: 'query',
      kind: 'enum',
      values: LIQUIDITY_TYPES,
      about: 'Of liquidity events only this kind; with type liquidity or all',
    },
    pair_type: {
      in: 'query',
      kind: 'enum',
      values: ['xrp', 'token'],
      about: 'Only pairs with XRP, or only pairs of tokens',
    },
    xrp_only: { in: 'query', kind: 'bool', default: false, about: 'Only rows with an XRP leg' },
    xrp_amount: { in: 'query', kind: 'float', min: 0, about: 'Least size of the XRP leg, XRP' },
    cursor: {
      in: 'query',
      kind: 'int',
      min: 0,
      about: 'Goes on where `meta.nextCursor` of the last page pointed',
    },
    direction: {
      in: 'query',
      kind: 'enum',
      values: ['asc', 'desc'],
      default: 'desc',
      about: 'desc: newest first',
    },
    format: tableFormat,
  },
  table: { rows: 'data' },
  needs: [{ anyOf: [['md5'], ['account']] }],
  response: object({
    data: list(tradeRow),
    meta: historyMeta,
  }),
  cost: 2,
  bucket: '/history',
  cache: 'ledger',
  handler: (input, { views }) => {
    const token = input.md5 === undefined ? undefined : tokenOf(views, input.md5);
    if (input.account !== undefined && !isAddress(input.account))
      throw badRequest('Invalid account', 'Send an r-address');
    return views.history.page({
      token,
      account: input.account,
      limit: input.limit,
      offset: input.offset,
      startMs: input.start_time,
      endMs: input.end_time,
      type: input.type,
      liquidityType: input.liquidity_type,
      pairType: input.pair_type,
      xrpOnly: input.xrp_only,
      xrpAmount: input.xrp_amount,
      cursor: input.cursor,
      direction: input.direction,
    });
  },
});

const bookRow = object({
  price: describe(string, 'Of the quote, for one of the base'),
  amount: describe(string, 'Of the base'),
  total: describe(string, 'Of the quote'),
  account: string,
  funded: describe(string, 'Of amount, what its owner can deliver or take'),
});

const orderbook = route({
  method: 'GET',
  path: '/orderbook',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { base: samples.token, quote: 'XRP', limit: 10 },
  summary: 'Funded offers of a pair, best first, in prices of the quote token; XRP is always the quote side',
  params: {
    base: tokenParam('Token id'),
    quote: tokenParam('Token id'),
    limit: { in: 'query', kind: 'int', default: 20, min: 1, max: BOOK_MAX, about: 'Most rows a side' },
    base_currency: { in: 'query', kind: 'text', maxLength: 64, about: 'Instead of base: its currency' },
    base_issuer: addressParam('Instead of base: its issuer; none for XRP'),
    quote_currency: { in: 'query', kind: 'text', maxLength: 64, about: 'Instead of quote: its currency' },
    quote_issuer: addressParam('Instead of quote: its issuer; none for XRP'),
  },
  needs: [{ anyOf: [['base'], ['base_currency']] }, { anyOf: [['quote'], ['quote_currency']] }],
  response: object({
    pair: string,
    base: asset,
    quote: asset,
    limit: integer,
    bids: describe(list(bookRow), 'Highest price first'),
    asks: describe(list(bookRow), 'Lowest price first'),
    ledger_index: integer,
  }),
  cost: 2,
  bucket: '/orderbook',
  cache: 'ledger',
  handler: (input, { views }) => {
    const base = sideOf(views, input.base, input.base_currency, input.base_issuer);
    const quote = sideOf(views, input.quote, input.quote_currency, input.quote_issuer);
    if (base === quote) throw badRequest('base and quote are the same token');
    return { ...views.books.book(base, quote, input.limit), limit: input.limit };
  },
});

/** The token by id, else by currency and issuer; the row requires one of the two. */
function sideOf(
  views: Views,
  id: string | undefined,
  currency: string | undefined,
  issuer: string | undefined,
): number {
  if (id !== undefined) return tokenOf(views, id);
  const token = views.tokens.resolveIssue(currency!, issuer);
  if (token === undefined)
    throw notFound('Token not found', `No token ${currency} of ${issuer ?? 'no issuer'}`);
  return token;
}

const pairsResponse = object({ count: integer, limit: integer, truncated: boolean, pairs: list(pairRow) });

const pairsOf = async (views: Views, token: number) => {
  const { pairs, truncated } = await views.books.pairs(token, PAIRS_MAX);
  return { count: pairs.length, limit: PAIRS_MAX, truncated, pairs };
};

const pairsByQuery = route({
  method: 'GET',
  path: '/pairs',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { md5: samples.token },
  summary: 'What a token is traded against',
  params: {
    md5: { ...tokenParam('Token id'), required: true, aliases: ['id'] },
  },
  response: pairsResponse,
  cost: 1,
  bucket: '/pairs',
  cache: 'ledger',
  handler: ({ md5 }, { views }) => pairsOf(views, tokenOf(views, md5)),
});

const pairsByPath = route({
  method: 'GET',
  path: '/pairs/{id}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token },
  summary: 'What a token is traded against',
  params: { id: tokenId },
  response: pairsResponse,
  cost: 1,
  bucket: '/pairs',
  cache: 'ledger',
  handler: ({ id }, { views }) => pairsOf(views, tokenOf(views, id)),
});

const pools = route({
  method: 'GET',
  path: '/amm',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { limit: 10 },
  summary: 'Liquidity pools with reserves, volume, fees and yield',
  params: {
    sort: {
      in: 'query',
      kind: 'enum',
      values: POOL_SORTS,
      default: 'fees',
      about: 'What to sort by; largest or newest first',
    },
    status: {
      in: 'query',
      kind: 'enum',
      values: ['active', 'all'],
      default: 'active',
      about: 'active: pools that hold something of both assets',
    },
    limit: { in: 'query', kind: 'int', default: 50, min: 1, max: 100, about: 'Most rows to answer' },
    offset,
    token: { ...tokenParam('Only pools with this token'), aliases: ['md5'] },
    currency: { in: 'query', kind: 'text', maxLength: 64, about: 'Only pools with this currency' },
    issuer: addressParam('Only pools with a token of this issuer'),
  },
  response: object({
    summary: describe(poolSummary, 'Of all pools that match, XRP; windows as in the rows'),
    offset: integer,
    limit: integer,
    page: describe(integer, 'From 0 on, as `page` is read'),
    total: integer,
    count: integer,
    totalPages: integer,
    sort: string,
    status: string,
    pools: describe(
      list(poolRow),
      'apy24h: the 24 hours of close time up to the newest ledger; apy7d: whole hours, the running one and the 167 before',
    ),
  }),
  cost: 2,
  bucket: '/amm',
  cache: 'ledger',
  handler: async (input, { views }) => {
    const token = input.token === undefined ? undefined : tokenOf(views, input.token);
    const { summary, total, pools } = await views.pools.list({
      sort: input.sort,
      active: input.status === 'active',
      limit: input.limit,
      offset: input.offset,
      token,
      currency: input.currency,
      issuer: input.issuer,
    });
    return {
      summary,
      offset: input.offset,
      limit: input.limit,
      page: Math.floor(input.offset / input.limit),
      total,
      count: pools.length,
      totalPages: Math.ceil(total / input.limit),
      sort: input.sort,
      status: input.status,
      pools,
    };
  },
});

const poolInfo = route({
  method: 'GET',
  path: '/amm/info',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { asset: samples.token, asset2: 'XRP' },
  summary: 'One pool as it is now',
  params: {
    amm_account: { ...addressParam('r-address of the pool'), aliases: ['ammAccount', 'account'] },
    asset: tokenParam('Token id or XRP'),
    asset2: tokenParam('Token id or XRP'),
  },
  needs: [{ anyOf: [['amm_account'], ['asset', 'asset2']] }],
  response: object({
    amm: poolNow,
    ledger_index: integer,
    ledger_hash: orNull(string),
    validated: describe(boolean, 'Always true: only validated ledgers are known'),
  }),
  cost: 2,
  bucket: '/amm',
  cache: 'ledger',
  handler: async (input, { engine, views }) => {
    const pool = () =>
      input.amm_account !== undefined
        ? views.pools.byAccount(input.amm_account)
        : views.pools.byAssets(tokenOf(views, input.asset!), tokenOf(views, input.asset2!));
    await views.pools.slotsReady(pool()?.account ?? '');
    const [amm, { head }] = [pool(), engine];
    if (!amm) throw notFound('Pool not found');
    return {
      amm: { ...amm, ...views.pools.slots(amm.account) },
      ledger_index: head?.index ?? 0,
      ledger_hash: head?.hash ?? null,
      validated: true,
    };
  },
});

export const marketRoutes: Route[] = [history, orderbook, pairsByQuery, pairsByPath, pools, poolInfo];
