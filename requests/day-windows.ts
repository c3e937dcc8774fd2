/**
 * The windows of a day, as they are kept over a restart (platform/day-windows.ts): which have changed, and which there were.
 *
 * Of an address its place in the table is kept, with its tag, not the address itself: they mean the same again once the
 * table has the seed that it had. Of a key, its id. Times are words of the clock (windows.ts), of the last 24 hours.
 *
 * Cost: 10 ns a request; a bit for each entry of the table.
 */
import { type AddressWindows, timeOf } from './windows.ts';

const DAY_MS = 86_400_000;
/** Entries that are looked at before other work runs: 1 ms. */
const LOOKED_AT_ONCE = 4096;

/** Four words each: entry of the table, its tag, when the window began, what it has counted. */
export type AddressDays = readonly number[];

/** By id of the key: when the window began, what it has counted. */
export type KeyDay = readonly [string, number, number];

export class DayWindows {
  readonly #table: AddressWindows;
  /** Words from the beginning of the windows of a subject to that of the day. */
  readonly #offset: number;
  readonly #changed: Int32Array;
  #cursor = 0;
  readonly #ids = new WeakMap<Int32Array, string>();
  readonly #changedKeys = new Set<Int32Array>();
  /** Of keys that were not used since the start. */
  readonly #restored = new Map<string, KeyDay>();

  constructor(table: AddressWindows, offset: number) {
    this.#table = table;
    this.#offset = offset;
    this.#changed = new Int32Array(Math.ceil(table.entries / 32));
  }

  /** What tells where the table has an address. */
  get seed(): readonly number[] {
    return [...this.#table.seed, this.#table.entries];
  }

  /** The table becomes empty. @returns whether what was kept with this seed is of use */
  reseed(seed: readonly number[]): boolean {
    if (seed[2] !== this.#table.entries) return false;
    this.#table.reseed(seed);
    return true;
  }

  /** A request of an address. @param at where the window of the day is in the table */
  addressCounted(at: number): void {
    const entry = this.#table.entryOf(at - this.#offset);
    this.#changed[entry >> 5]! |= 1 << (entry & 31);
  }

  keyCounted(windows: Int32Array): void {
    this.#changedKeys.add(windows);
  }

  /** The windows of a key, which are new, go on where they were. */
  begin(id: string, windows: Int32Array): void {
    this.#ids.set(windows, id);
    const before = this.#restored.get(id);
    if (!before) return;
    this.#restored.delete(id);
    windows.set(before.slice(1) as number[], this.#offset);
  }

  /** Everything counts as changed. */
  touch(): void {
    this.#changed.fill(-1);
    this.#cursor = 0;
  }

  /**
   * Windows of addresses that have changed, and are then no longer called so: at most so many, of a part of the table; none
   * may be among those. undefined: the whole table has been gone through, and the next call begins again.
   */
  changed(most: number, now: number): AddressDays | undefined {
    const words = this.#changed;
    if (this.#cursor >= words.length) {
      this.#cursor = 0;
      return undefined;
    }
    const found: number[] = [];
    for (let looked = 0; this.#cursor < words.length; this.#cursor++) {
      const bits = words[this.#cursor]!;
      if (bits === 0) continue;
      if (found.length >= most * 4 || looked >= LOOKED_AT_ONCE) return found;
      words[this.#cursor] = 0;
      looked += 32;
      for (let bit = 0; bit < 32; bit++)
        if (bits & (1 << bit)) this.#describe(this.#cursor * 32 + bit, timeOf(now), found);
    }
    return found;
  }

  /** The same of keys, all of them. */
  changedKeys(): KeyDay[] {
    const days = [...this.#changedKeys].flatMap((windows): KeyDay[] => {
      const id = this.#ids.get(windows);
      return id === undefined ? [] : [[id, windows[this.#offset]!, windows[this.#offset + 1]!]];
    });
    this.#changedKeys.clear();
    return days;
  }

  /** Later ones replace earlier ones. @param now Unix ms */
  restore(addresses: AddressDays, keys: readonly KeyDay[], now: number): void {
    const { words, entries } = this.#table;
    const time = timeOf(now);
    for (let i = 0; i + 3 < addresses.length; i += 4) {
      const [entry = -1, tag = 0, start = 0, count = 0] = addresses.slice(i, i + 4);
      if (entry < 0 || entry >= entries || !isRunning(start, time)) continue;
      const at = this.#table.put(entry, tag, start) + this.#offset;
      words[at] = start;
      words[at + 1] = count;
    }
    for (const day of keys) if (isRunning(day[1], time)) this.#restored.set(day[0], day);
  }

  #describe(entry: number, time: number, found: number[]): void {
    const { words, entries } = this.#table;
    if (entry >= entries) return;
    const at = this.#table.placeOf(entry) + this.#offset;
    const start = words[at]!;
    const count = words[at + 1]!;
    if (count > 0 && isRunning(start, time)) found.push(entry, this.#table.tagOf(entry), start, count);
  }
}

const isRunning = (start: number, time: number): boolean => (time - start) >>> 0 < DAY_MS;
