/** Section 4.1: holders of a token. */
import { badRequest } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { HOLDER_SORTS } from '../../views/holder-query.ts';
import { isAddress } from '../../views/identity.ts';
import { RANGE_NAMES } from '../../views/intervals.ts';
import type { Views } from '../../views/views.ts';
import { account, flag, limit, offset, order, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  mapOf,
  number,
  object,
  orNull,
  type Schema,
  string,
} from '../schema.ts';
import { tableFormat } from '../table-formats.ts';
import { tokenOf } from './tokens.ts';

/** The sort that is echoed for each synonym. */
const SORT_ECHO: Readonly<Record<string, string>> = { value: 'balance', percent: 'holding' };

/** Resolves with the token of a path when its holders are ranked. */
async function rankedToken(views: Views, id: string): Promise<number> {
  const token = tokenOf(views, id);
  await views.holders.ready(token);
  return token;
}

/** The token of a path, when the shares of its largest holders are known. */
async function describedToken(views: Views, id: string): Promise<number> {
  const token = tokenOf(views, id);
  await views.holders.infoReady(token);
  return token;
}

const holderPoint: Schema<Record<string, number>> = object({
  time: describe(integer, 'Unix ms'),
  length: describe(integer, 'Trust lines'),
  holders: describe(integer, 'Those with a balance'),
  top10: describe(number, 'Percent of the supply'),
  top20: number,
  top50: number,
  top100: number,
  active24H: describe(integer, 'Accounts that traded it in the 24 hours before'),
});

