/**
 * The service as `npm start`, nohup and containers run it: it ends when the npm that runs it ends, and with no other
 * process. Afterwards the process, its port and its lock must be gone.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LOCK_FILE } from '../data/lock.ts';
import { casesOf } from './cases.ts';
import { eventually } from './sandbox-program.ts';

const root = resolve(import.meta.dir, '..');
const base = mkdtempSync(join(tmpdir(), 'millrace-npm-'));
const setup = join(root, 'setup.mjs');
const node = Bun.which('node');
const npm = Bun.which('npm');
const left = new Set<number>();

afterAll(() => {
  for (const pid of left) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(base, { recursive: true, force: true });
});

/** A process that has ended and waits to be collected is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}

/** After which the service ends without having stopped (service/main.ts). */
const STOP_LIMIT_MS = 1_500;

let runs = 0;
const options = (dir: string) => [
  ...['--port=0', '--sandbox-port=0', '--sandbox-interval=0', '--sandbox-size=small', '--workers=0'],
  `--data=${dir}`,
];

/** Starts a command line that ends in the service's options, and waits until the service listens. */
async function started(command: readonly string[], cwd = root) {
  const dir = join(base, `data${++runs}`);
  const out = join(base, `log${runs}`);
  const file = openSync(out, 'w');
  const child = Bun.spawn([...command, ...options(dir)], {
    cwd,
    stdin: 'ignore',
    stdout: file,
    stderr: file,
  });
  const lines = () =>
    readFileSync(out, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as { pid: number; url?: string; reference?: string; msg: string });
  const { url, pid } = await eventually('the service listens', async () => {
    if (child.exitCode !== null && child.exitCode !== 0) throw new Error(readFileSync(out, 'utf8'));
    return lines().find((line) => line.reference);
  });
  return { child, dir, url: url!, pid, lines, log: () => readFileSync(out, 'utf8') };
}

type Started = Awaited<ReturnType<typeof started>>;

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    (response) => response.ok,
    () => false,
  );

/** To be called at once after the signal. */
async function isGone({ dir, url, lines, log }: Started, pid: number): Promise<void> {
  const signalled = performance.now();
  await eventually(`process ${pid} has ended: ${log()}`, async () => !isAlive(pid) || undefined, {
    ms: 30_000,
  });
  expect(await answers(url)).toBe(false);
  const last = lines().at(-1)!.msg;
  // What takes as long as a stop may is cut short; a machine that others use can be so slow.
  if (last !== 'stopped' && performance.now() - signalled > STOP_LIMIT_MS) return;
  expect(last).toBe('stopped');
  for (const store of ['network', 'engine'])
    expect(existsSync(join(dir, 'sandbox', store, LOCK_FILE))).toBe(false);
}

describe.skipIf(!npm || !node)('npm start', () => {
  test.each((['SIGTERM', 'SIGKILL', 'SIGHUP'] as const).slice(0, casesOf(2, 3)))(
    '%s to npm stops the service',
    async (signal) => {
      const run = await started([npm!, 'start', '--']);
      left.add(run.pid);
      expect(await answers(run.url)).toBe(true);
      process.kill(run.child.pid, signal);
      await isGone(run, run.pid);
      await run.child.exited;
    },
  );

  test('goes on when whoever started npm ends', async () => {
    const run = await started(['sh', '-c', '"$0" "$@" & echo "$!" >&2', npm!, 'start', '--']);
    left.add(run.pid);
    await run.child.exited;
    const pid = Number(/^\d+$/m.exec(run.log())![0]);
    // Five times as long as it takes to notice an npm that has ended.
    await Bun.sleep(1_000);
    expect(await answers(run.url)).toBe(true);
    process.kill(pid, 'SIGTERM');
    await isGone(run, run.pid);
  });
});

