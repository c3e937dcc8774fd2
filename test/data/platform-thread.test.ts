/** The platform's store when its writer thread ends unasked, and while commits fail. */
import { expect, test } from 'bun:test';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { DATA_FILE } from '../../data/errors.ts';
import {
  type LmdbPlatformStore,
  openPlatformStore,
  type PlatformStoreOptions,
} from '../../data/platform-store.ts';
import { until } from '../live-rig.ts';
import { balances, notes } from './platform-collections.ts';
import { temporaryDir } from './tools.ts';

const threads: Worker[] = [];
const collect = (worker: Worker) => threads.push(worker);

async function opened(options: Partial<PlatformStoreOptions> = {}) {
  const { dir, remove } = temporaryDir();
  process.on('worker', collect as never);
  const open = () => openPlatformStore({ dir, network: 'test', collections: [notes, balances], ...options });
  const closed = async (store: LmdbPlatformStore) => {
    await store.close();
    process.off('worker', collect as never);
    remove();
  };
  return { dir, open, closed };
}

const drops = (store: LmdbPlatformStore) => store.get(balances, ['a'])?.drops ?? 0;
const add = (store: LmdbPlatformStore) =>
  store.transaction((transaction) => {
    const before = transaction.get(balances, ['a'])?.drops ?? 0;
    transaction.put(balances, ['a'], { drops: before + 1, events: [] });
    return before + 1;
  });

/** It can make nothing of this, and ends. */
const fail = (thread: Worker) => thread.postMessage(null);

const WAYS: Readonly<Record<string, (thread: Worker) => Promise<void> | void>> = {
  'between two groups': async (thread) => {
    const end = new Promise((resolve) => thread.once('exit', resolve));
    fail(thread);
    await end;
  },
  'before a group that it has been sent': fail,
  'after a group of which it could not say that it is stored': (thread) => {
    thread.removeAllListeners('message');
    setTimeout(() => fail(thread), 30);
  },
};

test.each(Object.keys(WAYS))(
  'a writer thread that ends %s is replaced; nothing is lost or written twice',
  async (way) => {
    const ended: unknown[] = [];
    const { open, closed } = await opened({ onThreadEnded: (fault) => ended.push(fault) });
    let store = await open();
    await add(store);
    for (let round = 2; round <= 6; round += 2) {
      await WAYS[way]!(threads.at(-1)!);
      expect(await Promise.all([add(store), add(store)])).toEqual([round, round + 1]);
      expect(drops(store)).toBe(round + 1);
    }
    // Each end is reported once. One after a durable group is found at the next one: of three rounds, the second replaces the thread.
    const ends = way.startsWith('after') ? [1, 2] : [1, 2, 3];
    expect(ended).toMatchObject(ends.map(() => ({ code: 'writer-stopped' })));
    expect(store.stats().failures).toBe(0);
    await store.close();
    store = await open();
    expect(drops(store)).toBe(7);
    await closed(store);
  },
);

test('a group that ends every thread is refused, and the next one is stored', async () => {
  const { open, closed } = await opened();
  const store = await open();
  await add(store);
  const failAll = (worker: Worker) => worker.once('message', () => fail(worker));
  process.on('worker', failAll as never);
  fail(threads.at(-1)!);
  await expect(add(store)).rejects.toMatchObject({ code: 'writer-stopped' });
  process.off('worker', failAll as never);
  expect(await add(store)).toBe(2);
  await closed(store);
});

test('no thread takes the place of one that ended while the file is gone: it would make another store', async () => {
  const ended: unknown[] = [];
  const { dir, open, closed } = await opened({ retryMs: 10, onThreadEnded: (fault) => ended.push(fault) });
  const store = await open();
  await add(store);
  const [file, away] = [join(dir, DATA_FILE), join(dir, 'away')];
  renameSync(file, away);
  fail(threads.at(-1)!);
  const refused = () => add(store).catch(({ code }) => code);
  expect([await refused(), await refused()]).toEqual(['removed', 'removed']);
  expect(existsSync(file)).toBe(false);
  expect(ended).toHaveLength(1);
  renameSync(away, file);
  expect(await add(store)).toBe(2);
  await closed(store);
});

test('commits that fail are tried again without a request, until they succeed', async () => {
  const said: unknown[] = [];
  const { dir, open, closed } = await opened({ retryMs: 10, onFailing: (fault) => said.push(fault) });
  const store = await open();
  await add(store);
  const [file, away] = [join(dir, DATA_FILE), join(dir, 'away')];
  renameSync(file, away);
  expect(await add(store).catch(({ code }) => code)).toBe('removed');
  await Bun.sleep(50);
  expect(said).toHaveLength(1);
  renameSync(away, file);
  await until(() => said.length === 2, 'a commit');
  expect(said[1]).toBeUndefined();
  expect(store.stats().failures).toBeGreaterThan(1);
  expect(drops(store)).toBe(1);
  expect(await add(store)).toBe(2);
  await closed(store);
});
