/** Section 4.1: token lists, single tokens, search. */
import { DAY_MS } from '../../engine/ripple-time.ts';
import { TOKEN_TYPES } from '../../engine/state/tokens.ts';
import { notFound } from '../../requests/errors.ts';
import type { Network } from '../../views/network.ts';
import { FOUND_MAX } from '../../views/nfts/nft-search.ts';
import { TOKEN_FIELDS } from '../../views/token-fields.ts';
import { tokenSlugs } from '../../views/token-slugs.ts';
import type { TokenViews } from '../../views/token-views.ts';
import type { Views } from '../../views/views.ts';
import { addressParam, flag, offset, order, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { jsonArray } from '../json-array.ts';
import { marketSummaryParts } from '../market-summary.ts';
import { Fragment, type Route, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  mapOf,
  marketSummary,
  number,
  object,
  oneOf,
  orNull,
  type Schema,
  string,
} from '../schema.ts';
import { tokenField, tokenRow, wholeTokenRow } from '../token-schema.ts';
import { poolRow } from './market-schemas.ts';
import { nftMembers } from './nfts.ts';
import { addressOf } from './trader-schemas.ts';

/** `show_new`: first seen in the last seven days. */
const NEW_DAYS = 7;
/** Sorts whose lists are short unless a limit is sent. */
const SHORT_SORTS: ReadonlySet<string> = new Set(['assessmentScore', 'pro5m', 'trendingScore']);
/** No slug is an md5. */
const NO_TOKENS: readonly number[] = [];
const SEARCH_MAX = 100;
const SEARCH_DEFAULT = 20;

/** Whether a list of tokens is narrowed by names or tags. */
const isNarrowed = ({ tag, filter, filterNe }: Readonly<Record<string, unknown>>): boolean =>
  tag !== undefined || filter !== undefined || filterNe !== undefined;

/** The token of an id. @throws ApiError 404 if it is not in the ledgers read so far. */
export function tokenOf(views: Views, id: string): number {
  const token = views.tokens.resolve(id);
  if (token === undefined)
    throw notFound('Token not found', 'Send an md5, <issuer>-<currency>, mpt-<id> or XRP');
  return token;
}

const tokens = route({
  method: 'GET',
  path: '/tokens',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { limit: 5, sort: 'vol24hxrp' },
  summary: 'Tokens, sorted, filtered and paged',
  params: {
    limit: {
      in: 'query',
      kind: 'int',
      min: 1,
      max: 100,
      defaultFrom: (values) => (SHORT_SORTS.has(String(values.sort)) ? 20 : isNarrowed(values) ? 50 : 100),
      about:
        'Most rows to answer; default 100, with tag, filter or filterNe 50, sorted by assessmentScore, pro5m or trendingScore 20',
    },
    offset,
    sort: {
      in: 'query',
      kind: 'enum',
      values: TOKEN_FIELDS.sorts,
      default: 'vol24hxrp',
      synonyms: TOKEN_FIELDS.sortNames,
      about: 'What to sort by; tokens without the figure come last in either direction',
    },
    order,
    tag: { in: 'query', kind: 'text', maxLength: 100, about: 'Only tokens with this tag, by name or slug' },
    filter: { in: 'query', kind: 'text', maxLength: 100, about: 'Only names that contain this text' },
    filterNe: {
      in: 'query',
      kind: 'text',
      maxLength: 100,
      about: 'Only names that do not contain this text',
    },
    watchlist: addressParam('Only tokens on the watch list of this account'),
    show_new: flag('Only tokens first seen in the last seven days'),
    show_slug: flag('Only tokens whose slug is their md5'),
    show_date: flag('Only tokens whose first appearance is unknown'),
    tags: flag('`yes`: also list all tags'),
    token_type: {
      in: 'query',
      kind: 'enum',
      values: TOKEN_TYPES,
      about: 'Only tokens of this type; anything else filters nothing and is echoed as null',
    },
    skip_metrics: flag('Leave out exch, H24 and global'),
    lightweight: flag('About 50 essential fields a token'),
  },
  response: object({
    total: describe(integer, 'Rows that match'),
    count: describe(integer, 'Rows answered; with the option --compat count-total as total'),
    start: integer,
    limit: integer,
    tagName: string,
    sortBy: string,
    sortType: string,
    token_type: orNull(string),
    tokens: describe(
      list(wholeTokenRow()),
      'Figures of 24 hours and less: of close time, up to the newest ledger. vol7dxrp, pro7d, pro30d: whole hours, the running one among them',
    ),
    'tags?': list(string),
    'tokenCreation?': describe(
      list(
        object({
          date: describe(string, 'YYYY-MM-DD, UTC'),
          totalTokens: describe(integer, 'Tokens that appeared on the day'),
          platforms: describe(mapOf(integer), 'Those launched through each platform'),
        }),
      ),
      'The last 30 days, newest first',
    ),
    'exch?': marketSummary.exch,
    'H24?': marketSummary.H24,
    'global?': marketSummary.global,
  }),
  cost: 1,
  bucket: '/tokens',
  cache: 'ledger',
  handler: async (input, { engine, views, network }) => {
    const { limit } = input;
    // Types are found with the tags that follow from them.
    if (isNarrowed(input) || input.tags || input.token_type) await views.tokens.namesReady();
    await views.tokens.listReady(input.sort);
    // Rows show their place in this order.
    if (!input.lightweight) await views.tokens.listReady('vol24hxrp');
    const tag = input.tag === undefined ? undefined : views.tokens.tag(input.tag);
    const query = {
      sort: input.sort,
      ascending: input.order === 'asc',
      offset: input.offset,
      limit,
      tag: input.tag,
      filter: input.filter,
      filterNot: input.filterNe,
      type: TOKEN_TYPES.find((type) => type === input.token_type),
      sinceMs: input.show_new && engine.head ? engine.head.closeTimeMs - NEW_DAYS * DAY_MS : undefined,
      undated: input.show_date,
      only: input.show_slug ? NO_TOKENS : watchedBy(input.watchlist, views.tokens, network),
    };
    const size = input.lightweight ? 'light' : 'full';
    const { version } = views;
    let found = views.tokens.list(query);
    await views.tokens.rowsReady(found.ids, size);
    if (views.version !== version) found = views.tokens.list(query);
    const { ids, total } = found;
    const beside = (i: number) => views.tokens.beside(ids[i]!);
    const head = {
      total,
      count: views.forms.countTotal ? total : ids.length,
      start: input.offset,
      limit,
      tagName: tag ?? '',
      sortBy: input.sort,
      sortType: input.order,
      token_type: input.token_type ?? null,
    };
    return new Fragment([
      JSON.stringify(head).slice(1, -1),
      ',"tokens":',
      ...jsonArray(
        ids.map((id) => views.tokens.row(id, size)),
        input.lightweight ? undefined : beside,
      ),
      ...(input.tags ? [`,"tags":${JSON.stringify(views.tokens.tags())}`] : []),
      ...(input.skip_metrics
        ? []
        : [',', ...marketSummaryParts(views), `,"tokenCreation":${views.creation.text()}`]),
    ]);
  },
});

/** @returns undefined: no account was asked for. @throws ApiError 400 for what is no r-address */
function watchedBy(
  account: string | undefined,
  tokens: TokenViews,
  { accountData }: Network,
): readonly number[] | undefined {
  if (account === undefined) return undefined;
  return accountData.watched(addressOf(account), 'token').flatMap((md5) => tokens.resolve(md5) ?? []);
}

const slugs = route({
  method: 'GET',
  path: '/tokens/slugs',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  summary: 'Slugs of all tokens, the largest by 24 h volume first',
  params: {},
  response: object({ count: integer, total: integer, truncated: boolean, slugs: list(string) }),
  cost: 1,
  bucket: '/tokens',
  cache: 'ledger',
  handler: (_input, { views }) => tokenSlugs(views.tokens),
});

/** What only the answer of one token has beside its row. */
const beside = object({
  'description?': tokenField('description'),
  'creatorLastAction?': describe(
    object({
      side: string,
      type: describe(string, 'Transaction type'),
      result: describe(string, 'Other than tesSUCCESS: a rejected attempt'),
      hash: string,
      time: describe(integer, 'Unix ms'),
      xrp: describe(number, 'XRP; of a transfer its value then'),
      token: describe(string, 'Amount'),
      amountType: oneOf(['token', 'xrp']),
    }),
    'The newest event of /creator-activity/{id}',
  ),
});

const token = route({
  method: 'GET',
  path: '/token/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token },
  summary: 'One token with everything known about it',
  params: {
    id: tokenId,
    desc: flag('`yes`: with the description its issuer gives'),
    skip_metrics: flag('Leave out exch, H24 and global'),
  },
  response: object({
    total: describe(integer, 'Number of all indexed tokens'),
    'exch?': marketSummary.exch,
    'H24?': marketSummary.H24,
    'global?': marketSummary.global,
    token: { allOf: [wholeTokenRow(), beside] } as Schema<object>,
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  handler: async ({ id, desc, skip_metrics }, context) => {
    const { views } = context;
    const found = tokenOf(views, id);
    context.viewed(views.tokens.md5(found));
    await views.tokens.listReady('vol24hxrp');
    await views.tokens.rowsReady([found]);
    const metrics = skip_metrics ? [] : [',', ...marketSummaryParts(views)];
    const row = views.tokens.row(found);
    const description = desc ? views.tokens.description(found) : undefined;
    const lastAction = views.creators.lastAction(found);
    const rest = JSON.stringify({
      ...(lastAction !== undefined && { creatorLastAction: lastAction }),
      ...(description !== undefined && { description }),
    });
    return new Fragment([
      `"total":${views.tokens.total}`,
      ...metrics,
      ',"token":',
      row.subarray(0, -1),
      ',',
      views.tokens.beside(found),
      rest === '{}' ? '}' : `,${rest.slice(1)}`,
    ]);
  },
});

const TOKENS_FIRST = ['tokens', 'collections', 'nfts'] as const;
const EXACT_FIRST = ['nfts', 'collections', 'tokens'] as const;

const collectionFound = object({
  slug: string,
  name: describe(string, 'As its issuer or its NFTs say, else the slug'),
  'logoImage?': string,
  account: describe(string, 'Its issuer'),
  items: integer,
  owners: integer,
  'floor?': describe(number, 'XRP; absent: nothing is listed'),
  'marketcap?': object({ amount: number }),
  totalVolume: number,
  verified: boolean,
});

/** What a text finds beside tokens. */
async function nftsFound(text: string, { nfts }: Views) {
  const { collections, nfts: rows, isExact } = await nfts.search.find(text);
  await nfts.collections.ready();
  return {
    isExact,
    nfts: rows.map(({ row, editions }) => ({ ...nfts.rows.row(row), editions })),
    collections: collections.map((row) => {
      const { items, owners, floor, marketcap, volume } = nfts.collections.of(row);
      return {
        ...nfts.collectionNames(row),
        items,
        owners,
        ...(floor !== null && { floor }),
        ...(marketcap !== null && { marketcap: { amount: marketcap } }),
        totalVolume: volume,
      };
    }),
  };
}

const search = route({
  method: 'POST',
  path: '/search',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { search: 'RLUSD', limit: 5 },
  summary:
    'Tokens, collections and NFTs by name, typo-tolerant; LP tokens by what their pool holds; an NFT by its id, too; an r-address also finds its account, and the collections that it has issued',
  params: {
    search: {
      in: 'body',
      kind: 'text',
      default: '',
      maxLength: 128,
      about: 'Name, ticker, pair (XRP/COR), id, currency hex or address; empty: the most traded tokens',
    },
    offset: {
      in: 'body',
      kind: 'int',
      default: 0,
      min: 0,
      max: SEARCH_MAX,
      about: 'Rows to skip; clamped so that offset + limit is at most 100',
    },
    limit: {
      in: 'body',
      kind: 'int',
      default: SEARCH_DEFAULT,
      min: 1,
      max: SEARCH_MAX,
      about: 'Most rows to answer',
    },
  },
  response: object({
    tokens: list(tokenRow('light')),
    collections: describe(list(collectionFound), `At most ${FOUND_MAX}, whatever offset and limit are`),
    nfts: describe(
      list(object({ ...nftMembers, editions: integer })),
      'NFTs by name, or that of an id, as /nft/{id} has them; those of one name in a collection are one row, with editions: how many there are',
    ),
    pools: describe(list(poolRow), 'Pools of the LP tokens among the tokens, as rows of /amm'),
    order: list(string),
    account: orNull(
      object({
        address: string,
        'balance?': describe(number, 'XRP'),
        rank: describe(
          orNull(integer),
          'Among holders of XRP, 1 = largest; null: not among the 1000 largest',
        ),
      }),
    ),
    pagination: object({
      offset: integer,
      limit: integer,
      total: integer,
      hasMore: boolean,
      maxResults: integer,
    }),
    'exch?': marketSummary.exch,
  }),
  cost: 10,
  bucket: '/search',
  handler: async (input, { views }) => {
    const size = input.limit;
    const start = Math.min(input.offset, SEARCH_MAX - size);
    const found = await views.search.find(input.search, SEARCH_MAX);
    const { collections, nfts, isExact } = await nftsFound(input.search, views);
    const groups = { tokens: found.tokens, collections, nfts };
    const order = (isExact ? EXACT_FIRST : TOKENS_FIRST).filter((name) => groups[name].length > 0);
    const page = found.tokens.slice(start, start + size);
    await views.tokens.rowsReady(page);
    const pools = await views.pools.of(page);
    const pagination = {
      offset: start,
      limit: size,
      total: found.tokens.length,
      hasMore: start + page.length < found.tokens.length,
      maxResults: SEARCH_MAX,
    };
    return new Fragment([
      '"tokens":',
      ...jsonArray(page.map((id) => views.tokens.row(id, 'light'))),
      `,"collections":${JSON.stringify(collections)},"nfts":${JSON.stringify(nfts)}`,
      `,"order":${JSON.stringify(order)}`,
      `,"pools":${JSON.stringify(pools)}`,
      `,"account":${JSON.stringify(found.account)},"pagination":${JSON.stringify(pagination)},"exch":`,
      views.market.exch(),
    ]);
  },
});

export const tokenRoutes: Route[] = [tokens, slugs, token, search];
