/** Tools about tokens: what they are, what moves, what is risky. */
import { DAY_MS, unixMs } from '../../../engine/ripple-time.ts';
import { AccountFlag } from '../../../engine/state/accounts.ts';
import type { Network } from '../../../views/network.ts';
import { counted } from '../counted.ts';
import { PAGE, pages } from '../pages.ts';
import { flag, tool } from '../tool.ts';

const ID = 'Token: md5, issuer-currency, MPT id, slug or XRP';
/** In place of what the route says of it, whose defaults are others. */
const LIMIT = 'Most rows to answer';
/** Members of a token in a list. */
const OF_ROW = [
  'md5',
  'name',
  'user',
  'exch',
  'usd',
  'marketcap',
  'vol24hxrp',
  'pro24h',
  'holders',
  'dateon',
];
const LISTED = ['total', 'count', ...OF_ROW];
/** Members of one token that answer most questions. */
const OF_TOKEN = [
  ...OF_ROW,
  'issuer',
  'currency',
  'creator',
  'domain',
  'tokenType',
  'supply',
  'amount',
  'pro1h',
  'pro7d',
  'pro30d',
  'maxMin24h',
  'vol7dxrp',
  'vol24htx',
  'uniqueTraders24h',
  'tvl',
  'trustlines',
  'top10',
  'athDistance',
  'assessmentScore',
  'verified',
  'tags',
];

const searched = { kind: 'text', about: 'Name, currency, issuer, domain or id', required: true } as const;

/** Figures of tokens and of issuers. */
const RANKS = ['marketcap', 'holders', 'vol24hxrp'];

/** Settings of an issuer that concern holders, by their flag. */
const SETTINGS: Readonly<Record<string, number>> = {
  clawback: AccountFlag.allowTrustLineClawback,
  global_freeze: AccountFlag.globalFreeze,
  no_freeze: AccountFlag.noFreeze,
  require_auth: AccountFlag.requireAuth,
  default_ripple: AccountFlag.defaultRipple,
  master_disabled: AccountFlag.disableMaster,
};

