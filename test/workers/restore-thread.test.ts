/** A state is restored by two threads as by one, whatever becomes of the second. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type LmdbStore, openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { runInSlices } from '../../engine/event-loop.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Answer, RestoreThread } from '../../engine/state/restore-thread.ts';
import { relaidChain } from '../../support/chain.ts';
import { corpusDir } from '../../support/corpus.ts';
import { RestoreWorker } from '../../workers/restore-thread.ts';
import { temporaryDir } from '../data/tools.ts';

const LEDGERS = 20;
const FURTHER = 4;
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const ENDING = new URL('./ending-restore.worker.ts', import.meta.url).href;

/** Some blocks are written, and rows are newer than those: a checkpoint is on its way. */
const checkpoint = { batches: 8, images: 2000, share: 0.5 };
const engineOn = (store: LmdbStore) => new Engine({ store, log, checkpoint, networkId: 0 });
const { dir, remove } = temporaryDir();
const chain = corpusDir ? [...relaidChain({ ledgers: LEDGERS + FURTHER, transactionsPerLedger: 25 })] : [];

async function apply(engine: Engine, from: number, to: number): Promise<void> {
  for (const packed of chain.slice(from, to)) {
    const made = prepared(packed, prepare(packed.bytes, false));
    if (made.fault) throw new Error(made.fault);
    await engine.applyLedger(made, false);
  }
  await engine.drain();
}

/** Whether a thread did what it was asked for, by task. */
const did: boolean[] = [];

function watched(thread: RestoreWorker): RestoreThread {
  const watch = <T>({ take }: Answer<T>): Answer<T> => ({
    take: () => {
      const taken = take();
      if (taken !== undefined) did.push(taken !== null);
      return taken;
    },
  });
  return {
    fromRows: thread.fromRows,
    start: () => thread.start(),
    loadRows: (task) => watch(thread.loadRows(task)),
    fillIndexes: (keys) => watch(thread.fillIndexes(keys)),
  };
}

/** Restores the state with a thread, and says what it is. */
async function restored(threadOf: (store: LmdbStore) => RestoreWorker | undefined): Promise<string> {
  did.length = 0;
  const store = await openStore({ dir, network: 0 });
  const thread = threadOf(store);
  const engine = engineOn(store);
  await runInSlices(engine.restoring(thread && watched(thread)));
  await thread?.close();
  const digest = await engine.digestWithHistory();
  await store.close();
  return digest;
}

describe.skipIf(!corpusDir)('restores', () => {
  let alone = '';

  beforeAll(async () => {
    const store = await openStore({ dir, network: 0 });
    await apply(engineOn(store), 0, LEDGERS);
    await store.close();
    alone = await restored(() => undefined);
  });

  afterAll(remove);

  test('with a thread', async () => {
    expect(await restored((store) => new RestoreWorker(store.moment!, { fromRows: 2 }))).toBe(alone);
    expect(did).toEqual([true, true]);
  });

  test('with one that cannot read the file, which has moved on', async () => {
    const other = (store: LmdbStore) => ({ dir, log: store.moment!.log.map((byte) => byte ^ 1) });
    expect(await restored((store) => new RestoreWorker(other(store), { fromRows: 2 }))).toBe(alone);
    // The indexes do not depend on the file.
    expect(did).toEqual([false, true]);
  });

  test('with one that ends', async () => {
    const ending = (store: LmdbStore) => new RestoreWorker(store.moment!, { fromRows: 2, filename: ENDING });
    expect(await restored(ending)).toBe(alone);
    expect(did).toEqual([false, false]);
  });

  test('and goes on as a process that never stopped', async () => {
    const never = temporaryDir();
    const whole = await openStore({ dir: never.dir, network: 0 });
    const one = engineOn(whole);
    await apply(one, 0, LEDGERS + FURTHER);
    const store = await openStore({ dir, network: 0 });
    const thread = new RestoreWorker(store.moment!, { fromRows: 2 });
    const other = engineOn(store);
    await runInSlices(other.restoring(thread));
    await thread.close();
    await apply(other, LEDGERS, LEDGERS + FURTHER);
    expect(await other.digestWithHistory()).toBe(await one.digestWithHistory());
    await store.close();
    await whole.close();
    never.remove();
    expect(await restored(() => undefined)).toBe(
      await restored((store) => new RestoreWorker(store.moment!, { fromRows: 2 })),
    );
  });
});
