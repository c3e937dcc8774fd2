/** What rows about traders share, and what they answer with. Amounts are XRP unless named otherwise. */
import { TOKEN_TRADER_SORTS } from '../../engine/traders/rankings.ts';
import { badRequest } from '../../requests/errors.ts';
import { isAddress } from '../../views/identity.ts';
import { boolean, describe, integer, list, mapOf, number, object, orNull, string } from '../schema.ts';

const COST = 2;

const shared = {
  method: 'GET',
  auth: 'none',
  tier: 'anonymous',
  cost: COST,
  cache: 'ledger',
} as const;
export const analytics = { ...shared, section: '4.2', bucket: '/token' } as const;
export const traderPages = { ...shared, section: '4.2', bucket: '/traders' } as const;

export const since = describe(
  orNull(integer),
  'Unix ms of the first ledger whose trades are counted; null: none was read',
);

export const pagination = object({
  page: describe(integer, 'From 1 on'),
  totalPages: integer,
  total: integer,
  offset: integer,
  limit: integer,
  hasMore: boolean,
});

export const tokenSort = {
  in: 'query',
  kind: 'enum',
  values: TOKEN_TRADER_SORTS,
  default: 'volume',
  about: 'volume (XRP), trades, pnl (realised and unrealised), roi (of it), lastActive',
  aliases: ['sortTokensBy'],
} as const;

const performance = {
  volume: number,
  trades: integer,
  tradesAll: describe(integer, 'Of all time'),
  xrpBought: describe(number, 'XRP spent for the token'),
  xrpSold: describe(number, 'XRP received for it'),
  tokensBought: number,
  tokensSold: number,
  avgBuyPrice: orNull(number),
  avgSellPrice: orNull(number),
  actualBalance: describe(number, 'Tokens held now'),
  holdingValue: number,
  'profitInterval?': describe(number, 'Realised in the interval'),
  profit: describe(number, 'Realised, average cost'),
  unrealizedPnl: number,
  totalPnl: number,
  roi: describe(orNull(number), 'Percent: realised profit of the cost of what was sold'),
  totalRoi: describe(orNull(number), 'Percent: total profit of what was spent'),
  firstTradeDate: describe(orNull(integer), 'Unix ms'),
  lastTradeDate: orNull(integer),
} as const;

export const tokenRow = object({ tokenId: describe(string, 'md5'), name: string, ...performance });

export const tokenTraderRow = object({
  address: string,
  'isAMM?': boolean,
  ...performance,
  washTradingScore: number,
});

const WITH_OTHERS =
  'With others: where a payment takes an offer of its sender, `/history` has a trade, and nobody bought or sold';

export const traderRow = object({
  address: string,
  'isAMM?': boolean,
  'xrpBalance?': number,
  'dexVolume?': describe(number, 'On books'),
  'ammVolume?': describe(number, 'In pools'),
  'buyVolume?': describe(number, 'Spent for tokens'),
  'sellVolume?': describe(number, 'Received for tokens'),
  'totalTokens?': describe(integer, 'That it traded'),
  'sourceTagStats?': list(object({ sourceTag: integer, trades: integer, volume: number })),
  totalVolume: number,
  volume24h: describe(number, 'Of the present hour and the 23 before'),
  totalTrades: describe(integer, WITH_OTHERS),
  totalProfit: describe(number, 'Realised, average cost'),
  avgROI: describe(orNull(number), 'Percent: realised profit of the cost of what was sold'),
  winRate: describe(orNull(number), 'Percent of the sales with a profit or loss that had a profit'),
  washTradingScore: describe(number, '0 to 100: share of the volume that may be with one partner, both ways'),
  firstTradeDate: describe(orNull(integer), 'Unix ms'),
  lastTradeDate: orNull(integer),
});

export const overviewMembers = {
  address: string,
  since,
  rank: describe(orNull(integer), '1: the largest realised profit'),
  isAMM: boolean,
  profit: describe(number, 'Realised, average cost'),
  totalProfit: number,
  unrealizedPnl: number,
  totalPnl: number,
  holdingValue: number,
  roi: orNull(number),
  totalRoi: orNull(number),
  winRate: orNull(number),
  winningTokens: integer,
  losingTokens: integer,
  winningTrades: integer,
  losingTrades: integer,
  totalTokensTraded: integer,
  totalTrades: describe(integer, WITH_OTHERS),
  buyCount: integer,
  sellCount: integer,
  buyVolume: number,
  sellVolume: number,
  dexVolume: number,
  ammVolume: number,
  dexProfit: number,
  ammProfit: number,
  volume24h: describe(number, 'Of the present hour and the 23 before'),
  trades24h: integer,
  profit24h: describe(number, 'Realised in the present hour and the 23 before'),
  profit7d: describe(number, 'Realised today and on the 6 days before (UTC)'),
  profit30d: number,
  maxProfitTrade: number,
  maxLossTrade: number,
  washTradingScore: number,
  firstTradeDate: orNull(integer),
  lastTradeDate: orNull(integer),
} as const;

/** @throws ApiError 400 */
export function addressOf(text: string): string {
  if (!isAddress(text)) throw badRequest('Invalid account', 'Send an r-address');
  return text;
}

export function pageInfo(total: number, skip: number, most: number) {
  return {
    page: Math.floor(skip / most) + 1,
    totalPages: Math.ceil(total / most),
    total,
    offset: skip,
    limit: most,
    hasMore: skip + most < total,
  };
}

/** As `traderBalances` of views/traders/market-days.ts has them. */
export const tradersByWindow = object({
  balance24h: number,
  balance7d: number,
  balance30d: number,
  balanceAll: number,
  traders24h: integer,
  traders7d: integer,
  traders30d: integer,
  tradersAll: integer,
});

export const platformFigures = describe(
  mapOf(object({ volume: number, trades: integer, fees: number })),
  'By name of the platform, XRP; those without trades are absent',
);

export const marketDay = object({
  date: describe(string, 'YYYY-MM-DD, UTC'),
  volume: describe(number, 'XRP, as all volumes and flows'),
  trades: integer,
  marketcap: describe(orNull(number), 'XRP; null: not known'),
  tokenCount: orNull(integer),
  avgTradeSize: number,
  volumeAMM: number,
  volumeNonAMM: number,
  tradesAMM: integer,
  tradesNonAMM: integer,
  uniqueTraders: integer,
  uniqueTradersAMM: integer,
  uniqueTradersNonAMM: integer,
  ammDeposit: describe(integer, 'How many, as the next two'),
  ammWithdraw: integer,
  ammCreate: integer,
  ammDepositVolume: describe(number, 'XRP, without the tokens beside it; of pools that were created, too'),
  ammWithdrawVolume: describe(number, 'XRP, without the tokens beside it'),
  ammNetFlow: describe(number, 'XRP deposited less XRP withdrawn'),
  volumeByPlatform: platformFigures,
});

export const marketSums = object({
  volume: describe(number, 'XRP'),
  trades: integer,
  fees: describe(number, 'XRP'),
  volumeAMM: number,
  volumeNonAMM: number,
  tradesAMM: integer,
  tradesNonAMM: integer,
  ammDeposits: describe(integer, 'How many, with pools that were created'),
  ammWithdraws: integer,
});