export const tokenTools = [
  tool({
    name: 'search_tokens',
    title: 'Find tokens',
    about:
      'Finds tokens by name, currency, issuer or id; gives the md5 that other tools take. Prices in XRP. oldest: the first created first.',
    routes: ['POST /search', 'GET /tokens'],
    params: {
      query: { ...searched, maxLength: 100 },
      oldest: flag('Sort by creation, oldest first'),
    },
    answer: { properties: { total: { type: 'integer' }, tokens: { type: 'array' } } },
    run: async ({ query, oldest }, { call }) => {
      const found = await call('POST /search', { search: query, limit: oldest ? PAGE : FOUND_MAX });
      const rows = (found.tokens as Row[]).map((row) => kept(row, OF_ROW));
      const { total } = found.pagination as { readonly total: number };
      if (!oldest) return { total, tokens: rows };
      // Names that many tokens have: a search ends at its best hundred, which need not be the oldest.
      const sent = { filter: query, sort: 'dateon', order: 'asc', limit: PAGE };
      const named = await call('GET /tokens', sent, LISTED);
      const all = [...new Map([...(named.tokens as Row[]), ...rows].map((row) => [row.md5, row])).values()];
      const created = ({ dateon }: Row) => Number(dateon ?? Number.POSITIVE_INFINITY);
      all.sort((a, b) => created(a) - created(b) || 0);
      return { total: Math.max(all.length, named.total as number), tokens: all.slice(0, FOUND_MAX) };
    },
  }),
  tool({
    name: 'get_token',
    title: 'A token',
    about:
      'Price, market cap, volume, supply and holders of a token. Values in XRP, changes in %. full: every field.',
    routes: ['GET /token/{id}'],
    params: { id: { of: 'id', about: ID }, full: flag('All fields') },
    run: async ({ id, full }, { call }) => {
      const { token, ledger_index } = await call('GET /token/{id}', { id });
      return { token: full ? token : kept(token as Record<string, unknown>, OF_TOKEN), ledger_index };
    },
  }),
  tool({
    name: 'get_token_series',
    title: 'A token over time',
    about:
      'Hourly or daily price, volume, holders, concentration, liquidity of a token. For: how did it develop, and since when.',
    routes: ['GET /token/{id}/series'],
    params: {
      id: { of: 'id', about: ID },
      metrics: 'metrics',
      interval: 'interval',
      from: 'from',
      to: 'to',
      limit: { of: 'limit', default: 30 },
    },
  }),
  tool({
    name: 'get_trending_tokens',
    title: 'Trending tokens',
    about: 'Tokens with most interest now, by trend score. Values in XRP, changes in %.',
    routes: ['GET /tokens'],
    params: { limit: { of: 'limit', default: 10, about: LIMIT } },
    fixed: { sort: 'trendingScore' },
    fields: [...LISTED, 'trendingScore'],
  }),
  tool({
    name: 'get_new_launches',
    title: 'Newest tokens',
    about:
      'Tokens by creation, newest first: of one creator, since a time, or counted by origin. Values in XRP. Chosen among 2,000: truncated says that there are more.',
    routes: ['GET /tokens'],
    params: {
      limit: { of: 'limit', default: 10, about: LIMIT },
      creator: { kind: 'text', about: 'Only tokens of this account', maxLength: 50 },
      by_origin: flag('Counts by launch platform'),
      days: { kind: 'int', about: 'Not older than this', default: 30, min: 1, max: 3650 },
      since: { kind: 'time', about: 'Not older than this, instead of days' },
    },
    run: async ({ limit, creator, by_origin, days, since }, { call, sharing, closeTime }) => {
      const from = (since as number | undefined) ?? closeTime - (days as number) * DAY_MS;
      const page = async (offset: number) => {
        const { tokens } = await call('GET /tokens', { sort: 'dateon', limit: PAGE, offset }, [
          ...LISTED,
          'creator',
          'origin',
        ]);
        return tokens as Row[];
      };
      const { rows: recent, isCut } = await pages(sharing, page, {
        isOne: (row) => Number(row.dateon) >= from,
      });
      const found = recent.filter((row) => creator === undefined || row.creator === creator);
      if (by_origin)
        return {
          since: from,
          launched: found.length,
          origins: counted(found.map(({ origin }) => String(origin ?? 'none'))),
          ...(isCut && { truncated: true }),
        };
      return {
        since: from,
        total: found.length,
        tokens: found.slice(0, limit as number),
        ...(isCut && { truncated: true }),
      };
    },
    answer: {
      properties: {
        since: { type: 'number' },
        total: { type: 'integer' },
        launched: { type: 'integer' },
        tokens: { type: 'array' },
        origins: { type: 'array' },
        truncated: {},
      },
    },
  }),
  tool({
    name: 'get_top_movers',
    title: 'Largest price moves',
    about: 'Tokens that gained or lost most in a time. Changes in %, values in XRP. Chosen among 2,000.',
    routes: ['GET /tokens'],
    params: {
      timeframe: {
        kind: 'enum',
        about: 'Time of the change',
        values: ['5m', '1h', '24h', '7d'],
        default: '24h',
      },
      direction: {
        kind: 'enum',
        about: 'Gains or losses',
        values: ['gainers', 'losers'],
        default: 'gainers',
      },
      min_holders: { kind: 'int', about: 'Holders at least', default: 0, min: 0 },
      limit: { of: 'limit', default: 10, about: LIMIT },
    },
    run: async ({ timeframe, direction, min_holders, limit }, { call, sharing }) => {
      const member = `pro${timeframe}`;
      const order = direction === 'losers' ? 'asc' : 'desc';
      const page = async (offset: number) => {
        const { tokens } = await call('GET /tokens', { sort: member, order, limit: PAGE, offset }, [
          ...LISTED,
          member,
        ]);
        return tokens as Row[];
      };
      const { rows: moved, isCut } = await pages(sharing, page, {
        isOne: (row) => (order === 'asc' ? Number(row[member]) < 0 : Number(row[member]) > 0),
      });
      const found = moved.filter(({ holders }) => Number(holders ?? 0) >= (min_holders as number));
      return {
        timeframe,
        direction,
        total: found.length,
        tokens: found.slice(0, limit as number),
        ...(isCut && { truncated: true }),
      };
    },
    answer: {
      properties: {
        timeframe: { type: 'string' },
        direction: { type: 'string' },
        total: { type: 'integer' },
        tokens: { type: 'array' },
        truncated: {},
      },
    },
  }),
  tool({
    name: 'get_tokens_by_category',
    title: 'Tokens of a category',
    about:
      'Tokens by tag and kind that are not too small and were traded lately; or, grouped, their issuers. XRP. Chosen among the first 2,000 by sort (considered; truncated says that there are more) by min_marketcap, min_holders and inactive_days. get_tag_list names the tags.',
    routes: ['GET /tokens'],
    params: {
      category: { of: 'tag', about: 'Tag' },
      token_type: 'token_type',
      sort: 'sort',
      inactive_days: {
        kind: 'int',
        about: 'Not without trades for longer than this',
        default: 90,
        min: 1,
      },
      min_marketcap: { kind: 'float', about: 'Market cap at least, XRP', default: 100_000, min: 0 },
      min_holders: { kind: 'int', about: 'Holders at least', default: 1000, min: 0 },
      limit: { of: 'limit', default: 20, about: LIMIT },
      group_by: { kind: 'enum', about: 'issuer: sums for each issuer', values: ['issuer'] },
      issuer_setting: { kind: 'enum', about: 'Only of issuers with this', values: Object.keys(SETTINGS) },
      rank_by: { kind: 'enum', about: 'The largest first', values: RANKS },
    },
    answer: {
      properties: {
        considered: { type: 'integer' },
        total: { type: 'integer' },
        selected: { type: 'integer' },
        tokens: { type: 'array' },
        issuers: { type: 'array' },
        truncated: {},
      },
    },
    run: async (
      {
        category,
        token_type,
        sort,
        inactive_days,
        min_marketcap,
        min_holders,
        limit,
        group_by,
        issuer_setting,
        rank_by,
      },
      { call, sharing, network, closeTime },
    ) => {
      const names = [...LISTED, 'issuer'];
      const since = closeTime - (inactive_days as number) * DAY_MS;
      const page = async (offset: number) => {
        const sent = { tag: category, token_type, sort, limit: PAGE, offset };
        const { tokens } = await call('GET /tokens', sent, names);
        return tokens as Row[];
      };
      const isOne = (row: Row) =>
        Number(row.marketcap ?? 0) >= (min_marketcap as number) &&
        Number(row.holders ?? 0) >= (min_holders as number) &&
        mayHaveTraded(network, row.md5, since) &&
        (issuer_setting === undefined || hasSetting(network, row.issuer, String(issuer_setting)));
      const { rows, isCut } = await pages(sharing, page);
      const found = ranked(rows.filter(isOne), rank_by);
      // Where the bounds leave out all, this shows that there are some.
      const considered = rows.length;
      if (group_by === undefined)
        return {
          considered,
          total: found.length,
          tokens: found.slice(0, limit as number),
          ...(isCut && { truncated: true }),
        };
      const issuers = ranked(byIssuer(found), rank_by);
      return {
        considered,
        total: issuers.length,
        selected: found.length,
        issuers: issuers.slice(0, limit as number),
        ...(isCut && { truncated: true }),
      };
    },
  }),
  tool({
    name: 'get_tag_list',
    title: 'Categories of tokens',
    about: 'The tags by which get_tokens_by_category selects.',
    routes: ['GET /tags'],
    params: {},
    fields: ['tags'],
  }),
  tool({
    name: 'get_related_projects',
    title: 'Related tokens',
    about: 'Tokens that share holders or their issuer with this one.',
    routes: ['GET /token/{md5}/related'],
    params: { id: { of: 'md5', about: ID } },
  }),
  tool({
    name: 'analyze_token_risk',
    title: 'Risk of a token',
    about: 'Score, level and factors of a token, and the chance in % that tokens of its kind collapsed.',
    routes: ['GET /token/review/{id}'],
    params: { id: { of: 'id', about: ID } },
  }),
  tool({
    name: 'get_creator_activity',
    title: 'What a creator does',
    about:
      'Sales, purchases, transfers and pool moves of the creator of a token, with warnings. Amounts in XRP where named so.',
    routes: ['GET /creator-activity/{id}'],
    params: { id: { of: 'id', about: ID } },
    fixed: { limit: 25 },
  }),
  tool({
    name: 'get_token_flow',
    title: 'Where a creator sent a token',
    about:
      'Transfers from the creator over several hops: recipients, linked addresses, sales, exchanges. Values in XRP.',
    routes: ['GET /token/flow/{id}'],
    params: { id: { of: 'id', about: ID } },
  }),
  tool({
    name: 'get_token_analytics',
    title: 'All traders of a token, summed',
    about:
      'Traders, winners, losers, bought and sold, average prices and profit of all who traded a token. XRP.',
    routes: ['GET /token/analytics/token/{id}'],
    params: { id: { of: 'id', about: ID } },
  }),
  tool({
    name: 'get_rsi',
    title: 'Relative strength',
    about:
      'Tokens by relative strength index of the timeframe (0 to 100; above 70 overbought, below 30 oversold). For traders who scan.',
    routes: ['GET /rsi'],
    params: {
      timeframe: 'timeframe',
      limit: { of: 'limit', default: 15 },
      offset: 'offset',
      order: 'order',
      filter: 'filter',
      min_holders: 'minHolders',
    },
    run: ({ timeframe, min_holders, ...sent }, { call }) => {
      const sort = `rsi${String(timeframe)}`;
      const names = new Set([...LISTED, 'timeframe', 'rsi1h', 'rsi24h', 'rsi7d', sort]);
      return call('GET /rsi', { ...sent, timeframe, sort, minHolders: min_holders }, [...names]);
    },
  }),
];

