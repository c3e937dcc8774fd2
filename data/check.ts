/**
 * Checks a store before it is used: LMDB itself does not check pages (pages.ts).
 *
 *     before the file is opened      the trees that a start reads: state, values, the newest ledger, rates; not the URIs of NFTs
 *     during the start, in a thread  every page, every row's checksum, the list of free pages
 *
 * The first takes milliseconds for a million rows of state. The second takes as long as reading the whole file (about
 * 300 MB a second): nothing is written and no port opened before it is done or has taken CHECK_WAIT_MS; the rest of a
 * larger store is checked while the service runs. Damage found then stops the service too.
 */

import type { FamilyId } from '../engine/families.ts';
import { TextKind } from '../engine/store.ts';
import { mayBeUnsealed, unseal } from './checksum.ts';
import { corrupt } from './errors.ts';
import { FAMILY_NAMES, Family, familySince, MetaKey } from './keys.ts';
import { isSealedVersion } from './meta.ts';
import { refuseNewer } from './migrations.ts';
import type { Key, PageRow } from './page-row.ts';
import { PageFile, type Tree } from './pages.ts';
import { refuseOtherKind, type StoreKind } from './store-kinds.ts';

/** Tables that are read from one end to the other, or at their end, when the engine is restored. */
const RESTORED: readonly string[] = ['meta', 'values', 'texts', 'blocks', 'log', 'rates', 'ledgers'];

/** Rows between two tests of whether the check should stop. */
const ROWS_PER_TEST = 4096;

/** Checks the pages that a start reads. @throws StoreError corrupt */
export function checkRestored(dir: string): void {
  const file = PageFile.open(dir);
  if (!file) return;
  try {
    const trees = file.trees();
    const sealed = checkMeta(file, trees, dir);
    for (const [name, tree] of trees) {
      if (!RESTORED.includes(name)) continue;
      // Checksums of blocks and ledgers are verified on read; a missing row of the others would look like one never written.
      const visit = sealed ? startCheck(name, dir) : undefined;
      const skips = name === 'texts' ? skippingUris() : undefined;
      if (name !== 'meta') file.check(tree, { longValues: false, skips, visit });
    }
  } finally {
    file.close();
  }
}

/**
 * Checks that all tables and all rows of 'meta' exist: without one, the store would look empty.
 * @returns whether rows have checksums
 * @throws StoreError other-kind, corrupt, newer-schema
 */
function checkMeta(file: PageFile, trees: ReadonlyMap<string, Tree>, dir: string): boolean {
  refuseOtherKind(dir, [...trees.keys()], 'engine');
  const rows = new Map<string, Buffer>();
  const meta = trees.get('meta');
  const visit = (row: PageRow): void => void rows.set(row.key.toString(), Buffer.from(row.value()));
  if (meta) file.check(meta, { longValues: false, visit });
  const { schema, cursor, ranges, network } = MetaKey;
  const isEmpty = [...trees.values()].every(({ entries }) => entries === 0);
  const version = rows.get(MetaKey.schema.toString())?.readUInt32BE(0) ?? 0;
  // A newer program's store may have other tables and rows.
  refuseNewer(dir, version);
  const due = FAMILY_NAMES.filter((name) => familySince(name) <= version);
  const missing = ['meta', ...due].find((name) => !trees.has(name));
  // After a power loss during its creation, a store has some of its tables and no rows.
  if (missing !== undefined && !isEmpty) throw corrupt(dir, `table '${missing}' is missing`);
  const unknown = [...trees.keys()].find((name) => name !== 'meta' && familyOf(name) === undefined);
  if (unknown !== undefined) throw corrupt(dir, `there is a table '${unknown}'`);
  const needed = trees.get('ledgers')?.entries ? [schema, cursor, ranges, network] : isEmpty ? [] : [schema];
  for (const key of needed)
    if (!rows.has(key.toString())) throw corrupt(dir, `the row '${key.toString()}' is missing`);
  const known = new Set(Object.values(MetaKey).map(String));
  for (const name of rows.keys())
    if (!known.has(name)) throw corrupt(dir, `there is a row '${name}' in 'meta'`);
  return isSealedVersion(rows.get(schema.toString()));
}

