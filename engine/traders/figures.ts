/**
 * The figures of traders that are not columns, each defined here once. Profit is in the same unit as what it is made of.
 */

export interface PositionWorth {
  /** Tokens bought and not sold, and the drops they cost. */
  readonly held: number;
  readonly cost: number;
}

/**
 * Unrealised profit in XRP: what the tokens with a known cost that the account still has are worth, less their cost.
 * @param balance tokens it has: fewer than were bought, where some were paid away or are in a pool
 * @param price XRP per token; undefined: not known, then the profit is 0
 */
export function unrealisedOf(
  { held, cost }: PositionWorth,
  balance: number,
  price: number | undefined,
): number {
  const left = Math.min(held, balance);
  if (price === undefined || !(left > 0)) return 0;
  return left * price - (cost / 1e6) * (left / held);
}

/** Percent; undefined where the whole is not above 0. */
export function percentOf(part: number, whole: number): number | undefined {
  return whole > 0 ? (part / whole) * 100 : undefined;
}

/** Return on what was sold: realised profit in percent of its cost. */
export function roiOf(realised: number, costOfSold: number): number | undefined {
  return percentOf(realised, costOfSold);
}

/** Percent of the sales with a profit or loss that had a profit; undefined: there were none. */
export function winRateOf(winning: number, losing: number): number | undefined {
  return percentOf(winning, winning + losing);
}
