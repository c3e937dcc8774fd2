/**
 * A disk that fills up under the running service, and one that cannot be written: one clear line, exit code 1, and a
 * consistent store, from which the next start continues to the same result.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { replayArchive } from '../service/replay.ts';
import { relaidChain } from '../support/chain.ts';
import { quiet } from './live-rig.ts';

/** More than two batches of the engine (256 ledgers each), so that the disk fills up after the first. */
const LEDGERS = 600;

const root = resolve(import.meta.dir, '..');
const base = mkdtempSync(join(tmpdir(), 'millrace-disk-'));
const archive = join(base, 'chain.mlr');
const digests = new Map<number, string>();
/** With the history, of all ledgers. */
let undisturbed = '';
const mounted: string[] = [];
let last = 0;

function run(...command: string[]): boolean {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success;
  } catch {
    return false;
  }
}

/** A file system of its own; undefined where this user may not mount one. */
function smallDisk(size: string): string | undefined {
  const dir = mkdtempSync(join(base, 'disk-'));
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir)) {
    console.warn('skipped: this user may not mount a small disk');
    return undefined;
  }
  mounted.push(dir);
  return dir;
}

async function service(data: string) {
  const args = ['--port', '0', '--data', data, '--source', `file:${archive}`];
  const child = Bun.spawn([process.execPath, join(root, 'service', 'main.ts'), ...args], {
    cwd: base,
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const stderr = await new Response(child.stderr).text();
  return { lines: stderr.trim().split('\n'), code: await child.exited };
}

beforeAll(async () => {
  const writer = ArchiveWriter.open(archive);
  for (const ledger of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 16 })) writer.append(ledger);
  writer.close();
  const onLedger = (engine: Engine) => {
    last = engine.head!.index;
    // Batches end at these, and a digest walks all of the state.
    const count = engine.counters.ledgersApplied;
    if (count % 64 === 0 || count === LEDGERS) digests.set(last, engine.digest());
  };
  const dir = join(base, 'undisturbed');
  undisturbed = (await replayArchive({ archive, dir, workers: 0, log: quiet, onLedger })).digest;
});

afterAll(() => {
  for (const dir of mounted) run('umount', '-l', dir);
  rmSync(base, { recursive: true, force: true });
});

test('a disk that fills up: one line, exit code 1, a consistent store, and the same result once there is space', async () => {
  // Space for the first batch, not for all.
  const whole = statSync(join(base, 'undisturbed', 'data.mdb')).size;
  const disk = smallDisk(`${Math.round((whole * 0.5) / 1024)}k`);
  if (!disk) return;
  const { lines, code } = await service(join(disk, 'store'));
  expect(code).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('no room to write');

  const copy = join(base, 'copy');
  cpSync(join(disk, 'store'), copy, { recursive: true });
  const store = await openStore({ dir: copy, network: 0 });
  const engine = new Engine({ store, log: quiet });
  engine.restore();
  const at = engine.head?.index ?? 0;
  expect(engine.digest()).toBe(digests.get(at)!);
  expect(store.ledgerRanges()).toEqual([[last - LEDGERS + 1, at]]);
  expect(at).toBeLessThan(last);
  await store.close();
  console.log(`stopped at ledger ${at} of ${last}`);
  const { digest } = await replayArchive({ archive, dir: copy, workers: 0, log: quiet });
  expect(digest).toBe(undisturbed);
});

test('a disk that cannot be written: one line, exit code 1', async () => {
  const disk = smallDisk('32m');
  if (!disk) return;
  mkdirSync(join(disk, 'empty'));
  cpSync(join(base, 'undisturbed'), join(disk, 'store'), { recursive: true });
  if (!run('mount', '-o', 'remount,ro', disk)) return;
  for (const data of ['empty', 'absent', 'store']) {
    const { lines, code } = await service(join(disk, data));
    expect([data, code, lines.length]).toEqual([data, 1, 1]);
    expect(lines[0]).toContain('cannot be written');
  }
});
