/** Rows that are written but not committed yet, and reads in which they replace those of the store. */
import { opened, sealed } from './checksum.ts';
import { corrupt } from './errors.ts';
import { endOf, PLATFORM_FAMILY_NAMES, type PlatformFamilyId } from './platform-keys.ts';
import type { PlatformSnapshot } from './platform-snapshot.ts';

/** A row as it is stored: with its checksum. */
export interface StoredRow {
  readonly family: PlatformFamilyId;
  readonly key: Buffer;
  /** undefined: removed. */
  readonly value: Buffer | undefined;
}

/** By how much a collection has grown. */
interface Growth {
  rows: number;
  bytes: number;
}

export class Changes {
  /** Keys and values, in bytes. */
  bytes = 0;
  /** By collection. */
  readonly growth = new Map<string, Growth>();
  /** By family, then by key: one character for each byte, so the order is that of the bytes. */
  readonly #rows = PLATFORM_FAMILY_NAMES.map(() => new Map<string, StoredRow>());

  /** @param value without checksum; undefined removes the row */
  set(family: PlatformFamilyId, key: Buffer, value: Uint8Array | undefined): void {
    this.#put({ family, key, value: value && Buffer.from(sealed(family, key, value)) });
  }

  grow(collection: string, rows: number, bytes: number): void {
    const growth = this.growth.get(collection) ?? { rows: 0, bytes: 0 };
    this.growth.set(collection, { rows: growth.rows + rows, bytes: growth.bytes + bytes });
  }

  get(family: PlatformFamilyId, key: Buffer): StoredRow | undefined {
    return this.#rows[family]!.get(key.toString('latin1'));
  }

  /** Adds changes that were made later. */
  merge(later: Changes): void {
    for (const row of later.rows()) this.#put(row);
    for (const [collection, { rows, bytes }] of later.growth) this.grow(collection, rows, bytes);
  }

  *rows(): Generator<StoredRow, void, undefined> {
    for (const family of this.#rows) yield* family.values();
  }

  /** Those from `start` up to, not including `end`, in any order. */
  *between(family: PlatformFamilyId, start: Buffer, end: Buffer): Generator<[string, StoredRow]> {
    const [low, high] = [start.toString('latin1'), end.toString('latin1')];
    for (const [key, row] of this.#rows[family]!) if (key >= low && key < high) yield [key, row];
  }

  #put(row: StoredRow): void {
    const key = row.key.toString('latin1');
    const before = this.#rows[row.family]!.get(key);
    if (before) this.bytes -= before.key.length + (before.value?.length ?? 0);
    this.bytes += row.key.length + (row.value?.length ?? 0);
    this.#rows[row.family]!.set(key, row);
  }
}

/** A range of stored keys. */
export interface KeyRange {
  readonly prefix: Buffer;
  /** Begin after this key, in the direction of the walk. */
  readonly after?: Buffer | undefined;
  readonly reverse?: boolean | undefined;
}

/** The rows of the store with layers of uncommitted changes. */
export class PlatformRows {
  readonly #snapshot: PlatformSnapshot;
  /** The newest is the last. */
  readonly #layers: readonly Changes[];

  constructor(snapshot: PlatformSnapshot, layers: readonly Changes[] = []) {
    this.#snapshot = snapshot;
    this.#layers = layers;
  }

  /** The value without its checksum. @throws StoreError corrupt */
  get(family: PlatformFamilyId, key: Buffer): Buffer | undefined {
    for (let i = this.#layers.length - 1; i >= 0; i--) {
      const row = this.#layers[i]!.get(family, key);
      if (row) return row.value && this.#open(family, key, row.value);
    }
    const { environment, in: options } = this.#snapshot;
    const stored = environment.families[family]!.getBinary(key, options);
    return stored && this.#open(family, key, stored);
  }

  /**
   * Rows in the order of their keys, as they are when the walk begins. The walk must end before the next `await`.
   * Cost: one step of LMDB for each stored row, one look-up per layer for each changed row, and sorting the changed rows of
   * the range.
   */
  *walk(
    family: PlatformFamilyId,
    { prefix, after, reverse = false }: KeyRange,
  ): Generator<{ key: Buffer; value: Buffer }, void, undefined> {
    const low = after && !reverse ? after : prefix;
    const high = after && reverse ? after : endOf(prefix);
    const isAfter = (key: Buffer): boolean => after?.equals(key) === true;
    const changed = this.#changed(family, low, high, reverse);
    let next = 0;
    const { environment, in: options } = this.#snapshot;
    const bounds = reverse
      ? { start: high, end: low, reverse, inclusiveEnd: true }
      : { start: low, end: high };
    for (const { key, value } of environment.families[family]!.getRange({ ...bounds, ...options })) {
      const at = Buffer.from(key);
      if (isAfter(at)) continue;
      let isReplaced = false;
      for (; next < changed.length; next++) {
        const row = changed[next]!;
        const order = reverse ? Buffer.compare(at, row.key) : Buffer.compare(row.key, at);
        if (order > 0) break;
        if (order === 0) isReplaced = true;
        if (row.value && !isAfter(row.key))
          yield { key: row.key, value: this.#open(family, row.key, row.value) };
      }
      if (!isReplaced) yield { key: at, value: this.#open(family, at, Buffer.from(value)) };
    }
    for (const row of changed.slice(next))
      if (row.value && !isAfter(row.key))
        yield { key: row.key, value: this.#open(family, row.key, row.value) };
  }

  #changed(family: PlatformFamilyId, low: Buffer, high: Buffer, reverse: boolean): StoredRow[] {
    if (this.#layers.length === 0) return [];
    const found = new Map<string, StoredRow>();
    for (const layer of this.#layers)
      for (const [key, row] of layer.between(family, low, high)) found.set(key, row);
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    return reverse ? sorted.reverse() : sorted;
  }

  #open(family: PlatformFamilyId, key: Buffer, stored: Buffer): Buffer {
    const value = opened(family, key, stored);
    if (value) return Buffer.from(value.buffer, value.byteOffset, value.length);
    throw damagedPlatformRow(this.#snapshot.dir, family, key);
  }
}

export function damagedPlatformRow(dir: string, family: PlatformFamilyId, key: Buffer): Error {
  return corrupt(
    dir,
    `table '${PLATFORM_FAMILY_NAMES[family]}': row ${key.toString('hex')} is not what was written`,
  );
}
