/** What a pool held at the end of an interval, and what it earned in it; amounts in any units that stay the same. */
export interface PoolInterval {
  readonly held1: number;
  readonly held2: number;
  /** Value locked at the end of the interval, and fees earned in it, in one unit. */
  readonly locked: number;
  readonly fees: number;
}

export interface PoolPerformance {
  /** All in percent. Fees over value locked, compounded by interval. */
  readonly feePct: number;
  /** What a share of the reserves is worth less for having been traded against; zero or below. */
  readonly lossPct: number;
  /** Of a share of the pool against holding what it was made of. */
  readonly netPct: number;
  /** Price of asset 1 in asset 2 now against then. */
  readonly priceChangePct: number;
}

/**
 * What providing liquidity to a constant-product pool gave, against holding the two assets.
 *
 *     p    = held2 / held1, the price of asset 1 in asset 2        r = p(end) / p(begin)
 *     loss = 2 sqrt(r) / (1 + r) - 1                               divergence loss (Pintail 2019, "Uniswap: a good deal
 *                                                                  for liquidity providers?")
 *     fees = product over the intervals of (1 + fees / locked) - 1
 *     net  = (1 + loss) (1 + fees) - 1
 *
 * Without fees a share of the pool is worth 2 sqrt(held1 held2) in a fixed unit, and the product of the reserves grows by fees
 * alone: so net is exact, but for fees being counted at the end of their interval. Deposits and withdrawals of both assets
 * change no share. Intervals in which the pool locked nothing earn nothing.
 * @param begin what it held at first @param intervals oldest first
 * @returns undefined where it was empty at either end
 */
export function poolPerformance(
  begin: Pick<PoolInterval, 'held1' | 'held2'>,
  intervals: readonly PoolInterval[],
): PoolPerformance | undefined {
  const end = intervals.at(-1) ?? begin;
  const ratio = end.held2 / end.held1 / (begin.held2 / begin.held1);
  if (!(ratio > 0) || !Number.isFinite(ratio)) return undefined;
  const kept = (2 * Math.sqrt(ratio)) / (1 + ratio);
  let earned = 1;
  for (const { fees, locked } of intervals) if (locked > 0) earned *= 1 + fees / locked;
  return {
    feePct: (earned - 1) * 100,
    lossPct: (kept - 1) * 100,
    netPct: (kept * earned - 1) * 100,
    priceChangePct: (ratio - 1) * 100,
  };
}
