/** Each failure of storage reports what happened and what to do, and leaves no partial write. */
import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openEnvironment } from '../../data/environment.ts';
import { DATA_FILE, StoreError, storeError } from '../../data/errors.ts';
import { MetaKey } from '../../data/keys.ts';
import { LOCK_FILE } from '../../data/lock.ts';
import { type Migration, migrate, schemaOf } from '../../data/migrations.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { type LmdbStore, openReader, openStore } from '../../data/store.ts';
import { balances } from './platform-collections.ts';
import { cursorOf, hashOf, temporaryDir } from './tools.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function newDir(): string {
  const { dir, remove } = temporaryDir();
  cleanups.push(remove);
  return dir;
}

const open = (dir: string): Promise<LmdbStore> => openStore({ dir, network: 'test' });

async function failure(work: () => Promise<unknown> | unknown): Promise<StoreError> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError;
  }
  throw new Error('it did not fail');
}

function run(...command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success;
}

/** A file system of `size` of its own; undefined where this user may not mount one. */
function smallDisk(size: string): string | undefined {
  const dir = newDir();
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir)) return undefined;
  cleanups.push(() => run('umount', '-l', dir));
  return dir;
}

async function put(store: LmdbStore, n: number, rows: number): Promise<void> {
  const batch = store.batch();
  for (let i = 0; i < rows; i++) batch.block(1, n * 1000 + i, new Uint8Array(3000).fill(n));
  batch.transaction(hashOf(n), 0, n, 0);
  await store.commit(batch, cursorOf(n));
}

function blocksOf(store: LmdbStore): number {
  let blocks = 0;
  store.blocks(1, () => blocks++);
  return blocks;
}

describe('a file that is removed or replaced while it is in use', () => {
  test.each(['removed', 'replaced'])('%s: no batch counts as durable from then on', async (how) => {
    const dir = newDir();
    const store = await open(dir);
    await put(store, 1, 10);
    const file = join(dir, DATA_FILE);
    const copy = readFileSync(file);
    rmSync(file);
    if (how === 'replaced') {
      writeFileSync(`${file}.new`, copy);
      renameSync(`${file}.new`, file);
    }
    for (const work of [() => put(store, 2, 10), () => store.space(), () => store.stats()]) {
      const { code, message } = await failure(work);
      expect([code, message]).toEqual(['removed', expect.stringContaining(`${dir}: data.mdb was ${how}`)]);
    }
    await store.close();
  });

  test('of what the service itself owns', async () => {
    const dir = newDir();
    const store = await openPlatformStore({ dir, network: 'test', collections: [balances] });
    const save = (drops: number) =>
      store.transaction((transaction) => transaction.put(balances, ['one'], { drops, events: [] }));
    await save(1);
    rmSync(dir, { recursive: true, force: true });
    const { code, message } = await failure(() => save(2));
    expect([code, message]).toEqual(['removed', expect.stringContaining(dir)]);
    expect(store.get(balances, ['one'])?.drops).toBe(1);
    await store.close();
  });
});

