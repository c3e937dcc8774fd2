/** Figures of a constant-product pool: spot price, value, and how much moves the price. All floats, for display. */

/** How far the price moves for `depthPlus2` and `depthMinus2`, and for the depth that whales move: a fraction. */
export const DEPTH_MOVE = 0.02;

export interface Depth {
  /** XRP that buys until the spot price is `percent` higher. */
  readonly buy: number;
  /** XRP paid out while selling until the spot price is `percent` lower. */
  readonly sell: number;
}

/**
 * XRP in and out until the spot price moves by `move` (0.02 = 2 %).
 *
 * A pool of X XRP and T tokens gives for `a` that goes in what keeps the product of the reserves for a * (1 - fee); the fee
 * stays in the pool. So for a = b * X the spot price becomes X / T * (1 + b) * (1 + b * (1 - fee)), and b is the root of that
 * for 1 + move. Selling is the same with tokens going in, until the price of XRP in tokens is 1 / (1 - move); paid out are
 * X * b * (1 - fee) / (1 + b * (1 - fee)).
 * @param fee fraction (0.005 = 0.5 %).
 */
export function poolDepth(xrp: number, fee: number, move: number): Depth {
  const kept = 1 - fee;
  const sold = kept * shareIn(kept, 1 / (1 - move));
  return { buy: xrp * shareIn(kept, 1 + move), sell: (xrp * sold) / (1 + sold) };
}

/** b with (1 + b) * (1 + b * kept) = ratio. */
function shareIn(kept: number, ratio: number): number {
  const sum = 1 + kept;
  return (Math.sqrt(sum * sum + 4 * kept * (ratio - 1)) - sum) / (2 * kept);
}

/** The `TradingFee` of the ledger, in units of 1/100000, as a fraction. */
export function feeFraction(tradingFee: number): number {
  return tradingFee / 100_000;
}

/**
 * Yearly yield in percent of fees earned in `days` on `liquidity` (same unit), not compounded.
 * undefined for an empty pool.
 */
export function yearlyYield(fees: number, liquidity: number, days: number): number | undefined {
  return liquidity > 0 ? ((fees / liquidity) * 365 * 100) / days : undefined;
}
