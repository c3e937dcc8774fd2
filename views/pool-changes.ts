/**
 * How pools changed over a time: what they held and earned (engine/pools), what went in and out and who traded (records).
 *
 * Cost: a read row for each pool and hour or day in which it changed; 2 us a record, in slices, READ_MAX of them at most.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { type TradeReader, TradeType } from '../engine/market/trade-record.ts';
import { PoolMoves } from '../engine/metrics/pool-moves.ts';
import {
  type PoolInterval,
  type PoolPerformance,
  poolPerformance,
} from '../engine/metrics/pool-performance.ts';
import type { PoolBuckets } from '../engine/pools/pool-buckets.ts';
import { poolKey } from '../engine/pools/pool-history.ts';
import { DAY } from '../engine/ripple-time.ts';

/** Records that are read for one answer. */
const READ_MAX = 200_000;

/** Value that a pool locked at a time (Ripple epoch seconds), drops; undefined: it is younger, or that is not known. */
export function lockedBefore({ pools }: Engine, pool: number, time: number): number | undefined {
  for (const buckets of [pools.hours, pools.days]) {
    const row = rowBefore(buckets, pool, time);
    if (row !== undefined) return buckets.locked[row]!;
  }
  return undefined;
}

/** The newest row whose interval had ended. */
function rowBefore(buckets: PoolBuckets, pool: number, time: number): number | undefined {
  let found: number | undefined;
  buckets.walkBack(poolKey(pool), (row) => {
    if (buckets.start[row]! + buckets.seconds > time) return true;
    found = row;
    return false;
  });
  return found;
}

export interface PastPerformance extends PoolPerformance {
  /** End of the interval before the first one that counts, Ripple epoch seconds. */
  readonly since: number;
}

/** Up to so many days, by hours; longer, by days. */
const BY_HOURS_DAYS = 7;

/**
 * Over so many days, or since the first interval that is known of the pool.
 * @returns undefined: no more than the running interval is known, or it was empty
 */
export function performanceOver(
  { pools, head }: Engine,
  pool: number,
  days: number,
): PastPerformance | undefined {
  const buckets = days <= BY_HOURS_DAYS ? pools.hours : pools.days;
  const { start, seconds } = buckets;
  const first = Math.floor(((head?.closeTime ?? 0) - days * DAY) / seconds) * seconds;
  const rows: number[] = [];
  buckets.walkBack(poolKey(pool), (row) => {
    rows.push(row);
    return start[row]! >= first;
  });
  // The oldest is what it held at first: before the time, or, of a younger pool, when its first interval ended.
  const begin = rows.pop();
  if (begin === undefined || rows.length === 0) return undefined;
  const found = poolPerformance(
    intervalOf(buckets, begin),
    rows.reverse().map((row) => intervalOf(buckets, row)),
  );
  return found && { ...found, since: Math.max(first, start[begin]! + seconds) };
}

const intervalOf = ({ held1, held2, locked, fees }: PoolBuckets, row: number): PoolInterval => ({
  held1: held1[row]!,
  held2: held2[row]!,
  locked: locked[row]!,
  fees: fees[row]!,
});

/** What was done with some pools. @param start Ripple epoch seconds */
export async function movesOf(
  { market, state, head }: Engine,
  asked: ReadonlySet<number>,
  { start, token }: { readonly start: number; readonly token?: number | undefined },
): Promise<{ readonly moves: PoolMoves; readonly isCut: boolean }> {
  const moves = new PoolMoves();
  const { totals, history } = market;
  let read = 0;
  const span = { start, end: head?.closeTime ?? 0, token, direction: 'desc' } as const;
  const worth = (asset: number, hi: number, lo: number): number =>
    state.tokens.number(asset, hi, lo) * (totals.price(asset) ?? 0);
  const liquidity = (record: TradeReader): number =>
    worth(record.paidToken, record.paidHi, record.paidLo) +
    worth(record.gotToken, record.gotHi, record.gotLo);
  const take = (record: TradeReader): boolean => {
    if (read++ === READ_MAX) return false;
    const { pool, isLiquidity, type, account, valueDrops } = record;
    if (pool === undefined || !asked.has(pool)) return true;
    if (isLiquidity)
      moves.add({
        pool,
        account,
        kind: type === TradeType.withdraw ? 'withdraw' : 'deposit',
        xrp: liquidity(record),
      });
    else moves.add({ pool, account: record.maker, kind: 'trade', xrp: valueDrops / DROPS_PER_XRP });
    return true;
  };
  await history.every(span, take, yieldToLoop);
  return { moves, isCut: read > READ_MAX };
}
