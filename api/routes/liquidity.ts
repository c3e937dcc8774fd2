/** Section 4.2: what pools locked over time. */
import { notFound } from '../../requests/errors.ts';
import {
  LIQUIDITY_PERIOD_NAMES,
  liquidityChart,
  liquidityOf,
  POOL_TYPES,
} from '../../views/liquidity-chart.ts';
import { addressParam, tokenParam } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, list, number, object, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const chart = route({
  method: 'GET',
  path: '/amm/liquidity-chart',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { token: samples.token, period: '1w' },
  summary: 'Value that pools lock over time: of one pool, of the pools of a token, or of all',
  params: {
    token: { ...tokenParam('Only pools of this token'), aliases: ['md5'] },
    token2: tokenParam('With token: only the pool of both'),
    ammAccount: addressParam('Only the pool with this r-address'),
    period: {
      in: 'query',
      kind: 'enum',
      values: LIQUIDITY_PERIOD_NAMES,
      default: '1m',
      about: 'How far back; up to 1w by hours, else by days (UTC)',
    },
    poolType: {
      in: 'query',
      kind: 'enum',
      values: POOL_TYPES,
      default: 'all',
      about: 'Only pools with XRP, or only pools between two tokens',
    },
  },
  response: object({
    period: string,
    poolType: string,
    length: integer,
    data: describe(
      list(
        object({
          date: describe(
            string,
            'End of the interval, ISO; of the running one the close time of the newest ledger',
          ),
          'xrpLiquidity?': describe(number, 'XRP in the pools'),
          'tokenLiquidity?': describe(number, 'Tokens of the token in the pools'),
          tvl: describe(
            number,
            'Value that the pools lock, XRP; between two tokens as of the last change, of the running interval now',
          ),
          volume: describe(number, 'Value of the trades in the interval, XRP'),
          fees: describe(number, 'Fees of these trades, XRP'),
          apr: describe(number, 'Fees over value locked, in a year at this pace, not compounded, percent'),
          poolCount: describe(integer, 'Pools that lock something'),
        }),
      ),
      'Oldest first; begins with the first interval that is known of any of the pools',
    ),
  }),
  cost: 2,
  bucket: '/amm',
  cache: 'ledger',
  handler: async ({ token, token2, ammAccount, period, poolType }, { engine, views }) => {
    const of = liquidityOf(engine, {
      account: ammAccount,
      one: token === undefined ? undefined : tokenOf(views, token),
      two: token2 === undefined ? undefined : tokenOf(views, token2),
      type: poolType,
    });
    if (!of) throw notFound('Pool not found');
    const data = await liquidityChart(engine, of, period);
    return { period, poolType, length: data.length, data };
  },
});

export const liquidityRoutes: Route[] = [chart];
