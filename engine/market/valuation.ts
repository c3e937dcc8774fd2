/**
 * The value of a trade in drops at its time, before it changed any price.
 *
 * With an XRP leg: the leg. Between two tokens: the smaller value of both sides if both are reference assets
 * (reference-assets.ts), or the value of the one side that is, rounded down to whole drops; 0 when neither is. At most
 * DERIVED_MAX_DROPS, so that sums of a window stay exact.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';

/** 10 million XRP. */
export const DERIVED_MAX_DROPS = 1e13;

/** @param a, b value of each side in XRP, 0 where it is not known */
export function derivedDrops(a: number, b: number): number {
  const xrp = a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b);
  const drops = Math.floor(xrp * DROPS_PER_XRP);
  return drops > 0 ? Math.min(drops, DERIVED_MAX_DROPS) : 0;
}
