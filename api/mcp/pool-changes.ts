/** What `get_amm_pools` adds to pools: what changed in them over hours or days. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { feeChanges } from '../../engine/metrics/fee-changes.ts';
import { DAY_MS, HOUR, rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import type { Pools } from '../../engine/state/pools.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { Values } from '../../requests/param-reader.ts';
import { lockedBefore, movesOf, performanceOver } from '../../views/pool-changes.ts';
import type { JsonObject } from './json-rpc.ts';
import type { ToolContext } from './tool.ts';

/** Pools that are read between two pauses. */
const POOLS_A_SLICE = 64;
/** Pools whose votes are read, and pages of transactions of each. */
const VOTED_MAX = 50;
const VOTES_PAGE = 200;
const VOTE_PAGES_MAX = 5;
/** Transactions that change what a pool asks for trades. */
const VOTES = ['AMMVote', 'AMMDeposit'];
export const ACCOUNT_TRANSACTIONS = 'GET /account/tx/{account}';

/** Figures that make rows of their own, in the order in which they decide the order of rows. */
const CHANGES = ['flows', 'tvl_change', 'traders', 'performance'] as const;
const KEYS = { flows: 'net', tvl_change: 'tvlChange', traders: 'traders', performance: 'netPct' } as const;

/** Parameters that ask what changed in pools. */
export const CHANGES_ASKED = [...CHANGES, 'fee_changes'] as const;

export const asksChanges = (input: Values): boolean => CHANGES_ASKED.some((name) => input[name] === true);

/** A pool as the route shows it, and its row in the state. */
interface Known {
  readonly row: JsonObject;
  readonly pool: number;
}

/** @param rows of pools, as the route shows them: `ammAccount`, `asset1`, `asset2` */
export async function poolChanges(
  rows: readonly JsonObject[],
  input: Values,
  context: ToolContext,
): Promise<JsonObject> {
  const known = knownPools(rows, context);
  const [from, most] = [input.offset as number, input.limit as number];
  const wanted = CHANGES.filter((name) => input[name] === true);
  const [first] = wanted;
  const shown: JsonObject = {};
  if (first) {
    const { pools, sums, isCut } = await figures(known, input, context);
    // Profit from the best on; of what may be negative the largest changes either way.
    const key = (row: JsonObject) => {
      const value = row[KEYS[first]] as number | undefined;
      return value === undefined ? -Infinity : first === 'performance' ? value : Math.abs(value);
    };
    pools.sort((a, b) => key(b) - key(a) || 0);
    Object.assign(shown, {
      total: pools.length,
      pools: pools.slice(from, from + most),
      ...sums,
      ...(isCut && { truncated: true }),
    });
  }
  if (input.fee_changes === true) Object.assign(shown, await feeRows(known, input, context));
  return { ...shown, ...(known.length < rows.length && { truncated: true }) };
}

function knownPools(rows: readonly JsonObject[], { network }: ToolContext): Known[] {
  const { accounts, pools } = network.engine.state;
  return rows.flatMap((row) => {
    const account = accounts.findText(String(row.ammAccount));
    const pool = account === undefined ? undefined : pools.byAccount(account);
    return pool === undefined ? [] : [{ row, pool }];
  });
}

const nameOf = ({ asset1, asset2 }: JsonObject): string =>
  [asset1, asset2]
    .map((asset) => (asset as JsonObject).name ?? (asset as JsonObject).currency)
    .map(String)
    .join(' / ');

async function figures(known: readonly Known[], input: Values, { network }: ToolContext) {
  const { engine } = network;
  const { state, market } = engine;
  const now = engine.head?.closeTime ?? 0;
  const start = now - (input.hours as number) * HOUR;
  const { flows, traders, tvl_change, performance } = input;
  const asked = new Set(known.map(({ pool }) => pool));
  const reads = flows === true || traders === true;
  const read = reads
    ? await movesOf(engine, asked, { start, token: sharedToken(state.pools, asked) })
    : undefined;
  const pools: JsonObject[] = [];
  let accounts: readonly (readonly [number, number])[] = [];
  for (const [at, { row, pool }] of known.entries()) {
    if (at % POOLS_A_SLICE === POOLS_A_SLICE - 1) await yieldToLoop();
    const moved = read?.moves.of(pool);
    accounts = moved?.traders ?? [];
    const tvl = market.totals.lockedDrops(pool) / DROPS_PER_XRP;
    pools.push({
      ammAccount: row.ammAccount,
      name: nameOf(row),
      tvl,
      ...(flows === true && moved && flowOf(moved)),
      ...(tvl_change === true && tvlChange(tvl, lockedBefore(engine, pool, start))),
      ...(traders === true && moved && tradersOf(moved, (account) => state.accounts.text(account))),
      ...(performance === true && performanceOf(engine, pool, input.days as number)),
    });
  }
  // Of one pool, who they are.
  const isOne = traders === true && known.length === 1;
  const top = accounts
    .slice(0, input.limit as number)
    .map(([account, volume]) => ({ account: state.accounts.text(account), volume }));
  const sums = isOne ? { traderTotal: accounts.length, traders: top } : {};
  return { pools, sums, isCut: read?.isCut === true };
}

