/** Copies, compaction, sizes, readers beside the writer, and what the main thread pays. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from '../../data/check.ts';
import { CHECKSUM_BYTES, seal } from '../../data/checksum.ts';
import { openEnvironment } from '../../data/environment.ts';
import { HISTORY_LIMITS } from '../../data/history-merge.ts';
import { Family, key } from '../../data/keys.ts';
import { backupStore, compactStore } from '../../data/maintenance.ts';
import { LogKind, NEWEST_BATCH, partBounds } from '../../data/row-log.ts';
import { type LmdbStore, openReader, openStore } from '../../data/store.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import type { Store } from '../../engine/store.ts';
import { cursorOf, hashOf, temporaryDir } from './tools.ts';

function commit(store: Store, n: number): Promise<void> {
  const batch = store.batch();
  for (let i = 0; i < 300; i++) {
    batch.block(1, i, new Uint8Array(3000).fill(n));
    batch.transaction(hashOf(n * 300 + i), 0, n, i);
  }
  batch.ledger(n, n * 4, new Uint8Array(1000).fill(n));
  return store.commit(batch, cursorOf(n));
}

/** Every block is of the cursor's ledger. */
function whole(store: Pick<Store, 'cursor' | 'blocks' | 'ledgerRanges'>): number {
  const last = store.cursor!.index;
  let blocks = 0;
  store.blocks(1, (_, bytes) => {
    if (bytes[0] !== (last & 255)) throw new Error(`a block of ledger ${bytes[0]} in a store at ${last}`);
    blocks++;
  });
  expect(blocks).toBe(300);
  expect(store.ledgerRanges()).toEqual([[1, last]]);
  return last;
}

async function opened(
  history = HISTORY_LIMITS,
): Promise<{ store: LmdbStore; dir: string; remove: () => void }> {
  const { dir, remove } = temporaryDir();
  return { store: await openStore({ dir: join(dir, 'store'), network: 'test', history }), dir, remove };
}

test('a copy made while batches are committed is one consistent state', async () => {
  const { store, dir, remove } = await opened();
  for (let n = 1; n <= 10; n++) await commit(store, n);
  const commits: Promise<void>[] = [];
  for (let n = 11; n <= 30; n++) commits.push(commit(store, n));
  const copies = [store.backup(join(dir, 'a')), store.backup(join(dir, 'b'))];
  await backupStore(join(dir, 'store'), join(dir, 'c'));
  await Promise.all([...copies, ...commits]);
  for (const name of ['a', 'b', 'c']) {
    const copy = await openStore({ dir: join(dir, name), network: 'test' });
    const last = whole(copy);
    expect(last).toBeGreaterThanOrEqual(10);
    await commit(copy, last + 1);
    expect(whole(copy)).toBe(last + 1);
    await copy.close();
  }
  expect(readdirSync(dir).sort()).toEqual(['a', 'b', 'c', 'store']);
  await expect(store.backup(join(dir, 'a'))).rejects.toThrow('not empty');
  writeFileSync(join(dir, 'file'), '');
  await expect(store.backup(join(dir, 'file', 'x'))).rejects.toThrow('Name another directory');
  mkdirSync(join(dir, 'empty'));
  await store.backup(join(dir, 'empty'));
  checkStore(join(dir, 'empty'));
  expect(whole(store)).toBe(30);
  await store.close();
  remove();
});

test('where a disk is mounted no copy is begun: it would go to the disk above, and could not take that name', async () => {
  const { store, dir, remove } = await opened();
  await commit(store, 1);
  const disk = join(dir, 'disk');
  mkdirSync(disk);
  if (!Bun.spawnSync(['mount', '-t', 'tmpfs', 'tmpfs', disk]).success) {
    console.warn('skipped: this user may not mount a disk');
  } else {
    try {
      await expect(backupStore(join(dir, 'store'), disk)).rejects.toThrow(
        'a disk is mounted here. Name a new directory in it',
      );
      await backupStore(join(dir, 'store'), join(disk, 'copy'));
      checkStore(join(disk, 'copy'));
    } finally {
      Bun.spawnSync(['umount', disk]);
    }
  }
  await store.close();
  remove();
});

