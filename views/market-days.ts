/** What the market was worth at the end of each day. */
import type { Engine } from '../engine/engine.ts';
import { DAY_MS, rippleSeconds } from '../engine/ripple-time.ts';
import { dayText } from './date-text.ts';

/** The contract's first day, 2021-09-26, Unix ms. */
const FIRST_DAY_MS = Date.UTC(2021, 8, 26);

export interface MarketDay {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  /** XRP. */
  readonly gMarketcap: number;
  readonly unfilteredMarketcap: number;
  readonly tokenCount: number;
}

export interface MarketHistory {
  /** YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  readonly days: readonly MarketDay[];
}

/**
 * The days of a range, inclusive; both ends are clamped to what can be: from 2021-09-26 to the day of the newest ledger. Days
 * without a ledger are left out, and those before the first one read.
 * @param from Unix ms, @param to undefined: the day of the newest ledger
 */
export function marketHistory(engine: Engine, from: number, to: number | undefined): MarketHistory {
  const today = dayOf(engine.head?.closeTimeMs ?? FIRST_DAY_MS);
  const clamp = (ms: number) => Math.max(FIRST_DAY_MS, Math.min(today, dayOf(ms)));
  const [first, last] = [clamp(from), clamp(to ?? today)];
  const { marketDays } = engine.traders;
  const days: MarketDay[] = [];
  for (let day = first; day <= last; day += DAY_MS) {
    const row = marketDays.row(rippleSeconds(day));
    const tokenCount = row === 0 ? 0 : (marketDays.tokens[row] ?? 0);
    if (tokenCount === 0) continue;
    days.push({
      date: dayText(day),
      gMarketcap: marketDays.marketcap[row]!,
      unfilteredMarketcap: marketDays.unfiltered[row]!,
      tokenCount,
    });
  }
  return { from: dayText(first), to: dayText(last), days };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}
