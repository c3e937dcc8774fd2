/**
 * The layout's version and the migrations from one to the next. A migration has one or more steps, each in a transaction
 * of its own that also stores where the next one continues; the version changes with the last step. So after a crash it
 * continues with the step that was not finished.
 */
import { Packr } from 'msgpackr';
import { readU32 } from '../engine/codec/bytes.ts';
import { FAMILIES, type FamilyDescriptor, type FamilyId } from '../engine/families.ts';
import { layoutsName } from '../engine/state/layout.ts';
import { mayBeUnsealed, sealed } from './checksum.ts';
import type { Environment } from './environment.ts';
import { StoreError } from './errors.ts';
import { firstLayouts } from './first-layouts.ts';
import { FAMILY_NAMES, Family, key, MetaKey } from './keys.ts';
import { readMeta, writeMeta, writeVersion } from './meta.ts';

export interface Migration {
  /** The version this one leads to: one more than the one before. */
  readonly to: number;
  readonly title: string;
  /**
   * One step.
   * @param from what the step before returned; undefined: the first one
   * @returns where the next step continues; undefined: this was the last one
   */
  run(environment: Environment, from: Uint8Array | undefined): Uint8Array | undefined;
}

/** Bytes that one step may rewrite: bounds its memory. */
const STEP_BYTES = 16 * 1024 * 1024;

/** Id of a table of the versions up to 7. */
const NFT_HOLDINGS = 152;
const U32_MAX = 0xffffffff;
/** What a step of a removal returns while rows are left: it looks for them again. */
const MORE = Uint8Array.of(1);

/**
 * One migration for each version: those that are written here, and those of the versions that only brought families of
 * rows (`since` in engine/families.ts), which begin empty.
 * @param stepBytes bytes that one step may rewrite
 */
export function storeMigrations(
  stepBytes = STEP_BYTES,
  families: Readonly<Record<string, FamilyDescriptor>> = FAMILIES,
): readonly Migration[] {
  const written: readonly Migration[] = [
    { to: 1, title: 'the layout of keys.ts; nothing to move in an empty store', run: () => undefined },
    {
      to: 2,
      title: 'blocks name their columns, and rows have checksums',
      run: (environment, from) => sealRows(environment, from, stepBytes),
    },
    {
      to: 8,
      title: 'how many NFTs of a collection an account owns is derived, not stored',
      run: (environment) => removeTable(environment, NFT_HOLDINGS, stepBytes),
    },
  ];
  const since = Object.entries(families).map(([name, family]) => [name, family.since ?? 1] as const);
  const newest = Math.max(...since.map(([, version]) => version), ...written.map(({ to }) => to));
  return Array.from({ length: newest }, (_, i) => {
    const to = i + 1;
    const names = since.filter(([, version]) => version === to).map(([name]) => name);
    return written.find((each) => each.to === to) ?? beginEmpty(to, names);
  });
}

/** Opening a store to write makes the families that it lacks. */
function beginEmpty(to: number, names: readonly string[]): Migration {
  if (names.length === 0) throw new Error(`schema version ${to} has neither a migration nor a family`);
  return { to, title: `new and empty: ${names.join(', ')}`, run: () => undefined };
}

const MIGRATIONS = storeMigrations();
/** Version of the layout that this program writes; it reads those up to it. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.to;

/**
 * Adds checksums to the rows that could not be distinguished from rows with one, and to each block the id of its columns.
 * @param from family 1, key: the last row that is done
 */
function sealRows(
  environment: Environment,
  from: Uint8Array | undefined,
  stepBytes: number,
): Uint8Array | undefined {
  const layouts = firstLayouts();
  let bytes = 0;
  const start = from ? from[0]! : 0;
  for (let family = start; family < FAMILY_NAMES.length; family++) {
    if (mayBeUnsealed(family as FamilyId)) continue;
    const table = environment.families[family]!;
    const after = from && family === start ? from.subarray(1) : Buffer.alloc(1);
    const rows: { key: Uint8Array; value: Uint8Array }[] = [];
    for (const { key, value } of table.getRange({ start: after, exclusiveStart: true })) {
      rows.push({ key, value });
      bytes += value.length;
      if (bytes >= stepBytes) break;
    }
    for (const { key, value } of rows) table.putSync(key, sealedRow(family as FamilyId, key, value, layouts));
    const last = rows.at(-1);
    if (bytes >= stepBytes && last) return Buffer.concat([Buffer.from([family]), last.key]);
  }
  if (readMeta(environment, MetaKey.cursor)) listLayouts(environment, layouts);
  return undefined;
}

