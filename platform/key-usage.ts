/**
 * What keys were used for: requests and credits by day and endpoint, and the newest calls.
 *
 * Goals: a request costs a few additions; memory bounded for each key (1.5 KB). Days are written behind,
 * half a minute later: a crash forgets what was counted since. The newest calls are in memory only.
 */
import { DAY_MS } from '../engine/ripple-time.ts';
import type { Collection, PlatformStore } from './store.ts';
import { WriteBehind } from './write-behind.ts';

/** Days that are kept of a key. */
const DAYS = 30;
/** Endpoints that are told apart in a day. */
const ENDPOINTS_MAX = 200;
/** Calls that are kept of a key. */
const CALLS = 50;

/** Rows of keys that are used are written so often; a slice takes the thread under 1 ms. */
const SAVED = { everyMs: 30_000, slice: 25 };

/** Requests and tenths of credits of one day; `day` from the Unix epoch. */
export interface DayUsage {
  readonly day: number;
  requests: number;
  tenths: number;
}

interface UsageRow {
  /** Requests in all. */
  readonly total: number;
  readonly days: readonly DayUsage[];
  /** Tenths by endpoint, of the newest day. */
  readonly endpoints: Readonly<Record<string, number>>;
}

/** By id of the key. */
const USAGE: Collection<UsageRow> = {
  name: 'key-usage',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16 * 1024, rows: 1_000_000 },
  indexes: {},
};

export const USAGE_COLLECTIONS = [USAGE] as unknown as readonly Collection<unknown>[];

/** What came of a call at the gate. */
export const OUTCOMES = ['admitted', 'rate_limited', 'payment_required', 'forbidden'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Call {
  /** Unix ms. */
  readonly time: number;
  readonly endpoint: string;
  readonly outcome: Outcome;
}

export class KeyUsage {
  readonly id: string;
  /** It is known that it must be written. */
  isUnsaved = false;
  #stored: (() => UsageRow | undefined) | undefined;
  #total = 0;
  /** Oldest first. */
  #days: DayUsage[] = [];
  #today: DayUsage | undefined;
  readonly #endpoints = new Map<string, { tenths: number }>();
  readonly #times = new Float64Array(CALLS);
  readonly #paths: string[] = [];
  readonly #outcomes = new Uint8Array(CALLS);
  #calls = 0;

  /** @param stored what was counted before: read when it is asked for, since a request must not wait for it */
  constructor(id: string, stored: () => UsageRow | undefined) {
    this.id = id;
    this.#stored = stored;
  }

  /** Requests in all that were admitted. */
  get total(): number {
    this.#merge();
    return this.#total;
  }

  /** Oldest first. */
  get days(): readonly DayUsage[] {
    this.#merge();
    return this.#days;
  }

  /** Tenths of credits by endpoint, of today. */
  endpoints(now: number): ReadonlyMap<string, number> {
    this.#merge();
    const used = this.#today?.day === dayOf(now) ? [...this.#endpoints] : [];
    return new Map(used.map(([endpoint, { tenths }]) => [endpoint, tenths]));
  }

  today(now: number): { readonly requests: number; readonly tenths: number } {
    this.#merge();
    return this.#days.find(({ day }) => day === dayOf(now)) ?? { requests: 0, tenths: 0 };
  }

  admitted(path: string, endpoint: string, tenths: number, now: number): void {
    const day = dayOf(now);
    if (this.#today?.day !== day) this.#begin(day);
    this.#today!.requests++;
    this.#today!.tenths += tenths;
    this.#total++;
    this.#usedFor(endpoint, tenths);
    this.called(path, 0, now);
  }

  /** @param outcome position in OUTCOMES */
  called(path: string, outcome: number, now: number): void {
    const at = this.#calls++ % CALLS;
    this.#times[at] = now;
    this.#paths[at] = path;
    this.#outcomes[at] = outcome;
  }

  /** Newest first. */
  calls(): Call[] {
    const kept = Math.min(this.#calls, CALLS);
    return Array.from({ length: kept }, (_, back) => {
      const at = (this.#calls - 1 - back) % CALLS;
      return { time: this.#times[at]!, endpoint: this.#paths[at]!, outcome: OUTCOMES[this.#outcomes[at]!]! };
    });
  }

  row(): UsageRow {
    this.#merge();
    const used = [...this.#endpoints].map(([endpoint, { tenths }]) => [endpoint, tenths] as const);
    const endpoints = Object.fromEntries(used);
    return { total: this.#total, days: this.#days.map((day) => ({ ...day })), endpoints };
  }

  #usedFor(endpoint: string, tenths: number): void {
    const used = this.#endpoints.get(endpoint);
    if (used) used.tenths += tenths;
    else if (this.#endpoints.size < ENDPOINTS_MAX) this.#endpoints.set(endpoint, { tenths });
  }

  /** Puts what was counted before in front of what was counted since. */
  #merge(): void {
    const row = this.#stored?.();
    this.#stored = undefined;
    if (!row) return;
    const past = row.days.map((day) => ({ ...day }));
    const last = past.at(-1);
    this.#total += row.total;
    // Their endpoints are those of one day.
    const isSameDay = last !== undefined && (this.#today === undefined || this.#today.day === last.day);
    if (isSameDay)
      for (const [endpoint, tenths] of Object.entries(row.endpoints)) this.#usedFor(endpoint, tenths);
    const since = new Map(this.#days.map((one) => [one.day, one]));
    for (const one of past) {
      const same = since.get(one.day);
      if (!same) since.set(one.day, one);
      else {
        same.requests += one.requests;
        same.tenths += one.tenths;
      }
    }
    this.#days = [...since.values()].sort((a, b) => a.day - b.day).slice(-DAYS);
    this.#today ??= this.#days.at(-1);
  }

  /** Days that are later are those of a clock that was ahead. */
  #begin(day: number): void {
    const days = this.#days;
    const at = days.findLastIndex((one) => one.day <= day);
    const known = days[at]?.day === day ? days[at] : undefined;
    this.#today = known ?? { day, requests: 0, tenths: 0 };
    if (!known) days.splice(at + 1, 0, this.#today);
    if (days.length > DAYS) days.shift();
    this.#endpoints.clear();
  }
}

/** The usage of all keys that were used since the service began, or are asked for. */
export class KeyUsages {
  readonly #used = new Map<string, KeyUsage>();
  #store: PlatformStore | undefined;
  readonly #behind = new WriteBehind<KeyUsage>(SAVED, (usages, transaction) => {
    for (const usage of usages) {
      usage.isUnsaved = false;
      // Its key was deleted since.
      if (this.#used.get(usage.id) !== usage) continue;
      transaction.put(USAGE, [usage.id], usage.row());
    }
  });

  attach(store: PlatformStore): void {
    this.#store = store;
    this.#behind.attach(store);
  }

  /** @param id of a key */
  of(id: string): KeyUsage {
    const known = this.#used.get(id);
    if (known) return known;
    const usage = new KeyUsage(id, () => this.#store?.get(USAGE, [id]));
    this.#used.set(id, usage);
    return usage;
  }

  changed(usage: KeyUsage): void {
    if (usage.isUnsaved) return;
    usage.isUnsaved = true;
    this.#behind.changed(usage);
  }

  /** The key was deleted. */
  async forget(id: string): Promise<void> {
    this.#used.delete(id);
    await this.#store?.transaction((transaction) => transaction.delete(USAGE, [id]));
  }

  close(): Promise<void> {
    return this.#behind.close();
  }
}

const dayOf = (now: number) => Math.floor(now / DAY_MS);
