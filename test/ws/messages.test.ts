/** Flags and numbers in messages: as in queries, and never guessed. */
import { afterAll, describe, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import { stream } from '../../ws/stream.ts';
import { pause, rig, undeclared } from './rig.ts';

const engine = new FakeEngine();
const service = rig(engine.network);
afterAll(() => service.stop());

const YES = [true, 1, 'true', '1', 'yes', 'TRUE'];
const NO = [false, 0, 'false', '0', 'no'];
const NEITHER = [undefined, null, 'maybe', '', {}, []];

test('setDelta takes what delta= takes, and says so where it is neither', async () => {
  const client = await service.open(`/ws/token/${engine.md5(1)}`);
  await client.next();
  for (const [values, deltaMode] of [
    [YES, true],
    [NO, false],
  ] as const)
    for (const enabled of values) {
      client.send({ type: 'setDelta', enabled });
      expect(await client.next()).toEqual({ type: 'deltaUpdated', deltaMode });
      expect(await client.next()).toMatchObject({ type: 'initial', deltaMode });
    }
  client.send({ type: 'setDelta', enabled: true });
  await client.next(({ type }) => type === 'initial');
  for (const enabled of NEITHER) {
    client.send({ type: 'setDelta', enabled });
    expect(await client.next()).toEqual({ error: expect.stringContaining('enabled'), errorCode: 4025 });
  }
  engine.apply({ tokens: [1] });
  expect(await client.next()).toMatchObject({ type: 'update', delta: true });
});

test('subscribe reads lightweight, skip_metrics and snapshot alike', async () => {
  const client = await service.open('/ws/sync');
  await client.next();
  const subscribed = async (flags: object) => {
    client.send({ type: 'subscribe', tokens: [engine.md5(1)], ...flags });
    client.send({ type: 'ping' });
    const { lightweight, skip_metrics } = await client.next(({ type }) => type === 'subscribed');
    const { snapshot = false } = await client.next(({ type, snapshot }) => snapshot || type === 'pong');
    if (snapshot) await client.next(({ type }) => type === 'pong');
    return { lightweight, skip_metrics, snapshot };
  };
  for (const yes of YES)
    expect(await subscribed({ lightweight: yes, skip_metrics: yes, snapshot: yes })).toEqual({
      lightweight: true,
      skip_metrics: true,
      snapshot: true,
    });
  for (const no of NO)
    expect(await subscribed({ lightweight: no, skip_metrics: no, snapshot: no })).toEqual({
      lightweight: false,
      skip_metrics: false,
      snapshot: false,
    });
  for (const neither of NEITHER)
    expect(await subscribed({ lightweight: neither, skip_metrics: neither, snapshot: neither })).toEqual({
      lightweight: false,
      skip_metrics: false,
      snapshot: true,
    });
});

test('setFields with what cannot be names leaves the socket and its fields as they are', async () => {
  const client = await service.open(`/ws/token/${engine.md5(2)}?fields=exch,holders`);
  await client.next();
  const many = Array.from({ length: 201 }, (_, i) => String(i));
  for (const fields of [7, 'two words', ['usd', 'two words'], ',', many]) {
    client.send({ type: 'setFields', fields });
    expect(await client.next()).toMatchObject({ errorCode: 4025 });
  }
  engine.apply({ tokens: [2] });
  expect(Object.keys((await client.next()).token)).toEqual(['md5', 'exch', 'holders']);
});

test('numbers may be sent as text, as in queries', async () => {
  const client = await service.open('/ws/sync');
  await client.next();
  client.send({ type: 'subscribe', filter: { minVolume: '2', topN: '3' } });
  expect(await client.next()).toMatchObject({ filter: { minVolume: 2, topN: 3 } });
  const { seq } = await client.next(({ snapshot }) => snapshot);
  client.send({ type: 'checkSeq', lastSeq: String(seq) });
  expect(await client.next()).toMatchObject({ type: 'checkSeq', status: 'ok', lastSeq: seq });
  for (const filter of [{ minVolume: 'much' }, { minVolume: null }, { topN: 'all' }, { topN: [] }]) {
    client.send({ type: 'subscribe', filter });
    expect(await client.next()).toMatchObject({ errorCode: 4025 });
  }
  const lines = await service.open('/ws/trustlines/rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh');
  await lines.next();
  lines.send({ type: 'setParams', page: '2', limit: '200', format: 'FULL', sortByValue: '1' });
  const set = { page: 2, limit: 50, format: 'full', sort_by_value: true };
  expect(await lines.next()).toEqual({ type: 'paramsUpdated', params: set });
  lines.send({ type: 'setParams', page: 'last', limit: {}, format: 'none', sort_by_value: null });
  expect(await lines.next(({ type }) => type === 'paramsUpdated')).toMatchObject({ params: set });
});

describe('every answer has the members that /ws/info declares', () => {
  const md5 = (token: number) => engine.md5(token);
  const conversations: readonly (readonly [address: string, messages: readonly object[], count: number])[] = [
    [
      '/ws/sync',
      [
        { type: 'getSubscriptions' },
        { type: 'subscribe' },
        { type: 'subscribe', tokens: [md5(1), 'no token', 5], skip_metrics: true },
        { type: 'getSubscriptions' },
        { type: 'addTokens', tokens: [md5(2)] },
        { type: 'removeTokens', tokens: [md5(1), 'no token'] },
        { type: 'checkSeq', lastSeq: 0, session: 'another' },
        { type: 'checkSeq', lastSeq: 1 },
        { type: 'subscribe', filter: { topN: 3 } },
        { type: 'getSubscriptions' },
        { type: 'resync' },
        { type: 'auth', apiKey: 'none' },
        { type: 'unsubscribe' },
        { type: 'getSubscriptions' },
      ],
      18,
    ],
    [
      `/ws/token/${md5(1)}`,
      [
        { type: 'setFields', fields: 'price' },
        { type: 'setDelta', enabled: true },
        { type: 'resync' },
        { type: 'auth' },
      ],
      8,
    ],
    [
      `/ws/ohlc/${md5(1)}?vs_currency=XRP`,
      [
        { type: 'subscribe', md5: md5(2), vs_currency: 'XRP' },
        { type: 'unsubscribe', md5: md5(2), vs_currency: 'XRP' },
      ],
      4,
    ],
  ];
  test.each(conversations)('%s', async (address, messages, count) => {
    const client = await service.open(address);
    await client.next();
    for (const message of messages) {
      client.send(message);
      client.send({ type: 'ping' });
      await client.next(({ type }) => type === 'pong');
      engine.apply({ tokens: [1, 2] });
      // A snapshot is sent when there is time for it.
      await pause(20);
    }
    expect(undeclared(client)).toEqual([]);
    expect(client.frames.filter(({ type }) => type !== 'pong').length).toBeGreaterThanOrEqual(count);
  });
});

test('messages that come while the first frame is made are answered after it, in order', async () => {
  const first = Promise.withResolvers<void>();
  const opened = new Set<object>();
  const slow = stream({
    path: '/ws/slow',
    summary: 'A stream whose first frame takes a while',
    auth: 'none',
    tier: 'anonymous',
    params: {},
    messages: [{ type: 'count', fields: '{at}', about: '' }],
    frames: [],
    serve: () => ({
      channels: 0,
      ready: () => first.promise,
      open(connection) {
        opened.add(connection);
        connection.reply({ type: 'initial' });
      },
      message(connection, { at }) {
        // Streams leave messages unanswered whose socket they do not know yet.
        if (opened.has(connection)) connection.reply({ type: 'counted', at });
        return true;
      },
    }),
  });
  // A job a slice: messages wait for their turn while the first frame becomes ready.
  const one = rig(engine.network, { streams: [slow], limits: { timeSliceMs: 0 } });
  const client = await one.open('/ws/slow');
  const COUNT = 50;
  for (let at = 0; at < COUNT; at++) client.send({ type: 'count', at });
  while (one.hub.stats.messagesIn < 5) await pause(1);
  first.resolve();
  for (let at = COUNT; at < COUNT + 5; at++) client.send({ type: 'count', at });
  client.send({ type: 'ping' });
  await client.next(({ type }) => type === 'pong', 10_000);
  await one.stop();
  expect(client.frames.map(({ type, at }) => at ?? type)).toEqual([
    'initial',
    ...Array.from({ length: COUNT + 5 }, (_, at) => at),
    'pong',
  ]);
});
