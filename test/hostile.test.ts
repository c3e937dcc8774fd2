/** What must not bring the service down, or into error: readers of its log that go away, names that mean more to the language. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RawDefinitions, SHIPPED } from '../engine/codec/definitions.ts';
import { until } from './live-rig.ts';

const root = resolve(import.meta.dir, '..');
const base = mkdtempSync(join(tmpdir(), 'millrace-hostile-'));

afterAll(() => rmSync(base, { recursive: true, force: true }));

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolvePort(port));
    });
  });
}

test('a log pipe whose reader is gone does not end the service', async () => {
  const port = await freePort();
  const entry = join(root, 'millrace.ts');
  const args = `--port ${port} --data "${join(base, 'store')}" --source ws://127.0.0.1:1`;
  // The reader of the log ends at once; the shell tells the service's exit code.
  const line = `{ "${process.execPath}" "${entry}" ${args} & pid=$!; echo $pid >&2; wait $pid; echo "code $?" >&2; } | true`;
  const child = Bun.spawn(['sh', '-c', line], { cwd: base, stdout: 'ignore', stderr: 'pipe' });
  let said = '';
  const reading = (async () => {
    for await (const chunk of child.stderr) said += new TextDecoder().decode(chunk);
  })();
  const healthy = async () => {
    if (said.includes('code')) throw new Error(`the service ended: ${said}`);
    return fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status > 0,
      () => false,
    );
  };
  try {
    await until(healthy, 'an answer of /health', 6_000);
  } finally {
    const pid = Number(/^\d+/.exec(said)?.[0]);
    if (pid > 0 && !said.includes('code')) process.kill(pid, 'SIGTERM');
  }
  await child.exited;
  await reading;
  expect(said).toContain('code 0');
}, 12_000);

test('a field of a type that every object has is no field', () => {
  const row = { nth: 200, isVLEncoded: false, isSerialized: true, isSigningField: true };
  const types = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
  const FIELDS = types.map((type, at) => [`Odd${at}`, { ...row, nth: row.nth + at, type }] as const);
  const merged = SHIPPED.merged({ FIELDS } as Partial<RawDefinitions>);
  expect(merged.names).toEqual(SHIPPED.names);
});
