/** A collection whose values or indexes have changed since it was stored. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { checkPlatform } from '../../data/platform-check.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import type { Collection } from '../../platform/store.ts';
import { contents, type Note, notes } from './platform-collections.ts';
import { notes3, wordsOf } from './platform-notes-3.ts';
import { temporaryDir } from './tools.ts';

const ROWS = 300;

async function fill(dir: string): Promise<void> {
  const store = await openPlatformStore({ dir, network: 'test', collections: [notes] });
  await store.transaction((transaction) => {
    for (let i = 0; i < ROWS; i++)
      transaction.put(notes, ['n', i], { owner: `o${i % 7}`, slug: `s${i}`, tags: ['t'], size: i });
  });
  await store.close();
}

function open3(dir: string, upgradeStepBytes?: number) {
  const step = upgradeStepBytes ? { upgradeStepBytes } : {};
  return openPlatformStore({ dir, network: 'test', collections: [notes3], ...step });
}

/** Every row of `fill`, upgraded, with its indexes. */
function expectVersion3(store: LmdbPlatformStore): void {
  expect(store.upgraded).toEqual(["'notes': version 1 to 3"]);
  expect(contents(store, notes3)).toEqual(
    Array.from({ length: ROWS }, (_, i) => [
      ['n', i],
      { owner: `o${i % 7}`, words: [`s${i}`, 't'], bytes: i * 8 },
    ]),
  );
  expect(wordsOf(store, 't')).toHaveLength(ROWS);
  expect(wordsOf(store, 's17')).toEqual([17]);
}

test('values go through every upgrade, and are found by the new indexes', async () => {
  const { dir, remove } = temporaryDir();
  await fill(dir);
  const store = await open3(dir, 2000);
  expectVersion3(store);
  await store.transaction((transaction) => transaction.delete(notes3, ['n', 17]));
  expect(wordsOf(store, 's17')).toEqual([]);
  const sizes = store.stats().collections.notes;
  await store.close();
  checkPlatform(dir);
  const again = await open3(dir);
  expect(again.upgraded).toEqual([]);
  expect(again.stats().collections.notes).toEqual(sizes!);
  expect(sizes!.rows).toBe(ROWS - 1);
  await again.transaction((transaction) => {
    for (let i = 0; i < ROWS; i++) transaction.delete(notes3, ['n', i]);
  });
  expect(again.stats().collections.notes).toEqual({ rows: 0, bytes: 0 });
  expect(wordsOf(again, 't')).toEqual([]);
  await again.close();
  remove();
});

test('killed during the upgrade, it continues and ends with the same rows', async () => {
  const { dir, remove } = temporaryDir();
  await fill(dir);
  let kills = 0;
  // Ends itself after as many commits as are named, of some that the upgrade takes.
  for (const commits of [1, 2, 3, 5, 8, 13]) {
    const child = Bun.spawn([
      process.execPath,
      join(import.meta.dir, 'platform-upgrade.child.ts'),
      dir,
      String(commits),
    ]);
    await child.exited;
    if (child.signalCode === 'SIGKILL') kills++;
    checkPlatform(dir);
  }
  expect(kills).toBe(6);
  const store = await open3(dir);
  expectVersion3(store);
  expect(store.stats().collections.notes!.rows).toBe(ROWS);
  await store.close();
  remove();
});

test('a new index is filled, one no longer declared is removed, a unique one that cannot be is refused', async () => {
  const { dir, remove } = temporaryDir();
  await fill(dir);
  const byOwner: Collection<Note> = {
    ...notes,
    indexes: { owner: { unique: false, keys: ({ owner }) => [[owner]] } },
  };
  const store = await openPlatformStore({ dir, network: 'test', collections: [byOwner] });
  expect(store.upgraded).toEqual(["'notes': indexes made again"]);
  const seen: number[] = [];
  store.walkIndex(byOwner, 'owner', { prefix: ['o3'] }, ({ size }) => void seen.push(size));
  expect(seen).toEqual(Array.from({ length: ROWS }, (_, i) => i).filter((i) => i % 7 === 3));
  expect(() => store.walkIndex(byOwner, 'tag', {}, () => undefined)).toThrow("no index 'tag'");
  await store.close();
  const once: Collection<Note> = {
    ...notes,
    indexes: { owner: { unique: true, keys: ({ owner }) => [[owner]] } },
  };
  const refused = openPlatformStore({ dir, network: 'test', collections: [once] });
  await expect(refused).rejects.toMatchObject({ code: 'duplicate' });
  // The store is closed again, and the declaration from before opens it.
  const again = await openPlatformStore({ dir, network: 'test', collections: [byOwner] });
  expect(contents(again, byOwner)).toHaveLength(ROWS);
  await again.close();
  remove();
});

test('an upgrade that throws, or makes too large a value, is refused and can be repeated', async () => {
  const { dir, remove } = temporaryDir();
  await fill(dir);
  const large: Collection<Note> = {
    ...notes,
    version: 2,
    upgrades: [(row) => ({ ...(row as Note), owner: 'x'.repeat(2000) })],
  };
  await expect(openPlatformStore({ dir, network: 'test', collections: [large] })).rejects.toMatchObject({
    code: 'value-too-large',
  });
  const store = await open3(dir);
  expect(contents(store, notes3)).toHaveLength(ROWS);
  await store.close();
  remove();
});
