/**
 * What a trade was worth in drops when it happened, before it changed any price.
 *
 * With an XRP leg: the leg. Between two tokens: the smaller of what both sides were worth by standards (standards.ts), or
 * of the one side that is a standard, cut to whole drops; 0 when neither is. No more than DERIVED_MAX, so that sums
 * of a window stay exact.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
/** 10 million XRP. */
export const DERIVED_MAX_DROPS = 1e13;

/** @param a, b XRP that each side was worth, 0 where nothing tells */
export function derivedDrops(a: number, b: number): number {
  const xrp = a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b);
  const drops = Math.floor(xrp * DROPS_PER_XRP);
  return drops > 0 ? Math.min(drops, DERIVED_MAX_DROPS) : 0;
}
