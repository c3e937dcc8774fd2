/** Looks the platform's store over before it is believed, as check.ts does with the engine's. */
import { join } from 'node:path';
import { checkPages } from './check.ts';
import { opened } from './checksum.ts';
import { StoreError } from './errors.ts';
import { damagedPlatformRow } from './platform-changes.ts';
import { PLATFORM_FAMILY_NAMES, PLATFORM_FOLDER, type PlatformFamilyId } from './platform-keys.ts';

/** A second's worth of looking at pages and rows. Of a larger store a start looks at 'meta' alone. */
const START_BYTES_MAX = 256 * 1024 * 1024;

/** Where the platform's store lies in the folder of the engine's. */
export function platformDir(dir: string): string {
  return join(dir, PLATFORM_FOLDER);
}

/**
 * Looks at every page and the checksum of every row. A folder without a store passes.
 * @param bytesMax a larger store's rows are not looked at
 * @throws StoreError corrupt
 */
export function checkPlatform(dir: string, bytesMax = Number.POSITIVE_INFINITY): void {
  try {
    checkPages(dir, ['meta'], bytesMax, (name, { key, value }) => {
      const family = PLATFORM_FAMILY_NAMES.indexOf(name as (typeof PLATFORM_FAMILY_NAMES)[number]);
      if (family >= 0 && opened(family, key, value()) === undefined)
        throw damagedPlatformRow(dir, family as PlatformFamilyId, key);
    });
  } catch (error) {
    throw platformDamage(error, dir);
  }
}

/** What a start looks at. @throws StoreError corrupt */
export function checkPlatformAtStart(dir: string): void {
  checkPlatform(dir, START_BYTES_MAX);
}

/** Damage of this store has another remedy than that of the engine's: no ledger tells what was in it. */
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
