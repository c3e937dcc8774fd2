/**
 * What pools locked over time, for charts: of one pool, of the pools of a token, or of all.
 *
 * A point is the end of an hour or day: what each pool held after its last change before it. Sums of several pools carry each
 * pool's last value on. The newest point is the present: what pools between two tokens lock is worth what it is in the list of
 * pools, also where the price of one moved elsewhere. Volume and fees are those of the interval. Points begin with the first interval that is known
 * of any of the pools. Cost: a read row for each pool and interval in which it changed.
 */
import { DROPS_PER_XRP, wholeDrops } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { type CooperativeTask, runInSlices } from '../engine/event-loop.ts';
import type { PoolBuckets } from '../engine/pools/pool-buckets.ts';
import { poolKey, TOKEN_POOLS, XRP_POOLS } from '../engine/pools/pool-history.ts';
import { DAY, HOUR, unixMs } from '../engine/ripple-time.ts';
import type { Pools } from '../engine/state/pools.ts';
import { XRP } from '../engine/state/tokens.ts';
import { rounded } from './number-format.ts';
import { yearlyYield } from './pool-math.ts';

/** How far back, and in which intervals. */
export const LIQUIDITY_PERIODS = {
  '1d': { seconds: HOUR, points: 24 },
  '5d': { seconds: HOUR, points: 120 },
  '1w': { seconds: HOUR, points: 168 },
  '1m': { seconds: DAY, points: 30 },
  '3m': { seconds: DAY, points: 91 },
  '6m': { seconds: DAY, points: 183 },
  '1y': { seconds: DAY, points: 365 },
  '5y': { seconds: DAY, points: 1826 },
  all: { seconds: DAY, points: Number.POSITIVE_INFINITY },
} as const;
export type LiquidityPeriod = keyof typeof LIQUIDITY_PERIODS;
export const LIQUIDITY_PERIOD_NAMES = Object.keys(LIQUIDITY_PERIODS) as readonly LiquidityPeriod[];
export const POOL_TYPES = ['xrp', 'token', 'all'] as const;
export type PoolType = (typeof POOL_TYPES)[number];

/** Pools after which others may run. */
const POOLS_A_SLICE = 32;

/** Whose liquidity: the pools named, whose amounts are of `token`; or all pools of a type. */
export type LiquidityOf =
  | { readonly pools: readonly number[]; readonly token?: number }
  | { readonly type: PoolType };

export interface LiquidityPoint {
  /** End of the interval, ISO; of the running one the close time of the newest ledger. */
  readonly date: string;
  /** XRP in the pools that have XRP; absent where none has. */
  readonly xrpLiquidity?: number;
  /** Tokens of the token in question. */
  readonly tokenLiquidity?: number;
  /** XRP. */
  readonly tvl: number;
  readonly volume: number;
  readonly fees: number;
  /** Percent a year. */
  readonly apr: number;
  /** Pools that lock something. */
  readonly poolCount: number;
}

/** What one series adds to a point: see `PoolBuckets`. */
interface Series {
  readonly key: number;
  /** Which of held1 and held2 is XRP, and which the token. */
  readonly xrp?: 1 | 2;
  readonly token?: 1 | 2;
  /** held2 counts pools. */
  readonly isSum?: true;
  /** Of pools between two tokens, whose rows are of their last change: drops locked now, and how many lock something. */
  readonly now?: { readonly locked: number; readonly count: number };
}

interface PoolChoice {
  /** r-address of a pool. */
  readonly account: string | undefined;
  readonly one: number | undefined;
  readonly two: number | undefined;
  readonly type: PoolType;
}

/**
 * The pools that a request names, with those that were closed, whose past stays; undefined: there never was such a pool. XRP alone
 * means all pools with it.
 */