describe.skipIf(!npm || !node || process.platform === 'win32')('npm start that still sets up', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '%s to npm ends the set-up, and no service begins',
    async (signal) => {
      const checkout = join(base, `checkout${++runs}`);
      const bin = join(checkout, 'bin');
      mkdirSync(bin, { recursive: true });
      for (const name of [
        'setup.mjs',
        'npm-parent.mjs',
        'test-queue.mjs',
        'package.json',
        'package-lock.json',
      ])
        copyFileSync(join(root, name), join(checkout, name));
      // An installation that takes long: what `npm ci` would be, with its own process id and that of setup.mjs.
      const pids = join(checkout, 'pids');
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$$ $PPID" > "${pids}"\nexec sleep 60\n`, {
        mode: 0o755,
      });
      const child = Bun.spawn([npm!, 'start'], {
        cwd: checkout,
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'ignore',
      });
      const [install, setUp] = await eventually('the installation runs', async () => {
        const found = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split(' ').map(Number) : [];
        return found.length === 2 ? (found as [number, number]) : undefined;
      });
      left.add(install).add(setUp);
      process.kill(child.pid, signal);
      await eventually(
        'set-up and installation have ended',
        async () => (!isAlive(install) && !isAlive(setUp)) || undefined,
        { ms: 30_000 },
      );
      await child.exited;
    },
  );
});

describe.skipIf(!node)('node setup.mjs start', () => {
  test('under nohup goes on when the shell that started it ends, and its terminal', async () => {
    const run = await started(['sh', '-c', 'nohup "$0" "$@" & echo "$!" >&2', node!, setup, 'start']);
    left.add(run.pid);
    await run.child.exited;
    const pid = Number(/^\d+$/m.exec(run.log())![0]);
    process.kill(pid, 'SIGHUP');
    process.kill(run.pid, 'SIGHUP');
    await Bun.sleep(1_000);
    expect(await answers(run.url)).toBe(true);
    process.kill(pid, 'SIGTERM');
    await isGone(run, run.pid);
  });

  test('does not wait for a service that cannot stop', async () => {
    const run = await started([node!, setup, 'start']);
    left.add(run.pid);
    process.kill(run.pid, 'SIGSTOP');
    run.child.kill('SIGTERM');
    expect(await run.child.exited).toBe(0);
    expect(isAlive(run.pid)).toBe(false);
  });

  test('killed outright, takes the service with it', async () => {
    const run = await started([node!, setup, 'start']);
    left.add(run.pid);
    run.child.kill('SIGKILL');
    await isGone(run, run.pid);
  });
});

const namespaces = Bun.which('unshare');
const mayUnshare =
  namespaces !== null &&
  Bun.spawnSync([namespaces, '--pid', '--fork', '--mount-proc', 'true']).exitCode === 0;
if (!mayUnshare) console.warn('skipped: as process 1. This user may not make a process namespace (unshare)');

describe.skipIf(!mayUnshare || !npm || !node)('as process 1, as a container runs it', () => {
  const inside = [namespaces!, '--pid', '--fork', '--mount-proc', '--kill-child'];
  /** Process id, seen from here, of what is process 1 in there. */
  const first = ({ child }: Started) =>
    Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());

  test('node setup.mjs start: SIGTERM stops the service whole, exit code 0', async () => {
    const run = await started([...inside, node!, setup, 'start']);
    const pid = first(run);
    left.add(pid);
    process.kill(pid, 'SIGTERM');
    expect(await run.child.exited).toBe(0);
    await isGone(run, pid);
  });

  test('bun service/main.ts: SIGTERM stops the service whole, exit code 0', async () => {
    const run = await started([...inside, process.execPath, join(root, 'service', 'main.ts')]);
    const pid = first(run);
    left.add(pid);
    process.kill(pid, 'SIGTERM');
    expect(await run.child.exited).toBe(0);
    await isGone(run, pid);
  });

  test('npm start: nothing is left running, and the next start goes on', async () => {
    const run = await started([...inside, npm!, 'start', '--']);
    const pid = first(run);
    left.add(pid);
    process.kill(pid, 'SIGTERM');
    await run.child.exited;
    await eventually('it has ended', async () => !isAlive(pid) || undefined, { ms: 30_000 });
    expect(await answers(run.url)).toBe(false);
    // npm ends at once, and the kernel ends everybody else in there: what is left of the lock must not keep the door shut.
    const again = Bun.spawn([process.execPath, join(root, 'service', 'main.ts'), ...options(run.dir)], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    let printed = '';
    for await (const part of again.stdout) {
      printed += new TextDecoder().decode(part);
      if (printed.includes('"reference"')) again.kill('SIGTERM');
    }
    expect(printed).toContain('"reference"');
    expect(await again.exited).toBe(0);
  });
});
