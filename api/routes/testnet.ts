/** Section 4.10: tokens, pools and accounts of the test network. Prices are XRP a token; times are Unix ms. */
import { DAY_MS } from '../../engine/ripple-time.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { notFound } from '../../requests/errors.ts';
import type { TokenSort } from '../../views/token-fields.ts';
import type { Views } from '../../views/views.ts';
import { account, limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  type Static,
  string,
} from '../schema.ts';
import { line } from './account-lines.ts';
import { amountSchema, balanceMembers, existing, offerRow, originMembers } from './account-schemas.ts';
import { page, shared, skipped } from './testnet-schemas.ts';
import { tokenOf } from './tokens.ts';
import { addressOf } from './trader-schemas.ts';

/** Days of candles unless `from` is sent. */
const CANDLE_DAYS = 7;
const CANDLES_MAX = 5000;
const HOLDERS_MAX = 200;
const OFFERS_MAX = 100;
/** Trades in the answer about an account, and lines and offers at most. */
const ACCOUNT_TRADES = 20;
const ACCOUNT_LINES = 400;
const ACCOUNT_OFFERS = 50;

/** The sorts of the contract, and the field of a token that each is. */
const SORTS = {
  vol24h: 'vol24hxrp',
  holders: 'holders',
  trades24h: 'vol24htx',
  trustlines: 'trustlines',
  tvl: 'tvl',
  firstSeen: 'dateon',
} as const satisfies Record<string, TokenSort>;
const SORT_NAMES = ['vol24h', 'holders', 'trades24h', 'trustlines', 'tvl', 'firstSeen'] as const;

/** Fields of token rows that are read. */
const FIELDS = [
  'md5',
  'issuer',
  'currency',
  'name',
  'exch',
  'vol24hxrp',
  'vol24htx',
  'holders',
  'trustlines',
  'supply',
  'dateon',
] as const;

const tokenMembers = {
  _id: describe(string, 'md5'),
  issuer: string,
  currency: string,
  name: string,
  exch: describe(orNull(number), 'Price of the last trade; null: none'),
  spot: describe(orNull(number), 'Price in its pool with XRP; null: it has none'),
  amm: describe(orNull(string), 'Account of that pool'),
  vol24h: describe(number, 'XRP'),
  trades24h: integer,
  holders: integer,
  trustlines: integer,
  supply: describe(string, 'Decimal text'),
  firstSeen: describe(orNull(integer), 'null: before the first ledger read'),
};
const tokenRow = object(tokenMembers);

function rowOf(token: number, { views, engine }: RouteContext) {
  const texts = views.tokens.texts(token, FIELDS);
  const read = <T>(name: (typeof FIELDS)[number]): T | undefined => {
    const text = texts.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };
  const { pools } = engine.state;
  const pool = pools.byAssets(XRP, token);
  const found = pool !== undefined && pools.exists(pool) ? views.pools.byAssets(XRP, token) : undefined;
  return {
    _id: read<string>('md5')!,
    issuer: read<string>('issuer')!,
    currency: read<string>('currency')!,
    name: read<string>('name') ?? '',
    exch: numberOr(read('exch')),
    spot: found?.spot_price === undefined ? null : spotOf(found),
    amm: found?.account ?? null,
    vol24h: Number(read('vol24hxrp') ?? 0),
    trades24h: Number(read('vol24htx') ?? 0),
    holders: Number(read('holders') ?? 0),
    trustlines: Number(read('trustlines') ?? 0),
    supply: String(read('supply') ?? '0'),
    firstSeen: numberOr(read('dateon')),
  };
}

const numberOr = (value: unknown): number | null => (value === undefined ? null : Number(value));

type PoolInfo = NonNullable<ReturnType<Views['pools']['byAccount']>>;

/** XRP first, where a pool has XRP. */
function sidesOf({ amount, amount2 }: PoolInfo) {
  return amount2.currency === 'XRP' && amount2.issuer === 'XRPL' ? [amount2, amount] : [amount, amount2];
}

/** Units of the first side for one of the second; null: the pool is empty. */
function spotOf(info: PoolInfo): number | null {
  const [first, second] = sidesOf(info).map(({ value }) => Number(value)) as [number, number];
  return first > 0 && second > 0 ? first / second : null;
}

const sideAmount = object({ currency: string, issuer: string, value: describe(string, 'Decimal text') });

const poolRow = object({
  _id: describe(string, 'Its account'),
  xrp: describe(orNull(number), 'XRP in it; null: it holds none'),
  token: sideAmount,
  'token2?': describe(sideAmount, 'Of a pool without XRP'),
  spot: describe(orNull(number), 'XRP (or `token`) for one of the other; null: it is empty'),
  fee: describe(integer, '1/1000 percent'),
  lp: describe(string, 'LP tokens, decimal text'),
});

function poolOf(info: PoolInfo) {
  const [first, second] = sidesOf(info).map(({ currency, issuer, value }) => ({
    currency,
    issuer,
    value,
  })) as [PoolSide, PoolSide];
  const hasXrp = first.currency === 'XRP' && first.issuer === 'XRPL';
  return {
    _id: info.account,
    xrp: hasXrp ? Number(first.value) : null,
    token: hasXrp ? second : first,
    ...(!hasXrp && { token2: second }),
    spot: spotOf(info),
    fee: info.trading_fee,
    lp: info.lp_token.value,
  };
}

