/** The account index is filled backwards from stored ledgers; killed at any moment (SIGKILL) it goes on where the store ends. */
import { expect, test } from 'bun:test';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Batch, Store } from '../../engine/store.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { casesOf } from '../cases.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';
import { EARLIER, indexFillChain } from './index-fill-chain.ts';
import { linesUntilKilledAt, SMALL_HISTORY, temporaryDir } from './tools.ts';

/** The last ledgers that a process applied may not have been durable: it may take more processes than lines suggest. */
const ROUNDS_MAX = 60;
/** Ledgers that a process applies before it is killed, at most: it fills four with each, which is never all of them. */
const LEDGERS = casesOf(14, 5);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** What a program without the index writes. */
function withoutEntries<T extends Batch>(batch: T): T {
  const { value } = batch;
  batch.accountTransaction = () => undefined;
  batch.value = (name, ...rest) =>
    name === 'account index from' ? undefined : value.call(batch, name, ...rest);
  return batch;
}

async function apply(store: Store, ledgers: number): Promise<Engine> {
  const engine = new Engine({ store, log });
  for (const packed of indexFillChain().take(ledgers))
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  await engine.drain();
  return engine;
}

/** All entries of ledgers from one to another. */
function entries({ accountIndex, state }: Engine, from: number, to: number): string[] {
  const walk = { from, to, newestFirst: true };
  return Array.from({ length: state.accounts.count - 1 }, (_, i) =>
    Array.from(
      accountIndex.of(i + 1, walk),
      ({ ledger, tx, type, role }) => `${i + 1}: ${ledger} ${tx} ${type} ${role}`,
    ),
  ).flat();
}

/** The index of a program that knows every account before it reads the first ledger: nothing has more entries. */
async function filledAtTheEnd(): Promise<Engine> {
  const store = new MemoryStore();
  const { batch } = store;
  store.batch = () => withoutEntries(batch.call(store));
  await apply(store, Number.POSITIVE_INFINITY);
  store.batch = batch;
  const engine = new Engine({ store, log });
  engine.restore();
  while (engine.accountIndex.fillStep());
  const filled = store.batch();
  engine.accountIndex.persist(filled);
  await store.commit(filled, store.cursor!);
  return engine;
}

test('kills during the fill lose no entry and leave none twice', async () => {
  console.log(`seed ${seed} (repeat with SEED=${seed})`);
  const { dir, remove } = temporaryDir();
  const open = () => openStore({ dir, network: 0, history: SMALL_HISTORY });
  const earlier = await open();
  const { batch } = earlier;
  earlier.batch = () => withoutEntries(batch.call(earlier));
  const first = (await apply(earlier, EARLIER)).ledgerRanges()[0]![0];
  await earlier.close();
  const reference = await apply(new MemoryStore(), Number.POSITIVE_INFINITY);
  const most = await filledAtTheEnd();
  let from = Number.POSITIVE_INFINITY;
  let kills = 0;
  for (; from > first && kills < ROUNDS_MAX; kills++) {
    // One at first: that leaves something to fill.
    const ledgers = kills === 0 ? 1 : 1 + ((seed + kills * 31) % LEDGERS);
    const lines = await linesUntilKilledAt('index-fill.child.ts', [dir, String(ledgers)], ledgers);
    const store = await open();
    const engine = new Engine({ store, log });
    engine.restore();
    const [filled, newest] = [engine.accountIndex.from!, engine.head!.index];
    expect(filled).toBeLessThanOrEqual(from);
    from = filled;
    expect(newest).toBeLessThanOrEqual(Number(lines.at(-1)!.split(' ')[1]));
    const found = entries(engine, 0, newest);
    const set = new Set(found);
    expect(set.size).toBe(found.length);
    // An account that gets its id in a later ledger is in the entries of a fill, and not in those written with the ledger.
    expect(entries(reference, from, newest).filter((one) => !set.has(one))).toEqual([]);
    const all = new Set(entries(most, from, newest));
    expect(found.filter((one) => !all.has(one))).toEqual([]);
    await store.close();
  }
  expect(from).toBe(first);
  expect(kills).toBeGreaterThan(1);
  console.log(`filled to ${from} in ${kills} processes`);
  remove();
});