test('compaction frees space and the store continues to work', async () => {
  const { store, dir, remove } = await opened();
  const path = join(dir, 'store');
  for (let n = 1; n <= 30; n++) await commit(store, n);
  await expect(compactStore(path)).rejects.toThrow('in use by this process');
  await store.close();
  await expect(compactStore(join(dir, 'none'))).rejects.toThrow('no store here');
  const { before, after } = await compactStore(path);
  expect(after).toBeLessThan(before);
  expect(existsSync(join(path, 'compacted'))).toBe(false);
  const again = await openStore({ dir: path, network: 'test' });
  expect(whole(again)).toBe(30);
  await commit(again, 31);
  await again.close();
  const third = await openStore({ dir: path, network: 'test' });
  expect(whole(third)).toBe(31);
  await third.close();
  remove();
});

test('sizes by family, and what the writer has done', async () => {
  const { store, remove } = await opened();
  for (let n = 1; n <= 3; n++) await commit(store, n);
  const stats = store.stats();
  expect(stats.families.blocks!.rows).toBe(300);
  // Blocks and history rows of each batch.
  expect(stats.families.log!.rows).toBe(6);
  expect(stats.families.ledgers!.rows).toBe(3);
  expect(stats.families.trades).toEqual({ rows: 0, bytes: 0 });
  expect(stats.families.blocks!.bytes).toBeGreaterThan(300 * 3000);
  expect(stats.fileBytes).toBeGreaterThanOrEqual(stats.usedBytes);
  expect(stats.writer.batches).toBe(3);
  expect(stats.writer.rows).toBe(3 * 602);
  expect(stats.writer.waitingBytes).toBe(0);
  expect(store.readerCheck()).toBe(0);
  await store.close();
  expect(() => store.stats()).toThrow('closed');
  expect(() => store.value('x')).toThrow('closed');
  remove();
});

test('a reader keeps its moment until it asks for the next', async () => {
  const { store, dir, remove } = await opened();
  await commit(store, 1);
  const reader = openReader(join(dir, 'store'));
  expect(reader.network).toBe('test');
  for (let n = 2; n <= 8; n++) {
    await commit(store, n);
    expect(whole(store)).toBe(n);
    expect(whole(reader)).toBe(n <= 5 ? 1 : 5);
    if (n === 5) reader.refresh();
  }
  reader.refresh();
  expect(whole(reader)).toBe(8);
  await reader.close();
  expect(() => reader.value('x')).toThrow('closed');
  await commit(store, 9);
  await store.close();
  await expect(async () => openReader(join(dir, 'none'))).toThrow('no store here');
  remove();
});

test('space does not grow while the same rows are written again and again', async () => {
  const { store, remove } = await opened();
  for (let n = 1; n <= 20; n++) await commit(store, n);
  const early = store.stats().usedBytes;
  for (let n = 21; n <= 120; n++) {
    await commit(store, n);
    whole(store);
  }
  const added = 100 * 300 * 80;
  expect(store.stats().usedBytes).toBeLessThan(early + 2 * added);
  await store.close();
  remove();
});

test('a million trust lines come back in less time than it took to store them', async () => {
  const { store, dir, remove } = await opened();
  const blocks = 15_625;
  const storing = performance.now();
  for (let from = 0; from < blocks; from += 2000) {
    const batch = store.batch();
    for (let i = from; i < Math.min(blocks, from + 2000); i++)
      batch.block(7, i, new Uint8Array(3200).fill(i));
    await store.commit(batch, cursorOf(from + 1));
  }
  await store.close();
  const stored = performance.now() - storing;
  const again = await openStore({ dir: join(dir, 'store'), network: 'test' });
  const start = performance.now();
  let seen = 0;
  let bytes = 0;
  again.blocks(7, (block, block64) => {
    if (block !== seen++ || block64[3199] !== (block & 255)) throw new Error(`block ${block} is wrong`);
    bytes += block64.length;
  });
  const ms = performance.now() - start;
  console.log(
    `${seen} blocks, ${(bytes / 2 ** 20).toFixed(0)} MiB in ${ms.toFixed(0)} ms, stored in ${stored.toFixed(0)} ms`,
  );
  expect(seen).toBe(blocks);
  expect(ms).toBeLessThan(stored);
  await again.close();
  remove();
});

