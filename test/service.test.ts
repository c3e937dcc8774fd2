/** The service as a user runs it: a process with options, addresses, signals and exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from './live-rig.ts';

const root = resolve(import.meta.dir, '..');
const base = mkdtempSync(join(tmpdir(), 'millrace-service-'));

afterAll(() => rmSync(base, { recursive: true, force: true }));

function run(args: readonly string[], env: Record<string, string> = {}) {
  return Bun.spawn([process.execPath, join(root, 'service', 'main.ts'), ...args], {
    cwd: base,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function outcome(args: readonly string[], env: Record<string, string> = {}) {
  const child = run(args, env);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

describe('options', () => {
  test('--help lists every option with its environment variable and default', async () => {
    const { stdout, code } = await outcome(['--help']);
    expect(code).toBe(0);
    for (const flag of ['--port', '--host', '--data', '--source', '--workers', '--history'])
      expect(stdout).toContain(flag);
    expect(stdout).toContain('MILLRACE_PORT');
  });

  test.each([
    [['--port', '70000'], /--port must be a whole number/],
    [['--port', 'x'], /--port must be/],
    [['--port'], /--port needs a value/],
    [['--source', 'http://node'], /--source must be/],
    [['--source', 'file:'], /--source must be/],
    [['--workers', '-1'], /--workers must be/],
    [['--history', '1.5'], /--history must be/],
    [['--pace', 'slow'], /--pace must be one of/],
    [['--compat', 'exch-text'], /--compat must be none, or exch-number and count-total/],
    [['--nonsense', '1'], /unknown option "--nonsense"; --help lists them/],
  ])('%p: one clear line and exit code 2', async (args, message) => {
    const { stderr, stdout, code } = await outcome(args);
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
  });

  test('a bad environment variable is named', async () => {
    const { stderr, code } = await outcome([], { MILLRACE_PORT: 'many' });
    expect(code).toBe(2);
    expect(stderr).toContain('MILLRACE_PORT');
  });

  test('a source that is not there is one clear line', async () => {
    const { stderr, code } = await outcome(['--source', 'file:nowhere.mlr', '--port', '0', '--data', 'd0']);
    expect(code).toBe(2);
    expect(stderr).toContain('nowhere.mlr');
    const folder = await outcome(['--source', `file:${base}`, '--port', '0', '--data', 'd0']);
    expect([folder.code, folder.stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(folder.stderr).toContain('there is no file');
  });

  test('a port that is taken is one clear line and exit code 1', async () => {
    const holder = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
    const args = ['--port', String(holder.port), '--sandbox-port', '0', '--data', 'd2'];
    const { stderr, stdout, code } = await outcome(args, { MILLRACE_PROT: '1' });
    expect(code).toBe(1);
    expect(stdout).toContain('MILLRACE_PROT');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(String(holder.port));
    await holder.stop(true);
  });

  test('a data folder that cannot be used is one clear line and exit code 1', async () => {
    writeFileSync(join(base, 'plain'), 'a file');
    const { stderr, code } = await outcome([
      '--data',
      'plain/below',
      '--port',
      '0',
      '--source',
      'ws://127.0.0.1:1',
    ]);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** Reads stdout until a log line has the field, and returns the line. */
async function logLine(stream: ReadableStream<Uint8Array>, field: string): Promise<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let rest = '';
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the service ended before it logged "${field}"`);
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const fields = JSON.parse(line) as Record<string, unknown>;
        if (field in fields) return fields;
      }
    }
  } finally {
    reader.releaseLock();
  }
}

describe('the service on recorded ledgers', () => {
  const recorded = ['--port', '0', '--source', 'recorded'];
  const child = run([...recorded, '--data', 'd1']);
  let url = '';

  beforeAll(async () => {
    url = (await logLine(child!.stdout, 'url')).url as string;
    const ready = async () => ((await (await fetch(`${url}/health`)).json()) as { ready: boolean }).ready;
    await until(ready, 'readiness');
  });

  afterAll(() => child?.kill('SIGKILL'));

  test('is ready and reports its position', async () => {
    const health = (await (await fetch(`${url}/v1/health`)).json()) as Record<
      string,
      Record<string, unknown>
    >;
    expect(health).toMatchObject({ status: 'healthy', ready: true });
    expect(health.ledger).toMatchObject({ index: 94_084_608, behind: 0 });
  });

  test('a second service on the same folder is refused with one line', async () => {
    const { stderr, code } = await outcome([...recorded, '--data', 'd1']);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    '/v1/ledger',
    '/v1/ledger/11119619?expand=true',
    '/v1/ledger/at?time=2015-01-15',
    '/v1/tokens?limit=5',
    '/v1/tokens/slugs',
    '/v1/token/XRP',
    '/v1/tags',
    '/v1/amm',
    '/v1/stats',
    '/v1/pairs/XRP',
    '/api/tokens?sortBy=holders&start=0',
    '/docs',
    '/openapi.json',
    '/metrics',
    '/reference',
  ])('%s answers 200', async (path) => {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    await response.arrayBuffer();
  });

  test('SIGTERM: sockets close with 1001, exit code 0 soon', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/ledger`);
    const first = await new Promise<string>((take) => {
      socket.onmessage = ({ data }) => take(String(data));
    });
    expect(JSON.parse(first)).toHaveProperty('ledger_index');
    const closed = new Promise<number>((take) => {
      socket.onclose = ({ code }) => take(code);
    });
    const asked = performance.now();
    child!.kill('SIGTERM');
    expect(await closed).toBe(1001);
    expect(await child!.exited).toBe(0);
    // 2 s on a machine of its own; on any it does not wait for the 5 s of grace to end.
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  test('a restart continues where it stopped', async () => {
    const again = run([...recorded, '--data', 'd1']);
    expect((await logLine(again.stdout, 'ledger')).ledger).toBe(94_084_608);
    again.kill('SIGINT');
    expect(await again.exited).toBe(0);
  });
});
