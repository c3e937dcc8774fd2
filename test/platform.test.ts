/**
 * The service's own data where the service has it: opened beside the engine's store, shown by /metrics, copied, compacted
 * and looked over by the same commands, and left alone when the engine's store is made again.
 */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { backupStore, compactStore } from '../data/maintenance.ts';
import { platformDir } from '../data/platform-check.ts';
import { openPlatformStore } from '../data/platform-store.ts';
import { readOptions } from '../service/options.ts';
import { networksOf, startService } from '../service/service.ts';
import { contents, type Note, notes } from './data/platform-collections.ts';
import { quiet } from './live-rig.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-platform-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const archive = join(base, 'recorded.mlr');
const data = join(base, 'data');
const note = (i: number, owner = 'ann'): Note => ({ owner, slug: `s${i}`, tags: ['t'], size: i });

function tool(...args: readonly string[]) {
  const child = Bun.spawnSync([process.execPath, resolve(import.meta.dir, '../service/tool.ts'), ...args]);
  return {
    code: child.exitCode,
    stdout: child.stdout.toString().trim(),
    stderr: child.stderr.toString().trim(),
  };
}

function service() {
  const options = readOptions(
    ['--port=0', `--data=${data}`, `--source=file:${archive}`, '--workers=0', '--rate-feed=none'],
    {},
  );
  return startService({
    options,
    networks: networksOf(options),
    log: quiet,
    onFault: (fault) => {
      throw fault;
    },
  });
}

function open(dir: string) {
  return openPlatformStore({ dir: platformDir(dir), network: 0, collections: [notes] });
}

async function write(dir: string, rows: number): Promise<void> {
  const store = await open(dir);
  await store.transaction((transaction) => {
    for (let i = 0; i < rows; i++) transaction.put(notes, [i], note(i));
  });
  await store.close();
}

async function rowsIn(dir: string): Promise<number> {
  const store = await open(dir);
  const rows = contents(store, notes).length;
  await store.close();
  return rows;
}

test('the service opens it, shows its sizes, and keeps what it does not know', async () => {
  expect(tool('import', '--from', join(import.meta.dir, 'golden'), '--to', archive).code).toBe(0);
  for (const rows of [0, 20]) {
    const running = await service();
    await running.followed;
    const text = await (await fetch(`${running.url}/metrics`)).text();
    expect(text).toMatch(/millrace_platform_file_bytes \d{4,}\n/);
    expect(text).toMatch(/millrace_platform_transactions_total \d+\n/);
    const locked = tool('compact', '--data', data);
    expect([locked.code, locked.stderr]).toEqual([
      1,
      expect.stringContaining(`in use by process ${process.pid}`),
    ]);
    await expect(open(data)).rejects.toMatchObject({ code: 'locked' });
    await running.stop();
    expect(existsSync(join(platformDir(data), 'data.mdb'))).toBe(true);
    if (rows > 0) await write(data, rows);
  }
  const again = await service();
  await again.stop();
  expect(await rowsIn(data)).toBe(20);
});

test('backup, compact, check and rebuild', async () => {
  await write(data, 900);
  const copy = join(base, 'copy');
  expect(tool('backup', '--data', data, '--to', copy)).toMatchObject({ code: 0, stdout: 'backup complete' });
  expect(await rowsIn(copy)).toBe(900);
  expect(tool('digest', '--data', copy).stdout).toBe(tool('digest', '--data', data).stdout);
  const store = await open(data);
  await store.transaction((transaction) => {
    for (let i = 10; i < 900; i++) transaction.delete(notes, [i]);
  });
  await store.close();
  const sizes = /^(\d+) bytes before, (\d+) after$/.exec(tool('compact', '--data', data).stdout)!;
  const lengths = [data, platformDir(data)].map((dir) => statSync(join(dir, 'data.mdb')).size);
  expect(Number(sizes[2])).toBe(lengths[0]! + lengths[1]!);
  expect(statSync(join(platformDir(copy), 'data.mdb')).size).toBeGreaterThan(lengths[1]!);
  expect(readdirSync(platformDir(data)).sort()).toEqual(['data.mdb']);
  expect(await rowsIn(data)).toBe(10);
  await write(data, 30);
  expect(await rowsIn(data)).toBe(30);
  expect(tool('check', '--data', data)).toMatchObject({ code: 0, stdout: 'the store is whole' });
  // The engine's store is made again; what is beside it stays.
  expect(tool('rebuild', '--data', data)).toMatchObject({ code: 0 });
  expect(await rowsIn(data)).toBe(30);

  const path = join(platformDir(data), 'data.mdb');
  const file = readFileSync(path);
  file[file.lastIndexOf('ann')]! ^= 1;
  writeFileSync(path, file);
  const { code, stderr } = tool('check', '--data', data);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("the service's own data is damaged (table 'rows': row"),
  ]);
  expect(tool('backup', '--data', data, '--to', join(base, 'none')).code).toBe(1);
  expect(existsSync(join(base, 'none'))).toBe(false);
  await expect(service()).rejects.toMatchObject({ code: 'corrupt' });
});

test('a copy made while transactions are committed has each of them completely or not at all', async () => {
  const dir = join(base, 'busy');
  await backupStore(join(base, 'copy'), dir);
  const store = await open(dir);
  let isWriting = true;
  let n = 0;
  const writing = (async () => {
    for (; isWriting; n++)
      await store.transaction((transaction) => {
        for (let i = 0; i < 20; i++) transaction.put(notes, [i], note(i, `round ${n}`));
      });
  })();
  const copies = ['busy-1', 'busy-2', 'busy-3'].map((name) => join(base, name));
  for (const to of copies) {
    const before = n;
    while (n < before + 2) await Bun.sleep(1);
    await backupStore(dir, to);
  }
  isWriting = false;
  await writing;
  await store.close();
  expect(n).toBeGreaterThan(3);
  for (const to of copies) {
    const copied = await open(to);
    const written = contents(copied, notes).slice(0, 20);
    expect(new Set(written.map(([, { owner }]) => owner)).size).toBe(1);
    expect(written[0]![1].owner).toStartWith('round');
    expect(copied.stats().collections.notes!.rows).toBe(900);
    await copied.transaction((transaction) => transaction.put(notes, ['more'], note(1000)));
    await copied.close();
    const { before, after } = await compactStore(to);
    expect(after).toBeLessThanOrEqual(before);
    expect(await rowsIn(to)).toBe(901);
  }
});
