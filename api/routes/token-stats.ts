/** Section 4.3: what an account gained with a token. */
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { account, tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, number, object, orNull, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';
import { addressOf, since } from './trader-schemas.ts';

const exit = object({
  xrp: describe(number, 'XRP that selling the whole balance now brings, over pool and book together'),
  impactPct: describe(number, 'Mean price against the best one now, percent, never above 0'),
  poolChangePct: describe(
    orNull(number),
    "Change of the pool's price, percent; null: the pool takes no part",
  ),
  pnl: describe(number, 'Total profit after that sale; never above totalPnl'),
  split: describe(object({ amm: number, orderbook: number }), 'Percent of the tokens'),
});

const tokenStats = route({
  method: 'GET',
  path: '/account/token-stats/{account}/{md5}',
  section: '4.3',
  auth: 'none',
  tier: 'anonymous',
  example: { account: samples.account, md5: samples.token },
  summary: 'What an account paid, got and gained with a token, and what selling all of it now would bring',
  params: { account, md5: tokenId },
  response: object({
    account: string,
    md5: string,
    balance: number,
    avgBuyPrice: describe(orNull(number), 'XRP a token; null: it bought none'),
    totalBought: describe(number, 'Tokens'),
    totalSold: number,
    totalSpentXRP: number,
    totalReceivedXRP: number,
    realizedPnl: describe(number, 'XRP, average cost'),
    unrealizedPnl: number,
    totalPnl: number,
    holdingValue: describe(number, 'XRP'),
    avgBuyMcap: describe(orNull(number), 'Average price paid, times the supply of now, XRP'),
    currentMcap: orNull(number),
    totalRoi: describe(number, 'totalPnl in percent of what was spent; 0 where nothing was'),
    firstTradeTime: describe(integer, 'Unix ms; 0: none'),
    lastTradeTime: integer,
    tradeCount: integer,
    since,
    exit: describe(orNull(exit), 'null: dust, or nobody buys'),
  }),
  cost: 2,
  bucket: '/account',
  cache: 'ledger',
  handler: ({ account, md5 }, { views }) => {
    const address = addressOf(account);
    const token = tokenOf(views, md5);
    if (token === XRP) throw badRequest('XRP has no position', 'Send the id of another token');
    return views.traders.stats.of(address, token);
  },
});

export const tokenStatsRoutes: Route[] = [tokenStats];