const info = route({
  method: 'GET',
  path: '/holders/info/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token },
  summary: 'How many hold a token and how much the largest hold',
  params: { id: tokenId },
  response: object({ richInfo: holderPoint }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async ({ id }, { views }) => ({
    richInfo: views.holders.info(await describedToken(views, id)),
  }),
});

const graph = route({
  method: 'GET',
  path: '/holders/graph/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, range: '7D' },
  summary: 'How the number and shares of holders moved',
  params: {
    id: tokenId,
    range: {
      in: 'query',
      kind: 'enum',
      values: RANGE_NAMES.filter((name) => name !== '5D'),
      default: '7D',
      about: 'How far back',
    },
  },
  response: object({ length: integer, history: list(holderPoint) }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async ({ id, range }, { views }) => {
    const history = views.holders.graph(await describedToken(views, id), range);
    return { length: history.length, history };
  },
});

const holderRow = object({
  account: string,
  balance: string,
  holding: describe(number, 'Percent of the supply'),
  rank: integer,
  freeze: boolean,
  'frozenByIssuer?': boolean,
  isCreator: boolean,
  xrpBalance: describe(orNull(string), 'XRP; null: not known from the ledgers read so far'),
  lastActive: describe(orNull(integer), 'Unix ms of its last transaction; null: none seen'),
  name: describe(orNull(string), 'null: not known'),
  domain: describe(orNull(string), 'As the account gives it; null: it gives none'),
  funder: describe(orNull(string), 'Who activated the account; null: before the first ledger read'),
  'isAMM?': boolean,
  'value?': describe(number, 'XRP; absent without a price'),
  'balance24h?': describe(string, 'Balance 24 hours ago'),
  'tradedPct?': describe(number, 'Percent of what it got of the token that it bought'),
  'tradeCount?': integer,
  'source?': describe(
    string,
    'traded, transfer, lp, or mixed; what it had before the first ledger read is transfer',
  ),
  'acquisition?': describe(
    object({ dexPct: number, ammPct: number, lpPct: number, transferPct: number }),
    'Percent of what it got: bought on books, from pools, taken out of pools, transferred (net)',
  ),
  'pnl?': describe(number, 'XRP, realised and unrealised, average cost; absent: it never traded the token'),
  'roi?': describe(number, 'pnl in percent of what was spent'),
  'unrealized?': describe(number, 'XRP'),
  'bought?': describe(number, 'Tokens'),
  'sold?': describe(number, 'Tokens'),
  'lastTrade?': describe(integer, 'Unix ms'),
});

const richList = route({
  method: 'GET',
  path: '/holders/list/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, limit: 10 },
  summary: 'Holders of a token, largest first',
  params: {
    id: tokenId,
    offset,
    limit: limit(20, 200),
    freeze: flag('Only frozen lines'),
    sort: {
      in: 'query',
      kind: 'enum',
      values: HOLDER_SORTS,
      default: 'balance',
      about:
        'balance or holding (value and percent are other names), change24h (tokens), or pnl: those that never traded it come after all others',
    },
    order,
    search: { in: 'query', kind: 'text', minLength: 3, maxLength: 64, about: 'Part of an address' },
    minBalance: { in: 'query', kind: 'float', about: 'Smallest balance' },
    maxBalance: { in: 'query', kind: 'float', about: 'Largest balance' },
    format: tableFormat,
  },
  table: { rows: 'richList' },
  response: object({
    summary: object({
      'top10Hold?': describe(
        number,
        'Percent of the supply; absent while the holders of XRP have not been ranked',
      ),
      'top20Hold?': number,
      'top50Hold?': number,
      'top100Hold?': number,
      frozen: describe(integer, 'Frozen lines'),
    }),
    length: describe(integer, 'Holders; those that match when filtered'),
    offset: integer,
    limit: integer,
    sort: string,
    order: string,
    richList: list(holderRow),
  }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async (input, { views }) => {
    const token = tokenOf(views, input.id);
    const query = {
      offset: input.offset,
      limit: input.limit,
      ascending: input.order === 'asc',
      frozen: input.freeze,
      search: input.search,
      minBalance: input.minBalance,
      maxBalance: input.maxBalance,
    };
    const sort = SORT_ECHO[input.sort] ?? input.sort;
    const by = sort === 'pnl' || sort === 'change24h' ? sort : 'balance';
    const { summary, length, richList } = await views.holders.page(token, query, by);
    return { summary, length, offset: input.offset, limit: input.limit, sort, order: input.order, richList };
  },
});

const ranks = route({
  method: 'GET',
  path: '/holders/ranks/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, accounts: [samples.account] },
  summary: 'Ranks of accounts among the holders of a token',
  params: {
    id: tokenId,
    accounts: {
      in: 'query',
      kind: 'list',
      maxItems: 200,
      items: { ...string, pattern: patterns.account },
      about: 'r-addresses, at most 200',
    },
  },
  response: object({
    ranks: describe(mapOf(orNull(integer)), 'By r-address; null: it holds none'),
    total: integer,
    source: string,
  }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async ({ id, accounts }, { views }) => {
    const token = await rankedToken(views, id);
    return { ...views.holders.ranks(token, accounts ?? []) };
  },
});

const position = route({
  method: 'GET',
  path: '/holders/position/{id}/{address}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, address: samples.account },
  summary: 'What one account holds of a token',
  params: { id: tokenId, address: account },
  response: object({
    account: string,
    md5: string,
    balance: string,
    holding: describe(number, 'Percent of the supply, two decimals, rounded down'),
    rank: orNull(integer),
    holders: integer,
  }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async ({ id, address }, { views }) => {
    if (!isAddress(address)) throw badRequest('Invalid account', 'Send an r-address');
    const token = await rankedToken(views, id);
    return { ...views.holders.position(token, address) };
  },
});

const empty = route({
  method: 'GET',
  path: '/holders/empty/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token, limit: 10 },
  summary: 'Accounts with a trust line and no balance',
  params: {
    id: tokenId,
    limit: { in: 'query', kind: 'int', min: 1, max: 1000, about: 'Most rows to answer; omit for all' },
    offset: { ...offset, about: 'Rows to skip, only with limit' },
  },
  response: object({
    accounts: list(string),
    count: integer,
    total: integer,
    excluded: describe(integer, 'Empty lines of the issuer and of pools, left out'),
    'offset?': integer,
    'limit?': integer,
  }),
  cost: 2,
  bucket: '/holders',
  cache: 'ledger',
  handler: async (input, { views }) => {
    const { limit, offset } = input;
    const page = limit === undefined ? undefined : { offset, limit };
    const { accounts, total, excluded } = await views.holders.empty(tokenOf(views, input.id), page);
    return { accounts, count: accounts.length, total, excluded, ...page };
  },
});

export const holderRoutes: Route[] = [info, graph, richList, ranks, position, empty];
