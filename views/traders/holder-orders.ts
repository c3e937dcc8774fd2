/**
 * Holders of a token by profit, or by how their balance changed in 24 hours; and the balances of a day ago.
 *
 *     pnl         positions by profit (trader-orders.ts) --> lines with a balance;  then those that never traded, by balance
 *     change24h   balance changes of a day (engine/flows) --> more | as much, by balance | less
 *
 * Made in slices and kept: for a ledger; of tokens with many lines for KEPT_SECONDS of close time.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { sortingDescending } from '../../engine/metrics/sort-descending.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { IdMarks } from '../id-marks.ts';
import type { TraderOrders } from './trader-orders.ts';

/** Of close time. */
const KEPT_SECONDS = 30;
/** Tokens of at most this many lines are ordered again after every ledger. */
const LINES_EACH_LEDGER = 8000;
const ROWS_A_SLICE = 5000;
const KEPT_TOKENS = 64;

export type HolderOrder = 'pnl' | 'change24h';

export interface OrderOfHolders {
  readonly by: HolderOrder;
  /** Smallest first; those that never traded come last either way. */
  readonly ascending: boolean;
}

/** Balances of a day ago. */
export interface DayBalances {
  /** Raw, by account: of those whose balance changed since. */
  readonly of: ReadonlyMap<number, readonly [hi: number, lo: number]>;
  /** Close time, Ripple epoch seconds, at which the first of these changes is a day old. */
  readonly expires: number;
}

interface Kept {
  readonly version: number;
  readonly closeTime: number;
  readonly made: Promise<unknown>;
  isMade: boolean;
  /** What was made; until then, what was made before it. */
  last: unknown;
}

export class HolderOrders {
  readonly #engine: Engine;
  readonly #orders: TraderOrders;
  readonly #kept = new Map<string, Kept>();

  constructor(engine: Engine, orders: TraderOrders) {
    this.#engine = engine;
    this.#orders = orders;
  }

  /** Balances of a day ago of the accounts whose balance changed since. */
  dayBalances(token: number): Promise<DayBalances> {
    return this.#once(`day ${token}`, token, () =>
      atOneVersion([this.#engine], () => this.#gatherDay(token)),
    );
  }

  /** As `dayBalances`, where that needs no long computation now. */
  dayBalancesNow(token: number): DayBalances | undefined {
    const key = `day ${token}`;
    const kept = this.#current(key, token);
    if (kept) return kept.isMade ? (kept.last as DayBalances) : undefined;
    const { done, value } = this.#gatherDay(token).next();
    if (!done) return undefined;
    this.#keep(key, Promise.resolve(value), value).isMade = true;
    return value;
  }

  /** Those gathered last, of a version before this one where `dayBalances` is not through. */
  lastDayBalances(token: number): DayBalances | undefined {
    return this.#kept.get(`day ${token}`)?.last as DayBalances | undefined;
  }

  /** Lines in order. @param ranked the token's lines with a balance, by balance */
  lines(token: number, order: OrderOfHolders, ranked: Uint32Array, price?: number): Promise<Uint32Array> {
    const { by, ascending } = order;
    const copy = ranked.slice();
    return this.#once(`${by} ${ascending} ${token}`, token, async () => {
      if (by === 'pnl') return this.#byProfit(token, copy, ascending, price);
      const changes = await this.#byChange(token, copy);
      return ascending ? changes.reverse() : changes;
    });
  }

  async #byProfit(
    token: number,
    ranked: Uint32Array,
    ascending: boolean,
    price?: number,
  ): Promise<Uint32Array> {
    const query = { token, interval: 'all', sort: 'pnl', ascending, price } as const;
    const { value } = await this.#orders.tokenTraders(query);
    return atOneVersion([this.#engine], () => this.#tradedFirst(token, ranked, value.rows));
  }

  *#tradedFirst(token: number, ranked: Uint32Array, rows: Uint32Array): CooperativeTask<Uint32Array> {
    const { lines } = this.#engine.state;
    const { positions } = this.#engine.traders;
    const isLeft = new IdMarks(lines.table.count);
    for (let i = 0; i < ranked.length; i++) isLeft.add(ranked[i]!);
    const order = new Uint32Array(ranked.length);
    let at = 0;
    for (let i = 0; i < rows.length; i++) {
      if (i % ROWS_A_SLICE === 0) yield;
      const line = lines.find(positions.accounts[rows[i]!]!, token);
      // Each once: what is left has not been traded.
      if (line !== undefined && isLeft.delete(line)) order[at++] = line;
    }
    yield;
    for (let i = 0; i < ranked.length; i++) if (isLeft.has(ranked[i]!)) order[at++] = ranked[i]!;
    return order;
  }

  async #byChange(token: number, ranked: Uint32Array): Promise<Uint32Array> {
    const before = await this.dayBalances(token);
    return atOneVersion([this.#engine], () => this.#byDifference(token, ranked, before));
  }

  *#byDifference(token: number, ranked: Uint32Array, before: DayBalances): CooperativeTask<Uint32Array> {
    const { lines, tokens } = this.#engine.state;
    // By place in the ranking: of the same change the larger holder comes first.
    const changes = new Float64Array(ranked.length);
    const places = new Uint32Array(ranked.length);
    for (let i = 0; i < ranked.length; i++) {
      if (i % ROWS_A_SLICE === ROWS_A_SLICE - 1) yield;
      places[i] = i;
      const line = ranked[i]!;
      const raw = before.of.get(lines.holderAccount(line, token));
      if (raw) changes[i] = lines.balanceNumber(line, token) - tokens.number(token, ...raw);
    }
    yield;
    yield* sortingDescending(places, changes);
    return places.map((place) => ranked[place]!);
  }

  *#gatherDay(token: number): CooperativeTask<DayBalances> {
    const ring = this.#engine.flows.balanceChanges;
    const now = this.#engine.head?.closeTime ?? 0;
    const before = new Map<number, readonly [number, number]>();
    let expires = Number.POSITIVE_INFINITY;
    let passed = 0;
    for (const row of ring.rows(token, now - DAY)) {
      if (++passed % ROWS_A_SLICE === 0) yield;
      // Newest first: the oldest change of an account has what it held before.
      before.set(ring.account[row]!, [ring.beforeHi[row]!, ring.beforeLo[row]!]);
      expires = ring.time[row]! + DAY;
    }
    return { of: before, expires };
  }

  /** What is kept and is not too old. */
  #current(key: string, token: number): Kept | undefined {
    const { version, head, state } = this.#engine;
    const kept = this.#kept.get(key);
    const isSmall = state.lines.lineCount(token) <= LINES_EACH_LEDGER;
    const age = (head?.closeTime ?? 0) - (kept?.closeTime ?? 0);
    return kept && (kept.version === version || (!isSmall && age < KEPT_SECONDS)) ? kept : undefined;
  }

  #keep(key: string, made: Promise<unknown>, last: unknown): Kept {
    const { version, head } = this.#engine;
    const kept = { version, closeTime: head?.closeTime ?? 0, made, last, isMade: false };
    this.#kept.delete(key);
    if (this.#kept.size >= KEPT_TOKENS) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, kept);
    return kept;
  }

  #once<T>(key: string, token: number, make: () => Promise<T>): Promise<T> {
    const current = this.#current(key, token);
    if (current) return current.made as Promise<T>;
    const made = make();
    const kept = this.#keep(key, made, this.#kept.get(key)?.last);
    const settle = (last: T) => Object.assign(kept, { last, isMade: true });
    made.then(settle, () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return made;
  }
}
