/** Makes one group of rows durable: what the platform's writer thread does with each message. */
import { dataFile, type Environment } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Migration } from './migrations.ts';
import { COMMITS_KEY, type PlatformFamilyId } from './platform-keys.ts';

export const PLATFORM_MIGRATIONS: readonly Migration[] = [
  { to: 1, title: 'the layout of platform-keys.ts; nothing to move in an empty store', run: () => undefined },
];

/** Rows that become durable together. */
export interface RowGroup {
  /** Groups committed before this one. */
  readonly commits: number;
  /** Sealed already. */
  readonly rows: readonly {
    readonly family: PlatformFamilyId;
    readonly key: Uint8Array;
    readonly value: Uint8Array | undefined;
  }[];
  /** Rows of 'meta', without checksum. */
  readonly meta: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
}

/** @throws StoreError; nothing of the group is stored then */
export function commitRows(environment: Environment, { commits, rows, meta }: RowGroup): void {
  const { root, families, dir } = environment;
  try {
    dataFile(environment);
    root.transactionSync(() => {
      if (readCommits(readMeta(environment, COMMITS_KEY)) !== commits)
        throw new StoreError(
          'locked',
          `${dir}: another process has written to this store. Let one process only write to a directory, then start again`,
        );
      for (const { family, key, value } of rows) {
        if (value) families[family]!.putSync(key, value);
        else families[family]!.removeSync(key);
      }
      for (const { key, value } of meta) writeMeta(environment, Buffer.from(key), value);
      const next = Buffer.alloc(8);
      next.writeBigUInt64BE(BigInt(commits + 1));
      writeMeta(environment, COMMITS_KEY, next);
    });
  } catch (error) {
    throw storeError(error, dir);
  }
}

/** Groups committed since the store was made. @param bytes the row 'commits' */
export function readCommits(bytes: Uint8Array | undefined): number {
  return bytes ? Number(Buffer.from(bytes).readBigUInt64BE()) : 0;
}