function sealedRow(
  family: FamilyId,
  key: Uint8Array,
  value: Uint8Array,
  layouts: ReturnType<typeof firstLayouts>,
): Uint8Array {
  if (family !== Family.blocks) return sealed(family, key, value);
  const id = Buffer.alloc(4);
  id.writeUInt32LE(layouts.get((key[0]! << 8) | key[1]!)?.id ?? 0);
  return sealed(family, key, id, value);
}

function listLayouts(environment: Environment, layouts: ReturnType<typeof firstLayouts>): void {
  const packr = new Packr({ useRecords: false });
  for (const [table, layout] of layouts) {
    const key = Buffer.from(layoutsName(table));
    environment.families[Family.values]!.putSync(key, sealed(Family.values, key, packr.pack([layout])));
  }
}

/** Removes the blocks of a table that there is no more, and the list of its columns. Images of its rows leave with the log. */
function removeTable(environment: Environment, table: number, stepBytes: number): Uint8Array | undefined {
  const blocks = environment.families[Family.blocks]!;
  const keys: Uint8Array[] = [];
  let bytes = 0;
  for (const row of blocks.getRange({ start: key([2, 4], [table, 0]), end: key([2, 4], [table, U32_MAX]) })) {
    keys.push(row.key);
    bytes += row.value.length;
    if (bytes >= stepBytes) break;
  }
  for (const each of keys) blocks.removeSync(each);
  if (bytes >= stepBytes) return MORE;
  environment.families[Family.values]!.removeSync(Buffer.from(layoutsName(table)));
  return undefined;
}

/** Version of the layout found; 0 for an empty store. */
export function schemaOf(environment: Environment): number {
  const bytes = readMeta(environment, MetaKey.schema);
  return bytes ? readU32(bytes, 0) : 0;
}

/** @throws StoreError newer-schema */
export function refuseNewer(dir: string, found: number, known = MIGRATIONS.length): void {
  if (found <= known) return;
  throw new StoreError(
    'newer-schema',
    `${dir}: written by a newer program (layout ${found}, this one knows up to ${known}). Run that program, or name ` +
      'another directory',
  );
}

/**
 * @returns the version found
 * @throws StoreError newer-schema when a newer program has written this store
 */
function checkSchema(environment: Environment, migrations: readonly Migration[] = MIGRATIONS): number {
  const found = schemaOf(environment);
  refuseNewer(environment.dir, found, migrations.at(-1)?.to);
  return found;
}

/**
 * For processes that only read.
 * @throws StoreError newer-schema; older-schema when it must be migrated first
 */
export function checkMigrated(environment: Environment): void {
  const found = checkSchema(environment);
  const known = SCHEMA_VERSION;
  if (found === known) return;
  throw new StoreError(
    'older-schema',
    `${environment.dir}: written by an older program (layout ${found}, this one reads ${known}). Start the service on ` +
      'it once: that brings it to the new layout',
  );
}

/** Whether a store that is not empty must be migrated. */
export function isOlder(environment: Environment): boolean {
  const found = schemaOf(environment);
  return found > 0 && found < SCHEMA_VERSION;
}

/**
 * Migrates the store to the newest layout.
 * @returns the titles of the steps that ran
 * @throws StoreError newer-schema
 */
export function migrate(environment: Environment, migrations: readonly Migration[] = MIGRATIONS): string[] {
  const found = checkSchema(environment, migrations);
  const due = migrations.filter(({ to }) => to > found);
  for (const migration of due) while (!step(environment, migration));
  return due.map(({ title }) => title);
}

/** @returns whether it was the last one */
function step(environment: Environment, migration: Migration): boolean {
  return environment.root.transactionSync(() => {
    const next = migration.run(environment, environment.meta.getBinary(MetaKey.step));
    if (next) {
      environment.meta.putSync(MetaKey.step, next);
      return false;
    }
    environment.meta.removeSync(MetaKey.step);
    writeVersion(environment, migration.to);
    return true;
  });
}

/**
 * Binds the store to a network at its first use and refuses another one afterwards.
 * @throws StoreError other-network
 */
export function bindNetwork(environment: Environment, network: string): void {
  const found = networkOf(environment);
  if (found === undefined) {
    environment.root.transactionSync(() => writeMeta(environment, MetaKey.network, Buffer.from(network)));
  } else if (found !== network) {
    throw new StoreError(
      'other-network',
      `${environment.dir}: holds network ${found}, not ${network}. Name another directory for this network`,
    );
  }
}

/** The network whose ledgers are stored; undefined for an empty store. */
export function networkOf(environment: Environment): string | undefined {
  const bytes = readMeta(environment, MetaKey.network);
  return bytes && Buffer.from(bytes).toString('utf8');
}