test('a record of the log that was changed is found, named, and not read', async () => {
  for (const kind of [LogKind.rows, LogKind.history]) {
    const { store, dir, remove } = await opened();
    const path = join(dir, 'store');
    const batch = store.batch();
    batch.row(1, 7, hashOf(1));
    for (let n = 0; n < 4; n++) batch.transaction(hashOf(n), 0, 1, n);
    await store.commit(batch, cursorOf(1));
    const [start, end] = partBounds(kind, 0, NEWEST_BATCH);
    const [part] = [...store.environment.families[Family.log]!.getRange({ start, end })];
    await store.close();
    const file = readFileSync(join(path, 'data.mdb'));
    const at = file.lastIndexOf(Buffer.from(part!.value));
    file[at + 12]! ^= 16;
    writeFileSync(join(path, 'data.mdb'), file);
    const damage = `table 'log': row ${Buffer.from(part!.key).toString('hex')} is not what was written`;
    const read = async (): Promise<void> => {
      const again = await openStore({ dir: path, network: 'test' });
      try {
        runToEnd(again.rows(() => {}));
      } finally {
        await again.close();
      }
    };
    await expect(read()).rejects.toThrow(damage);
    expect(() => checkStore(path)).toThrow(damage);
    remove();
  }
});

test('a damaged store is neither copied nor written', async () => {
  const { store, dir, remove } = await opened({ ...HISTORY_LIMITS, loggedBytes: 1 });
  for (let n = 1; n <= 5; n++) await commit(store, n);
  await store.close();
  const path = join(dir, 'store', 'data.mdb');
  const file = readFileSync(path);
  // A byte of the location of a transaction: no start reads it, and no tree is wrong for it.
  const at = file.lastIndexOf(Buffer.from(hashOf(5 * 300 + 7).subarray(0, 16)));
  file[at + 17]! ^= 4;
  writeFileSync(path, file);
  const damage = "the store is damaged (table 'runs': row";
  await expect(backupStore(join(dir, 'store'), join(dir, 'copy'))).rejects.toThrow(damage);
  await expect(compactStore(join(dir, 'store'))).rejects.toThrow(damage);
  expect(readdirSync(dir)).toEqual(['store']);
  const again = await openStore({ dir: join(dir, 'store'), network: 'test' });
  await expect(commit(again, 6)).rejects.toThrow(damage);
  await expect(again.checked).rejects.toThrow(damage);
  await again.close();
  expect(readFileSync(path).equals(file)).toBe(true);
  remove();
});

test('a value that one transaction wrote twice, the second time shorter, is no damage', async () => {
  const { dir, remove } = temporaryDir();
  await (await openStore({ dir, network: 'test' })).close();
  const environment = openEnvironment(dir);
  const table = environment.families[Family.texts]!;
  const sealedText = (at: Uint8Array, length: number): Buffer => {
    const value = Buffer.alloc(length, 7);
    seal(Family.texts, at, value);
    return value;
  };
  // LMDB keeps the pages of the longer one; its own list of free pages is written so.
  environment.root.transactionSync(() => {
    for (const [id, length] of [13_000, 13_000, 13_000].entries()) {
      const at = key([1, 4], [9, id]);
      table.putSync(at, sealedText(at, length));
      table.putSync(at, sealedText(at, [9_000, 5_000, 100][id]!));
    }
  });
  await environment.root.close();
  checkStore(dir);
  const store = await openStore({ dir, network: 'test' });
  await store.checked;
  expect([0, 1, 2].map((id) => store.text(9, id)?.length)).toEqual(
    [9_000, 5_000, 100].map((n) => n - CHECKSUM_BYTES),
  );
  await store.close();
  remove();
});

test('a copy that is stopped leaves nothing', async () => {
  const { store, dir, remove } = await opened();
  for (let n = 1; n <= 10; n++) await commit(store, n);
  const stop = new AbortController();
  const copied = backupStore(join(dir, 'store'), join(dir, 'copy'), stop.signal);
  stop.abort();
  await expect(copied).rejects.toThrow(`${join(dir, 'copy')}: stopped before the copy was complete`);
  // What LMDB still copies ends in files without a name.
  await Bun.sleep(300);
  expect(readdirSync(dir)).toEqual(['store']);
  await backupStore(join(dir, 'store'), join(dir, 'copy'));
  expect(readdirSync(dir).sort()).toEqual(['copy', 'store']);
  await store.close();
  remove();
});
