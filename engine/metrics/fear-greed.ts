/** A day of the market: see {@link fearGreed}. */
export interface MarketDay {
  readonly date: string;
  /** XRP. */
  readonly marketcap: number;
}

export interface FearGreed {
  readonly date: string;
  /** 0: fear, 100: greed. */
  readonly value: number;
  readonly label: string;
  /** Each from 0 to 100. */
  readonly components: Readonly<Record<string, number>>;
}

/** Days whose mean the market is compared with. */
const MEAN_DAYS = 30;
/** Days of which the present ups and downs are taken. */
const CALM_DAYS = 7;
/** So much above its mean is all greed, so much below all fear. */
const FULL_MOVE = 0.25;
/** Days before the first one that has an index. */
const DAYS_MIN = CALM_DAYS + 1;

const LABELS = [
  [20, 'extreme fear'],
  [40, 'fear'],
  [60, 'neutral'],
  [80, 'greed'],
] as const;

/**
 * Fear and greed, from 0 to 100, of the market of tokens, in XRP: the mean of components of 0 to 100 each.
 *
 *     momentum   = 50 + 50 x (market cap / mean of the 30 days before - 1) / 0.25
 *     volatility = 100 x s30 / (s30 + s7),  s: standard deviation of the daily changes, of 30 and of 7 days;
 *                  50 where nothing moved; restless days are fear
 *     breadth    = percent of the tokens most traded today that rose; of today alone
 *
 * @param days oldest first @param breadth percent; undefined: it is not known
 * @returns undefined where fewer than 8 days are known
 */
export function fearGreed(
  days: readonly MarketDay[],
  breadth: number | undefined = undefined,
): FearGreed | undefined {
  const today = days.at(-1);
  if (!today || days.length < DAYS_MIN) return undefined;
  const components = {
    momentum: momentumOf(days),
    volatility: volatilityOf(days),
    ...(breadth !== undefined && { breadth }),
  };
  const parts = Object.values(components);
  const value = parts.reduce((sum, one) => sum + one, 0) / parts.length;
  const label = LABELS.find(([below]) => value < below)?.[1] ?? 'extreme greed';
  return { date: today.date, value, label, components };
}

function momentumOf(days: readonly MarketDay[]): number {
  const before = days.slice(-MEAN_DAYS - 1, -1);
  const mean = before.reduce((sum, { marketcap }) => sum + marketcap, 0) / before.length;
  if (mean === 0) return 50;
  const move = days.at(-1)!.marketcap / mean - 1;
  return Math.min(Math.max(50 + (50 * move) / FULL_MOVE, 0), 100);
}

function volatilityOf(days: readonly MarketDay[]): number {
  const changes = days
    .slice(-MEAN_DAYS - 1)
    .map(({ marketcap }, at, all) => (at === 0 ? 0 : marketcap / (all[at - 1]!.marketcap || 1) - 1))
    .slice(1);
  const [long, short] = [deviation(changes), deviation(changes.slice(-CALM_DAYS))];
  return long + short === 0 ? 50 : (100 * long) / (long + short);
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length);
}
