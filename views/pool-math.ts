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
 * A pool of X XRP and T tokens keeps X * T. At spot price p = X / T, the reserve of XRP at p * (1 + move) is
 * X * sqrt(1 + move): so much more has to flow in. The fee is taken from what goes in, so the buyer brings
 * X * (sqrt(1 + move) - 1) / (1 - fee). Selling until p * (1 - move) pays out X * (1 - sqrt(1 - move)); the fee is
 * taken in tokens and does not change the XRP paid out.
 * @param fee fraction (0.005 = 0.5 %).
 */
export function poolDepth(xrp: number, fee: number, move: number): Depth {
  return {
    buy: (xrp * (Math.sqrt(1 + move) - 1)) / (1 - fee),
    sell: xrp * (1 - Math.sqrt(1 - move)),
  };
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