describe('a full disk', () => {
  test('fails the complete batch; the same batch is stored once there is space', async () => {
    const disk = smallDisk('4m');
    if (!disk) return console.warn('skipped: this user may not mount a small disk');
    const store = await open(join(disk, 'store'));
    await put(store, 1, 100);
    const large = store.batch();
    for (let i = 0; i < 2000; i++) large.block(1, 2000 + i, new Uint8Array(3000));
    large.transaction(hashOf(2), 0, 2, 0);
    const behind = store.batch();
    behind.value('behind', 1);
    const [first, second] = await Promise.allSettled([
      store.commit(large, cursorOf(2)),
      store.commit(behind, cursorOf(3)),
    ]);
    expect(first.status === 'rejected' && first.reason.code).toBe('disk-full');
    expect(first.status === 'rejected' && first.reason.message).toContain('Free disk space');
    expect(second.status === 'rejected' && second.reason.code).toBe('earlier-batch-failed');
    expect(store.cursor).toEqual(cursorOf(1));
    expect(blocksOf(store)).toBe(100);
    expect((await failure(() => put(store, 9, 1))).code).toBe('earlier-batch-failed');

    expect(run('mount', '-o', 'remount,size=64m', disk)).toBe(true);
    await store.commit(large, cursorOf(2));
    await store.commit(behind, cursorOf(3));
    expect(store.cursor).toEqual(cursorOf(3));
    expect(blocksOf(store)).toBe(2100);
    await put(store, 4, 1);
    const found = [1, 2, 3, 4, 9].map((n) => store.transaction(hashOf(n))?.ledger);
    expect(found).toEqual([1, 2, undefined, 4, undefined]);
    await store.close();
  });

  test('a file size limit is named as the cause, and stored data stays', () => {
    const dir = newDir();
    const child = Bun.spawnSync([
      'sh',
      '-c',
      'ulimit -f 8192 && exec "$0" "$1" "$2"',
      process.execPath,
      join(import.meta.dir, 'fill.child.ts'),
      dir,
    ]);
    const failure = JSON.parse(child.stdout.toString()) as Record<string, unknown>;
    expect(failure.code).toBe('disk-full');
    expect(failure.message).toContain('file size');
    expect(failure.cursor).toBeGreaterThan(0);
    expect(failure.blocks).toBe((failure.cursor as number) * 100);
  });
});

describe('a directory that cannot be written', () => {
  test('below a file', async () => {
    const dir = newDir();
    writeFileSync(join(dir, 'file'), 'x');
    const error = await failure(() => open(join(dir, 'file', 'store')));
    expect(error.code).toBe('read-only');
    expect(error.message).toContain('Name another directory');
  });

  test('in the place of a file, or where none can be made', async () => {
    const dir = newDir();
    writeFileSync(join(dir, 'file'), 'x');
    for (const path of [join(dir, 'file'), '/proc/none']) {
      const error = await failure(() => open(path));
      expect({ path, code: error.code }).toEqual({ path, code: 'read-only' });
      expect(error.message).toContain('Name another directory');
    }
  });

  test('on a read-only file system; reading works there', async () => {
    const disk = smallDisk('16m');
    if (!disk) return console.warn('skipped: this user may not mount a small disk');
    const dir = join(disk, 'store');
    const store = await open(dir);
    await put(store, 1, 10);
    await store.close();
    expect(run('mount', '-o', 'remount,ro', disk)).toBe(true);
    const error = await failure(() => open(dir));
    expect(error.code).toBe('read-only');
    expect(error.message).toContain('write access');
    expect((await failure(() => open(join(disk, 'other')))).code).toBe('read-only');
    const reader = openReader(dir);
    expect(reader.cursor).toEqual(cursorOf(1));
    await reader.close();
  });
});

