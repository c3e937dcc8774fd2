/**
 * Lists over many traders, made when they are requested: in another thread where there is one, else here in slices. An
 * order is kept for KEPT_SECONDS of close time, so that its pages agree; the figures in the rows are always of the newest
 * ledger.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import type { HeavyReads, OfLedger } from '../../engine/heavy-reads.ts';
import { balanceReads } from '../../engine/traders/balance-reads.ts';
import {
  type ActiveTraders,
  activeTraders,
  type Gathered,
  type Interval,
  type RankedRows,
  rankTokenTraders,
  rankTraders,
  type TokenTotals,
  type TokenTraderQuery,
  type TraderQuery,
  tokenTotals,
} from '../../engine/traders/rankings.ts';
import { type RotationSum, sumRotations } from '../../engine/traders/rotations.ts';
import { atOneVersion } from '../at-one-version.ts';

/** Of close time. */
const KEPT_SECONDS = 30;
/** Orders of all traders take 6 MB each on the main network. */
const KEPT_ORDERS = 32;

interface Kept {
  readonly closeTime: number;
  readonly made: Promise<OfLedger<unknown>>;
}

export class TraderOrders {
  readonly #engine: Engine;
  readonly #heavy: HeavyReads | undefined;
  readonly #kept = new Map<string, Kept>();

  constructor(engine: Engine, heavy: HeavyReads | undefined) {
    this.#engine = engine;
    this.#heavy = heavy;
  }

  traders(query: Omit<TraderQuery, 'now'>): Promise<OfLedger<RankedRows>> {
    return this.#once(`traders ${JSON.stringify(query)}`, (now) => {
      const asked = { ...query, now };
      if (this.#heavy) return this.#heavy.run('orderTraders', asked);
      return this.#here(() =>
        ordered(rankTraders(this.#engine.traders, asked, balanceReads(this.#engine.state).xrp)),
      );
    });
  }

  tokenTraders(query: Omit<TokenTraderQuery, 'now'>): Promise<OfLedger<RankedRows>> {
    // Prices move with every ledger: an order by profit is of the moment it was made.
    const { price: _, ...key } = query;
    return this.#once(`token ${JSON.stringify(key)}`, (now) => {
      const asked = { ...query, now };
      if (this.#heavy) return this.#heavy.run('orderTokenTraders', asked);
      const { of } = balanceReads(this.#engine.state);
      return this.#here(() => ordered(rankTokenTraders(this.#engine.traders, asked, of(query.token))));
    });
  }

  totals(token: number): Promise<OfLedger<TokenTotals>> {
    return this.#once(`totals ${token}`, (now) => {
      if (this.#heavy) return this.#heavy.run('sumTokenTraders', { token, now });
      return this.#here(() => tokenTotals(this.#engine.traders, token, now));
    });
  }

  active(): Promise<OfLedger<Record<Interval, ActiveTraders>>> {
    return this.#once('active', (now) => {
      if (this.#heavy) return this.#heavy.run('countActiveTraders', { now });
      const { xrp } = balanceReads(this.#engine.state);
      return this.#here(() => activeTraders(this.#engine.traders, now, xrp));
    });
  }

  /** @param token only pairs with it; undefined: all */
  rotations(hours: number, token?: number): Promise<OfLedger<RotationSum[]>> {
    return this.#once(`rotations ${hours} ${token}`, (now) => {
      if (this.#heavy) return this.#heavy.run('sumAllRotations', { now, hours, token });
      const { rotations } = this.#engine.traders;
      return this.#here(() => sumRotations(rotations, rotations.rows(now, hours), token));
    });
  }

  async #here<T>(make: () => CooperativeTask<T>): Promise<OfLedger<T>> {
    const value = await atOneVersion([this.#engine], make);
    return { value, ledger: this.#engine.head?.index ?? 0 };
  }

  #once<T>(key: string, make: (now: number) => Promise<OfLedger<T>>): Promise<OfLedger<T>> {
    const now = this.#engine.head?.closeTime ?? 0;
    const kept = this.#kept.get(key);
    if (kept && now - kept.closeTime < KEPT_SECONDS) return kept.made as Promise<OfLedger<T>>;
    const made = make(now);
    this.#kept.delete(key);
    if (this.#kept.size >= KEPT_ORDERS) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, { closeTime: now, made });
    made.catch(() => {
      if (this.#kept.get(key)?.made === made) this.#kept.delete(key);
    });
    return made;
  }
}

function* ordered(task: CooperativeTask<Gathered>): CooperativeTask<RankedRows> {
  const gathered = yield* task;
  return gathered.ordered();
}
