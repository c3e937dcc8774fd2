/** The hub's mechanics: doors, limits, close codes, malformed messages, shutdown. */
import { afterEach, describe, expect, test } from 'bun:test';
import { FakeEngine, XRP_MD5 } from '../../support/fake-engine.ts';
import type { Hub } from '../../ws/hub.ts';
import type { Limits } from '../../ws/limits.ts';
import { type Frame, pause, rig } from './rig.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(limits: Partial<Limits> = {}, engine = new FakeEngine()) {
  const one = rig(engine.network, { limits, now: () => 1_700_000_000_000 });
  stops.push(one.stop);
  return { engine, ...one };
}

const STREAMS = [
  '/ws/ledger',
  '/ws/sync',
  '/ws/sync/',
  `/ws/token/${XRP_MD5}`,
  `/ws/ohlc/${XRP_MD5}`,
  `/ws/history/${XRP_MD5}`,
  '/ws/orderbook?base_currency=001&base_issuer=rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh&quote_currency=XRP',
  `/ws/holders/${XRP_MD5}`,
];

describe('doors', () => {
  test('an invalid Host header does not refuse a client', async () => {
    const { server } = start();
    const answer = await new Promise<string>((resolve) => {
      const { promise: received, resolve: receive } = Promise.withResolvers<string>();
      Bun.connect({
        hostname: '127.0.0.1',
        port: server.port!,
        socket: {
          open: (socket) => {
            socket.write(
              'GET /ws/ledger HTTP/1.1\r\nHost: %%[::\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
                'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
            );
          },
          data: (socket, bytes) => {
            receive(bytes.toString());
            socket.end();
          },
        },
      });
      received.then(resolve);
    });
    expect(answer).toStartWith('HTTP/1.1 101');
  });

  for (const path of STREAMS) {
    test(`${path} opens, sends a first frame, answers ping, takes wsToken`, async () => {
      const { open } = start();
      const client = await open(`${path}${path.includes('?') ? '&' : '?'}wsToken=abc.def.123`);
      const first = await client.next();
      expect(first.error).toBeUndefined();
      client.send({ type: 'ping' });
      expect(await client.next((frame) => frame.type === 'pong')).toEqual({
        type: 'pong',
        time: 1_700_000_000_000,
      });
    });
  }

  test('the prefixes of the API are taken as well', async () => {
    const { open, http } = start();
    for (const prefix of ['/v1', '/api'])
      expect((await (await open(`${prefix}/ws/ledger`)).next()).ledger_index).toBe(1000);
    expect((await http('/v1/ws/info')).status).toBe(200);
    expect((await http('/v2/ws/info')).status).toBe(404);
  });

  test('an unknown stream is 404 JSON', async () => {
    const { http } = start();
    for (const path of ['/ws/nothing', '/ws/token', `/ws/token/${XRP_MD5}/x`, '/ws']) {
      const response = await http(path);
      expect(response.status).toBe(404);
      const body = (await response.json()) as Frame;
      expect(body).toMatchObject({ success: false, code: 'not_found', docs: '/v1/docs' });
      expect(body.requestId).toBe(response.headers.get('x-request-id'));
    }
  });

  test('a stream without upgrade is 426 JSON', async () => {
    const { http } = start();
    const response = await http('/ws/ledger');
    expect(response.status).toBe(426);
    expect(response.headers.get('upgrade')).toBe('websocket');
    expect(await response.json()).toMatchObject({ success: false });
  });

  test('/ws/info lists what is declared', async () => {
    const { http } = start();
    const body = (await (await http('/ws/info')).json()) as Frame;
    expect(body.success).toBe(true);
    expect(body.streams.map((stream: { path: string }) => stream.path).sort()).toEqual([
      '/ws/account/balance/pair/{account}',
      '/ws/account/balance/{account}',
      '/ws/account/offers/{account}',
      '/ws/account/tx/{account}',
      '/ws/account/watch/{account}',
      '/ws/amm/info',
      '/ws/creator/{identifier}',
      '/ws/history/{md5}',
      '/ws/holders/{id}',
      '/ws/ledger',
      '/ws/ohlc/{md5}',
      '/ws/orderbook',
      '/ws/quote',
      '/ws/sync',
      '/ws/token/{md5}',
      '/ws/trustlines/{account}',
    ]);
    expect(body.closeCodes.map((row: { code: number }) => row.code)).toContain(4029);
  });

  test("Bun's own client", async () => {
    const { native, engine } = start();
    const socket = native('/ws/ledger');
    const frames: { e?: string; ledger_index?: number }[] = [];
    socket.onmessage = (event) => frames.push(JSON.parse(event.data as string));
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    while (frames.length < 1) await pause(5);
    engine.apply();
    while (frames.length < 2) await pause(5);
    expect(frames.map((frame) => frame.ledger_index)).toEqual([1000, 1001]);
    socket.close();
  });
});

