/** The operations of a transaction (platform/store.ts): reads of the store, and writes that are collected until it ends. */
import {
  type Collection,
  type Key,
  PlatformError,
  type PlatformReads,
  type PlatformTransaction,
  type RowVisitor,
  type WalkRange,
} from '../platform/store.ts';
import { Changes, PlatformRows } from './platform-changes.ts';
import { decodeKey, encodeKey, PlatformFamily, space } from './platform-keys.ts';
import type { PlatformSnapshot } from './platform-snapshot.ts';
import { indexRows, packValue, unpackValue } from './platform-values.ts';

/** Bytes of keys and values that one transaction may write. More needs several transactions. */
export const TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;

/** The part of a store that its reads and writes use. */
export interface PlatformContext {
  readonly snapshot: PlatformSnapshot;
  /** @throws StoreError closed; PlatformError not-declared */
  check(collection: Collection<unknown>): void;
  /** Rows committed. */
  committedRows(collection: string): number;
}

export class PlatformReader implements PlatformReads {
  readonly rows: PlatformRows;
  readonly #context: PlatformContext;

  constructor(context: PlatformContext, layers: readonly Changes[] = []) {
    this.#context = context;
    this.rows = new PlatformRows(context.snapshot, layers);
  }

  get<T>(collection: Collection<T>, key: Key): T | undefined {
    this.check(collection);
    const stored = this.rows.get(PlatformFamily.rows, rowKey(collection, key));
    return stored && this.unpack(collection, stored);
  }

  walk<T>(collection: Collection<T>, range: WalkRange, visit: RowVisitor<T>): void {
    this.check(collection);
    const start = space(collection.name);
    const { prefix = [], after, reverse, limit = Number.POSITIVE_INFINITY } = range;
    const bounds = {
      prefix: Buffer.concat([start, encodeKey(prefix)]),
      after: after && Buffer.concat([start, encodeKey(after)]),
      reverse,
    };
    let left = limit;
    if (left <= 0) return;
    for (const { key, value } of this.rows.walk(PlatformFamily.rows, bounds)) {
      const row = this.unpack(collection, value);
      if (visit(row, decodeKey(key.subarray(start.length))) === false || --left <= 0) return;
    }
  }

  walkIndex<T>(
    collection: Collection<T>,
    index: string,
    { prefix = [], reverse, limit = Number.POSITIVE_INFINITY }: Omit<WalkRange, 'after'>,
    visit: RowVisitor<T>,
  ): void {
    this.check(collection);
    if (!Object.hasOwn(collection.indexes, index))
      throw new PlatformError('not-declared', `'${collection.name}' has no index '${index}'`);
    const start = space(collection.name);
    const bounds = { prefix: Buffer.concat([space(collection.name, index), encodeKey(prefix)]), reverse };
    let left = limit;
    if (left <= 0) return;
    for (const { value: key } of this.rows.walk(PlatformFamily.indexes, bounds)) {
      const stored = this.rows.get(PlatformFamily.rows, Buffer.concat([start, key]));
      // The visitor has removed the row meanwhile.
      if (!stored) continue;
      if (visit(this.unpack(collection, stored), decodeKey(key)) === false || --left <= 0) return;
    }
  }

  /** Checks that the collection may be used now. @throws StoreError closed; PlatformError not-declared, ended */
  check(collection: Collection<unknown>): void {
    this.#context.check(collection);
  }

  unpack<T>(collection: Collection<T>, stored: Buffer): T {
    return unpackValue(collection, stored, this.#context.snapshot.dir);
  }
}

export class RunningTransaction extends PlatformReader implements PlatformTransaction {
  readonly changes: Changes;
  readonly #context: PlatformContext;
  readonly #layers: readonly Changes[];
  #hasEnded = false;

  /** @param before changes of earlier transactions of the same commit */
  constructor(context: PlatformContext, before: Changes) {
    const changes = new Changes();
    super(context, [before, changes]);
    this.#context = context;
    this.changes = changes;
    this.#layers = [before, changes];
  }

  /** Every later use throws. */
  end(): void {
    this.#hasEnded = true;
  }

  override check(collection: Collection<unknown>): void {
    if (this.#hasEnded)
      throw new PlatformError('ended', 'a transaction is used after the function it was given to returned');
    super.check(collection);
  }

  put<T>(collection: Collection<T>, key: Key, value: T): void {
    this.check(collection);
    const encoded = encodeKey(key);
    const row = rowKey(collection, key);
    const packed = packValue(collection, value);
    const before = this.rows.get(PlatformFamily.rows, row);
    if (!before) this.#checkRoom(collection);
    // Computed from the unpacked value, which may differ from the one passed in.
    const wanted = indexRows(collection, encoded, this.unpack(collection, packed));
    const present = before && indexRows(collection, encoded, this.unpack(collection, before));
    for (const each of wanted.values()) if (each.unique) this.#checkUnique(collection, each, encoded);
    let bytes = row.length + packed.length;
    for (const each of wanted.values()) bytes += each.key.length + encoded.length;
    if (this.changes.bytes + bytes > TRANSACTION_BYTES_MAX)
      throw new PlatformError(
        'transaction-too-large',
        `more than ${TRANSACTION_BYTES_MAX} bytes in one transaction`,
      );

    this.changes.set(PlatformFamily.rows, row, packed);
    for (const [id, each] of present ?? [])
      if (!wanted.has(id)) this.changes.set(PlatformFamily.indexes, each.key, undefined);
    for (const [id, each] of wanted)
      if (!present?.has(id)) this.changes.set(PlatformFamily.indexes, each.key, encoded);
    const removed = before ? row.length + before.length : 0;
    this.changes.grow(collection.name, before ? 0 : 1, row.length + packed.length - removed);
  }

  delete<T>(collection: Collection<T>, key: Key): boolean {
    this.check(collection);
    const row = rowKey(collection, key);
    const before = this.rows.get(PlatformFamily.rows, row);
    if (!before) return false;
    this.changes.set(PlatformFamily.rows, row, undefined);
    for (const each of indexRows(collection, encodeKey(key), this.unpack(collection, before)).values())
      this.changes.set(PlatformFamily.indexes, each.key, undefined);
    this.changes.grow(collection.name, -1, -row.length - before.length);
    return true;
  }

  #checkRoom({ name, limits }: Collection<unknown>): void {
    let rows = this.#context.committedRows(name);
    for (const layer of this.#layers) rows += layer.growth.get(name)?.rows ?? 0;
    if (rows >= limits.rows)
      throw new PlatformError('collection-full', `'${name}' holds ${rows} rows, which is its limit`);
  }

  #checkUnique(
    { name }: Collection<unknown>,
    { key, index }: { key: Buffer; index: string },
    row: Buffer,
  ): void {
    const holder = this.rows.get(PlatformFamily.indexes, key);
    if (!holder || holder.equals(row)) return;
    throw new PlatformError('duplicate', `'${name}': another row has the same key in the index '${index}'`);
  }
}

/** @throws PlatformError bad-key */
function rowKey({ name }: Collection<unknown>, key: Key): Buffer {
  if (key.length === 0) throw new PlatformError('bad-key', `'${name}': a key without parts`);
  return Buffer.concat([space(name), encodeKey(key)]);
}