export function liquidityOf({ state }: Engine, choice: PoolChoice): LiquidityOf | undefined {
  const { accounts, pools } = state;
  const { account, type } = choice;
  // XRP is the second of a pair.
  const [one, two] = choice.one === XRP ? [choice.two, XRP] : [choice.one ?? choice.two, choice.two];
  if (account !== undefined) {
    const id = accounts.findText(account);
    const [pool] = id === undefined ? [] : poolsWhere(pools, (one) => pools.accounts[one] === id);
    if (pool === undefined) return undefined;
    return { pools: [pool], token: one ?? (pools.asset1(pool) || pools.asset2(pool)) };
  }
  if (one === undefined || one === XRP) return { type: two === XRP ? 'xrp' : type };
  if (two !== undefined && two !== one) {
    const pair = poolsWhere(pools, (pool) => hasAsset(pools, pool, one) && hasAsset(pools, pool, two));
    return pair.length === 0 ? undefined : { pools: pair, token: one };
  }
  const isOfType = (pool: number) => type === 'all' || hasAsset(pools, pool, XRP) === (type === 'xrp');
  return { pools: poolsWhere(pools, (pool) => hasAsset(pools, pool, one) && isOfType(pool)), token: one };
}

function hasAsset(pools: Pools, pool: number, token: number): boolean {
  return pools.assets1[pool] === token || pools.assets2[pool] === token;
}

/** All pools there ever were that match, oldest first: a look at a column or two of each. */
function poolsWhere(pools: Pools, matches: (pool: number) => boolean): number[] {
  const found: number[] = [];
  for (let pool = 1; pool < pools.count; pool++) if (matches(pool)) found.push(pool);
  return found;
}

export function liquidityChart(
  engine: Engine,
  of: LiquidityOf,
  period: LiquidityPeriod,
): Promise<LiquidityPoint[]> {
  return runInSlices(new Chart(engine, period).points(seriesOf(engine, of)));
}

function seriesOf(engine: Engine, of: LiquidityOf): Series[] {
  const { pools } = engine.state;
  if ('type' in of) {
    const sums: Series[] = [];
    if (of.type !== 'token') sums.push({ key: XRP_POOLS, xrp: 1, isSum: true });
    if (of.type !== 'xrp')
      sums.push({ key: TOKEN_POOLS, isSum: true, now: lockedNow(engine, tokenPools(engine)) });
    return sums;
  }
  return of.pools.map((pool) => {
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    const xrp = one === XRP ? 1 : two === XRP ? 2 : undefined;
    const token = of.token === one ? 1 : of.token === two ? 2 : undefined;
    return {
      key: poolKey(pool),
      ...(xrp ? { xrp } : { now: lockedNow(engine, [pool]) }),
      ...(token && { token }),
    };
  });
}

/** All pools between two tokens. */
function tokenPools({ state: { pools } }: Engine): number[] {
  return poolsWhere(pools, (pool) => !hasAsset(pools, pool, XRP));
}

function lockedNow({ state: { pools }, market: { totals } }: Engine, of: readonly number[]) {
  let [locked, count] = [0, 0];
  for (const pool of of) {
    const drops = pools.exists(pool) ? totals.lockedDrops(pool) : 0;
    locked += drops;
    if (drops > 0) count++;
  }
  return { locked, count };
}

class Chart {
  readonly #engine: Engine;
  readonly #seconds: number;
  /** Start of the first and of the running interval. */
  readonly #first: number;
  readonly #last: number;
  readonly #now: number;

  constructor(engine: Engine, period: LiquidityPeriod) {
    const { seconds, points } = LIQUIDITY_PERIODS[period];
    this.#engine = engine;
    this.#seconds = seconds;
    this.#now = engine.head?.closeTime ?? 0;
    this.#last = Math.floor(this.#now / seconds) * seconds;
    this.#first = Math.max(0, this.#last - (points - 1) * seconds);
  }

