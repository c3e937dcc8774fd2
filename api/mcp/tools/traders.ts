/** Tools about traders and holders. */
import { notFound } from '../../../requests/errors.ts';
import { pathOf, tool } from '../tool.ts';

const ID = 'Token: md5, issuer-currency, MPT id or slug';
const ACCOUNT = 'Address, r...';
const NEVER_TRADED = 'The account has no trades on the decentralised exchange';
const interval = (otherwise: string) => ({ of: 'interval', default: otherwise });

export const traderTools = [
  tool({
    name: 'get_holders',
    title: 'Holders of a token',
    about:
      'Holders, largest first: balance, share in %, value in XRP, trades, profit; and the shares of the top 10 to 100.',
    routes: ['GET /holders/list/{id}'],
    units: { value: 'XRP' },
    params: { id: { of: 'id', about: ID }, limit: { of: 'limit', default: 20 }, offset: 'offset' },
    fields: [
      'length',
      'summary',
      'account',
      'balance',
      'holding',
      'rank',
      'isCreator',
      'isAMM',
      'name',
      'value',
      'balance24h',
      'pnl',
      'frozenByIssuer',
      'top10Hold',
      'top20Hold',
      'top50Hold',
      'top100Hold',
    ],
  }),
  tool({
    name: 'get_frozen_lines',
    title: 'Frozen holders of a token',
    about: 'Holders whose line the issuer or they themselves froze, largest first, and how many there are.',
    routes: ['GET /holders/list/{id}'],
    units: { value: 'XRP' },
    params: { id: { of: 'id', about: ID }, limit: { of: 'limit', default: 20 }, offset: 'offset' },
    fixed: { freeze: true },
    fields: [
      'length',
      'summary',
      'account',
      'balance',
      'holding',
      'freeze',
      'frozenByIssuer',
      'name',
      'value',
    ],
  }),
  tool({
    name: 'get_holder_graph',
    title: 'Holders over time',
    about: 'Number of holders and concentration of a token, by time.',
    routes: ['GET /holders/graph/{id}'],
    params: {
      id: { of: 'id', about: ID },
      range: {
        kind: 'enum',
        about: 'How far back',
        values: ['1d', '7d', '30d', '90d', '1y', '5y', 'all'],
        default: '30d',
      },
    },
    run: ({ id, range }, { call }) => call('GET /holders/graph/{id}', { id, range: RANGES[range as string] }),
  }),
  tool({
    name: 'get_holder_info',
    title: 'Concentration of a token',
    about:
      'Figures of the distribution among holders: shares of the largest, Gini coefficient. For due diligence.',
    routes: ['GET /holders/info/{id}'],
    params: { id: { of: 'id', about: ID } },
  }),
  tool({
    name: 'get_holder_movers',
    title: 'Who bought and sold a token',
    about: 'Holders whose balance grew or fell most in 24 hours, with pressure by time. XRP.',
    routes: ['GET /holders/movers/{id}'],
    units: { value: 'XRP' },
    params: { id: { of: 'id', about: ID }, limit: { of: 'limit', default: 10 } },
    counts: { buyers: 'buyersTotal', sellers: 'sellersTotal' },
    fields: [
      'buyersTotal',
      'sellersTotal',
      'boughtTotalXrp',
      'soldTotalXrp',
      'pressure',
      'account',
      'name',
      'change',
      'holding',
      'value',
      'lastTrade',
      'pnl',
      'm15',
      'h1',
      'h24',
    ],
  }),
  tool({
    name: 'get_top_traders',
    title: 'Traders of a token',
    about:
      'Who traded a token most or best in a time. XRP; return in %. wash: those whose trades look like wash trading first.',
    routes: ['GET /traders/token-traders/{id}'],
    params: {
      id: { of: 'id', about: ID },
      sortBy: { kind: 'enum', about: 'Order', values: ['pnl', 'volume', 'wash'], default: 'pnl' },
      interval: interval('30d'),
      limit: { of: 'limit', default: 20 },
    },
    // By their scores rows are put into order here, of the first hundred by volume.
    rest: ({ id, sortBy, interval }, shown) =>
      pathOf('/traders/token-traders/{id}', {
        id,
        interval,
        sort: sortBy === 'wash' ? 'volume' : sortBy,
        offset: sortBy === 'wash' ? WASH_ROWS : shown,
      }),
    run: async ({ id, sortBy, interval, limit }, { call }) => {
      const names = [
        'since',
        'interval',
        'total',
        'address',
        'isAMM',
        'volume',
        'trades',
        'profitInterval',
        'totalPnl',
        'totalRoi',
        'washTradingScore',
        'lastTradeDate',
      ];
      const isWash = sortBy === 'wash';
      const sent = { id, interval, sort: isWash ? 'volume' : sortBy, limit: isWash ? WASH_ROWS : limit };
      const { traders, ...rest } = await call('GET /traders/token-traders/{id}', sent, names);
      const score = ({ washTradingScore }: Row) => Number(washTradingScore ?? 0);
      const rows = isWash ? (traders as Row[]).sort((a, b) => score(b) - score(a)) : (traders as Row[]);
      return { ...rest, traders: rows.slice(0, limit as number) };
    },
  }),
  tool({
    name: 'find_traders',
    title: 'Traders of the whole market',
    about:
      'Traders by volume, profit, return or share of gains. XRP; washTradingScore 0 to 100. For finding whom to follow.',
    routes: ['GET /token/analytics/traders'],
    params: {
      sort: 'sort',
      order: 'order',
      period: 'period',
      min_trades: 'minTrades',
      min_tokens: 'minTokens',
      limit: { of: 'limit', default: 15 },
      offset: 'offset',
    },
    fixed: { includeAMM: false },
    fields: [
      'total',
      'address',
      'xrpBalance',
      'totalVolume',
      'volume24h',
      'totalTrades',
      'totalTokens',
      'totalProfit',
      'avgROI',
      'winRate',
      'washTradingScore',
      'lastTradeDate',
      'pagination',
    ],
  }),
  tool({
    name: 'get_wallet_pnl',
    title: 'Profit of an account',
    about: 'Profit, return, share of gains, volume and rank of an account as a trader. XRP; return in %.',
    routes: ['GET /token/analytics/trader/{address}'],
    params: { account: { of: 'address', about: ACCOUNT } },
    ifNone: 'get_account_transactions shows what it does',
    run: async ({ account }, { call }) => {
      const found = await call('GET /token/analytics/trader/{address}', { address: account });
      if (found.totalTrades === 0) throw notFound(NEVER_TRADED);
      return found;
    },
  }),
  tool({
    name: 'get_trader_tokens',
    title: 'Profit of an account by token',
    about: 'The tokens that an account traded, with what each made or lost. XRP.',
    routes: ['GET /token/analytics/trader/{address}/tokens'],
    params: {
      account: { of: 'address', about: ACCOUNT },
      sort: 'sort',
      order: 'order',
      limit: { of: 'limit', default: 15 },
      offset: 'offset',
    },
    fields: [
      'total',
      'tokenId',
      'name',
      'volume',
      'trades',
      'actualBalance',
      'holdingValue',
      'profit',
      'totalPnl',
      'totalRoi',
      'lastTradeDate',
    ],
    ifNone: NEVER_TRADED,
  }),
  tool({
    name: 'get_trader_history',
    title: 'Profit of an account by day',
    about: 'Volume, trades and profit of an account, day by day. XRP. Tells steady gains from a single one.',
    routes: ['GET /token/analytics/trader/{address}/history'],
    params: {
      account: { of: 'address', about: ACCOUNT },
      since: 'startDate',
      until: 'endDate',
      limit: { of: 'limit', default: 30 },
      offset: 'offset',
    },
    ifNone: NEVER_TRADED,
  }),
  tool({
    name: 'get_position',
    title: 'An account in one token',
    about: 'Bought, sold, average price, profit and what a sale of everything would give. XRP.',
    routes: ['GET /account/token-stats/{account}/{md5}'],
    params: { account: { of: 'account', about: ACCOUNT }, id: { of: 'md5', about: ID } },
    ifNone: NEVER_TRADED,
  }),
];

type Row = Record<string, unknown>;

/** Rows of which those that look most like wash trading are chosen. */
const WASH_ROWS = 100;

const RANGES: Readonly<Record<string, string>> = {
  '1d': '1D',
  '7d': '7D',
  '30d': '1M',
  '90d': '3M',
  '1y': '1Y',
  '5y': '5Y',
  all: 'ALL',
};
