/**
 * A store of each earlier version of the schema opens with all its data; one that version 0.2.0 wrote continues, and a kill
 * during its migration loses nothing.
 */

import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openEnvironment } from '../../data/environment.ts';
import { schemaOf, storeMigrations } from '../../data/migrations.ts';
import { openReader, openStore } from '../../data/store.ts';
import { Changes } from '../../engine/codec/changes.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { rebuildStore } from '../../service/rebuild.ts';
import { replayArchive } from '../../service/replay.ts';
import { relaidChain } from '../../support/chain.ts';
import { corpusDir } from '../../support/corpus.ts';
import { preparePool } from '../../workers/prepare-pool.ts';
import { casesOf } from '../cases.ts';
import { quietLog as quiet } from '../engine/ledger/quiet.ts';
import { FIRST_STORE_CHAIN, FIRST_STORE_LAST, unpackFirstStore, unpackStore } from './first-store.ts';
import { digestWithDigitsOf } from './last-digits.ts';
import { freshEngine, killAt, momentsOf, openUpgraded, PHASES } from './migration-kills.ts';
import { temporaryDir } from './tools.ts';

/** In each of the two phases, at moments spread evenly over it; test/long/migration.ts takes every moment. */
const KILLS = casesOf(2, 4);
const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const remove of cleanup.splice(0)) remove();
});

function firstStore(): string {
  const { dir, remove } = temporaryDir();
  cleanup.push(remove);
  unpackFirstStore(join(dir, 'store'));
  return join(dir, 'store');
}

test('a store of version 0.2.0 has the digest of a new replay of its ledgers, at the first start and at the next', async () => {
  const dir = firstStore();
  const { digest, outdated } = await openUpgraded(dir);
  expect(outdated).toBeGreaterThan(0);
  expect(await openUpgraded(dir)).toEqual({ digest, outdated: 0 });
});

const versions = storeMigrations().map(({ to }) => to);

test.each(versions)(
  'a store of schema version %i opens, and has the digest of a new replay',
  async (version) => {
    const { dir, remove } = temporaryDir();
    cleanup.push(remove);
    unpackStore(version, dir);
    const environment = openEnvironment(dir, { readOnly: true });
    expect(schemaOf(environment)).toBe(version);
    await environment.root.close();
    const { digest } = await openUpgraded(dir);
    expect(await openUpgraded(dir)).toEqual({ digest, outdated: 0 });
    const migrated = openEnvironment(dir, { readOnly: true });
    expect(schemaOf(migrated)).toBe(versions.at(-1)!);
    await migrated.root.close();
  },
);

test('a store of version 0.4.0 has rows in the log and hashes in runs, and all its transactions are found', async () => {
  const { dir, remove } = temporaryDir();
  cleanup.push(remove);
  unpackStore(3, dir);
  const store = await openStore({ dir, network: 0 });
  const { families } = store.stats();
  for (const name of ['log', 'runs', 'blocks'])
    expect([name, families[name]!.rows > 0]).toEqual([name, true]);
  const [[first, last] = [0, 0]] = store.ledgerRanges();
  let found = 0;
  for (let index = first; index <= last; index++) {
    const changes = new Changes(prepareOf(store.ledger(index)!));
    for (let tx = 0; tx < changes.transactions; tx++, found++)
      expect(store.transaction(changes.hash(tx))).toEqual({ ledger: index, tx, entry: 0 });
  }
  expect(found).toBe(FIRST_STORE_CHAIN.ledgers * FIRST_STORE_CHAIN.transactionsPerLedger);
  await store.close();
});

function prepareOf(bytes: Uint8Array): Uint32Array {
  return prepared(new PackedLedger(bytes), prepare(bytes)).changes;
}

test('a second reader reports that it must be migrated first, and reads it afterwards', async () => {
  const dir = firstStore();
  expect(() => openReader(dir)).toThrow('Start the service on it once');
  await (await openStore({ dir, network: 0 })).close();
  const reader = openReader(dir);
  expect(reader.cursor!.index).toBe(FIRST_STORE_LAST);
  await reader.close();
});

