/**
 * Upgrades a stored collection to the version and the indexes that the program declares.
 *
 *     1  the collection is marked as being upgraded
 *     2  its index rows are removed: their keys follow from code that this program may no longer have
 *     3  its values are upgraded and indexed
 *     4  with the last of them, version, indexes and sizes are stored and the mark is removed
 *
 * Each step has one or more commits of bounded size. Every value has its own version, so after a crash the upgrade begins
 * at 1 again and skips values that are upgraded already.
 */
import { type Collection, PlatformError } from '../platform/store.ts';
import { Changes, PlatformRows } from './platform-changes.ts';
import { PlatformFamily, space } from './platform-keys.ts';
import type { PlatformSnapshot } from './platform-snapshot.ts';
import {
  type CollectionRecord,
  indexNames,
  indexRows,
  newerCollection,
  packValue,
  readRecord,
  unpackAny,
  unpackValue,
} from './platform-values.ts';

/** A commit of an upgrade ends when it has this many bytes: bounds its memory. */
const STEP_BYTES = 4 * 1024 * 1024;

export interface UpgradeParts {
  readonly snapshot: PlatformSnapshot;
  /** Makes changes and the collection's record durable. */
  commit(collection: string, changes: Changes, record: CollectionRecord): Promise<void>;
  readonly stepBytes?: number | undefined;
}

/**
 * @returns the collection's record, and a description of what was done, if anything
 * @throws StoreError newer-schema, corrupt; PlatformError when the collection does not accept an upgraded value
 */
export async function upgradeCollection(
  collection: Collection<unknown>,
  parts: UpgradeParts,
): Promise<{ record: CollectionRecord; done: string | undefined }> {
  const { name, version } = collection;
  const { snapshot, commit } = parts;
  const indexes = indexNames(collection);
  const found = readRecord(snapshot, name);
  if (found && found.version > version) throw newerCollection(snapshot.dir, name, found.version, version);
  if (found?.complete && found.version === version && found.indexes.join() === indexes.join())
    return { record: found, done: undefined };
  if (!found) {
    const record = { version, indexes, rows: 0, bytes: 0, complete: true };
    await commit(name, new Changes(), record);
    return { record, done: undefined };
  }
  const started = { ...found, complete: false };
  await commit(name, new Changes(), started);
  await removeIndexRows(collection, parts, started);
  const record = await upgradeValues(collection, parts, started);
  const done =
    found.version === version
      ? `'${name}': indexes made again`
      : `'${name}': version ${found.version} to ${version}`;
  return { record, done };
}

async function removeIndexRows(
  { name }: Collection<unknown>,
  { snapshot, commit, stepBytes = STEP_BYTES }: UpgradeParts,
  record: CollectionRecord,
): Promise<void> {
  for (;;) {
    const changes = new Changes();
    for (const { key } of new PlatformRows(snapshot).walk(PlatformFamily.indexes, {
      prefix: space(name),
    })) {
      changes.set(PlatformFamily.indexes, key, undefined);
      if (changes.bytes >= stepBytes) break;
    }
    if (changes.bytes === 0) return;
    await commit(name, changes, record);
  }
}

async function upgradeValues(
  collection: Collection<unknown>,
  { snapshot, commit, stepBytes = STEP_BYTES }: UpgradeParts,
  started: CollectionRecord,
): Promise<CollectionRecord> {
  const prefix = space(collection.name);
  let [rows, bytes] = [0, 0];
  for (let after: Buffer | undefined; ; ) {
    const changes = new Changes();
    const reads = new PlatformRows(snapshot, [changes]);
    let isLast = true;
    for (const { key, value } of new PlatformRows(snapshot).walk(PlatformFamily.rows, { prefix, after })) {
      const upgraded = upgradedValue(collection, value, snapshot.dir);
      if (upgraded !== value) changes.set(PlatformFamily.rows, key, upgraded);
      indexValue(collection, key.subarray(prefix.length), upgraded, { changes, reads, snapshot });
      rows++;
      bytes += key.length + upgraded.length;
      after = key;
      isLast = changes.bytes < stepBytes;
      if (!isLast) break;
    }
    if (!isLast) {
      await commit(collection.name, changes, started);
      continue;
    }
    const { name, version } = collection;
    const record = { version, indexes: indexNames(collection), rows, bytes, complete: true };
    await commit(name, changes, record);
    return record;
  }
}

/** The same buffer when it has the newest version already. */
function upgradedValue(collection: Collection<unknown>, stored: Buffer, dir: string): Buffer {
  const { version, value } = unpackAny(collection, stored, dir);
  if (version === collection.version) return stored;
  let upgraded = value;
  for (const upgrade of collection.upgrades.slice(version - 1)) upgraded = upgrade(upgraded);
  return packValue(collection, upgraded);
}

function indexValue(
  collection: Collection<unknown>,
  key: Buffer,
  value: Buffer,
  { changes, reads, snapshot }: { changes: Changes; reads: PlatformRows; snapshot: PlatformSnapshot },
): void {
  const rows = indexRows(collection, key, unpackValue(collection, value, snapshot.dir));
  for (const { key: row, index, unique } of rows.values()) {
    const holder = unique ? reads.get(PlatformFamily.indexes, row) : undefined;
    if (holder && !holder.equals(key))
      throw new PlatformError(
        'duplicate',
        `'${collection.name}': two rows have the same key in the unique index '${index}'`,
      );
    changes.set(PlatformFamily.indexes, row, key);
  }
}
