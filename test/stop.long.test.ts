/** Stopping in the middle of everything: history is being made, sockets are open, requests run, and some hang. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, page, startProgram } from './sandbox-program.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-stop-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What the service promises. */
const PROMISED_MS = 2_000;
/** Of that, shares of a core that the machine may not give while others use it, in starts of an empty process. */
const SLACK_STARTS = 10;
const SOCKETS = 150;
const CLIENTS = 32;
const STUCK = 20;

/** A request that is never sent to its end, or whose answer is never read. */
function stuck(port: number, text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause();
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => {});
  });
}

/** The promise, and what this machine, loaded as it is now, adds to it. */
async function promised(): Promise<number> {
  const began = performance.now();
  await Bun.spawn([process.execPath, '-e', '0']).exited;
  return PROMISED_MS + SLACK_STARTS * (performance.now() - began);
}

test('SIGTERM under load: exit code 0 in time, every socket closed with 1001, and a start that continues', async () => {
  const program = await startProgram(join(base, 'store'), '--sandbox-days=7');
  const { hostname, port } = new URL(program.url);
  await eventually(
    'a market',
    async () => (await page(program, '/v1/tokens?limit=5'))?.count >= 5 || undefined,
  );

  const codes: number[] = [];
  const paths = ['sync', 'ledger', 'token/XRP'];
  await Promise.all(
    Array.from(
      { length: SOCKETS },
      (_, i) =>
        new Promise<void>((open) => {
          const socket = new WebSocket(`ws://${hostname}:${port}/ws/${paths[i % paths.length]}`);
          socket.onmessage = () => open();
          socket.onclose = ({ code }) => codes.push(code);
        }),
    ),
  );
  let [answered, isOn] = [0, true];
  const lists = ['/v1/tokens?limit=100', '/v1/stats', '/v1/amm', '/v1/tokens?sort=holders&offset='];
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let n = 0; isOn; n++) {
      const path = lists[i % lists.length]!;
      const response = await fetch(program.url + (path.endsWith('=') ? path + n : path)).catch(
        () => undefined,
      );
      await response?.arrayBuffer().catch(() => undefined);
      if (response?.ok) answered++;
    }
  });
  const requests = [
    'POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"sea',
    'GET /reference/standalone.js HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  const hanging = await Promise.all(
    Array.from({ length: STUCK }, (_, i) => stuck(Number(port), requests[i % requests.length]!)),
  );
  await eventually('load', async () => answered > 10 * CLIENTS || undefined);
  expect((await page(program, '/v1/ledger'))?.ledger_index).toBeLessThan(7 * 24 * 60);

  const most = await promised();
  const asked = performance.now();
  expect(await program.stop()).toBe(0);
  const took = performance.now() - asked;
  isOn = false;
  await Promise.all(clients);
  for (const socket of hanging) socket.destroy();
  expect(took).toBeLessThan(most);
  expect(codes).toEqual(Array(SOCKETS).fill(1001));
  expect(program.stderr()).toBe('');

  const again = await startProgram(join(base, 'store'), '--sandbox-days=7');
  expect(await again.stop()).toBe(0);
});

test('SIGTERM while the disk hangs: still exit code 0 in time, and a start that continues', async () => {
  const dir = join(base, 'hung');
  const program = await startProgram(dir, '--sandbox-days=7');
  await eventually('a ledger', async () => (await page(program, '/v1/ledger'))?.ledger_index);
  const holder = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'hold-writer.child.ts'), join(dir, 'sandbox', 'engine')],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  try {
    await holder.stdout.getReader().read();
    const held = (await page(program, '/v1/ledger'))!.ledger_index;
    await eventually('a ledger that waits for the disk', async () =>
      (await page(program, '/v1/ledger'))?.ledger_index > held ? true : undefined,
    );
    const most = await promised();
    const asked = performance.now();
    expect(await program.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(most);
    // It was cut short: what waited for the disk would have waited for ever.
    expect(program.log.at(-1)!.msg).not.toBe('stopped');
  } finally {
    holder.kill('SIGKILL');
    await holder.exited;
  }
  const again = await startProgram(dir, '--sandbox-days=7');
  await eventually('a ledger', async () => (await page(again, '/v1/ledger'))?.ledger_index);
  expect(await again.stop()).toBe(0);
});