  get #buckets(): PoolBuckets {
    const { hours, days } = this.#engine.pools;
    return this.#seconds === HOUR ? hours : days;
  }

  *points(series: readonly Series[]): CooperativeTask<LiquidityPoint[]> {
    const start = this.#startOf(series);
    if (start === undefined) return [];
    const sums = new Sums((this.#last - start) / this.#seconds + 1);
    for (const [i, one] of series.entries()) {
      if (i % POOLS_A_SLICE === POOLS_A_SLICE - 1) yield;
      this.#add(one, start, sums);
    }
    const has = { xrp: series.some(({ xrp }) => xrp), token: series.some(({ token }) => token) };
    return Array.from({ length: sums.length }, (_, i) => this.#point(sums, i, start, has));
  }

  /** Start of the first interval that is known of any of them. */
  #startOf(series: readonly Series[]): number | undefined {
    let start = Number.POSITIVE_INFINITY;
    for (const { key } of series) {
      if (start <= this.#first) break;
      const { days } = this.#engine.pools;
      for (const buckets of [this.#buckets, days])
        buckets.walkBack(key, (row) => {
          const known = Math.floor(buckets.start[row]! / this.#seconds) * this.#seconds;
          // What a day ended with is known from the next hour on.
          const from = buckets === this.#buckets ? known : known + DAY;
          if (from <= this.#last && from < start) start = from;
          return start > this.#first;
        });
    }
    return start === Number.POSITIVE_INFINITY ? undefined : Math.max(start, this.#first);
  }

  /** Adds a series from its newest row back: each row counts until the start of the one after it. */
  #add(series: Series, start: number, sums: Sums): void {
    const buckets = this.#buckets;
    let end = sums.length;
    buckets.walkBack(series.key, (row) => {
      const at = Math.round((buckets.start[row]! - start) / this.#seconds);
      sums.hold(series, buckets, row, Math.max(0, at), end);
      if (at >= 0) sums.trade(buckets, row, at);
      end = Math.max(0, at);
      return at > 0;
    });
    const { days } = this.#engine.pools;
    if (end === 0 || buckets === days) return;
    // Unchanged for longer than hours are kept: as the last day before ended.
    days.walkBack(series.key, (row) => {
      const known = Math.round((days.start[row]! + DAY - start) / this.#seconds);
      if (known >= end) return true;
      sums.hold(series, days, row, Math.max(0, known), end);
      end = Math.max(0, known);
      return end > 0;
    });
  }

  #point(
    sums: Sums,
    i: number,
    start: number,
    has: { readonly xrp: boolean; readonly token: boolean },
  ): LiquidityPoint {
    const end = Math.min(this.#now, start + (i + 1) * this.#seconds);
    const tvl = sums.locked[i]! / DROPS_PER_XRP;
    const fees = sums.fees[i]! / DROPS_PER_XRP;
    const days = (end - start - i * this.#seconds) / DAY;
    return {
      date: new Date(unixMs(end)).toISOString(),
      ...(has.xrp && { xrpLiquidity: wholeDrops(sums.xrp[i]!) }),
      ...(has.token && { tokenLiquidity: sums.tokens[i]! }),
      tvl,
      volume: wholeDrops(sums.volume[i]! / DROPS_PER_XRP),
      fees: wholeDrops(fees),
      apr: days > 0 ? rounded(yearlyYield(fees, tvl, days) ?? 0, 4) : 0,
      poolCount: sums.pools[i]!,
    };
  }
}

/** Sums by point. */
class Sums {
  readonly length: number;
  readonly locked: Float64Array;
  readonly xrp: Float64Array;
  readonly tokens: Float64Array;
  readonly volume: Float64Array;
  readonly fees: Float64Array;
  readonly pools: Uint32Array;

  constructor(length: number) {
    this.length = length;
    this.locked = new Float64Array(length);
    this.xrp = new Float64Array(length);
    this.tokens = new Float64Array(length);
    this.volume = new Float64Array(length);
    this.fees = new Float64Array(length);
    this.pools = new Uint32Array(length);
  }

  /** Adds what a row holds to the points from `from` on, before `to`. */
  hold(series: Series, buckets: PoolBuckets, row: number, from: number, to: number): void {
    const { xrp, token, isSum, now } = series;
    const locked = buckets.locked[row]!;
    const held = [0, buckets.held1[row]!, buckets.held2[row]!];
    const past = { locked, count: isSum ? held[2]! : locked > 0 ? 1 : 0 };
    for (let i = from; i < to; i++) {
      const value = (i === this.length - 1 && now) || past;
      this.locked[i]! += value.locked;
      this.xrp[i]! += held[xrp ?? 0]!;
      this.tokens[i]! += held[token ?? 0]!;
      this.pools[i]! += value.count;
    }
  }

  trade(buckets: PoolBuckets, row: number, i: number): void {
    this.volume[i]! += buckets.volume[row]!;
    this.fees[i]! += buckets.fees[row]!;
  }
}
