/**
 * How often tokens were looked at in the last 24 hours. A view is an answer to GET /token/{id}, of which one counts for each
 * client and hour: a program that asks every second does not make a token popular.
 *
 *     row of a token |  hour 0 | hour 1 | ... | hour 23 |  sum | shown
 *                        ^ the running hour: its column is emptied when it begins
 *
 * Goals: bounded memory (4 MB and a bit for each pair of client and token of an hour, never an address), and figures that
 * change with ledgers only, so that kept answers last as long as others. Hours are of close time: 23 whole ones and the
 * running one. Non-goals: telling people apart behind one address; exact counts (two pairs that share a bit count as one:
 * 2 % fewer at 80,000 views an hour).
 *
 * Cost: under 1 us a view. The counts are stored every 64 ledgers, and when the service stops.
 */
import { HOUR } from '../engine/ripple-time.ts';
import type { Collection, Key, PlatformStore } from './store.ts';

/** Whole hours and the running one. */
const HOURS = 24;
/** Tokens that are counted at a time; further ones are counted when others have had no views for a day. */
const TOKENS_MAX = 20_000;
/** Bits for the pairs of client and token of the running hour; a power of 2. */
const PAIR_BITS = 1 << 21;
const SAVE_EVERY_LEDGERS = 64;

/** Views of one hour by token; the key is the hour, from the Ripple epoch. */
const TOKEN_VIEWS: Collection<Readonly<Record<string, number>>> = {
  name: 'token-views',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 1024 * 1024, rows: 2 * HOURS },
  indexes: {},
};

export const VIEW_COLLECTIONS = [TOKEN_VIEWS] as unknown as readonly Collection<unknown>[];

export class ViewCounts {
  readonly #rows = new Map<string, number>();
  readonly #md5s: string[] = [];
  readonly #free: number[] = [];
  readonly #counts = new Uint32Array(TOKENS_MAX * HOURS);
  readonly #sums = new Uint32Array(TOKENS_MAX);
  readonly #shown = new Uint32Array(TOKENS_MAX);
  readonly #pairs = new Uint8Array(PAIR_BITS >> 3);
  /** Rows whose sum may not be the one shown. */
  readonly #moved = new Set<number>();
  #store: PlatformStore | undefined;
  #saving: Promise<void> = Promise.resolve();
  #unsaved = false;
  #ledgers = 0;
  /** The running one, from the Ripple epoch. */
  #hour = 0;

  /**
   * Takes in what was counted before, which is shown from now on, and stores.
   * @param closeTime of the newest ledger, Ripple epoch seconds
   */
  attach(store: PlatformStore, closeTime: number): void {
    this.#store = store;
    store.walk(TOKEN_VIEWS, {}, (views, [hour]) => {
      this.#begin(Number(hour));
      for (const [md5, count] of Object.entries(views)) this.#add(md5, Number(hour), count);
      return true;
    });
    this.#show(closeTime);
  }

  /**
   * @param client what tells clients apart; '' where that is not known
   * @param closeTime of the newest ledger, Ripple epoch seconds
   */
  view(md5: string, client: string, closeTime: number): void {
    this.#begin(Math.floor(closeTime / HOUR));
    const bit = Bun.hash.xxHash32(`${md5}${client}`) & (PAIR_BITS - 1);
    const mask = 1 << (bit & 7);
    if (this.#pairs[bit >> 3]! & mask) return;
    this.#pairs[bit >> 3]! |= mask;
    this.#add(md5, this.#hour, 1);
    this.#unsaved = true;
  }

  /** Views in 24 hours, as of the newest ledger. */
  of(md5: string): number {
    const row = this.#rows.get(md5);
    return row === undefined ? 0 : this.#shown[row]!;
  }

  /**
   * A ledger was applied.
   * @param closeTime Ripple epoch seconds
   * @returns the tokens whose figure is another one from now on
   */
  publish(closeTime: number): string[] {
    const changed = this.#show(closeTime);
    if (++this.#ledgers % SAVE_EVERY_LEDGERS === 0) void this.save();
    return changed;
  }

  #show(closeTime: number): string[] {
    this.#begin(Math.floor(closeTime / HOUR));
    const changed: string[] = [];
    for (const row of this.#moved) {
      if (this.#shown[row] !== this.#sums[row]) changed.push(this.#md5s[row]!);
      this.#shown[row] = this.#sums[row]!;
      if (this.#sums[row] === 0) this.#release(row);
    }
    this.#moved.clear();
    return changed;
  }

  /** Resolves when what was counted is stored. What fails is tried again with the next. */
  save(): Promise<void> {
    const store = this.#store;
    if (!this.#unsaved || !store) return this.#saving;
    this.#unsaved = false;
    const [hour, views] = [this.#hour, this.#running()];
    this.#saving = this.#saving
      .then(() => write(store, hour, views))
      .catch(() => {
        this.#unsaved = true;
      });
    return this.#saving;
  }

  /** Views of the running hour. */
  #running(): Record<string, number> {
    const views: Record<string, number> = {};
    for (const [md5, row] of this.#rows) {
      const count = this.#counts[row * HOURS + (this.#hour % HOURS)]!;
      if (count > 0) views[md5] = count;
    }
    return views;
  }

  /** Hours begin until this one runs. */
  #begin(hour: number): void {
    if (hour <= this.#hour) return;
    // An hour is stored once more at its end.
    void this.save();
    const first = Math.max(this.#hour + 1, hour - HOURS + 1);
    this.#hour = hour;
    this.#pairs.fill(0);
    for (let begun = first; begun <= hour; begun++)
      for (const row of this.#rows.values()) {
        const at = row * HOURS + (begun % HOURS);
        if (this.#counts[at] === 0) continue;
        this.#sums[row]! -= this.#counts[at]!;
        this.#counts[at] = 0;
        this.#moved.add(row);
      }
  }

  #add(md5: string, hour: number, count: number): void {
    const row = this.#rows.get(md5) ?? this.#take(md5);
    if (row === undefined) return;
    this.#counts[row * HOURS + (hour % HOURS)]! += count;
    this.#sums[row]! += count;
    this.#moved.add(row);
  }

  #take(md5: string): number | undefined {
    if (this.#free.length === 0 && this.#md5s.length === TOKENS_MAX) return undefined;
    const row = this.#free.pop() ?? this.#md5s.length;
    this.#md5s[row] = md5;
    this.#rows.set(md5, row);
    return row;
  }

  #release(row: number): void {
    this.#rows.delete(this.#md5s[row]!);
    this.#free.push(row);
  }
}

async function write(store: PlatformStore, hour: number, views: Record<string, number>): Promise<void> {
  await store.transaction((transaction) => {
    const past: Key[] = [];
    transaction.walk(TOKEN_VIEWS, {}, (_, key) => {
      if (Number(key[0]) <= hour - HOURS) past.push(key);
      return true;
    });
    for (const key of past) transaction.delete(TOKEN_VIEWS, key);
    transaction.put(TOKEN_VIEWS, [hour], views);
  });
}