describe('one writer a directory', () => {
  test('a second opening in this process is refused', async () => {
    const dir = newDir();
    const store = await open(dir);
    const error = await failure(() => open(dir));
    expect(error.code).toBe('locked');
    expect(error.message).toContain('this process');
    await put(store, 1, 1);
    await store.close();
    expect(existsSync(join(dir, LOCK_FILE))).toBe(false);
    await (await open(dir)).close();
  });

  test('another process is named; once it was killed, its lock does not matter', async () => {
    const dir = newDir();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'hold.child.ts'), dir], {
      stdout: 'pipe',
    });
    await child.stdout.getReader().read();
    const error = await failure(() => open(dir));
    expect(error.code).toBe('locked');
    expect(error.message).toContain(`process ${child.pid}`);
    child.kill('SIGKILL');
    await child.exited;
    expect(existsSync(join(dir, LOCK_FILE))).toBe(true);
    await (await open(dir)).close();
    expect(readdirSync(dir).filter((name) => name.startsWith(LOCK_FILE))).toEqual([]);
  });

  test('a process id used again does not hold the lock', async () => {
    const dir = newDir();
    writeFileSync(join(dir, LOCK_FILE), JSON.stringify({ pid: process.pid, started: 'before/1' }));
    await (await open(dir)).close();
    writeFileSync(join(dir, LOCK_FILE), 'torn');
    await (await open(dir)).close();
  });

  test('a writer that came in past the lock is found out by the cursor', async () => {
    const dir = newDir();
    const store = await open(dir);
    await put(store, 1, 1);
    const lock = readFileSync(join(dir, LOCK_FILE));
    writeFileSync(join(dir, LOCK_FILE), 'torn');
    const other = await open(dir);
    await put(other, 2, 1);
    const error = await failure(() => put(store, 2, 1));
    expect(error.code).toBe('locked');
    expect(error.message).toContain('another process has written');
    await other.close();
    writeFileSync(join(dir, LOCK_FILE), lock);
    await store.close();
  });
});

describe('a damaged file', () => {
  test('something that is no store', async () => {
    const dir = newDir();
    writeFileSync(join(dir, 'data.mdb'), 'no store at all '.repeat(2000));
    const error = await failure(() => open(dir));
    expect(error.code).toBe('corrupt');
    expect(error.message).toContain('backup');
    expect(readFileSync(join(dir, 'data.mdb'), 'utf8')).toStartWith('no store');
    expect(existsSync(join(dir, LOCK_FILE))).toBe(false);
  });

  test('a file cut short, anywhere', async () => {
    const dir = newDir();
    const store = await open(dir);
    await put(store, 1, 200);
    const pages = store.stats().usedBytes / 4096;
    await store.close();
    const path = join(dir, 'data.mdb');
    expect(statSync(path).size).toBe(pages * 4096);
    for (const length of [(pages - 1) * 4096, 3 * 4096, 8192, 5000, 100]) {
      truncateSync(path, length);
      expect((await failure(() => open(dir))).code).toBe('corrupt');
      expect((await failure(() => openReader(dir))).code).toBe('corrupt');
    }
  });

  test('a file that ends before pages that were freed and never written is accepted', async () => {
    const dir = newDir();
    await (await open(dir)).close();
    const environment = openEnvironment(dir);
    const table = environment.families[0]!;
    const keys = Array.from({ length: 200 }, (_, i) => Buffer.from([0, 0, 1, i]));
    environment.root.transactionSync(() => {
      for (const key of keys) table.putSync(key, Buffer.alloc(3000));
      for (const key of keys) table.removeSync(key);
    });
    const { lastPageNumber } = environment.meta.getStats() as { lastPageNumber: number };
    await environment.root.close();
    expect(statSync(join(dir, 'data.mdb')).size).toBeLessThan((lastPageNumber + 1) * 4096);
    const store = await open(dir);
    await store.checked;
    await put(store, 1, 5);
    await store.close();
  });

  test('a stored ledger that was changed', async () => {
    const dir = newDir();
    const store = await open(dir);
    const batch = store.batch();
    batch.ledger(1, 4, new Uint8Array(5000).fill(3));
    await store.commit(batch, cursorOf(1));
    await store.close();
    const environment = openEnvironment(dir);
    environment.families[0]!.putSync(Buffer.from([0, 0, 0, 1]), Buffer.from([0, 0, 0, 9, 1, 2, 3]));
    await environment.root.close();
    const again = await open(dir);
    expect((await failure(() => again.ledger(1))).code).toBe('corrupt');
    await again.close();
  });
});

