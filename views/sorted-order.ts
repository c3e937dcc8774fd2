/**
 * A list of dense ids kept in descending order of a float key, for lists of hundreds of thousands of rows that
 * change by a few rows a ledger.
 *
 * Goal: a page of the list without a scan and without a full sort per ledger. Non-goal: a tree; reading a page
 * must be a slice.
 *
 *   ids   | present, key descending, ties by id ascending | absent (key NaN), id ascending |
 *
 * `markDirty(id)` only records the id. The next read takes the dirty ids out (one pass), sorts those few, and merges
 * them in (the same pass): O(n + k log k), about a millisecond for 500,000 ids. When too many are dirty, or at
 * the first read, a radix sort over the 64 key bits builds the whole order (about 30 ms for 500,000 ids, and the time of
 * computing their keys); `build` does that in slices, and ids that are marked meanwhile are merged in at the next read.
 * Rows without a key come last in either direction; ids that are not listed are left out, until one is marked dirty and
 * found listed.
 */
import { type CooperativeTask, runToEnd } from '../engine/event-loop.ts';
import { sortingDescending } from '../engine/metrics/sort-descending.ts';

export interface OrderOptions {
  /** Smallest id of the list (ids below it are never listed); default 0. */
  readonly first?: number;
  /** Whether an id is in the list now; default: all are. */
  readonly isListed?: (id: number) => boolean;
  /** Order of equal keys; default: id ascending. */
  readonly tie?: (a: number, b: number) => number;
}

/** Keys computed in one slice of a build: about 4 ms of the slowest. */
const KEYS_A_SLICE = 2048;

export class SortedOrder {
  readonly #key: (id: number) => number;
  readonly #tie: ((a: number, b: number) => number) | undefined;
  readonly #isListed: (id: number) => boolean;
  readonly #first: number;
  #ids = new Uint32Array(0);
  #spare = new Uint32Array(0);
  #keys = new Float64Array(0);
  #dirty = new Uint8Array(0);
  #pending: number[] = [];
  /** Ids below it were read. */
  #end = 0;
  #size = 0;
  #present = 0;
  #built = false;
  /** The build that is going on. */
  #building: object | undefined;

  /** @param key the sort key of an id now; NaN = absent. */
  constructor(key: (id: number) => number, { first = 0, isListed = () => true, tie }: OrderOptions = {}) {
    this.#key = key;
    this.#first = first;
    this.#isListed = isListed;
    this.#tie = tie;
  }

