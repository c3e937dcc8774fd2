/** Admission comes before sockets and messages: an {error} frame, then the close code of what it refused. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Act, Admit } from '../../requests/admission.ts';
import { ApiError, rateLimited } from '../../requests/errors.ts';
import { FakeEngine, XRP_MD5 } from '../../support/fake-engine.ts';
import { CLOSE_CODES } from '../../ws/limits.ts';
import { rig } from './rig.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(admit: Admit) {
  const one = rig(new FakeEngine().network, { admit });
  stops.push(one.stop);
  return one;
}

const window = { bucket: '/ws', limit: 5, remaining: 0, windowSeconds: 1, resetSeconds: 1 };
const refusals: readonly (readonly [number, ApiError, number])[] = [
  [401, new ApiError('unauthorized', 'Missing API key'), 1008],
  [402, new ApiError('payment_required', 'No credits are left'), 4011],
  [403, new ApiError('forbidden', 'Tier too low'), 1008],
  [429, rateLimited(window), 4010],
];

describe.each(refusals)('what would be a %d', (_, error, code) => {
  test(`at the door: the error frame, then ${code}; the stream is not entered`, async () => {
    const { open, hub } = start((act) => (act === 'connection' ? error : undefined));
    const client = await open(`/ws/token/${XRP_MD5}`);
    expect(await client.next()).toEqual({ error: error.message, errorCode: code });
    expect((await client.closed).code).toBe(code);
    expect(client.frames).toHaveLength(1);
    expect(hub.stats.refused).toBe(1);
    expect(hub.stats.byStream['/ws/token/{md5}']).toEqual({ connections: 0, channels: 0 });
  });

  test(`with a message: the same, and the message is not read`, async () => {
    const { open } = start((act) => (act === 'message' ? error : undefined));
    const [client, other] = [await open('/ws/ledger'), await open('/ws/ledger')];
    expect((await client.next()).type).toBe('initial');
    await other.next();
    client.send({ type: 'ping' });
    expect(await client.next()).toEqual({ error: error.message, errorCode: code });
    expect((await client.closed).code).toBe(code);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('the code is among those that /ws/info lists', () => {
    expect(CLOSE_CODES.map((row) => row.code)).toContain(code);
  });
});

test('it gets the stream and the identity: once for the socket, once for each message', async () => {
  const asked: [Act, string, string, string][] = [];
  const { open } = start((act, { path, auth, tier }, { kind, ip }) => {
    asked.push([act, path, `${auth} ${tier}`, `${kind} ${ip}`]);
    return undefined;
  });
  const client = await open(`/v1/ws/token/${XRP_MD5}`);
  await client.next();
  for (let count = 0; count < 3; count++) {
    client.send({ type: 'ping' });
    await client.next((frame) => frame.type === 'pong');
  }
  const row = ['/ws/token/{md5}', 'none anonymous', 'anonymous 127.0.0.1'] as const;
  expect(asked).toEqual([
    ['connection', ...row],
    ['message', ...row],
    ['message', ...row],
    ['message', ...row],
  ]);
});

test('an identity of another kind of address is counted by its own', async () => {
  const { open } = (() => {
    const one = rig(new FakeEngine().network, {
      limits: { connectionsPerIp: 1 },
      identify: (request) => ({ kind: 'anonymous', ip: request.headers.get('x-forwarded-for') ?? '' }),
    });
    stops.push(one.stop);
    return one;
  })();
  const from = (ip: string) => open('/ws/ledger', { headers: { 'X-Forwarded-For': ip } });
  const [one, two, again] = [await from('10.0.0.1'), await from('10.0.0.2'), await from('10.0.0.1')];
  expect((await again.closed).code).toBe(4029);
  expect([one.socket.readyState, two.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
});

test('4029 beyond the connections of one key, whenever it is sent; those of the operator are not counted', async () => {
  const keys = new Map([
    ['mine', { id: 'k1', wallet: 'rMine' }],
    ['other', { id: 'k2', wallet: 'rMine' }],
    ['shared', { id: 'k3', wallet: '' }],
  ]);
  const identify = (request: Request) => ({
    kind: 'anonymous' as const,
    ip: '192.0.2.1',
    key: keys.get(request.headers.get('x-api-key') ?? ''),
    authenticate(secret: string) {
      this.key = keys.get(secret);
      return this.key !== undefined;
    },
  });
  const { open, stop, hub } = rig(new FakeEngine().network, { limits: { connectionsPerKey: 2 }, identify });
  stops.push(stop);
  const as = (key?: string) => open('/ws/sync', key ? { headers: { 'X-Api-Key': key } } : {});
  const one = await as('mine');
  const late = await as();
  late.send({ type: 'auth', apiKey: 'mine' });
  await late.next((frame) => frame.type === 'auth');
  const refused = await as('mine');
  expect(await refused.next()).toMatchObject({ error: 'at most 2 connections of one key' });
  expect((await refused.closed).code).toBe(4029);
  const third = await as();
  third.send({ type: 'auth', apiKey: 'mine' });
  expect((await third.closed).code).toBe(4029);
  const others = await Promise.all([as('other'), as('shared'), as('shared'), as('shared')]);
  // A key that is changed gives its place back, and so does a socket that is closed.
  late.send({ type: 'auth', apiKey: 'other' });
  await late.next((frame) => frame.type === 'auth');
  const next = await as('mine');
  await next.next();
  one.socket.close();
  await one.closed;
  while (hub.connections > 6) await Bun.sleep(1);
  const last = await as('mine');
  await last.next();
  expect([next, last, late, ...others].map(({ socket }) => socket.readyState)).toEqual(
    Array(7).fill(WebSocket.OPEN),
  );
});
