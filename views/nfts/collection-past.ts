/**
 * The past of collections as readers see it: a row a day, and floors of some time ago.
 *
 * A day's values are those at its end; of the day that has begun, those after the newest ledger. Days in which nothing changed
 * have the values of the day before. Before the first day that the ledgers read show, nothing is known.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CollectionValues } from '../../engine/nfts/collection-past.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';
import { percentAbove } from '../number-format.ts';
import { xrpNumber } from './amounts.ts';

/** Days that the engine keeps are no more than these and those before their first change. */
export const PAST_DAYS_MAX = 500;

export interface CollectionDayValues {
  /** Unix ms of its beginning. */
  readonly time: number;
  /** XRP; null: nothing was listed. */
  readonly floor: number | null;
  readonly listed: number;
  readonly bids: number;
  readonly owners: number;
}

export class NftCollectionPast {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The newest days, oldest first. @param limit most days */
  days(collection: number, limit = PAST_DAYS_MAX): CollectionDayValues[] {
    const { history } = this.#engine.nfts;
    const now = this.#engine.head?.closeTime ?? 0;
    const today = Math.floor(now / DAY);
    const past = history.days.all(collection);
    const found: CollectionDayValues[] = [];
    let next = 0;
    for (let day = Math.max(past[0]?.period ?? today, today - limit + 1); day < today; day++) {
      while (next + 1 < past.length && past[next + 1]!.period <= day) next++;
      found.push(this.#dayOf(day, past[next]!));
    }
    return [...found, this.#dayOf(today, history.values(collection, now))];
  }

  /** Of a floor now, in XRP: what it was, and by how many percent it has changed. What is not known is absent. */
  floorsAgo(collection: number, floor: number | undefined) {
    const ago24h = this.#floorAt(collection, 1);
    const changed = (days: number) => {
      const before = this.#floorAt(collection, days);
      return floor === undefined || !before ? undefined : percentAbove(floor, before);
    };
    const [of1d, of7d, of30d] = [changed(1), changed(7), changed(30)];
    return {
      ...(ago24h !== undefined && { floor24hAgo: ago24h }),
      ...(of1d !== undefined && { floor1dPercent: of1d }),
      ...(of7d !== undefined && { floor7dPercent: of7d }),
      ...(of30d !== undefined && { floor30dPercent: of30d }),
    };
  }

  /** XRP; undefined: nothing was listed, or it is not known. */
  #floorAt(collection: number, daysAgo: number): number | undefined {
    const { head, nfts } = this.#engine;
    const past = nfts.history.at(collection, (head?.closeTime ?? 0) - daysAgo * DAY);
    return past && this.#floor(past);
  }

  #floor({ floorHi: hi, floorLo: lo }: CollectionValues): number | undefined {
    return hi === 0 ? undefined : xrpNumber(this.#engine.nfts.assets, { asset: 0, hi, lo });
  }

  #dayOf(day: number, values: CollectionValues): CollectionDayValues {
    const { listed, bids, owners } = values;
    return { time: unixMs(day * DAY), floor: this.#floor(values) ?? null, listed, bids, owners };
  }
}
