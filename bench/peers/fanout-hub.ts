/**
 * Our side of the fan-out: the hub's `/ws/ledger`, whose frames are padded to the given length. Lines in:
 * `publish <frames>` (all in one iteration of the event loop), `cpu`. Lines out: `port <n> <path>`, `cpu <user us> <system us>
 * <bytes sent>`.
 */
import { createInterface } from 'node:readline';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Connection } from '../../ws/connection.ts';
import { Hub } from '../../ws/hub.ts';

const FRAME_BYTES = Number(process.argv[2]);
const silent = { debug() {}, info() {}, warn() {}, error: console.error };
const PATH = '/ws/ledger';

const engine = new FakeEngine(1);
const hub = new Hub(engine.network, { log: silent, limits: { connectionsPerIp: 20_000, flushMs: 0 } });
const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request, self) => hub.upgrade(request, self) as Response,
  websocket: hub.websocket,
});

/** Determines the missing padding from the first frame after the initial one. */
async function fit(): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${PATH}`);
  const lengths: number[] = [];
  const received = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    if (lengths.push((data as string).length) === 1) engine.apply();
    else received.resolve();
  };
  await received.promise;
  engine.hashPadding = 'x'.repeat(FRAME_BYTES - lengths[1]!);
  socket.close();
}

await fit();
console.log(`port ${server.port} ${PATH}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, count] = line.split(' ');
  if (word === 'publish') for (let i = 0; i < Number(count); i++) engine.apply();
  const { user, system } = process.cpuUsage();
  if (word === 'cpu') console.log(`cpu ${user} ${system} ${hub.stats.bytesSent}`);
}
