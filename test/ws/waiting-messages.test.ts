/** What clients have sent and nobody has answered yet takes bounded memory, of one socket and of all together. */
import { expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Limits } from '../../ws/limits.ts';
import { stream } from '../../ws/stream.ts';
import { type Client, pause, rig } from './rig.ts';

const KB = 1024;

/** A stream whose first frame comes when the test says so, as where a node is asked for it. */
function waiting(limits: Partial<Limits>) {
  const first = Promise.withResolvers<void>();
  const slow = stream({
    path: '/ws/slow',
    summary: 'A stream whose first frame takes a while',
    auth: 'none',
    tier: 'anonymous',
    params: {},
    messages: [],
    frames: [],
    serve: () => ({
      channels: 0,
      ready: () => first.promise,
      open: (connection) => connection.reply({ type: 'initial' }),
    }),
  });
  const service = rig(new FakeEngine().network, { streams: [slow], limits });
  /** Sends so many messages of 100 KB, and waits until they have come. */
  const send = async (client: Client, count: number) => {
    const before = service.hub.stats.messagesIn;
    const message = JSON.stringify({ type: 'ping', pad: 'x'.repeat(100 * KB) });
    for (let i = 0; i < count; i++) client.send(message);
    for (let i = 0; i < 500 && service.hub.stats.messagesIn < before + count; i++) {
      if (client.socket.readyState !== client.socket.OPEN) return;
      await pause(2);
    }
  };
  const pongs = (client: Client) => client.frames.filter(({ type }) => type === 'pong').length;
  return { ...service, first, send, pongs };
}

test('a socket whose messages wait in more bytes than one may have is closed with 4010', async () => {
  const { open, send, pongs, first, stop, hub } = waiting({ waitingBytes: 500 * KB });
  const [honest, greedy] = [await open('/ws/slow'), await open('/ws/slow')];
  await send(honest, 4);
  await send(greedy, 10);
  expect((await greedy.closed).code).toBe(4010);
  expect(greedy.frames).toEqual([{ error: expect.stringContaining('wait'), errorCode: 4010 }]);
  expect(hub.stats.waitingBytes).toBeLessThan(500 * KB);
  first.resolve();
  while (pongs(honest) < 4) await honest.next();
  expect(hub.stats.waitingBytes).toBe(0);
  // What was answered waits no more.
  await send(honest, 4);
  while (pongs(honest) < 8) await honest.next();
  await stop();
});

test('of all sockets together those that wait with the most are closed', async () => {
  const { open, send, pongs, first, stop, hub } = waiting({
    waitingBytes: 800 * KB,
    waitingBytesInAll: 1200 * KB,
  });
  const [honest, large, larger] = [await open('/ws/slow'), await open('/ws/slow'), await open('/ws/slow')];
  await send(large, 5);
  await send(larger, 6);
  expect(hub.stats.waitingBytes).toBeGreaterThan(1100 * KB);
  await send(honest, 2);
  expect((await larger.closed).code).toBe(4010);
  expect(hub.stats.waitingBytes).toBeLessThan(900 * KB);
  // What a socket leaves behind counts no more.
  large.socket.terminate();
  for (let i = 0; i < 500 && hub.connections > 1; i++) await pause(2);
  expect(hub.stats.waitingBytes).toBeLessThan(300 * KB);
  first.resolve();
  while (pongs(honest) < 2) await honest.next();
  expect(hub.stats.waitingBytes).toBe(0);
  await stop();
});