describe('invalid parameters: an error frame, then the code', () => {
  const cases: readonly [path: string, code: number][] = [
    ['/ws/orderbook?base=84e5efeb89c4eae8f68188982dc290d8&quote=84e5efeb89c4eae8f68188982dc290d8', 4020],
    ['/ws/orderbook?base=84e5efeb89c4eae8f68188982dc290d8', 4020],
    ['/ws/orderbook?base_currency=USD&base_issuer=nonsense&quote_currency=XRP', 4020],
    ['/ws/token/nonsense', 4020],
    ['/ws/holders/__proto__', 4020],
    [`/ws/token/rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh-${'A'.repeat(65)}`, 4020],
    ['/ws/orderbook', 4021],
    ['/ws/orderbook?base_currency=XRP', 4021],
    ['/ws/orderbook?base_currency=USD&quote_currency=XRP', 4021],
    ['/ws/token/00000000000000000000000000000000', 4021],
    ['/ws/token/rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh-USD', 4021],
    [`/ws/token/rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh_${'0'.repeat(40)}`, 4021],
    [`/ws/token/mpt-${'0'.repeat(48)}`, 4021],
    [`/ws/token/MPT_${'0'.repeat(48)}`, 4021],
    [`/ws/token/${'0'.repeat(48)}`, 4021],
    ['/ws/history/00000000000000000000000000000000', 4021],
    [`/ws/ohlc/${XRP_MD5}?interval=7m`, 4022],
    [`/ws/ohlc/${XRP_MD5}?interval=constructor`, 4022],
    [`/ws/ohlc/${XRP_MD5}?vs_currency=DOGE`, 4023],
    [`/ws/token/${XRP_MD5}?fields=a%20b`, 4024],
    [`/ws/token/${XRP_MD5}?fields=${'a'.repeat(4001)}`, 4024],
    [`/ws/history/${XRP_MD5}?type=everything`, 4025],
    [`/ws/history/${XRP_MD5}?pairType=usd`, 4025],
    ['/ws/orderbook?base_currency=XRP&quote_currency=XRP', 4025],
  ];
  for (const [path, code] of cases) {
    test(`${path} -> ${code}`, async () => {
      const { open, hub } = start();
      const client = await open(path);
      const closed = await client.closed;
      expect(closed.code).toBe(code);
      expect(client.frames).toHaveLength(1);
      expect(client.frames[0]!.error).toBe(closed.reason);
      expect(client.frames[0]!.errorCode).toBe(code);
      expect(hub.stats.connections).toBe(0);
    });
  }

  test('numbers out of range are clamped, not refused', async () => {
    const { open } = start();
    for (const limit of ['-5', '1e9', 'x']) {
      const client = await open(`/ws/holders/${XRP_MD5}?limit=${limit}`);
      expect((await client.next()).type).toBe('initial');
    }
  });
});

describe('limits', () => {
  test('4029 beyond the connections of one address; a closed one gives its place back', async () => {
    const { open, hub } = start({ connectionsPerIp: 2 });
    const first = await open('/ws/ledger');
    await open('/ws/ledger');
    const third = await open('/ws/ledger');
    expect((await third.closed).code).toBe(4029);
    expect(third.frames).toHaveLength(1);
    expect(third.frames[0]!.error).toContain('2 connections');
    first.socket.close();
    await first.closed;
    while (hub.connections > 1) await pause(5);
    const fourth = await open('/ws/ledger');
    expect((await fourth.next()).ledger_index).toBe(1000);
  });

  test('4011 beyond the connections in all', async () => {
    const { open } = start({ connections: 1 });
    await open('/ws/ledger');
    const second = await open('/ws/ledger');
    expect((await second.closed).code).toBe(4011);
    expect(second.frames[0]!.error).toBeString();
  });

  test('4012 for a message that is too long, also one of many bytes a character', async () => {
    const { open } = start({ messageBytes: 1000 });
    for (const text of ['x'.repeat(1001), 'é'.repeat(600), JSON.stringify({ a: 'x'.repeat(1_000_000) })]) {
      const client = await open('/ws/sync');
      client.send(text);
      expect((await client.closed).code).toBe(4012);
      expect(client.frames.at(-1)!.errorCode).toBe(4012);
    }
    const client = await open('/ws/sync');
    client.send({ type: 'ping', pad: 'x'.repeat(900) });
    await client.next((frame) => frame.type === 'pong');
  });

  test('4010 for too many messages, not for a burst within the allowance', async () => {
    const { open } = start({ messageBurst: 20, messagesPerSecond: 5 });
    const client = await open('/ws/ledger');
    for (let i = 0; i < 20; i++) client.send({ type: 'ping' });
    for (let i = 0; i < 20; i++) await client.next((frame) => frame.type === 'pong');
    for (let i = 0; i < 20; i++) client.send({ type: 'ping' });
    expect((await client.closed).code).toBe(4010);
    expect(client.frames.at(-1)!.errorCode).toBe(4010);
  });
});

