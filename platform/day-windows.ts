/**
 * How the windows of a day survive a restart: what has changed is written behind the requests, once a second, as rows of a
 * journal. At each start, and when the journal has become long, it is written again with what still counts.
 *
 *     table -> | 500 addresses, keys | 500 addresses, keys | ...     every second
 *
 * A crash forgets the last second, which is the client's gain. Cost: 20 bytes for each address that asked in a second.
 */
import { yieldToLoop } from '../engine/event-loop.ts';
import { DAY_MS } from '../engine/ripple-time.ts';
import type { Collection, Key, PlatformStore } from './store.ts';

const EVERY_MS = 1000;
/** A row takes the thread under 1 ms. */
const ROW_ADDRESSES = 500;
const ROW_KEYS = 500;
/** Rows that are read, or removed, before other work runs: 2 ms. */
const ROWS_AT_ONCE = 32;
/** Rows from which on the journal is written again, and how many times as long as after the last time it must be. */
const ROWS_MIN = 4000;
const GROWTH = 2;

type KeyDay = readonly [string, number, number];

/** The windows that are kept. */
export interface KeptDays {
  /** What tells where the table has an address. */
  readonly seed: readonly number[];
  /** @returns whether what was kept with this seed is of use */
  reseed(seed: readonly number[]): boolean;
  /** Everything counts as changed. */
  touch(): void;
  /**
   * What has changed since it was asked for: at most so many addresses, of a part of the table. undefined: the whole table has
   * been gone through, and the next call begins again. @param now Unix ms
   */
  changed(most: number, now: number): readonly number[] | undefined;
  changedKeys(): readonly KeyDay[];
  restore(addresses: readonly number[], keys: readonly KeyDay[], now: number): void;
}

interface DaysRow {
  /** Unix ms. */
  readonly at: number;
  readonly seed: readonly number[];
  readonly addresses: readonly number[];
  readonly keys: readonly KeyDay[];
}

/** By number. */
const DAYS: Collection<DaysRow> = {
  name: 'day-windows',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 64 * 1024, rows: 1_000_000 },
  indexes: {},
};

export const DAY_COLLECTIONS = [DAYS] as unknown as readonly Collection<unknown>[];

export class DayJournal {
  readonly #days: KeptDays;
  readonly #now: () => number;
  readonly #rowsMin: number;
  #store: PlatformStore | undefined;
  #next = 0;
  #rows = 0;
  /** After it was last written again. */
  #least = 0;
  /** Of keys, what could not be written. */
  #late: readonly KeyDay[] = [];
  #timer: Timer | undefined;
  #saving: Promise<void> = Promise.resolve();

  /** @param now Unix ms. @param rowsMin default: ROWS_MIN */
  constructor(days: KeptDays, now: () => number, rowsMin = ROWS_MIN) {
    this.#days = days;
    this.#now = now;
    this.#rowsMin = rowsMin;
  }

  /** Takes in what is kept there, and keeps it there from now on. */
  attach(store: PlatformStore): void {
    this.#store = store;
    const rows: DaysRow[] = [];
    store.walk(DAYS, {}, (row, [number]) => {
      this.#next = Number(number) + 1;
      this.#rows++;
      if (this.#now() - row.at < DAY_MS) rows.push(row);
      return true;
    });
    const seed = rows.at(-1)?.seed;
    const isSame = seed !== undefined && this.#days.reseed(seed);
    for (const row of rows) {
      const isOfSeed = isSame && row.seed.join() === seed.join();
      this.#days.restore(isOfSeed ? row.addresses : [], row.keys, this.#now());
    }
    this.#timer = setInterval(() => void this.save(), EVERY_MS);
    this.#timer.unref();
  }

  /** Resolves when all that was counted until now is durable. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /** Writes what is left, and no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
    this.#store = undefined;
  }

  async #save(): Promise<void> {
    const store = this.#store;
    if (!store) return;
    // Of each key the newest: while nothing can be written, they must not gather.
    const newest = new Map([...this.#late, ...this.#days.changedKeys()].map((day) => [day[0], day]));
    const keys = [...newest.values()];
    this.#late = [];
    try {
      if (this.#rows > Math.max(this.#rowsMin, this.#least * GROWTH)) await this.#renew(store, keys);
      else await this.#append(store, keys);
    } catch {
      // Written with the next.
      this.#late = keys;
      this.#days.touch();
    }
  }

  async #append(store: PlatformStore, keys: readonly KeyDay[]): Promise<void> {
    for (let from = 0; ; from += ROW_KEYS) {
      const at = this.#now();
      const changed = this.#days.changed(ROW_ADDRESSES, at);
      const addresses = changed ?? [];
      const row = { at, seed: this.#days.seed, addresses, keys: keys.slice(from, from + ROW_KEYS) };
      if (addresses.length === 0 && row.keys.length === 0) {
        if (!changed) return;
        await yieldToLoop();
        continue;
      }
      await store.transaction((transaction) => transaction.put(DAYS, [this.#next++], row));
      this.#rows++;
    }
  }

  /** The newest of all that still counts, then nothing that was before. */
  async #renew(store: PlatformStore, changed: readonly KeyDay[]): Promise<void> {
    const before = this.#next;
    const keys = new Map<string, KeyDay>();
    const past: Key[] = [];
    for (let read = ROWS_AT_ONCE; read === ROWS_AT_ONCE; await yieldToLoop()) {
      read = 0;
      const after = past.at(-1);
      store.walk(DAYS, { ...(after && { after }), limit: ROWS_AT_ONCE }, (row, key) => {
        read++;
        past.push(key);
        if (this.#now() - row.at < DAY_MS) for (const day of row.keys) keys.set(day[0], day);
        return true;
      });
    }
    for (const day of changed) keys.set(day[0], day);
    this.#days.touch();
    await this.#append(store, [...keys.values()]);
    for (let from = 0; from < past.length; from += ROWS_AT_ONCE)
      await store.transaction((transaction) => {
        for (const key of past.slice(from, from + ROWS_AT_ONCE)) transaction.delete(DAYS, key);
      });
    this.#rows = this.#next - before;
    this.#least = this.#rows;
  }
}