interface PoolSide {
  readonly currency: string;
  readonly issuer: string;
  readonly value: string;
}

const md5 = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  about: 'Token: md5, or any other form of section 2.1',
} as const;

const tokens = route({
  ...shared,
  path: '/testnet/tokens',
  example: { limit: 10 },
  summary: 'Tokens of the test network',
  params: {
    sort: { in: 'query', kind: 'enum', values: SORT_NAMES, default: 'vol24h', about: 'The largest first' },
    limit: limit(50, 100),
    page,
  },
  response: object({
    tokens: list(tokenRow),
    count: integer,
    total: integer,
    page: integer,
    limit: integer,
    sortBy: oneOf(SORT_NAMES),
  }),
  handler: async ({ sort, limit, page }, context) => {
    const { views } = context;
    await views.tokens.listReady(SORTS[sort]);
    const query = { sort: SORTS[sort], ascending: false, offset: skipped(page, limit), limit };
    const { ids, total } = views.tokens.list(query);
    const rows = ids.map((id) => rowOf(id, context));
    return { tokens: rows, count: rows.length, total, page, limit, sortBy: sort };
  },
});

const token = route({
  ...shared,
  path: '/testnet/tokens/{md5}',
  example: { md5: samples.token },
  summary: 'A token of the test network, with its pool',
  params: { md5 },
  response: object({ token: tokenRow, pool: describe(orNull(poolRow), 'With XRP; null: it has none') }),
  handler: ({ md5 }, context) => {
    const found = tokenOf(context.views, md5);
    const info = context.views.pools.byAssets(XRP, found);
    return { token: rowOf(found, context), pool: info ? poolOf(info) : null };
  },
});

const holders = route({
  ...shared,
  path: '/testnet/tokens/{md5}/holders',
  example: { md5: samples.token, limit: 10 },
  summary: 'Holders of a token of the test network, the largest first',
  params: { md5, limit: limit(50, HOLDERS_MAX), page },
  response: object({
    holders: list(
      object({
        account: string,
        balance: describe(string, 'Decimal text'),
        limit: describe(orNull(string), 'What it trusts the issuer for; null: an MPT, or XRP'),
        time: describe(
          orNull(integer),
          'When it first appeared on the ledger; null: before the first ledger read',
        ),
      }),
    ),
    count: integer,
    total: integer,
    page: integer,
    limit: integer,
  }),
  handler: async ({ md5, limit, page }, { views, engine }) => {
    const token = tokenOf(views, md5);
    const query = { offset: skipped(page, limit), limit, ascending: false, frozen: false };
    const { richList, length } = await views.holders.page(token, query, 'balance');
    const { balances } = views.accounts;
    const rows = richList.map(({ account, balance }) => {
      const id = engine.state.accounts.findText(account)!;
      const trusted = token === XRP ? undefined : balances.line(id, token)?.limit;
      return { account, balance, limit: trusted ?? null, time: balances.origin(id).inception };
    });
    return { holders: rows, count: rows.length, total: length, page, limit };
  },
});

const bookRow = object({
  price: describe(string, 'XRP a token'),
  amount: describe(string, 'Tokens'),
  total: describe(string, 'XRP'),
  account: string,
  funded: describe(string, 'Tokens that its owner can deliver or take'),
});

const offers = route({
  ...shared,
  path: '/testnet/tokens/{md5}/offers',
  example: { md5: samples.token, limit: 10 },
  summary: 'Order book of a token of the test network with XRP, best first',
  params: { md5, limit: { ...limit(50, OFFERS_MAX), about: 'Most rows of each side' } },
  response: object({ bids: list(bookRow), asks: list(bookRow), limit: integer }),
  handler: ({ md5, limit }, { views }) => {
    const { bids, asks } = views.books.book(tokenOf(views, md5), XRP, limit);
    return { bids, asks, limit };
  },
});

const tradeRow = object({
  maker: string,
  taker: string,
  paid: describe(amountSchema, 'What the taker paid'),
  got: describe(amountSchema, 'What the taker got'),
  price: describe(orNull(string), 'XRP a token; null: not traded with XRP'),
  xrp: describe(orNull(number), 'Its worth in XRP; null: not known'),
  isAMM: boolean,
  hash: string,
  ledger: integer,
  time: integer,
});

type Amount = Static<typeof amountSchema>;

/** A trade as the contract names it here. */
const tradeOf = (trade: Record<string, unknown>) => ({
  maker: String(trade.maker),
  taker: String(trade.taker),
  paid: trade.paid as Amount,
  got: trade.got as Amount,
  price: trade.price === undefined ? null : String(trade.price),
  xrp: numberOr(trade.xrp),
  isAMM: trade.isAMM === true,
  hash: String(trade.hash),
  ledger: Number(trade.ledger),
  time: Number(trade.time),
});

const newest = { type: 'trades', xrpOnly: false, direction: 'desc' } as const;