describe('layout and network', () => {
  test('a store of a newer program is refused and not changed', async () => {
    const dir = newDir();
    await (await open(dir)).close();
    const environment = openEnvironment(dir);
    environment.meta.putSync(MetaKey.schema, Buffer.from([0, 0, 0, 99]));
    // A newer program may have tables and rows that this one does not know.
    environment.meta.putSync(Buffer.from('later'), Buffer.from([1]));
    await environment.root.openDB('later', { encoding: 'binary' }).put(Buffer.from('key'), Buffer.from([1]));
    await environment.root.close();
    for (const attempt of [() => open(dir), () => openReader(dir)]) {
      const error = await failure(attempt);
      expect(error.code).toBe('newer-schema');
      expect(error.message).toContain('layout 99');
    }
  });

  test('migrations run once, in order, and a failing one leaves the layout before it', async () => {
    const environment = openEnvironment(newDir());
    const done: number[] = [];
    const step = (to: number, fail = false): Migration => ({
      to,
      title: `step ${to}`,
      run: (within) => {
        within.meta.putSync(Buffer.from(`step ${to}`), Buffer.from('done'));
        if (fail) throw new Error('half way');
        done.push(to);
      },
    });
    expect(migrate(environment, [step(1), step(2)])).toEqual(['step 1', 'step 2']);
    expect(() => migrate(environment, [step(1), step(2), step(3), step(4, true)])).toThrow('half way');
    expect(done).toEqual([1, 2, 3]);
    expect(schemaOf(environment)).toBe(3);
    expect(environment.meta.getBinary(Buffer.from('step 4'))).toBeUndefined();
    expect(migrate(environment, [step(1), step(2), step(3), step(4)])).toEqual(['step 4']);
    expect(() => migrate(environment, [step(1)])).toThrow('newer program');
    await environment.root.close();
  });

  test('networks are not mixed', async () => {
    const dir = newDir();
    await (await openStore({ dir, network: 0 })).close();
    const error = await failure(() => openStore({ dir, network: 1 }));
    expect(error.code).toBe('other-network');
    expect(error.message).toContain('network 0, not 1');
    await (await openStore({ dir, network: 0 })).close();
  });
});

test('errors of LMDB and the file system get clear messages', () => {
  const code = (message: string): string => storeError(new Error(message), 'dir').code;
  expect(code('No space left on device')).toBe('disk-full');
  expect(code('MDB_MAP_FULL: Environment mapsize limit reached')).toBe('disk-full');
  expect(code('File too large')).toBe('disk-full');
  expect(code('EROFS: read-only file system')).toBe('read-only');
  expect(code('MDB_CORRUPTED: Located page was wrong type')).toBe('corrupt');
  expect(code('something else')).toBe('io');
  for (const reason of [
    'EMFILE: too many open files, open x',
    'Too many open files: Attempting to setup locks',
  ])
    expect(storeError(new Error(reason), 'dir').message).toContain(
      'Raise the limit of open files (ulimit -n)',
    );
});

describe('a limited address space', () => {
  const GIB_IN_KIB = 1024 * 1024;

  function opensWithin(gib: number): Record<string, unknown> {
    const command = [
      'sh',
      '-c',
      `ulimit -v ${gib * GIB_IN_KIB} && exec "$0" "$1" "$2"`,
      process.execPath,
      join(import.meta.dir, 'address-space.child.ts'),
      newDir(),
    ];
    return JSON.parse(Bun.spawnSync(command).stdout.toString()) as Record<string, unknown>;
  }

  test.skipIf(process.platform !== 'linux')('is kept: the store is opened, written, copied and read', () => {
    expect(opensWithin(512)).toEqual({ mapped: 64 * 2 ** 30, read: 7, copied: 7 });
    expect(opensWithin(48)).toEqual({ mapped: 4 * 2 ** 30, read: 7, copied: 7 });
  });

  test.skipIf(process.platform !== 'linux')('that is too small is one clear line', () => {
    const { code, message } = opensWithin(6);
    expect(code).toBe('io');
    expect(message).toContain(
      'this process may use 6.0 GiB of address space, and the store needs it to be 16 GiB',
    );
    expect(message).toContain('ulimit -v unlimited');
  });
});
