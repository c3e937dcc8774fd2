/** The tool about pools: a list of them, one of them, sums of many, or what changed in them. */
import { wholeDrops } from '../../../engine/codec/amount.ts';
import { DAY_MS } from '../../../engine/ripple-time.ts';
import type { Values } from '../../../requests/param-reader.ts';
import type { JsonObject } from '../json-rpc.ts';
import { PAGE, pages, type Rows } from '../pages.ts';
import { ACCOUNT_TRANSACTIONS, asksChanges, CHANGES_ASKED, poolChanges } from '../pool-changes.ts';
import { flag, type ToolContext, tool } from '../tool.ts';

const POOLS = 'GET /amm';

const integer = { type: 'integer' };
const list = { type: 'array' };

export const poolTools = [
  tool({
    name: 'get_amm_pools',
    title: 'Pools',
    about:
      'AMM pools by fees, yield, liquidity or volume: all or those of a token, narrowed, or summed by token or fee; amm_account: one of them. XRP of 24 hours. flows, tvl_change, traders, performance, fee_changes: what changed in them, the largest change first. Chosen among 2,000: truncated says that there are more.',
    routes: [POOLS, 'GET /amm/info', ACCOUNT_TRANSACTIONS],
    units: { net: 'XRP' },
    params: {
      id: { of: 'token', about: 'Token: md5, issuer-currency, MPT id or slug' },
      sort: 'sort',
      min_liquidity: { kind: 'float', about: 'Liquidity at least, XRP', min: 0 },
      token_pairs: flag('Only of two tokens, without XRP'),
      created_days: { kind: 'float', about: 'Not older than so many days', min: 0 },
      by_token: flag('Sums by token'),
      fee_tiers: flag('Sums by trading fee, %'),
      flows: flag('What went in and out, XRP at present prices'),
      tvl_change: flag('Value locked against then'),
      traders: flag('Who traded in them; of one pool, the list'),
      hours: { kind: 'float', about: 'Of flows, tvl_change, traders', default: 168, min: 1, max: 720 },
      performance: flag('Of providing against holding, %: fees, divergence loss, both (net)'),
      fee_changes: flag('Changes of the trading fee, %, by whose vote'),
      days: { kind: 'int', about: 'Of performance, fee_changes', default: 30, min: 1, max: 365 },
      amm_account: { kind: 'text', about: 'Account of one pool', maxLength: 50 },
      closed: flag('Empty pools, too'),
      limit: { of: 'limit', default: 10 },
      offset: 'offset',
    },
    answer: {
      properties: {
        total: integer,
        pools: list,
        tokens: list,
        tiers: list,
        traders: list,
        feeChanges: list,
        truncated: {},
      },
    },
    excludes: {
      amm_account: ['id', 'min_liquidity', 'token_pairs', 'created_days', 'by_token', 'fee_tiers'],
      by_token: CHANGES_ASKED,
      fee_tiers: CHANGES_ASKED,
    },
    counts: { pools: 'total', tokens: 'tokenTotal', traders: 'traderTotal', feeChanges: 'feeChangeTotal' },
    ifNone: 'No pool is there',
    run: async (input, context) => {
      const { id, sort, amm_account, closed, limit, offset, by_token, fee_tiers } = input;
      if (amm_account !== undefined) {
        const one = await context.call('GET /amm/info', { amm_account });
        return asksChanges(input) ? poolChanges([rowOf(one)], input, context) : one;
      }
      const sent = { token: id, sort, status: closed ? 'all' : 'active' };
      if (!isNarrow(input) && !asksChanges(input)) return context.call(POOLS, { ...sent, limit, offset });
      const { rows, isCut } = await allPools(context, sent);
      const pools = rows.filter((row) => isAsked(row, input, context.closeTime));
      if (asksChanges(input)) {
        const found = await poolChanges(pools, input, context);
        return { ...found, ...(isCut && { truncated: true }) };
      }
      const [from, most] = [offset as number, limit as number];
      const tokens = by_token ? sumsOf(pools, tokensOf) : [];
      return {
        total: pools.length,
        ...(by_token === true && { tokenTotal: tokens.length, tokens: tokens.slice(from, from + most) }),
        ...(fee_tiers === true && { tiers: sumsOf(pools, ({ tradingFee }) => [feePct(tradingFee)]) }),
        ...(by_token !== true && fee_tiers !== true && { pools: pools.slice(from, from + most) }),
        ...(isCut && { truncated: true }),
      };
    },
  }),
];

/** What lists show of a pool, from what is shown of one. */
function rowOf({ amm }: JsonObject): JsonObject {
  const { account, amount, amount2 } = amm as JsonObject;
  return { ammAccount: account, asset1: amount, asset2: amount2 };
}

/** Whether something is asked that the route does not do by itself. */
const isNarrow = ({ min_liquidity, token_pairs, created_days, by_token, fee_tiers }: Values): boolean =>
  min_liquidity !== undefined ||
  created_days !== undefined ||
  [token_pairs, by_token, fee_tiers].some((one) => one === true);

function isAsked(
  row: JsonObject,
  { min_liquidity, token_pairs, created_days }: Values,
  now: number,
): boolean {
  if (min_liquidity !== undefined && figure(row, 'liquidity') < (min_liquidity as number)) return false;
  if (token_pairs === true && tokensOf(row).length < 2) return false;
  // Of pools that are older than the first ledger here the time is not known.
  const since = now - ((created_days as number | undefined) ?? 0) * DAY_MS;
  return created_days === undefined || Number(row.createdTimestamp ?? 0) >= since;
}

const allPools = ({ call, sharing }: ToolContext, sent: JsonObject): Promise<Rows> =>
  pages(
    sharing,
    async (offset) => (await call(POOLS, { ...sent, limit: PAGE, offset })).pools as JsonObject[],
  );

/** Of 24 hours, XRP; liquidity: now. */
const figure = ({ apy24h }: JsonObject, name: 'liquidity' | 'volume' | 'fees'): number =>
  Number((apy24h as JsonObject | undefined)?.[name] ?? 0);

/** Names and ids of the assets that are not XRP. */
const tokensOf = ({ asset1, asset2 }: JsonObject): string[] =>
  [asset1, asset2]
    .map((asset) => asset as JsonObject)
    .filter(({ currency, issuer }) => currency !== 'XRP' || issuer !== 'XRPL')
    .map(({ name, currency, md5 }) => `${String(name ?? currency)} ${String(md5)}`);

/** Trading fees of pools are in thousandths of a percent. */
const feePct = (fee: unknown): string => String(Number(fee) / 1000);

/** Sums of the pools of each name, the largest liquidity first. */
function sumsOf(
  pools: readonly JsonObject[],
  namesOf: (pool: JsonObject) => readonly string[],
): JsonObject[] {
  const groups = new Map<string, JsonObject[]>();
  for (const pool of pools)
    for (const name of namesOf(pool)) {
      const group = groups.get(name);
      if (group) group.push(pool);
      else groups.set(name, [pool]);
    }
  const sum = (ones: readonly JsonObject[], name: 'liquidity' | 'volume' | 'fees') =>
    wholeDrops(ones.reduce((all, one) => all + figure(one, name), 0));
  return [...groups]
    .map(([name, ones]) => ({
      name,
      pools: ones.length,
      liquidity: sum(ones, 'liquidity'),
      volume: sum(ones, 'volume'),
      fees: sum(ones, 'fees'),
    }))
    .sort((a, b) => b.liquidity - a.liquidity);
}