/** A token that all of the pools have: fewer records are read then. */
function sharedToken(pools: Pools, asked: ReadonlySet<number>): number | undefined {
  const [first, ...others] = asked;
  if (first === undefined) return undefined;
  const isIn = (token: number, pool: number) => pools.asset1(pool) === token || pools.asset2(pool) === token;
  return [pools.asset1(first), pools.asset2(first)].find(
    (token) => token !== XRP && others.every((pool) => isIn(token, pool)),
  );
}

type Sums = ReturnType<Awaited<ReturnType<typeof movesOf>>['moves']['of']>;

const flowOf = ({ deposits, deposited, withdrawals, withdrawn }: Sums): JsonObject => ({
  deposits,
  deposited,
  withdrawals,
  withdrawn,
  net: deposited - withdrawn,
});

/** What is not known is left out: the pool is younger. */
function tvlChange(tvl: number, drops: number | undefined): JsonObject {
  if (drops === undefined) return {};
  const tvlBefore = drops / DROPS_PER_XRP;
  const tvlChange = tvl - tvlBefore;
  return { tvlBefore, tvlChange, ...(tvlBefore > 0 && { tvlChangePct: (100 * tvlChange) / tvlBefore }) };
}

function tradersOf({ trades, volume, traders }: Sums, text: (account: number) => string): JsonObject {
  const [top] = traders;
  return {
    traders: traders.length,
    trades,
    volume,
    ...(top && { topTrader: text(top[0]), topPct: volume > 0 ? (100 * top[1]) / volume : 0 }),
  };
}

function performanceOf(...asked: Parameters<typeof performanceOver>): JsonObject {
  const found = performanceOver(...asked);
  if (!found) return {};
  const { since, ...rest } = found;
  return { since: unixMs(since), ...rest };
}

/** Newest first. */
async function feeRows(known: readonly Known[], input: Values, context: ToolContext): Promise<JsonObject> {
  const since = context.closeTime - (input.days as number) * DAY_MS;
  const changes: JsonObject[] = [];
  let isCut = known.length > VOTED_MAX;
  for (const { row } of known.slice(0, VOTED_MAX)) {
    const found = await feeChangesOf(String(row.ammAccount), since, context);
    changes.push(...found.changes.map((change) => ({ ...change, name: nameOf(row) })));
    isCut ||= found.isCut;
  }
  changes.sort((a, b) => Number(b.time) - Number(a.time));
  const [from, most] = [input.offset as number, input.limit as number];
  return {
    feeChangeTotal: changes.length,
    feeChanges: changes.slice(from, from + most),
    ...(isCut && { truncated: true }),
  };
}

async function feeChangesOf(account: string, since: number, { call, network }: ToolContext) {
  const changes: JsonObject[] = [];
  const ledgerMin = network.engine.store.ledgerAt(Math.max(0, rippleSeconds(since)))?.index ?? 0;
  let marker: unknown;
  for (let page = 0; page < VOTE_PAGES_MAX; page++) {
    const sent = { account, types: VOTES, limit: VOTES_PAGE, marker, ledgerMin };
    const answer = await call(ACCOUNT_TRANSACTIONS, sent);
    for (const { tx_json, meta, hash, close_time_iso } of answer.txs as JsonObject[]) {
      const time = Date.parse(String(close_time_iso));
      if (time < since) return { changes, isCut: false };
      for (const { pool, before, after } of feeChanges((meta as { AffectedNodes?: [] }).AffectedNodes))
        if (pool === account)
          changes.push({
            time,
            ammAccount: account,
            fromPct: before / 1000,
            toPct: after / 1000,
            account: (tx_json as JsonObject).Account,
            hash,
          });
    }
    marker = answer.marker;
    if (answer.hasMore !== true) return { changes, isCut: answer.completeFrom !== undefined };
  }
  return { changes, isCut: true };
}
