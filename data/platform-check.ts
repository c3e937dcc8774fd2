/** Checks the platform's store before it is used, as check.ts does with the engine's. */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPages } from './check.ts';
import { opened } from './checksum.ts';
import { corrupt, DATA_FILE, StoreError } from './errors.ts';
import { damagedPlatformRow } from './platform-changes.ts';
import { PLATFORM_FAMILY_NAMES, PLATFORM_FOLDER, type PlatformFamilyId } from './platform-keys.ts';

/** Pages and rows that can be checked in a second. Of a larger store only 'meta' is checked at start. */
const START_BYTES_MAX = 256 * 1024 * 1024;

/** Is there while a store is made: only then, data.mdb may be empty. */
const MAKING_FILE = 'millrace.making';

/** Directory of the platform's store within that of the engine's. */
export function platformDir(dir: string): string {
  return join(dir, PLATFORM_FOLDER);
}

/**
 * Checks every page and the checksum of every row. A folder without a store is accepted.
 * @param bytesMax rows of a larger store are not checked
 * @throws StoreError corrupt
 */
export function checkPlatform(dir: string, bytesMax = Number.POSITIVE_INFINITY): void {
  try {
    if (isEmptyFile(dir) && !existsSync(join(dir, MAKING_FILE))) throw corrupt(dir, `${DATA_FILE} is empty`);
    checkPages(dir, 'platform', ['meta'], bytesMax, (name, row) => {
      const family = PLATFORM_FAMILY_NAMES.indexOf(name as (typeof PLATFORM_FAMILY_NAMES)[number]);
      if (family >= 0 && opened(family, row.key, row.value()) === undefined)
        throw damagedPlatformRow(dir, family as PlatformFamilyId, row.key);
    });
  } catch (error) {
    throw platformDamage(error, dir);
  }
}

/**
 * The check at start. LMDB takes an empty file for a new store, which is right where a kill has ended the making of one, and
 * would lose every key and payment without a word where a copy or a file system has emptied it.
 * @throws StoreError corrupt
 */
export function checkPlatformAtStart(dir: string): void {
  if (!existsSync(join(dir, DATA_FILE))) writeFileSync(join(dir, MAKING_FILE), '');
  checkPlatform(dir, START_BYTES_MAX);
}

/** The store that {@link checkPlatformAtStart} was called for is open. */
export function platformIsMade(dir: string): void {
  rmSync(join(dir, MAKING_FILE), { force: true });
}

const isEmptyFile = (dir: string): boolean =>
  statSync(join(dir, DATA_FILE), { throwIfNoEntry: false })?.size === 0;

/** Damage of this store has another remedy than that of the engine's: its data does not follow from ledgers. */
export function platformDamage(error: unknown, dir: string): unknown {
  if (!(error instanceof StoreError) || error.code !== 'corrupt') return error;
  return new StoreError(
    'corrupt',
    `${dir}: the service's own data is damaged (${error.damage}). It does not follow from ledgers: put this folder of ` +
      'a backup in its place, or move it away and start empty',
    error,
    error.damage,
  );
}