const trades = route({
  ...shared,
  path: '/testnet/tokens/{md5}/trades',
  example: { md5: samples.token, limit: 10 },
  summary: 'Trades of a token of the test network, the newest first',
  params: { md5, limit: limit(50, 200), page },
  response: object({ trades: list(tradeRow), count: integer, total: integer, page: integer, limit: integer }),
  handler: async ({ md5, limit, page }, { views }) => {
    const request = { ...newest, token: tokenOf(views, md5), limit, offset: skipped(page, limit) };
    const { data, meta } = await views.history.page(request);
    // Of many that are kept it is not counted how many: there are these at least.
    const total = meta.total ?? request.offset + data.length + (meta.hasMore ? 1 : 0);
    return { trades: data.map(tradeOf), count: data.length, total, page, limit };
  },
});

const ohlc = route({
  ...shared,
  path: '/testnet/tokens/{md5}/ohlc',
  example: { md5: samples.token, limit: 100 },
  summary: 'Candles of five minutes of a token of the test network, the oldest first',
  params: {
    md5,
    from: { in: 'query', kind: 'time', about: 'Unix ms; default 7 days ago' },
    to: { in: 'query', kind: 'time', about: 'Unix ms; default now' },
    limit: limit(CANDLES_MAX, CANDLES_MAX),
  },
  response: object({
    interval: oneOf(['5m']),
    limit: integer,
    candles: list(
      object({
        time: integer,
        open: number,
        high: number,
        low: number,
        close: number,
        xrp_volume: number,
        trades: integer,
        vwap: describe(orNull(number), 'XRP a token by volume; null: no volume is known'),
      }),
    ),
  }),
  handler: ({ md5, limit, from, to }, { views, service }) => {
    const end = to ?? service.now();
    const start = from ?? end - CANDLE_DAYS * DAY_MS;
    const query = { token: tokenOf(views, md5), interval: '5m', currency: 'XRP', invert: false } as const;
    const { rows } = views.charts.ohlc({ ...query, count: limit, before: end + 1 });
    const candles = rows
      .filter(([time]) => time >= start)
      .map(([time, open, high, low, close, xrp_volume, tokens, trades]) => ({
        time,
        open,
        high,
        low,
        close,
        xrp_volume,
        trades,
        vwap: tokens > 0 ? xrp_volume / tokens : null,
      }));
    return { interval: '5m' as const, limit, candles };
  },
});

const accountOf = route({
  ...shared,
  path: '/testnet/accounts/{address}',
  example: { address: samples.account },
  summary: `An account of the test network: XRP, lines, offers and its last ${ACCOUNT_TRADES} trades`,
  params: { address: account },
  response: object({
    account: object({ ...balanceMembers, ...originMembers }),
    lines: describe(list(line), `The most valuable first; at most ${ACCOUNT_LINES}`),
    offers: describe(list(offerRow), `The newest first; at most ${ACCOUNT_OFFERS}`),
    trades: list(tradeRow),
  }),
  handler: async ({ address: text }, { views }) => {
    const { id, address } = existing(text, views);
    const { balances, lines, offers } = views.accounts;
    const ofLines = {
      format: 'default',
      byValue: true,
      includeZero: true,
      search: '',
      lightweight: true,
    } as const;
    const [held, open, traded] = await Promise.all([
      lines.page({ ...ofLines, account: id, offset: 0, limit: ACCOUNT_LINES }),
      offers.page({ account: id, pair: undefined, token: undefined, offset: 0, limit: ACCOUNT_OFFERS }),
      views.history.page({ ...newest, account: address, limit: ACCOUNT_TRADES, offset: 0 }),
    ]);
    const own = { ...balances.now(id), ...balances.origin(id) };
    const rows = held.lines as readonly Static<typeof line>[];
    return { account: own, lines: rows, offers: open.offers, trades: traded.data.map(tradeOf) };
  },
});

const pools = route({
  ...shared,
  path: '/testnet/amm',
  example: { limit: 10 },
  summary: 'Pools of the test network, the largest by XRP locked first',
  params: { limit: limit(50, 100), page },
  response: object({ pools: list(poolRow), count: integer, total: integer, page: integer, limit: integer }),
  handler: async ({ limit, page }, { views }) => {
    const query = { sort: 'liquidity', active: false, limit, offset: skipped(page, limit) } as const;
    const found = await views.pools.list(query);
    const rows = found.pools.flatMap(({ _id }) => {
      const info = views.pools.byAccount(String(_id));
      return info ? [poolOf(info)] : [];
    });
    return { pools: rows, count: rows.length, total: found.total, page, limit };
  },
});

const pool = route({
  ...shared,
  path: '/testnet/amm/{account}',
  example: { account: samples.account },
  summary: 'A pool of the test network by its account',
  params: { account },
  response: object({ pool: poolRow }),
  handler: ({ account }, { views }) => {
    const info = views.pools.byAccount(addressOf(account));
    if (!info) throw notFound('Pool not found', 'No pool has this account');
    return { pool: poolOf(info) };
  },
});

export const testnetRoutes: Route[] = [tokens, token, holders, offers, trades, ohlc, accountOf, pools, pool];