test.skipIf(!corpusDir)(
  'it continues: further ledgers give the same as an uninterrupted replay',
  async () => {
    const dir = firstStore();
    const archive = join(dir, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const packed of relaidChain({ ...FIRST_STORE_CHAIN, ledgers: 30 })) writer.append(packed);
    writer.close();
    const went = await replayArchive({ archive, dir, workers: 0, log: quiet });
    expect(went.ledgers).toBe(30 - FIRST_STORE_CHAIN.ledgers);
    const whole = await replayArchive({ archive, dir: join(dir, 'whole'), workers: 0, log: quiet });
    const store = await openStore({ dir, network: 0 });
    const engine = new Engine({ store, log: quiet });
    engine.restore();
    expect(await digestWithDigitsOf(engine, await freshEngine(store))).toBe(whole.digest);
    await store.close();
  },
);

test.skipIf(!corpusDir)(
  'changes of a day, which it never counted, are absent until a day was read',
  async () => {
    const store = await openStore({ dir: firstStore(), network: 0 });
    const engine = new Engine({ store, log: quiet });
    engine.restore();
    await engine.upgrade();
    const { ledgers } = FIRST_STORE_CHAIN;
    const [first, ...later] = [...relaidChain({ ...FIRST_STORE_CHAIN, ledgers: ledgers + 4 })].slice(ledgers);
    const { holderChanges } = engine.market;
    expect(holderChanges.isKnown).toBe(false);
    const at = async (packed: PackedLedger, time: number) => {
      const changes = prepared(packed, prepare(packed.bytes));
      // Offset of the close time in the header, which is proved before.
      packed.view.setUint32(40 + 112, time);
      await engine.applyLedger(changes, true);
      expect(packed.closeTime).toBe(time);
    };
    const began = first!.closeTime;
    const { lines, tokens } = engine.state;
    await at(first!, began);
    const ids = Array.from({ length: tokens.count }, (_, id) => id);
    const counted = ids.map((id) => [lines.holdersCount(id), lines.lineCount(id)] as const);
    await at(later[0]!, began + 43_200);
    await at(later[1]!, began + 86_399);
    expect([holderChanges.isKnown, holderChanges.of(1)]).toEqual([false, undefined]);
    await at(later[2]!, began + 86_400);
    expect(holderChanges.isKnown).toBe(true);
    for (const id of ids) {
      const [holders, count] = counted[id]!;
      const change = { holders: lines.holdersCount(id) - holders, lines: lines.lineCount(id) - count };
      expect([id, holderChanges.of(id)]).toEqual([id, change]);
    }
    await engine.drain();
    await store.close();
  },
);

test('rebuilt from its ledgers instead, without a start before, it has the digest of a new replay', async () => {
  const migrated = await openUpgraded(firstStore());
  const dir = firstStore();
  const preparer = preparePool(0);
  const plan = { dir, network: undefined, source: undefined, withoutSnapshot: false, preparer, log: quiet };
  const { ledgers, digest } = await rebuildStore(plan);
  await preparer.close();
  expect(ledgers).toBe(FIRST_STORE_CHAIN.ledgers);
  expect(digest).toBe(migrated.digest);
  expect(await openUpgraded(dir)).toEqual({ digest, outdated: 0 });
});

for (const phase of PHASES)
  test(`killed at ${KILLS} moments, from the first to the last, of the migration of its ${phase}: the next start finishes it`, async () => {
    const origin = firstStore();
    const moments = await momentsOf(origin, phase);
    expect(moments).toBeGreaterThanOrEqual(KILLS);
    for (let kill = 0; kill < KILLS; kill++)
      await killAt(origin, phase, 1 + Math.round((kill * (moments - 1)) / (KILLS - 1)), moments);
  });
