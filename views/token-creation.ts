/**
 * How many tokens appeared each day, the one definition for `tokenCreation` of /tokens and for the daily report: tokens by
 * the close time of the first ledger that showed them; LP tokens are none. `platforms`: those launched through each
 * platform (engine/market/launches.ts), whenever that was.
 *
 * Cost: one look at a column for each token, about 0.3 ms for 120,000.
 */
import type { Engine } from '../engine/engine.ts';
import { DAY } from '../engine/ripple-time.ts';
import { dateText } from './date-text.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

/** Days that answers about all tokens show, the running one included. */
const DAYS_SHOWN = 30;

export interface CreationDay {
  /** YYYY-MM-DD (UTC). */
  readonly date: string;
  count: number;
  readonly platforms: Record<string, number>;
}

/** The last `days` days, `last` included, newest first. @param last close time / DAY */
export function tokensByDay({ state, market }: Engine, last: number, days: number): CreationDay[] {
  const { tokens } = state;
  const found: CreationDay[] = Array.from({ length: days }, (_, age) => ({
    date: dateText((last - age) * DAY),
    count: 0,
    platforms: {},
  }));
  const [first, end] = [(last - days + 1) * DAY, (last + 1) * DAY];
  for (let token = 1; token < tokens.count; token++) {
    const created = tokens.createdTimes[token]!;
    if (created === 0 || created < first || created >= end || tokens.tokenType(token) === 'lp') continue;
    const day = found[last - Math.floor(created / DAY)]!;
    day.count++;
    const platform = market.launches.platform(token)?.launchpad;
    if (platform !== undefined) day.platforms[platform] = (day.platforms[platform] ?? 0) + 1;
  }
  return found;
}

export class TokenCreation {
  readonly #engine: Engine;
  readonly #texts: VersionedCache<string>;

  constructor(engine: Engine, { ledger }: Pick<Revisions, 'ledger'>) {
    this.#engine = engine;
    this.#texts = new VersionedCache([ledger], 1);
  }

  /** JSON of the last DAYS_SHOWN days, newest first. */
  text(): string {
    return this.#texts.get('days', () => {
      const last = Math.floor((this.#engine.head?.closeTime ?? 0) / DAY);
      const days = tokensByDay(this.#engine, last, DAYS_SHOWN);
      return JSON.stringify(
        days.map(({ date, count, platforms }) => ({ date, totalTokens: count, platforms })),
      );
    });
  }
}