function familyOf(name: string): FamilyId | undefined {
  const family = FAMILY_NAMES.indexOf(name as (typeof FAMILY_NAMES)[number]);
  return family < 0 ? undefined : (family as FamilyId);
}

function rowCheck(family: FamilyId, dir: string): (row: PageRow) => void {
  const isAlwaysSealed = !mayBeUnsealed(family);
  return (row) => {
    if (!isAlwaysSealed || !row.isSealedInPage(family)) unseal(family, row.key, row.value(), dir);
  };
}

/** What is checked of the rows of a table before a start; undefined: no more than that they are there. */
function startCheck(name: string, dir: string): ((row: PageRow) => void) | undefined {
  if (name === 'values') return rowCheck(Family.values, dir);
  if (name !== 'texts') return undefined;
  const check = rowCheck(Family.texts, dir);
  return (row) => {
    if (row.firstByteOfKey !== TextKind.nftUri) check(row);
  };
}

/**
 * Pages of URIs of NFTs, of which there are millions: a start reads none of them, and each is verified when it is read. All but
 * the first and the last, which the walks over the texts before and behind them come to.
 */
function skippingUris(): (low: Key | undefined, high: Key | undefined) => boolean {
  let isFirst = true;
  return (low, high) => {
    if (!isOfUri(low)) return false;
    if (!isFirst) return isOfUri(high);
    isFirst = false;
    return false;
  };
}

const isOfUri = (key: Key | undefined): boolean => key?.bytes[key.at] === TextKind.nftUri;

/**
 * Checks a whole store that no process writes to.
 * @throws StoreError corrupt
 */
export function checkStore(dir: string): void {
  const file = PageFile.open(dir);
  if (!file) return;
  let sealed = false;
  try {
    sealed = checkMeta(file, file.trees(), dir);
  } finally {
    file.close();
  }
  checkAll(dir, sealed);
}

/**
 * Checks everything. While another thread writes, the caller keeps a read transaction open, so that no page is reused
 * before it has been checked.
 * @param sealed all rows have checksums, except those of the few families that may have none
 * @param stopped called regularly; true ends the check
 * @throws StoreError corrupt
 */
export function checkAll(dir: string, sealed: boolean, stopped: () => boolean = () => false): void {
  const file = PageFile.open(dir);
  if (!file) return;
  let rows = 0;
  try {
    const trees = [...file.trees()].sort(
      ([a], [b]) => Number(RESTORED.includes(b)) - Number(RESTORED.includes(a)),
    );
    for (const [name, tree] of trees) {
      const family = familyOf(name);
      const check =
        family !== undefined && (sealed || mayBeUnsealed(family)) ? rowCheck(family, dir) : undefined;
      const visit = (row: PageRow): void => {
        check?.(row);
        if (++rows % ROWS_PER_TEST === 0 && stopped()) throw new Stopped();
      };
      file.check(tree, { longValues: true, visit });
    }
    file.checkFree();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  } finally {
    file.close();
  }
}

/**
 * Checks the pages of a store of another kind.
 * @param kind which it must be
 * @param always tables that are checked whatever the size of the file
 * @param bytesMax in a larger file, other tables are not checked
 * @param visit called for each row that is checked
 * @throws StoreError corrupt, other-kind
 */
export function checkPages(
  dir: string,
  kind: StoreKind,
  always: readonly string[],
  bytesMax: number,
  visit?: (table: string, row: PageRow) => void,
): void {
  const file = PageFile.open(dir);
  if (!file) return;
  try {
    const trees = file.trees();
    refuseOtherKind(dir, [...trees.keys()], kind);
    const whole = (file.lastPage + 1) * file.pageBytes <= bytesMax;
    for (const [name, tree] of trees)
      if (whole || always.includes(name))
        file.check(tree, { longValues: true, visit: visit && ((row) => visit(name, row)) });
    if (whole) file.checkFree();
  } finally {
    file.close();
  }
}

class Stopped extends Error {}
