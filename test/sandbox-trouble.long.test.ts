/** The embedded network where it cannot start or go on: one clear line, an exit code, and nothing lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEnvironment } from '../data/environment.ts';
import { SANDBOX_FAMILY_NAMES, SandboxFamily } from '../data/sandbox-keys.ts';
import { openSandboxStore } from '../data/sandbox-store.ts';
import { eventually, failedStart, hashAt, held, networkFile, page, startProgram } from './sandbox-program.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-trouble-'));
const whole = join(base, 'whole');
const mounted: string[] = [];
let last = 0;
let hash = '';

const run = (...command: string[]): boolean => {
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success;
  } catch {
    return false;
  }
};

/** A copy of the store to be spoiled. */
function copy(name: string): string {
  const dir = join(base, name);
  cpSync(whole, dir, { recursive: true });
  return dir;
}

/** The ledgers of the undisturbed store are there, and the chain continues. */
async function isWhole(dir: string): Promise<void> {
  const program = await startProgram(dir, '--sandbox-days=1');
  try {
    expect(await hashAt(program.node, last)).toBe(hash);
    await eventually('the service at the old head', async () =>
      (await page(program, '/v1/ledger'))?.ledger_index >= last ? true : undefined,
    );
    expect((await page(program, `/v1/ledger/${last}`))?.ledger_hash).toBe(hash);
  } finally {
    await program.stop();
  }
}

beforeAll(async () => {
  const program = await startProgram(whole, '--sandbox-days=1');
  last = await eventually('ledger 60', async () => {
    const [, newest] = await held(program);
    return newest >= 60 && (await page(program, '/v1/ledger'))?.ledger_index >= 60 ? newest : undefined;
  });
  hash = await hashAt(program.node, last);
  expect(await program.stop()).toBe(0);
});

afterAll(() => {
  for (const dir of mounted) run('umount', '-l', dir);
  rmSync(base, { recursive: true, force: true });
});

