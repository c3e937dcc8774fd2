/**
 * What a trade was worth in drops when it happened, before it changed any price.
 *
 * With an XRP leg: the leg. Between two tokens: the smaller of what both sides were worth by prices told by XRP trades,
 * or of the one side that had such a price, cut to whole drops; 0 when neither had. The smaller one, and no more than
 * DERIVED_MAX, because a price of a token that hardly trades can be anything its owner likes.
 */
import type { Prices } from './prices.ts';

/** 10 million XRP. */
export const DERIVED_MAX_DROPS = 1e13;

/** @param amountA, amountB token units (doubles) */
export function derivedDrops(
  prices: Prices,
  tokenA: number,
  amountA: number,
  tokenB: number,
  amountB: number,
): number {
  const a = amountA * prices.direct(tokenA);
  const b = amountB * prices.direct(tokenB);
  const xrp = a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b);
  const drops = Math.floor(xrp * 1e6);
  return drops > 0 ? Math.min(drops, DERIVED_MAX_DROPS) : 0;
}