  /** Says that the key of an id, or whether it is listed, may have changed. Ids that are new need no call. */
  markDirty(id: number): void {
    if ((!this.#built && !this.#building) || id >= this.#dirty.length || this.#dirty[id]) return;
    if (id < this.#first || id >= this.#end) return;
    this.#dirty[id] = 1;
    this.#pending.push(id);
    if (this.#built && this.#pending.length > this.#size >> 2 && this.#pending.length > 1024) this.drop();
  }

  /** Forgets the order; the next read builds it again. */
  drop(): void {
    this.#built = false;
    this.#building = undefined;
    this.#pending = [];
    this.#dirty.fill(0);
  }

  /** Whether a read costs no more than a merge. */
  get isBuilt(): boolean {
    return this.#built;
  }

  /** Ids in order; the view is valid until the next call. `end` = number of ids that exist (exclusive bound). */
  ids(end: number): { readonly ids: Uint32Array; readonly present: number } {
    if (!this.#built) runToEnd(this.build(end));
    else this.#repair(end);
    return { ids: this.#ids.subarray(0, this.#size), present: this.#present };
  }

  /**
   * Walks the ids in the given direction; absent keys always last.
   * @param visit return false to stop.
   */
  walk(end: number, ascending: boolean, visit: (id: number) => boolean | undefined): void {
    const { ids, present } = this.ids(end);
    if (ascending) {
      for (let i = present - 1; i >= 0; i--) if (visit(ids[i]!) === false) return;
      for (let i = present; i < ids.length; i++) if (visit(ids[i]!) === false) return;
    } else for (let i = 0; i < ids.length; i++) if (visit(ids[i]!) === false) return;
  }

  /** The key of a listed id as of the last read. */
  keyOf(id: number): number {
    return this.#keys[id]!;
  }

  /** Fills `places` with the place of each listed id that has a key, from 1 on; of others it stays 0. */
  places(end: number, places: Uint32Array): void {
    const { ids, present } = this.ids(end);
    for (let i = 0; i < present; i++) places[ids[i]!] = i + 1;
  }

  /** A page of the whole list. */
  page(end: number, ascending: boolean, offset: number, limit: number): number[] {
    const { ids, present } = this.ids(end);
    const out: number[] = [];
    const stop = Math.min(ids.length, offset + limit);
    for (let i = offset; i < stop; i++) out.push(ids[ascending && i < present ? present - 1 - i : i]!);
    return out;
  }

  #grow(end: number): void {
    if (end <= this.#dirty.length) return;
    const capacity = Math.max(1024, end + (end >> 1));
    const keys = new Float64Array(capacity);
    keys.set(this.#keys);
    const dirty = new Uint8Array(capacity);
    dirty.set(this.#dirty);
    const ids = new Uint32Array(capacity);
    ids.set(this.#ids);
    this.#keys = keys;
    this.#dirty = dirty;
    this.#ids = ids;
    this.#spare = new Uint32Array(capacity);
  }

  /** Builds the order in slices; of no effect when it is dropped, or built by a read, before it ends. */
  *build(end: number): CooperativeTask<void> {
    const build = {};
    this.#grow(end);
    this.#built = false;
    this.#building = build;
    this.#pending = [];
    this.#dirty.fill(0);
    this.#end = Math.max(this.#first, end);
    const absent: number[] = [];
    const present = new Uint32Array(end);
    let count = 0;
    for (let id = this.#first; id < end; id++) {
      if (id % KEYS_A_SLICE === 0) {
        yield;
        if (this.#building !== build) return;
      }
      if (!this.#isListed(id)) continue;
      const key = this.#key(id);
      this.#keys[id] = key;
      if (Number.isNaN(key)) absent.push(id);
      else present[count++] = id;
    }
    for (const _ of this.#sorting(present.subarray(0, count))) {
      yield;
      if (this.#building !== build) return;
    }
    this.#ids.set(present.subarray(0, count));
    this.#ids.set(absent, count);
    this.#size = count + absent.length;
    this.#present = count;
    this.#building = undefined;
    this.#built = true;
  }

  *#sorting(ids: Uint32Array): CooperativeTask<void> {
    yield* sortingDescending(ids, this.#keys);
    if (this.#tie) yield* sortingRuns(ids, this.#keys, this.#tie);
  }

  #before(a: number, b: number): boolean {
    const ka = this.#keys[a]!;
    const kb = this.#keys[b]!;
    if (ka !== kb) return ka > kb;
    return this.#tie ? this.#tie(a, b) < 0 : a < b;
  }

  #repair(end: number): void {
    if (this.#pending.length === 0 && this.#end >= end) return;
    this.#grow(end);
    for (let id = this.#end; id < end; id++) {
      this.#dirty[id] = 1;
      this.#pending.push(id);
    }
    this.#end = Math.max(this.#end, end);
    const moved: number[] = [];
    const gone: number[] = [];
    for (const id of this.#pending) {
      if (!this.#isListed(id)) continue;
      const key = this.#key(id);
      this.#keys[id] = key;
      (Number.isNaN(key) ? gone : moved).push(id);
    }
    moved.sort((a, b) => (this.#before(a, b) ? -1 : 1));
    gone.sort((a, b) => a - b);
    const old = this.#ids;
    const next = this.#spare;
    let at = 0;
    let m = 0;
    for (let i = 0; i < this.#present; i++) {
      const id = old[i]!;
      if (this.#dirty[id]) continue;
      while (m < moved.length && this.#before(moved[m]!, id)) next[at++] = moved[m++]!;
      next[at++] = id;
    }
    while (m < moved.length) next[at++] = moved[m++]!;
    const present = at;
    let g = 0;
    for (let i = this.#present; i < this.#size; i++) {
      const id = old[i]!;
      if (this.#dirty[id]) continue;
      while (g < gone.length && gone[g]! < id) next[at++] = gone[g++]!;
      next[at++] = id;
    }
    while (g < gone.length) next[at++] = gone[g++]!;
    for (const id of this.#pending) this.#dirty[id] = 0;
    this.#pending = [];
    this.#ids = next;
    this.#spare = old;
    this.#size = at;
    this.#present = present;
  }
}

/** Sorts each run of equal keys with `tie`; yields after so many ids. */
function* sortingRuns(
  ids: Uint32Array,
  keys: Float64Array,
  tie: (a: number, b: number) => number,
): CooperativeTask<void> {
  let slice = 0;
  for (let start = 0; start < ids.length; ) {
    let stop = start + 1;
    while (stop < ids.length && keys[ids[stop]!] === keys[ids[start]!]) stop++;
    if (stop - start > 1) {
      const run = Array.from(ids.subarray(start, stop)).sort(tie);
      ids.set(run, start);
    }
    slice += stop - start;
    start = stop;
    if (slice < KEYS_A_SLICE) continue;
    slice = 0;
    yield;
  }
}
