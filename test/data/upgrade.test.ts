/** A store that version 0.2.0 wrote opens, holds what it held, and goes on; a kill while it is migrated loses nothing. */
import { afterEach, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openEnvironment } from '../../data/environment.ts';
import { MetaKey } from '../../data/keys.ts';
import { openReader, openStore } from '../../data/store.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Store } from '../../engine/store.ts';
import { replayArchive } from '../../service/replay.ts';
import { relaidChain } from '../../support/chain.ts';
import { corpusDir } from '../../support/corpus.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { quietLog as quiet } from '../engine/ledger/quiet.ts';
import { FIRST_STORE_CHAIN, unpackFirstStore } from './first-store.ts';
import { temporaryDir } from './tools.ts';

const KILLS = 12;
/** Steps after which a kill may come: the store has more than twice as many rows to migrate. */
const STEPS = 40;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
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

/** The digest of an engine that takes in the store's ledgers one by one. */
async function freshDigest(store: Store): Promise<string> {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const [first, last] of store.ledgerRanges()) {
    for (let index = first; index <= last; index++) {
      const packed = new PackedLedger(store.ledger(index)!);
      await engine.applyLedger(prepared(packed, prepare(packed.bytes)), true);
    }
  }
  return engine.digestWithHistory();
}

async function checkDigest(dir: string): Promise<string> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  engine.restore();
  expect(engine.head!.index).toBe(1_000_013);
  expect(await engine.digestWithHistory()).toBe(await freshDigest(store));
  await engine.upgrade();
  const digest = await engine.digestWithHistory();
  await store.close();
  return digest;
}

test('its digest is that of a fresh replay of its ledgers, at the first start and at the next', async () => {
  const dir = firstStore();
  const digest = await checkDigest(dir);
  expect(await checkDigest(dir)).toBe(digest);
});

test('a reader beside the service says that it must be migrated first, and reads it then', async () => {
  const dir = firstStore();
  expect(() => openReader(dir)).toThrow('Start the service on it once');
  await (await openStore({ dir, network: 0 })).close();
  const reader = openReader(dir);
  expect(reader.cursor!.index).toBe(1_000_013);
  await reader.close();
});

test.skipIf(!corpusDir)('it goes on: further ledgers give what an undisturbed replay gives', async () => {
  const dir = firstStore();
  const archive = join(dir, 'chain.mlr');
  const writer = ArchiveWriter.open(archive);
  for (const packed of relaidChain({ ...FIRST_STORE_CHAIN, ledgers: 30 })) writer.append(packed);
  writer.close();
  const went = await replayArchive({ archive, dir, workers: 0, log: quiet });
  expect(went.ledgers).toBe(30 - FIRST_STORE_CHAIN.ledgers);
  const whole = await replayArchive({ archive, dir: join(dir, 'whole'), workers: 0, log: quiet });
  expect(went.digest).toBe(whole.digest);
});

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
      // Where the close time stands in the header; it is proved before.
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

test(`killed at ${KILLS} moments of the migration: the next start finishes it`, async () => {
  console.log(`seed ${seed} (repeat with SEED=${seed})`);
  const origin = firstStore();
  let random = seed;
  let halfWay = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const dir = `${origin}-${kill}`;
    cpSync(origin, dir, { recursive: true });
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'migrate.child.ts'), dir], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const steps = 1 + Math.floor((random / 2_147_483_648) * STEPS);
    let seen = 0;
    for await (const dots of child.stdout) {
      seen += dots.length;
      if (seen >= steps) child.kill('SIGKILL');
    }
    await child.exited;
    const environment = openEnvironment(dir, { readOnly: true });
    if (environment.meta.getBinary(MetaKey.step)) halfWay++;
    await environment.root.close();
    await checkDigest(dir);
  }
  console.log(`${halfWay} of ${KILLS} kills fell between two steps`);
  expect(halfWay).toBeGreaterThan(0);
}, 60_000);
