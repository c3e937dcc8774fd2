/**
 * What selling an amount of a token at once brings, over its pool with XRP and the bids of its book together: an estimate
 * in doubles, for display. (A payment rounds each step to the ledger's precision; offers may be taken before it.)
 *
 *     pool of X XRP and T tokens, fee f:  selling q gives X * q(1-f) / (T + q(1-f)); the next token gives
 *                                         X * T * (1-f) / (T + q(1-f))^2 XRP
 *     bids, best first:                   each price p is taken after the pool has been sold down to p
 *
 * This is the order in which the ledger's payment engine takes them: the better quality first. Cost: one step a bid.
 */

export interface ExitPool {
  readonly xrp: number;
  readonly tokens: number;
  /** Fraction: 0.005 = 0.5 %. */
  readonly fee: number;
}

/** An offer that buys tokens, as far as it is funded. */
export interface Bid {
  readonly tokens: number;
  readonly xrp: number;
}

export interface ExitValue {
  /** XRP received. */
  readonly xrp: number;
  /** Tokens sold: all, unless book and pool take fewer. */
  readonly sold: number;
  /** ... of these to the pool. */
  readonly toPool: number;
  /** XRP received from the pool. */
  readonly fromPool: number;
  /** XRP for the first token. */
  readonly bestPrice: number;
}

/** @param amount tokens that arrive at the buyers. @param bids best first. undefined: nobody buys */
export function exitValue(
  amount: number,
  pool: ExitPool | undefined,
  bids: Iterable<Bid>,
): ExitValue | undefined {
  const kept = pool ? 1 - pool.fee : 0;
  /** Tokens sold to the pool until its next token gives the price. */
  const until = (price: number): number =>
    pool ? Math.max(0, (Math.sqrt((pool.xrp * pool.tokens * kept) / price) - pool.tokens) / kept) : 0;
  let bestPrice = pool ? (pool.xrp * kept) / pool.tokens : 0;
  let [left, toPool, fromBook] = [amount, 0, 0];
  for (const bid of bids) {
    if (left <= 0) break;
    const price = bid.xrp / bid.tokens;
    if (!(price > 0 && Number.isFinite(price))) continue;
    bestPrice = Math.max(bestPrice, price);
    const more = Math.min(left, Math.max(0, until(price) - toPool));
    toPool += more;
    left -= more;
    const taken = Math.min(left, bid.tokens);
    fromBook += taken * price;
    left -= taken;
  }
  if (pool && left > 0) {
    toPool += left;
    left = 0;
  }
  const fromPool = pool ? (pool.xrp * toPool * kept) / (pool.tokens + toPool * kept) : 0;
  const xrp = fromPool + fromBook;
  return xrp > 0 ? { xrp, sold: amount - left, toPool, fromPool, bestPrice } : undefined;
}
