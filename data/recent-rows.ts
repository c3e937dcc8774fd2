/**
 * History rows that are durable in the log and not yet merged into their tables, by key.
 *
 *     generation   | row | row | ...          rows as in a batch (batch.ts), in order of arrival, in shared memory
 *     hashes       open addressing over the first key bytes, which are random
 *     other rows   group (token, account, level and token, ...) -> places of rows, ascending by key
 *
 * Keys of a group nearly always ascend as ledgers come, so a row is appended to its group; a row with the last one's key
 * takes its place. Of two generations the newer one is asked first.
 *
 * Cost: about 100 ns and 20 bytes a row beside its own bytes.
 */
import { FAMILIES, type FamilyId } from '../engine/families.ts';
import { CHECKSUM_BYTES } from './checksum.ts';
import { ROW_HEADER_BYTES } from './chunks.ts';
import { FAMILY_NAMES, Family, HASH_KEY_BYTES } from './keys.ts';

/** Bytes of a generation before the next one begins, and what one batch may add above that. */
export const GENERATION_BYTES = 32 * 1024 * 1024;
/** A batch with more goes into the tables at once. */
export const LOGGED_BYTES_MAX = 2 * 1024 * 1024;

const FIRST_SLOTS = 1 << 12;

/** How many bytes at the front of a key name its group, by family. */
const GROUP_BYTES = new Uint8Array(256);
for (const name of FAMILY_NAMES) {
  const widths: readonly number[] = FAMILIES[name].key;
  const position = name.endsWith('rades') ? 3 : name === 'closeTimes' ? 2 : 1;
  GROUP_BYTES[Family[name]] = widths
    .slice(0, Math.max(0, widths.length - position))
    .reduce((sum, w) => sum + w, 0);
}

const isHashed = (family: number): boolean => family === Family.transactions || family === Family.entries;

export class RecentRows {
  /** Newest batch in it. */
  last = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Places of rows, plus 1. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #hashes = 0;
  readonly #groups = new Map<number, Map<number, number[]>>();

  constructor(buffer: ArrayBufferLike) {
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Takes in the rows that lie between two places. */
  add(batch: number, from: number, to: number): void {
    this.last = batch;
    for (let at = from; at < to; at = this.#end(at)) {
      if (isHashed(this.#bytes[at]!)) this.#addHash(at);
      else this.#addToGroup(at);
    }
  }

  /** The value of a key. */
  find(family: FamilyId, key: Uint8Array): Uint8Array | undefined {
    if (isHashed(family)) {
      const at = this.#slots[this.#slotOf(family, key, 0)]!;
      return at === 0 ? undefined : this.value(at - 1);
    }
    const places = this.#groups.get(family)?.get(groupOf(family, key, 0)) ?? [];
    const i = this.#search(places, key, 0);
    return i < places.length && this.#compare(places[i]!, key, 0) === 0 ? this.value(places[i]!) : undefined;
  }

  /** Places of the rows from one key to another, both included, ascending. */
  range(family: FamilyId, first: Uint8Array, last: Uint8Array): readonly number[] {
    const groups = this.#groups.get(family);
    if (!groups) return [];
    const [low, high] = [groupOf(family, first, 0), groupOf(family, last, 0)];
    if (low === high) return this.#within(groups.get(low) ?? [], first, last);
    const wanted = [...groups.keys()].filter((group) => group >= low && group <= high).sort((a, b) => a - b);
    return wanted.flatMap((group) => this.#within(groups.get(group)!, first, last));
  }

  key(at: number): Uint8Array {
    const start = at + ROW_HEADER_BYTES;
    return this.#bytes.slice(start, start + this.#bytes[at + 1]!);
  }

  value(at: number): Uint8Array {
    return this.#bytes.slice(at + ROW_HEADER_BYTES + this.#bytes[at + 1]!, this.#end(at) - CHECKSUM_BYTES);
  }

  #end(at: number): number {
    return at + ROW_HEADER_BYTES + this.#bytes[at + 1]! + this.#view.getUint32(at + 4, true);
  }

  #within(places: readonly number[], first: Uint8Array, last: Uint8Array): readonly number[] {
    const start = this.#search(places, first, 0);
    let end = this.#search(places, last, 0);
    if (end < places.length && this.#compare(places[end]!, last, 0) === 0) end++;
    return places.slice(start, end);
  }

  #addHash(at: number): void {
    if (this.#hashes * 2 > this.#slots.length) this.#grow();
    const key = at + ROW_HEADER_BYTES;
    const slot = this.#slotOf(this.#bytes[at]!, this.#bytes, key);
    if (this.#slots[slot] === 0) this.#hashes++;
    this.#slots[slot] = at + 1;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 4);
    for (let i = 0; i < before.length; i++) {
      const at = before[i]!;
      if (at > 0)
        this.#slots[this.#slotOf(this.#bytes[at - 1]!, this.#bytes, at - 1 + ROW_HEADER_BYTES)] = at;
    }
  }

  /** The slot that has the hash, or the free one where it belongs. */
  #slotOf(family: number, key: Uint8Array, keyAt: number): number {
    const mask = this.#slots.length - 1;
    let slot =
      (key[keyAt]! | (key[keyAt + 1]! << 8) | (key[keyAt + 2]! << 16) | (key[keyAt + 3]! << 24)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot]!;
      if (at === 0) return slot;
      if (this.#bytes[at - 1] === family && this.#compare(at - 1, key, keyAt, HASH_KEY_BYTES) === 0)
        return slot;
    }
  }

  #addToGroup(at: number): void {
    const family = this.#bytes[at]!;
    const key = at + ROW_HEADER_BYTES;
    let groups = this.#groups.get(family);
    if (!groups) {
      groups = new Map();
      this.#groups.set(family, groups);
    }
    const group = groupOf(family, this.#bytes, key);
    const places = groups.get(group);
    if (!places) {
      groups.set(group, [at]);
      return;
    }
    const last = places.length - 1;
    const order = this.#compare(places[last]!, this.#bytes, key);
    if (order < 0) places.push(at);
    // The current candle of a token, again.
    else if (order === 0) places[last] = at;
    else {
      const i = this.#search(places, this.#bytes, key);
      const same = this.#compare(places[i]!, this.#bytes, key) === 0;
      places.splice(i, same ? 1 : 0, at);
    }
  }

  /** First place whose key is not below the one given. */
  #search(places: readonly number[], key: Uint8Array, keyAt: number): number {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(places[middle]!, key, keyAt) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Order of a row's key and another one of the same length. */
  #compare(at: number, key: Uint8Array, keyAt: number, length = this.#bytes[at + 1]!): number {
    const own = at + ROW_HEADER_BYTES;
    for (let i = 0; i < length; i++) {
      const difference = this.#bytes[own + i]! - key[keyAt + i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

function groupOf(family: number, key: Uint8Array, at: number): number {
  let group = 0;
  for (let i = 0, length = GROUP_BYTES[family]!; i < length; i++) group = group * 256 + key[at + i]!;
  return group;
}
