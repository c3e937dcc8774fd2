/**
 * The few rows with a store's version, network and newest ledger (keys.ts). Each has a checksum, except in a store whose
 * version row has none: that store is older than checksums.
 */
import type { GetOptions } from 'lmdb';
import { CHECKSUM_BYTES, opened, sealed } from './checksum.ts';
import type { Environment } from './environment.ts';
import { corrupt } from './errors.ts';
import { MetaKey } from './keys.ts';

/** In place of a family's id. */
const SPACE = 0xff;
const VERSION_BYTES = 4;

/** Whether the rows of a store with this version row have checksums. */
export function isSealedVersion(stored: Uint8Array | undefined): boolean {
  return stored?.length === VERSION_BYTES + CHECKSUM_BYTES;
}

/** @throws StoreError corrupt */
export function readMeta(
  { meta, dir }: Environment,
  key: Buffer,
  options?: GetOptions,
): Uint8Array | undefined {
  const stored = meta.getBinary(key, options);
  const version = key === MetaKey.schema ? stored : meta.getBinary(MetaKey.schema, options);
  const value = openedMeta(key, stored, isSealedVersion(version));
  if (stored && !value) throw corrupt(dir, `the row '${key.toString()}' is not what was written`);
  return value;
}

/** The value of a row; undefined when it is not what was written. */
export function openedMeta(
  key: Buffer,
  stored: Buffer | undefined,
  isSealed: boolean,
): Uint8Array | undefined {
  return stored && isSealed ? opened(SPACE, key, stored) : stored;
}

/** Within a transaction. */
export function writeMeta({ meta }: Environment, key: Buffer, value: Uint8Array): void {
  meta.putSync(key, sealed(SPACE, key, value));
}

/** Writes the version, within a transaction, and gives every row its checksum. */
export function writeVersion(environment: Environment, version: number): void {
  const rows = Object.values(MetaKey).map((key) => [key, readMeta(environment, key)] as const);
  const bytes = Buffer.alloc(VERSION_BYTES);
  bytes.writeUInt32BE(version);
  writeMeta(environment, MetaKey.schema, bytes);
  for (const [key, value] of rows) if (value && key !== MetaKey.schema) writeMeta(environment, key, value);
}
