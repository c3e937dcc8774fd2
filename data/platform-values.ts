/** Values of the platform's collections as bytes, their index keys, and the record of a collection. */
import { Packr } from 'msgpackr';
import { type Collection, type Index, type Key, PlatformError } from '../platform/store.ts';
import { corrupt, StoreError } from './errors.ts';
import { checkName, collectionKey, encodeKey, space } from './platform-keys.ts';
import type { PlatformSnapshot } from './platform-snapshot.ts';

/** Longer values should be files. */
const VALUE_BYTES_MAX = 1024 * 1024;
const VERSION_BYTES = 2;
const VERSION_MAX = 0xffff;

const packr = new Packr({ useRecords: false, copyBuffers: true });

/** The stored description of a collection. */
export interface CollectionRecord {
  readonly version: number;
  /** As {@link indexNames} writes them. */
  readonly indexes: readonly string[];
  readonly rows: number;
  /** Keys and values in `rows`. */
  readonly bytes: number;
  /** false: an upgrade is not finished; rows may have different versions, and index rows must not be used. */
  readonly complete: boolean;
}

/** @throws StoreError corrupt */
export function readRecord(snapshot: PlatformSnapshot, name: string): CollectionRecord | undefined {
  const bytes = snapshot.meta(collectionKey(name));
  return bytes && (packr.unpack(bytes) as CollectionRecord);
}

export function packRecord(record: CollectionRecord): Buffer {
  return packr.pack(record);
}

/** A collection's indexes, sorted; a change of uniqueness counts as another index. */
export function indexNames(collection: Collection<unknown>): string[] {
  return Object.entries(collection.indexes)
    .map(([name, { unique }]) => (unique ? `${name} unique` : name))
    .sort();
}

/** @throws PlatformError not-declared, bad-key */
export function checkDeclared(collection: Collection<unknown>): void {
  const { name, version, upgrades, limits, indexes } = collection;
  const wrong = (what: string): PlatformError =>
    new PlatformError('not-declared', `collection '${name}': ${what}`);
  for (const each of [name, ...Object.keys(indexes)]) checkName(each);
  if (!Number.isInteger(version) || version < 1 || version > VERSION_MAX)
    throw wrong(`version ${version} is none`);
  if (upgrades.length !== version - 1)
    throw wrong(`${upgrades.length} upgrades do not lead to version ${version}`);
  if (!(limits.valueBytes > 0 && limits.valueBytes <= VALUE_BYTES_MAX))
    throw wrong(`values of ${limits.valueBytes} bytes; at most ${VALUE_BYTES_MAX} fit`);
  if (!(limits.rows > 0)) throw wrong(`a limit of ${limits.rows} rows`);
}

/** @throws PlatformError bad-value, value-too-large */
export function packValue(collection: Collection<unknown>, value: unknown): Buffer {
  let packed: Buffer;
  try {
    packed = packr.pack(value);
  } catch (error) {
    throw new PlatformError('bad-value', `'${collection.name}': a value that cannot be stored`, error);
  }
  const { valueBytes } = collection.limits;
  if (packed.length > valueBytes)
    throw new PlatformError(
      'value-too-large',
      `'${collection.name}': a value of ${packed.length} bytes; at most ${valueBytes} fit`,
    );
  const version = Buffer.alloc(VERSION_BYTES);
  version.writeUInt16BE(collection.version);
  return Buffer.concat([version, packed]);
}

/** A value of the collection's own version. @throws StoreError corrupt, newer-schema */
export function unpackValue<T>(collection: Collection<T>, bytes: Buffer, dir: string): T {
  const { version, value } = unpackAny(collection, bytes, dir);
  if (version !== collection.version)
    throw corrupt(dir, `'${collection.name}': a value of version ${version} in ${collection.version}`);
  return value as T;
}

/** A value of any version up to the collection's. @throws StoreError corrupt, newer-schema */
export function unpackAny(
  { name, version: known }: Collection<unknown>,
  bytes: Buffer,
  dir: string,
): { version: number; value: unknown } {
  const version = bytes.length > VERSION_BYTES ? bytes.readUInt16BE(0) : 0;
  if (version === 0) throw corrupt(dir, `'${name}': a value of ${bytes.length} bytes`);
  if (version > known) throw newerCollection(dir, name, version, known);
  return { version, value: packr.unpack(bytes.subarray(VERSION_BYTES)) };
}

export function newerCollection(dir: string, name: string, found: number, known: number): StoreError {
  return new StoreError(
    'newer-schema',
    `${dir}: '${name}' was written by a newer program (version ${found}, this one knows up to ${known}). Run that ` +
      'program, or put the folder of a backup in its place',
  );
}

/**
 * The index rows a value has.
 * @param key of its row, encoded
 * @returns index row's key, as characters -> itself, and whether its index is unique
 * @throws PlatformError bad-key
 */
export function indexRows<T>(
  { name, indexes }: Collection<T>,
  key: Buffer,
  value: T,
): Map<string, { key: Buffer; index: string; unique: boolean }> {
  const rows = new Map<string, { key: Buffer; index: string; unique: boolean }>();
  for (const [index, { unique, keys }] of Object.entries<Index<T>>(indexes)) {
    const start = space(name, index);
    for (const each of keys(value)) {
      const row = indexKey(start, each, unique ? undefined : key);
      rows.set(row.toString('latin1'), { key: row, index, unique });
    }
  }
  return rows;
}

function indexKey(start: Buffer, key: Key, rowKey: Buffer | undefined): Buffer {
  return Buffer.concat([start, encodeKey(key), rowKey ?? Buffer.alloc(0)]);
}
