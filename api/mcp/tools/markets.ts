/** Tools about markets: trades, candles, books, pools, quotes, rotations, platforms. */
import type { JsonObject } from '../json-rpc.ts';
import { flag, tool } from '../tool.ts';

const ID = 'Token: md5, issuer-currency, MPT id or slug';

/** The account of nobody (number one): no balance or trust line of its own narrows a quote. */
const NOBODY = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

/** A quote without the warning that nobody has anything. */
function withoutBalance(answer: JsonObject): JsonObject {
  const { quote } = answer as { quote: JsonObject & { warnings: readonly JsonObject[] } };
  const warnings = quote.warnings.filter(({ code }) => code !== 'insufficient_balance');
  return { ...answer, quote: { ...quote, warnings } };
}

export const marketTools = [
  tool({
    name: 'get_global_stats',
    title: 'The market in figures',
    about:
      'Volume, trades, active accounts, market cap, sentiment of the last 24 hours, and fiat rates. XRP.',
    routes: ['GET /stats'],
    params: {},
  }),
  tool({
    name: 'get_trades',
    title: 'Trades of a token',
    about:
      'Newest trades, of a time or of one account; by_account counts them for each account. Amounts in tokens and XRP.',
    routes: ['GET /history'],
    params: {
      id: { of: 'md5', about: ID, required: true },
      limit: { of: 'limit', default: 20, max: 200 },
      since: { of: 'start_time', about: 'Not before this: Unix ms or ISO date' },
      until: { of: 'end_time', about: 'Not after this: Unix ms or ISO date; a date: its whole day' },
      account: { of: 'account', about: 'Only trades of this account' },
      by_account: flag('How many each account made, of the newest 1,000'),
    },
    run: async ({ id, limit, since, until, account, by_account }, { call }) => {
      const times = { start_time: since, end_time: until, account };
      const { data, meta } = await call('GET /history', {
        md5: id,
        ...times,
        limit: by_account ? 1000 : limit,
      });
      const rows = data as Row[];
      const { hasMore, keptFrom } = meta as Row;
      const isShort = hasMore === false && keptFrom !== undefined;
      const rest = { hasMore, ...(isShort && { keptFrom }) };
      if (!by_account) return { data: rows.map(shortTrade), meta: rest };
      return {
        trades: rows.length,
        ...rest,
        accounts: byAccount(rows).slice(0, limit as number),
      };
    },
    answer: {
      properties: {
        data: { type: 'array' },
        meta: { type: 'object' },
        accounts: { type: 'array' },
        trades: { type: 'integer' },
      },
    },
  }),
  tool({
    name: 'get_ohlc',
    title: 'Candles of a token',
    about:
      'Candles as [time ms, open, high, low, close, volume]; prices in vs_currency for 1 token. extremes: only highest and lowest.',
    routes: ['GET /ohlc/{id}'],
    params: {
      id: { of: 'id', about: ID },
      resolution: {
        kind: 'enum',
        about: 'Minutes of a candle; D: a day',
        values: ['1', '5', '15', '60', '240', 'D'],
        default: 'D',
      },
      count: { kind: 'int', about: 'Candles', default: 100, min: 1, max: 1000 },
      vs_currency: { of: 'vs_currency', about: 'Currency of prices' },
      at: { kind: 'time', about: 'Only the candle of this time, or the last one before it' },
      extremes: flag('Only the highest and lowest price, with times'),
    },
    run: async ({ id, resolution, count, vs_currency, at, extremes }, { call }) => {
      const which = at === undefined ? { cb: count } : { cb: 1, abn: (at as number) + 1 };
      const sent = { id, resolution, vs_currency, ...which };
      const { ohlc, ...rest } = await call('GET /ohlc/{id}', sent, [
        'resolution',
        'vs_currency',
        'format',
        'length',
        'ohlc',
      ]);
      return extremes ? { ...rest, ...extremesOf(ohlc as number[][]) } : { ...rest, ohlc };
    },
    answer: { properties: { length: { type: 'integer' }, ohlc: { type: 'array' }, highest: {}, lowest: {} } },
  }),
  tool({
    name: 'get_orderbook',
    title: 'Order book of a token against XRP',
    about: 'Bids and asks with price in XRP and amounts, best first, funded offers only.',
    routes: ['GET /orderbook'],
    params: { id: { of: 'base', about: ID, required: true }, limit: { of: 'limit', default: 30, max: 100 } },
    fixed: { quote: 'XRP' },
  }),
  tool({
    name: 'get_token_pairs',
    title: 'Pairs of a token',
    about: 'What the token is traded against, with volume and price.',
    routes: ['GET /pairs/{id}'],
    params: { id: { of: 'id', about: ID } },
  }),
  tool({
    name: 'get_swap_quote',
    title: 'Quote of a swap',
    about:
      'What a swap spends and delivers over books and pools now, its path and price impact. Nothing is signed or sent.',
    routes: ['POST /dex/quote'],
    params: {
      source_token: { of: 'source_token', required: true, about: 'Token to give, or XRP' },
      destination_token: { of: 'destination_token', required: true, about: 'Token to get, or XRP' },
      source_value: 'source_value',
      destination_value: 'destination_value',
      source_account: {
        of: 'source_account',
        about: 'Who pays; default: an account without balances, which limits nothing',
        required: undefined,
        default: NOBODY,
      },
    },
    excludes: { source_value: ['destination_value'] },
    ifNone: 'No path has that much; ask for less',
    run: async (input, { call }) => {
      const answer = await call('POST /dex/quote', input);
      return input.source_account === NOBODY ? withoutBalance(answer) : answer;
    },
  }),
  tool({
    name: 'get_liquidity_chart',
    title: 'Liquidity over time',
    about:
      'Value locked, volume, fees and yield of the pools of a token, by time. XRP. For liquidity providers.',
    routes: ['GET /amm/liquidity-chart'],
    params: { id: { of: 'token', about: ID, required: true }, period: 'period' },
  }),
  tool({
    name: 'get_lp_positions',
    title: 'Pool positions of an account',
    about: 'What an account has in pools: share, value, return. XRP.',
    routes: ['GET /lp-positions/{account}'],
    params: { account: { of: 'account', about: 'Address, r...' } },
  }),
  tool({
    name: 'get_whale_activity',
    title: 'Large trades of a token',
    about: 'Trades by holders with large positions, newest first. XRP.',
    routes: ['GET /whale-activity/{id}'],
    params: { id: { of: 'id', about: ID }, limit: { of: 'limit', default: 25 } },
    fields: ['limit', 'count', 'time', 'account', 'side', 'amount', 'xrp', 'price', 'platform'],
  }),
  tool({
    name: 'get_whale_feed',
    title: 'Large trades of all tokens',
    about: 'Largest recent trades of the whole market, newest first. XRP. For traders who follow money.',
    routes: ['GET /whale-activity/feed'],
    params: { limit: { of: 'limit', default: 20 }, min_xrp: 'minXrp', side: 'side', since: 'since' },
    fields: ['count', 'time', 'account', 'side', 'md5', 'amount', 'xrp', 'price', 'tokens'],
  }),
  tool({
    name: 'get_market_rotations',
    title: 'Where money moves between tokens',
    about: 'Pairs of tokens that the same accounts sold and bought, by volume in XRP. For traders.',
    routes: ['GET /traders/rotations'],
    params: { period: 'period', limit: { of: 'limit', default: 15 }, offset: 'offset' },
    fields: ['period', 'total', 'from', 'to', 'volume', 'count', 'traders'],
  }),
  tool({
    name: 'get_platform_stats',
    title: 'Platforms by use',
    about:
      'Launch and trade platforms by trades, volume and accounts, from source tags. XRP. For analysts of apps.',
    routes: ['GET /platform-stats'],
    params: { period: 'period' },
  }),
  tool({
    name: 'get_daily_report',
    title: 'Report of a day',
    about: 'Market, pools, platforms, launches, creators and risk of one whole day (UTC). XRP.',
    routes: ['GET /platform-report'],
    params: { date: 'date' },
    ifNone: 'There is no whole day of ledgers for that date',
  }),
];

type Row = Record<string, unknown>;

/** What a reader needs of a trade; hash and amounts of both sides in full are in api_get /history. */
const shortTrade = ({ time, maker, taker, paid, got, price, xrp, isAMM }: Row): Row => ({
  time,
  taker,
  maker,
  paid,
  got,
  price,
  xrp,
  ...(isAMM ? { isAMM } : {}),
});

/** Trades of each account as maker or taker, most first. */
function byAccount(rows: readonly Row[]): { account: string; trades: number }[] {
  const counts = new Map<string, number>();
  for (const { maker, taker, account } of rows)
    for (const one of new Set([maker, taker, account]))
      if (typeof one === 'string') counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([account, trades]) => ({ account, trades })).sort((a, b) => b.trades - a.trades);
}

/** Of candles [time, open, high, low, close, volume]. */
function extremesOf(candles: readonly (readonly number[])[]): object {
  const [first] = candles;
  if (!first) return { highest: null, lowest: null };
  let [high, low] = [first, first];
  for (const one of candles) {
    if (one[2]! > high[2]!) high = one;
    if (one[3]! < low[3]!) low = one;
  }
  return { highest: { time: high[0], price: high[2] }, lowest: { time: low[0], price: low[3] } };
}
