/** The gate on sockets: each message costs a tenth of a credit; keys in headers, or sent later. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { FakeEngine, XRP_MD5 } from '../../support/fake-engine.ts';
import { GateRig } from '../api/gate/gate-rig.ts';
import { rig as hubRig } from './rig.ts';

const gate = new GateRig();
let hub: ReturnType<typeof hubRig>;
beforeAll(async () => {
  await gate.open();
  const { identify, admit } = gate.gate;
  hub = hubRig(new FakeEngine().network, { identify, admit });
});
afterAll(async () => {
  await hub.stop();
  await gate.stop();
});

const PATH = `/ws/token/${XRP_MD5}`;
const leftOf = (wallet: string) => gate.customers.credits.of(wallet)!.left(gate.now);
const isPong = (frame: { type?: string }) => frame.type === 'pong';

test('each message of a client with a key costs a tenth; without one, nothing is counted', async () => {
  const secret = await gate.key('user', 'rMessages');
  const before = leftOf('rMessages');
  const client = await hub.open(PATH, { headers: { 'X-Api-Key': secret } });
  await client.next();
  expect(leftOf('rMessages')).toBe(before);
  for (let sent = 1; sent <= 3; sent++) {
    client.send({ type: 'ping' });
    await client.next(isPong);
    expect(leftOf('rMessages')).toBe(before - sent);
  }
  gate.now += 10_000;
  const other = await hub.open(PATH);
  other.send({ type: 'ping' });
  await other.next(isPong);
  expect(leftOf('rMessages')).toBe(before - 3);
});

test('without credits the socket closes with 4011; the message is not answered', async () => {
  const secret = await gate.key('user', 'rPoor');
  gate.customers.credits.of('rPoor')!.spend(leftOf('rPoor') - 1, gate.now);
  gate.now += 10_000;
  const client = await hub.open(PATH, { headers: { 'X-Api-Key': secret } });
  await client.next();
  client.send({ type: 'ping' });
  await client.next(isPong);
  client.send({ type: 'ping' });
  expect(await client.next()).toEqual({ error: 'No credits are left', errorCode: 4011 });
  expect((await client.closed).code).toBe(4011);
});

test('a key may be sent on the socket; one that does not work is told so', async () => {
  const secret = await gate.keyOfTier('business');
  gate.now += 10_000;
  const client = await hub.open(PATH);
  await client.next();
  client.send({ type: 'auth', apiKey: `${secret.slice(0, -1)}x` });
  expect(await client.next()).toMatchObject({ type: 'auth', authenticated: false, tier: 'anonymous' });
  client.send({ type: 'auth', apiKey: secret });
  expect(await client.next()).toMatchObject({ type: 'auth', authenticated: true, tier: 'business' });
  const { wallet } = gate.customers.keys.find(secret)!;
  const before = leftOf(wallet);
  client.send({ type: 'ping' });
  await client.next(isPong);
  expect(leftOf(wallet)).toBe(before - 1);
});

test('a key that is revoked works no more on sockets that are open', async () => {
  const secret = await gate.key('user', 'rRevoked');
  gate.now += 10_000;
  const client = await hub.open(PATH, { headers: { 'X-Api-Key': secret } });
  await client.next();
  await gate.customers.keys.remove('rRevoked', gate.customers.keys.find(secret)!.id, gate.now);
  client.send({ type: 'ping' });
  expect((await client.next()).error).toBe('The API key does not work');
  expect((await client.closed).code).toBe(1008);
});

test('a wrong key does not open a socket', async () => {
  gate.now += 10_000;
  const client = await hub.open(PATH, { headers: { 'X-Api-Key': `xrpl_${'0'.repeat(48)}` } });
  expect((await client.next()).error).toBe('The API key does not work');
  expect((await client.closed).code).toBe(1008);
});

test('a page offers its key as a protocol, which does not come back', async () => {
  const secret = await gate.key('user', 'rProtocol');
  const before = leftOf('rProtocol');
  const opened = async (key: string) => {
    gate.now += 10_000;
    const socket = hub.native(PATH, ['millrace', `key.${key}`]);
    const closed = new Promise<number>((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
    });
    const pong = new Promise((resolve) => {
      socket.onmessage = ({ data }) => isPong(JSON.parse(String(data))) && resolve(true);
    });
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    expect(socket.protocol).toBe('millrace');
    socket.send('{"type":"ping"}');
    return Promise.race([closed, pong]);
  };
  expect(await opened(secret)).toBe(true);
  expect(leftOf('rProtocol')).toBe(before - 1);
  expect(await opened(`xrpl_${'0'.repeat(48)}`)).toBe(1008);
});

test('keys that pages offer count as any other: 4029 beyond the connections of one', async () => {
  const secret = await gate.key('user', 'rPages');
  const { identify, admit } = gate.gate;
  const few = hubRig(new FakeEngine().network, { identify, admit, limits: { connectionsPerKey: 2 } });
  const opened = async () => {
    gate.now += 10_000;
    const socket = few.native(PATH, ['millrace', `key.${secret}`]);
    return new Promise<number>((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
      socket.onmessage = ({ data }) => !('error' in JSON.parse(String(data))) && resolve(0);
    });
  };
  expect([await opened(), await opened(), await opened()]).toEqual([0, 0, 4029]);
  await few.stop();
});

test("what streams' addresses answer without a socket counts in the windows of the address", async () => {
  gate.now += 120_000;
  const statuses = async (path: string) => {
    const counts = new Map<number, number>();
    for (let i = 0; i < 20; i++) {
      const { status } = await hub.http(path);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    gate.now += 120_000;
    return [...counts];
  };
  const { burst } = gate.settings.tiers.anonymous;
  for (const [path, status] of [
    ['/ws/info', 200],
    ['/ws/none', 404],
    [PATH, 426],
  ] as const)
    expect(await statuses(path)).toEqual([
      [status, burst!],
      [429, 20 - burst!],
    ]);
});
