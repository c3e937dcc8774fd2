export interface Rhythm {
  /** Transactions that were looked at. */
  readonly count: number;
  /** Seconds between one and the next: the middle one. */
  readonly medianGap: number;
  /** Standard deviation of these gaps divided by their mean: near 0 a clock, about 1 at random, above 1 in bursts. */
  readonly variation: number;
  /** Hours of the day (UTC) in which anything was sent, of 24. */
  readonly activeHours: number;
  /** Whether it looks like a program: see {@link rhythmOf}. */
  readonly isRegular: boolean;
}

/** Below it nothing can be said. */
const COUNT_MIN = 20;
/** Gaps of people vary more than these of a program with a timer. */
const REGULAR_VARIATION = 0.5;
/** People sleep: somebody who acts in more hours of the day than this is not one person. */
const SLEEPLESS_HOURS = 20;

/**
 * How regularly an account acts. The coefficient of variation of the gaps between its transactions is the measure of
 * Goh and Barabasi 2008 ("Burstiness and memory in complex systems", B = (v - 1) / (v + 1)). It looks like a program where it
 * acts by a clock (variation at most 0.5), or in more than 20 hours of the day.
 * @param times Unix ms, in any order @returns undefined for fewer than 20
 */
export function rhythmOf(times: readonly number[]): Rhythm | undefined {
  if (times.length < COUNT_MIN) return undefined;
  const sorted = times.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((time, at) => (time - sorted[at]!) / 1000);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  const variation = mean === 0 ? 0 : Math.sqrt(variance) / mean;
  const activeHours = new Set(times.map((time) => new Date(time).getUTCHours())).size;
  return {
    count: times.length,
    medianGap: gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]!,
    variation,
    activeHours,
    isRegular: variation <= REGULAR_VARIATION || activeHours > SLEEPLESS_HOURS,
  };
}