test('two programs ask for one port: the second is refused with one line that names it, and the first goes on', async () => {
  const first = await startProgram(whole);
  const port = new URL(first.url).port;
  const { lines, code } = await failedStart(join(base, 'other'), `--port=${port}`);
  expect([code, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toContain(`port ${port}: another process listens there`);
  expect(await hashAt(first.node, last)).toBe(hash);
  expect(await first.stop()).toBe(0);
  await isWhole(whole);
});

test('two programs ask for one port of the network: the second is refused with one line that names it', async () => {
  const first = await startProgram(whole);
  const { port } = new URL(first.node);
  const { lines, code } = await failedStart(join(base, 'other'), `--sandbox-port=${port}`);
  expect([code, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toContain(
    `port ${port}: another process listens there. Choose another with --sandbox-port`,
  );
  expect(await hashAt(first.node, last)).toBe(hash);
  expect(await first.stop()).toBe(0);
});

test('the usual port of the network taken, and none asked for: another one, and the log says which', async () => {
  const usual = { hostname: '127.0.0.1', port: 6006, fetch: () => new Response('') };
  let holder: Bun.Server<undefined> | undefined;
  try {
    holder = Bun.serve(usual);
  } catch {
    // Another program has it, which serves the test as well.
  }
  const program = await startProgram(whole, '--sandbox-port=auto');
  expect(program.node).not.toContain(':6006');
  expect(await hashAt(program.node, last)).toBe(hash);
  expect(await program.stop()).toBe(0);
  await holder?.stop(true);
});

test('a second program on the same folder: one line, exit code 1, and the first goes on', async () => {
  const program = await startProgram(whole);
  for (const option of ['--sandbox-days=1', '--sandbox-reset']) {
    const { lines, code } = await failedStart(whole, option);
    expect([option, code, lines.length]).toEqual([option, 1, 1]);
    expect(lines[0]).toContain('in use by');
  }
  expect(await hashAt(program.node, last)).toBe(hash);
  expect(await program.stop()).toBe(0);
  await isWhole(whole);
});

test('a folder that cannot be written: one line, exit code 1', async () => {
  const disk = mkdtempSync(join(base, 'disk-'));
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', disk)) {
    console.warn('skipped: this user may not mount a small disk');
    return;
  }
  mounted.push(disk);
  mkdirSync(join(disk, 'empty'));
  cpSync(whole, join(disk, 'store'), { recursive: true });
  if (!run('mount', '-o', 'remount,ro', disk)) return;
  for (const data of ['empty', 'absent', 'store']) {
    const { lines, code } = await failedStart(join(disk, data));
    expect([data, code, lines.length]).toEqual([data, 1, 1]);
    expect(lines[0]).toContain('cannot be written');
  }
  run('mount', '-o', 'remount,rw', disk);
  await isWhole(join(disk, 'store'));
});

test.each(['yes', 'no'])(
  'a folder that is removed while the program runs, with media of NFTs %s: one line that names it, and exit code 1',
  async (media) => {
    const dir = copy(`removed-${media}`);
    const program = await startProgram(dir, `--nft-media=${media}`);
    rmSync(dir, { recursive: true, force: true });
    await eventually('the end', async () => (program.stderr() === '' ? undefined : true));
    expect(await program.stop()).toBe(1);
    const lines = program.stderr().trim().split('\n');
    expect(lines.length).toBe(1);
    expect(lines[0]).toStartWith('millrace: ');
    expect(lines[0]).toContain(dir);
  },
);

test('a disk that fills up: one line, exit code 1, and with more room it goes on from a whole ledger', async () => {
  const disk = mkdtempSync(join(base, 'disk-'));
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk)) {
    console.warn('skipped: this user may not mount a small disk');
    return;
  }
  mounted.push(disk);
  const data = join(disk, 'store');
  const { lines, code } = await failedStart(data, '--sandbox-days=7');
  expect([code, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toContain('no room to write');
  expect(run('mount', '-o', 'remount,size=64m', disk)).toBe(true);
  const store = openSandboxStore({ dir: join(data, 'sandbox', 'network'), network: 52_168 });
  const { index = 0 } = store.head() ?? {};
  await store.close();
  const program = await startProgram(data, '--sandbox-days=7');
  await eventually('more ledgers', async () => ((await held(program))[1] > index ? true : undefined));
  expect(await program.stop()).toBe(0);
});

const damages: readonly (readonly [string, (dir: string) => void | Promise<void>])[] = [
  ['cut short', (dir) => truncateSync(networkFile(dir), 40_960)],
  ['no store at all', (dir) => writeFileSync(networkFile(dir), 'no store at all '.repeat(2_000))],
  [
    'an entry of the state with a flipped bit',
    async (dir) => {
      const environment = openEnvironment(join(dir, 'sandbox', 'network'), {
        families: SANDBOX_FAMILY_NAMES,
      });
      const state = environment.families[SandboxFamily.state]!;
      const [row] = [...state.getRange({ limit: 1 })];
      const value = Buffer.from(row!.value);
      value[value.length - 1]! ^= 1;
      state.putSync(Buffer.from(row!.key as Uint8Array), value);
      await environment.root.close();
    },
  ],
  [
    'an entry of the state that is gone',
    async (dir) => {
      const environment = openEnvironment(join(dir, 'sandbox', 'network'), {
        families: SANDBOX_FAMILY_NAMES,
      });
      const state = environment.families[SandboxFamily.state]!;
      const [key] = [...state.getKeys({ limit: 1 })];
      state.removeSync(Buffer.from(key as Uint8Array));
      await environment.root.close();
    },
  ],
];

test.each(damages)(
  'a damaged store, %s: one line, exit code 1, and it is left as it is',
  async (name, damage) => {
    const dir = copy(name.replaceAll(' ', '-'));
    await damage(dir);
    const before = Bun.hash(readFileSync(networkFile(dir)));
    const { lines, code } = await failedStart(dir);
    expect([code, lines.length]).toEqual([1, 1]);
    expect(lines[0]).toStartWith('millrace: the embedded network: ');
    expect(lines[0]).toContain(join('sandbox', 'network'));
    expect(lines[0]).toContain('--sandbox-reset');
    expect(Bun.hash(readFileSync(networkFile(dir)))).toBe(before);
  },
);

test('an engine ahead of a network that was put back: one line that says so, exit code 1', async () => {
  const dir = copy('put-back');
  rmSync(join(dir, 'sandbox', 'network'), { recursive: true });
  const { lines, code } = await failedStart(dir, '--sandbox-days=0', '--sandbox-seed=another');
  expect([code, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toContain('--sandbox-reset');
  // The one line says what helps.
  const program = await startProgram(dir, '--sandbox-days=0', '--sandbox-seed=another', '--sandbox-reset');
  expect(await program.stop()).toBe(0);
});
