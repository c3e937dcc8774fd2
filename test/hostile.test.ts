/** What must not end the service or cause errors: readers of its log that disconnect, names with a meaning in the language. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serveOptions } from '../api/serve.ts';
import { type RawDefinitions, SHIPPED } from '../engine/codec/definitions.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { Hub } from '../ws/hub.ts';
import { emptyLedger, fixture } from './api/fixture.ts';
import { quiet, until } from './live-rig.ts';

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
  const entry = join(root, 'service', 'main.ts');
  const args = `--port ${port} --data "${join(base, 'store')}" --source ws://127.0.0.1:1`;
  // The reader of the log ends at once; the shell prints the service's exit code.
  const line = `{ "${process.execPath}" "${entry}" ${args} & pid=$!; echo $pid >&2; wait $pid; echo "code $?" >&2; } | true`;
  const child = Bun.spawn(['sh', '-c', line], { cwd: base, stdout: 'ignore', stderr: 'pipe' });
  let output = '';
  const reader = (async () => {
    for await (const chunk of child.stderr) output += new TextDecoder().decode(chunk);
  })();
  const healthy = async () => {
    if (output.includes('code')) throw new Error(`the service ended: ${output}`);
    return fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status > 0,
      () => false,
    );
  };
  try {
    await until(healthy, 'an answer of /health');
  } finally {
    const pid = Number(/^\d+/.exec(output)?.[0]);
    if (pid > 0 && !output.includes('code')) process.kill(pid, 'SIGTERM');
  }
  await child.exited;
  await reader;
  expect(output).toContain('code 0');
});

test('a name that every object inherits is not accepted as a field', () => {
  const row = { nth: 200, isVLEncoded: false, isSerialized: true, isSigningField: true };
  const types = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
  const FIELDS = types.map((type, at) => [`Odd${at}`, { ...row, nth: row.nth + at, type }] as const);
  const merged = SHIPPED.merged({ FIELDS } as Partial<RawDefinitions>);
  expect(merged.names).toEqual(SHIPPED.names);
});

test('an invalid Host header changes no address', async () => {
  const { api } = fixture([emptyLedger(100, 500_000_000)]);
  const hub = new Hub(new FakeEngine().network, { log: quiet });
  const server = Bun.serve(serveOptions({ api, hub, host: '127.0.0.1', port: 0 }));
  const ask = (target: string, host: string) =>
    new Promise<string>((answer) => {
      let output = '';
      const socket = connect(server.port!, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      socket.on('data', (data) => {
        output += data;
      });
      socket.on('close', () =>
        answer(`${output.split('\r\n')[0]} ${/No such address: [^"]*/.exec(output) ?? ''}`),
      );
    });
  try {
    const targets = ['/ws/info', '/ws/ledger', '/v1/ledger/100', '/ledger/100', '/v1/none', '/health?x=1'];
    for (const target of targets) {
      // Whichever is asked first is not an answer that was kept.
      const odd = await Promise.all(['', 'a b', 'a/../b?'].map((host) => ask(target, host)));
      const usual = await ask(target, 'localhost');
      expect(odd).toEqual([usual, usual, usual]);
    }
  } finally {
    hub.close();
    await server.stop(true);
  }
});
