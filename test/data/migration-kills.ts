/** Kills a process at chosen moments of the migration of a store of version 0.2.0, and opens the store again. */
import { expect } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEnvironment } from '../../data/environment.ts';
import { MetaKey } from '../../data/keys.ts';
import { schemaOf, storeMigrations } from '../../data/migrations.ts';
import { openStore } from '../../data/store.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Store } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { quietLog } from '../engine/ledger/quiet.ts';
import { FIRST_STORE_LAST } from './first-store.ts';
import { digestWithDigitsOf } from './last-digits.ts';

/** The two parts of a migration, one after the other; see migrate.child.ts. */
export const PHASES = ['rows', 'columns'] as const;
export type Phase = (typeof PHASES)[number];

/** An engine that applies the store's ledgers one by one, from the first on. */
export async function freshEngine(store: Store): Promise<Engine> {
  const engine = new Engine({ store: new MemoryStore(), log: quietLog });
  for (const ledger of ledgersOf(store)) {
    const packed = new PackedLedger(ledger);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), true);
  }
  return engine;
}

function* ledgersOf(store: Store): Generator<Uint8Array> {
  for (const [first, last] of store.ledgerRanges())
    for (let index = first; index <= last; index++) yield store.ledger(index)!;
}

/** What the newest replay was of, and what came of it: thousands of stores of the same ledgers are opened one after another. */
let replayed: { readonly of: string; readonly engine: Engine } | undefined;

/** {@link freshEngine}, made again only where the store has other ledgers than the one before. Not to be changed. */
async function replayOf(store: Store): Promise<Engine> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const ledger of ledgersOf(store)) hash.update(ledger);
  const of = hash.digest('hex');
  if (replayed?.of !== of) replayed = { of, engine: await freshEngine(store) };
  return replayed.engine;
}

export interface Opened {
  readonly digest: string;
  /** Blocks that were still in an older form when the store was opened. */
  readonly outdated: number;
}

/** Opens the store as a start does, checks that its digest is that of a new replay of its ledgers, and finishes the upgrade. */
export async function openUpgraded(dir: string): Promise<Opened> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quietLog });
  engine.restore();
  expect(engine.head!.index).toBe(FIRST_STORE_LAST);
  const outdated = outdatedBlocks(engine);
  const fresh = await replayOf(store);
  const digest = await fresh.digestWithHistory();
  expect(await digestWithDigitsOf(engine, fresh)).toBe(digest);
  await engine.upgrade();
  expect(outdatedBlocks(engine)).toBe(0);
  expect(await engine.digestWithHistory()).toBe(digest);
  await store.close();
  return { digest, outdated };
}

function outdatedBlocks(engine: Engine): number {
  return engine.domains.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.outdated, 0);
}

/** Migrates `dir` in a process of its own. @returns its output, and the signal that ended it */
async function migrateIn(dir: string, phase: Phase, moment: number) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'migrate.child.ts'), dir, phase, String(moment)],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const output = await new Response(child.stdout).text();
  await child.exited;
  return { output, signal: child.signalCode };
}

/** How many moments a phase has. @param origin a store of version 0.2.0, which is not changed */
export async function momentsOf(origin: string, phase: Phase): Promise<number> {
  const dir = `${origin}-whole`;
  cpSync(origin, dir, { recursive: true });
  const { output, signal } = await migrateIn(dir, phase, 0);
  expect(signal).toBeNull();
  rmSync(dir, { recursive: true });
  return Number(output);
}

/** Kills at one moment (from 1), and checks that the next start finishes the migration and has everything. */
export async function killAt(origin: string, phase: Phase, moment: number, moments: number): Promise<void> {
  const dir = `${origin}-killed`;
  cpSync(origin, dir, { recursive: true });
  const { output, signal } = await migrateIn(dir, phase, moment);
  expect([moment, signal, output]).toEqual([moment, 'SIGKILL', '']);
  // Moments are in pairs: step or batch 1 before and after, 2 before and after ...
  if (phase === 'rows') {
    const environment = openEnvironment(dir, { readOnly: true });
    const isHalfDone = environment.meta.getBinary(MetaKey.step) !== undefined;
    // The last steps are those of the versions after 2, one each.
    const schema = Math.max(1, storeMigrations().length - 1 - Math.floor((moments - moment) / 2));
    const expected = [moment, schema, moment > 2 && schema === 1];
    expect([moment, schemaOf(environment), isHalfDone]).toEqual(expected);
    await environment.root.close();
  }
  const { digest, outdated } = await openUpgraded(dir);
  expect([moment, outdated > 0]).toEqual([moment, phase === 'rows' || moment < moments]);
  expect(await openUpgraded(dir)).toEqual({ digest, outdated: 0 });
  rmSync(dir, { recursive: true });
}