describe('malformed messages get an error and the connection stays open', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const notJson: readonly (string | Buffer)[] = [
    'hello',
    '',
    'null',
    '[]',
    '"ping"',
    deep,
    `{"type":${'{"a":'.repeat(15_000)}`,
    Buffer.from([0, 255, 1]),
    Buffer.from('{"type":"ping"}'),
  ];
  const unknown = [
    '{}',
    '{"type":1}',
    '{"type":"nonsense"}',
    '{"type":"__proto__"}',
    '{"__proto__":{"type":"ping"}}',
    '{"type":"constructor","tokens":{"length":1e9}}',
  ];
  for (const path of STREAMS) {
    test(path, async () => {
      const { open, faults } = start();
      const client = await open(path);
      await client.next();
      for (const data of notJson) {
        client.socket.send(data);
        expect((await client.next()).errorCode).toBe(4026);
      }
      for (const data of unknown) {
        client.send(data);
        expect((await client.next()).errorCode).toBe(4025);
      }
      client.send({ type: 'ping' });
      await client.next((frame) => frame.type === 'pong');
      expect(faults.messages).toEqual([]);
    });
  }
});

describe('life', () => {
  test('shutdown closes everything with 1001 and takes no more', async () => {
    const { open, hub, http } = start();
    const clients = await Promise.all(STREAMS.map((path) => open(path)));
    hub.close();
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    const late = await http('/ws/ledger');
    expect(late.status).toBe(503);
  });

  test('ledgers that are missing end every socket with 1012, and who resumes is told of a gap', async () => {
    const { open, hub, engine } = start();
    const clients = await Promise.all(STREAMS.map((path) => open(path)));
    for (const client of clients) await client.next();
    engine.apply({ tokens: [1] });
    const [sync] = clients.slice(1);
    const { seq, session } = await sync!.next((frame) => frame.prevSeq !== undefined);
    engine.head = { ...engine.head!, index: engine.head!.index + 10 };
    engine.apply({ tokens: [1, 2] });
    for (const client of clients) expect((await client.closed).code).toBe(1012);
    const again = await open(`/ws/sync?from_seq=${seq}&session=${session}`);
    expect(await again.next()).toMatchObject({ type: 'gap', fromSeq: seq });
    expect(await again.next()).toMatchObject({ initial: true });
    const ledgers = await open(`/ws/ledger?from_seq=${engine.head.index - 11}`);
    expect(await ledgers.next()).toMatchObject({ e: 'gap', to: engine.head.index - 1 });
    const fresh = await Promise.all(STREAMS.map((path) => open(path)));
    for (const client of fresh) await client.next();
    engine.apply({ tokens: [1] });
    for (const client of fresh.slice(0, 3)) await client.next(({ prevSeq, e }) => prevSeq !== undefined || e);
    expect(hub.stats.ringBytes).toBeGreaterThan(0);
    for (const { socket } of [...fresh, again, ledgers]) socket.terminate();
  });

  test('bytes that are sent are counted in UTF-8, of frames to one and to many', async () => {
    const { open, hub, engine } = start();
    engine.hashPadding = 'é'.repeat(50);
    engine.apply();
    const client = await open('/ws/ledger');
    await client.next();
    engine.apply();
    await client.next();
    const texts = client.frames.map((frame) => JSON.stringify(frame));
    expect(hub.stats.bytesSent).toBe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  });

  test('everything is given back when clients leave', async () => {
    const { open, hub, engine } = start();
    const clients = await Promise.all(STREAMS.map((path) => open(path)));
    for (const client of clients) await client.next();
    for (const client of clients) client.socket.terminate();
    while (hub.connections > 0) await pause(5);
    engine.apply({ tokens: [1], candles: [0] });
    while (hub.stats.jobs > 0) await pause(5);
    const { byStream } = hub.stats as Hub['stats'];
    for (const path of ['/ws/token/{md5}', '/ws/ohlc/{md5}', '/ws/history/{md5}', '/ws/orderbook'])
      expect(byStream[path]!.channels).toBe(0);
  });

  test('permessage-deflate where asked, plain where not, the same frames', async () => {
    const engine = new FakeEngine(200);
    engine.padding = 500;
    const { open } = start({ rowsPerFrame: 150 }, engine);
    const deflating = await open('/ws/sync', { perMessageDeflate: true });
    const plain = await open('/ws/sync', { perMessageDeflate: false });
    expect(deflating.socket.extensions).toBe('permessage-deflate');
    expect(plain.socket.extensions).toBe('');
    expect((await deflating.next()).connectionInfo.compression).toBe(true);
    expect((await plain.next()).connectionInfo.compression).toBe(false);
    const long = { type: 'subscribe', tokens: Array.from({ length: 190 }, (_, i) => engine.md5(i + 1)) };
    for (const client of [deflating, plain]) {
      client.send(long);
      await client.next((frame) => frame.type === 'subscribed');
    }
    for (let seq = 1; seq <= 5; seq++) {
      engine.apply({ tokens: Array.from({ length: 150 }, (_, id) => id + 1) });
      for (const client of [deflating, plain]) await client.next((frame) => frame.seq === seq);
    }
    const updates = (client: typeof plain) => client.frames.filter((frame) => frame.prevSeq !== undefined);
    expect(updates(deflating)).toEqual(updates(plain));
    expect(updates(plain)).toHaveLength(5);
  });

  test('ledgers that come fast share flushes; the first goes out at once', async () => {
    // Longer than a frame takes on a machine that others use.
    const flushMs = 3_000;
    const { open, engine, hub } = start({ flushMs });
    const client = await open(`/ws/token/${engine.md5(1)}`);
    await client.next();
    const from = performance.now();
    engine.apply({ tokens: [1] });
    await client.next((frame) => frame.seq === 1);
    expect(performance.now() - from).toBeLessThan(flushMs);
    for (let i = 0; i < 20; i++) {
      engine.apply({ tokens: [1] });
      await pause(1);
    }
    expect((await client.next((frame) => frame.seq === 2)).token.exch).toBe(engine.prices[1]!);
    expect(hub.stats.framesBuilt).toBe(2);
  });

  test('a fault of a stream neither reaches the engine nor the other streams', async () => {
    const engine = new FakeEngine();
    const { open, faults } = start({}, engine);
    const token = await open(`/ws/token/${XRP_MD5}`);
    const ledger = await open('/ws/ledger');
    await token.next();
    await ledger.next();
    engine.texts = () => {
      throw new Error('broken view');
    };
    engine.apply({ tokens: [0] });
    expect((await ledger.next()).ledger_index).toBe(1001);
    expect(faults.messages).toHaveLength(1);
  });
});