type Row = Record<string, unknown>;

const ranked = (rows: readonly Row[], by: unknown): readonly Row[] =>
  typeof by === 'string' ? rows.toSorted((a, b) => Number(b[by] ?? 0) - Number(a[by] ?? 0)) : rows;

function hasSetting({ engine }: Network, issuer: unknown, setting: string): boolean {
  const { accounts } = engine.state;
  const id = accounts.findText(String(issuer));
  return id !== undefined && (accounts.flags[id]! & SETTINGS[setting]!) !== 0;
}

/** Of a token without a known trade it is known only that it had none since the first ledger here. @param since Unix ms */
function mayHaveTraded({ engine, views }: Network, md5: unknown, since: number): boolean {
  const token = engine.state.tokens.byMd5(String(md5)) ?? 0;
  const last = engine.market.prices.lastTradeTime(token);
  return (last === 0 ? (views.traders.since ?? 0) : unixMs(last)) >= since;
}

/** Tokens, market cap and holders of each issuer, the largest first. */
function byIssuer(rows: readonly Row[]): Row[] {
  const sum = (ones: readonly Row[], member: string) =>
    ones.reduce((all, row) => all + Number(row[member] ?? 0), 0);
  return [...Map.groupBy(rows, ({ issuer }) => issuer)]
    .map(([issuer, ones]) => ({
      issuer,
      user: ones[0]!.user,
      tokens: ones.length,
      marketcap: sum(ones, 'marketcap'),
      holders: sum(ones, 'holders'),
      vol24hxrp: sum(ones, 'vol24hxrp'),
    }))
    .sort((a, b) => b.marketcap - a.marketcap);
}

/** Tokens that search_tokens shows. */
const FOUND_MAX = 20;

const kept = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(
    names.filter((name) => row[name] !== undefined && row[name] !== null).map((name) => [name, row[name]]),
  );
