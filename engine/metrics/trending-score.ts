/** What the score is made of, of one token. */
export interface TrendInputs {
  /** Trades of the last hour, and of the last 24 hours with that hour among them. */
  readonly trades1h: number;
  readonly trades24h: number;
  /** Distinct accounts that traded it in 24 hours. */
  readonly traders24h: number;
  /** Volume of 24 hours, XRP. */
  readonly volume24h: number;
}

const HOURS = 24;

/**
 * How much a token is in demand, and whether that is new; from 0, without an upper bound.
 *
 *     expected = trades of 24 hours / 24
 *     burst    = max(0, (trades of the last hour - expected) / sqrt(expected))      0 where nothing is expected
 *     score    = log10(1 + volume of 24 hours in XRP) * log2(1 + traders of 24 hours) * (1 + log2(1 + burst))
 *
 * `burst` counts how many standard deviations of a Poisson process the last hour is above the mean of the day, the point
 * model of S. Hendrickson, J. Kolb, B. Lehman, J. Montague, Trend Detection in Social Data (Gnip, 2015). The two logarithms
 * before it are ours: volume alone is bought by trading with oneself, so distinct traders count as much, and both by their
 * orders of magnitude.
 */
export function trendingScore({ trades1h, trades24h, traders24h, volume24h }: TrendInputs): number {
  const expected = trades24h / HOURS;
  const burst = expected > 0 ? Math.max(0, (trades1h - expected) / Math.sqrt(expected)) : 0;
  return Math.log10(1 + volume24h) * Math.log2(1 + traders24h) * (1 + Math.log2(1 + burst));
}