describe('a message beyond the bound', () => {
  test('is reported by /ws/info, whichever of the two it is', async () => {
    const { http } = start();
    const { limits, closeCodes } = (await (await http('/ws/info')).json()) as Frame;
    expect(limits).toMatchObject({ messageBytes: 131_072, transportMessageBytes: 4_194_304 });
    expect(closeCodes.map(({ code }: Frame) => code)).toEqual(expect.arrayContaining([1009, 4012]));
  });

  test('and of the transport: 1009, the others go on', async () => {
    const { open } = start({ messageBytes: 1000, transportMessageBytes: 5000 });
    const [large, other] = [await open('/ws/ledger'), await open('/ws/ledger')];
    large.send({ type: 'ping', pad: 'x'.repeat(6000) });
    expect((await large.closed).code).toBe(1009);
    await other.next();
    other.send({ type: 'ping' });
    expect(await other.next()).toMatchObject({ type: 'pong' });
  });

  test.each([
    ['plain', 200_000, false],
    ['plain', 1_100_000, false],
    ['plain', 4_000_000, false],
    ['deflated', 1_100_000, true],
    ['deflated', 4_000_000, true],
  ])('%s, %d bytes: the error frame, then 4012', async (_, bytes, perMessageDeflate) => {
    const { open, hub } = start();
    const client = await open('/ws/ledger', { perMessageDeflate });
    await client.next();
    client.send({ type: 'ping', pad: 'x'.repeat(bytes) });
    expect(await client.next()).toMatchObject({ errorCode: 4012, error: expect.stringContaining('131072') });
    expect((await client.closed).code).toBe(4012);
    expect(hub.stats.messagesIn).toBe(1);
  });

  test.each([
    ['plain', false],
    ['deflated', true],
  ])('%s, beyond 4 MB: 1009, and nothing of it is read', async (_, perMessageDeflate) => {
    const { open, hub } = start();
    const client = await open('/ws/ledger', { perMessageDeflate });
    await client.next();
    client.send({ type: 'ping', pad: 'x'.repeat(4 * 1024 * 1024) });
    expect((await client.closed).code).toBe(1009);
    expect(hub.stats.messagesIn).toBe(0);
  });
});
