/** `/ws/sync`: subscriptions, sequence, resume. */
import { afterEach, describe, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Limits } from '../../ws/limits.ts';
import { type Client, type Frame, pause, rig } from './rig.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(engine = new FakeEngine(), limits: Partial<Limits> = {}) {
  const one = rig(engine.network, { limits, now: () => 1_700_000_000_000 });
  stops.push(one.stop);
  return { engine, ...one };
}

const isUpdate = (frame: Frame) => frame.prevSeq !== undefined;
const md5s = (frame: Frame) => frame.tokens.map((row: { md5: string }) => row.md5);

describe('without a subscription', () => {
  test('initial frame and updates', async () => {
    const { open, engine } = start(new FakeEngine(300));
    const client = await open('/ws/sync/');
    const initial = await client.next();
    expect(Object.keys(initial).sort()).toEqual([
      'H24',
      'connectionInfo',
      'exch',
      'global',
      'initial',
      'res',
      'seq',
      'session',
      'tags',
      'tier',
      'time',
      'tokenCreation',
      'tokens',
      'total',
    ]);
    expect(initial).toMatchObject({ res: 'success', initial: true, tier: 'anonymous', total: 299, seq: 0 });
    expect(initial.tokens).toHaveLength(100);
    engine.apply({ tokens: [5, 7] });
    const update = await client.next();
    expect(Object.keys(update).sort()).toEqual([
      'H24',
      'exch',
      'global',
      'prevSeq',
      'res',
      'seq',
      'session',
      'time',
      'tokens',
      'total',
    ]);
    expect(update).toMatchObject({ seq: 1, prevSeq: 0, session: initial.session });
    expect(md5s(update)).toEqual([engine.md5(5), engine.md5(7)]);
    expect(update.tokens[0].exch).toBe(5.5);
  });

  test.each(['made', 'not made, for a fault'])(
    'messages wait for the first frame until its rows are %s',
    async (end) => {
      const { open, engine } = start();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      engine.network.views.tokens.rowsReady = () => promise;
      const client = await open('/ws/sync');
      for (const type of ['getSubscriptions', 'unsubscribe', 'ping']) client.send({ type });
      await pause(20);
      expect(client.frames).toEqual([]);
      if (end === 'made') resolve();
      else reject(new Error('a fault'));
      client.send({ type: 'resync' });
      await client.next((frame) => frame.snapshot === true);
      expect(client.frames.map(({ type, initial, snapshot }) => type ?? initial ?? snapshot)).toEqual([
        true,
        'subscriptions',
        'unsubscribed',
        'pong',
        true,
      ]);
    },
  );

  test('the first frame waits until the names of all tags are made', async () => {
    const { open, engine } = start();
    const { promise, resolve } = Promise.withResolvers<void>();
    engine.network.views.tokens.namesReady = () => promise;
    const client = await open('/ws/sync');
    await pause(20);
    expect(client.frames).toEqual([]);
    resolve();
    expect((await client.next()).tags).toBeArray();
  });

  test('tokens that differ only by the price of another are in the stream of the token, not in that of all', async () => {
    const { open, engine } = start();
    const [all, one] = [await open('/ws/sync'), await open(`/ws/token/${engine.md5(7)}`)];
    await all.next();
    await one.next();
    engine.apply({ tokens: [5], repriced: [7] });
    expect((await one.next()).token.exch).toBe(7.5);
    expect(md5s(await all.next())).toEqual([engine.md5(5)]);
    engine.apply({ tokens: [7] });
    expect(await all.next()).toMatchObject({ tokens: [{ md5: engine.md5(7), exch: 8 }] });
  });

  test('quiet: an empty frame about every tenth seq', async () => {
    const { open, engine, published } = start();
    const client = await open('/ws/sync');
    await client.next();
    for (let i = 0; i < 25; i++) {
      engine.apply();
      await published();
    }
    await client.next((frame) => frame.seq === 20);
    const updates = client.frames.filter(isUpdate);
    expect(updates.map((frame) => [frame.prevSeq, frame.seq, frame.tokens.length])).toEqual([
      [0, 10, 0],
      [10, 20, 0],
    ]);
  });

  test('more rows than a frame holds come in several, without a gap', async () => {
    const { open, engine } = start(new FakeEngine(100), { rowsPerFrame: 30 });
    const client = await open('/ws/sync');
    await client.next();
    engine.apply({ tokens: Array.from({ length: 99 }, (_, i) => i + 1) });
    engine.apply({ tokens: [1] });
    await client.next((frame) => isUpdate(frame) && frame.tokens.length === 9);
    engine.apply({ tokens: [1] });
    await client.next((frame) => isUpdate(frame) && frame.tokens.length === 1);
    const updates = client.frames.filter(isUpdate);
    expect(updates.map((frame) => frame.tokens.length)).toEqual([30, 30, 30, 9, 1]);
    expect(updates.map((frame) => frame.prevSeq)).toEqual([
      0,
      ...updates.map((frame) => frame.seq).slice(0, -1),
    ]);
  });

  test('a frame goes out before the rows of the next one are rendered', async () => {
    const engine = new FakeEngine(100);
    const { open, hub } = start(engine, { rowsPerFrame: 30 });
    const client = await open('/ws/sync');
    await client.next();
    const before = hub.stats.framesBuilt;
    const built: number[] = [];
    const row = engine.row.bind(engine);
    engine.row = (token, lightweight) => {
      built.push(hub.stats.framesBuilt - before);
      return row(token, lightweight);
    };
    engine.apply({ tokens: Array.from({ length: 99 }, (_, i) => i + 1) });
    await client.next((frame) => isUpdate(frame) && frame.tokens.length === 9);
    expect(built).toEqual(Array.from({ length: 99 }, (_, i) => Math.floor(i / 30)));
  });

  test('a quiet subscription is as quiet where others get many frames a ledger', async () => {
    const { open, engine } = start(new FakeEngine(100), { rowsPerFrame: 10 });
    const client = await open('/ws/sync');
    const quiet = await open('/ws/sync');
    for (const one of [client, quiet]) await one.next();
    quiet.send({ type: 'subscribe', tokens: [engine.md5(99)], snapshot: false });
    await quiet.next((frame) => frame.type === 'subscribed');
    for (let i = 0; i < 12; i++) {
      engine.apply({ tokens: Array.from({ length: 50 }, (_, token) => token + 1) });
      await client.next((frame) => isUpdate(frame) && frame.seq === 5 * (i + 1));
    }
    engine.apply({ tokens: [99] });
    await quiet.next((frame) => isUpdate(frame) && frame.tokens.length === 1);
    expect(quiet.frames.filter(isUpdate).map((frame) => frame.tokens.length)).toEqual([0, 1]);
  });
});

describe('subscriptions', () => {
  test('tokens: ack with the md5 list, snapshot, only those tokens', async () => {
    const { open, engine } = start();
    const client = await open('/ws/sync');
    await client.next();
    const tokens = [engine.md5(2), engine.md5(3)];
    client.send({ type: 'subscribe', tokens: [...tokens, 'f'.repeat(32)], skip_metrics: true });
    expect(await client.next()).toMatchObject({
      type: 'subscribed',
      mode: 'tokens',
      tokens,
      unknown: ['f'.repeat(32)],
    });
    const snapshot = await client.next();
    expect(Object.keys(snapshot).sort()).toEqual(['count', 'res', 'seq', 'snapshot', 'time', 'tokens']);
    expect(snapshot).toMatchObject({ snapshot: true, count: 2, seq: 0 });
    engine.apply({ tokens: [1, 3, 5] });
    const update = await client.next();
    expect(md5s(update)).toEqual([engine.md5(3)]);
    expect(update.exch).toBeUndefined();
    expect(update.tokens[0].holders).toBe(7);
    engine.apply({ tokens: [1] });
    engine.apply({ tokens: [2] });
    expect(await client.next()).toMatchObject({ prevSeq: 1, seq: 2 });
  });

  test('lightweight rows, no snapshot when not wanted', async () => {
    const { open, engine } = start();
    const client = await open('/ws/sync');
    await client.next();
    client.send({ type: 'subscribe', tokens: [engine.md5(2)], lightweight: true, snapshot: false });
    await client.next((frame) => frame.type === 'subscribed');
    engine.apply({ tokens: [2] });
    const update = await client.next();
    expect(update.snapshot).toBeUndefined();
    expect(update.tokens[0].holders).toBeUndefined();
  });

  test('addTokens, removeTokens, getSubscriptions, unsubscribe', async () => {
    const { open, engine } = start();
    const client = await open('/ws/sync');
    await client.next();
    client.send({ type: 'addTokens', tokens: [engine.md5(1)] });
    expect((await client.next()).errorCode).toBe(4025);
    client.send({ type: 'subscribe', tokens: [engine.md5(1)] });
    client.send({ type: 'addTokens', tokens: [engine.md5(2), engine.md5(3)] });
    expect((await client.next((frame) => frame.type === 'tokensAdded')).tokens).toHaveLength(3);
    client.send({ type: 'removeTokens', tokens: [engine.md5(1)] });
    expect((await client.next((frame) => frame.type === 'tokensRemoved')).tokens).toHaveLength(2);
    client.send({ type: 'getSubscriptions' });
    expect(await client.next((frame) => frame.type === 'subscriptions')).toMatchObject({
      mode: 'tokens',
      tokens: [engine.md5(2), engine.md5(3)],
      count: 2,
      lightweight: false,
      skip_metrics: false,
    });
    engine.apply({ tokens: [1, 2] });
    expect(md5s(await client.next(isUpdate))).toEqual([engine.md5(2)]);
    client.send({ type: 'unsubscribe' });
    expect(await client.next()).toEqual({ type: 'unsubscribed', mode: 'none' });
    engine.apply({ tokens: [2] });
    await pause(30);
    expect(client.frames.filter(isUpdate)).toHaveLength(1);
    client.send({ type: 'subscribe' });
    expect(await client.next()).toMatchObject({ type: 'subscribed', mode: 'all' });
  });

  test('what is added to more tokens than a snapshot holds is in the snapshot that follows', async () => {
    const { open, engine } = start(new FakeEngine(150));
    const client = await open('/ws/sync');
    const named = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => engine.md5(from + i));
    const snapshot = async (message: object) => {
      client.send(message);
      return md5s(await client.next((frame) => frame.snapshot));
    };
    expect(await snapshot({ type: 'subscribe', tokens: named(1, 121) })).toEqual(named(1, 101));
    const more = await snapshot({ type: 'addTokens', tokens: [...named(120, 125), 'no token'] });
    expect(more).toEqual([...named(120, 125), ...named(1, 96)]);
    expect(await snapshot({ type: 'resync' })).toEqual(named(1, 101));
  });

  test('filter: ack, snapshot of the tokens that pass, and a frame for each that passes later', async () => {
    const { open, engine, published } = start(new FakeEngine(20));
    const client = await open('/ws/sync');
    await client.next();
    client.send({ type: 'subscribe', filter: { minVolume: 15, topN: 9999, tags: ['Memes'] } });
    expect(await client.next()).toMatchObject({
      type: 'subscribed',
      mode: 'filter',
      filter: { minVolume: 15, topN: 500, tags: ['Memes'] },
    });
    expect((await client.next()).count).toBe(5);
    engine.prices[3] = 50;
    for (let i = 0; i < 6; i++) {
      engine.apply({ tokens: [1] });
      await published();
    }
    expect(md5s(await client.next(isUpdate))).toEqual([engine.md5(3)]);
  });

  test('errors of a message are named', async () => {
    const { open } = start();
    const client = await open('/ws/sync');
    await client.next();
    for (const message of [
      { type: 'subscribe', tokens: 'abc' },
      { type: 'subscribe', filter: [] },
      { type: 'subscribe', filter: { minVolume: 'x' } },
      { type: 'subscribe', filter: { tags: [1] } },
      { type: 'subscribe', filter: { topN: 'x' } },
      { type: 'checkSeq' },
      { type: 'checkSeq', lastSeq: 1.5 },
    ]) {
      client.send(message);
      expect((await client.next()).errorCode).toBe(4025);
    }
  });

  test('4011 for more tokens than a connection may name', async () => {
    const { open, engine } = start(new FakeEngine(10), { tokensPerConnection: 3 });
    const client = await open('/ws/sync');
    client.send({ type: 'subscribe', tokens: [1, 2, 3, 4].map((id) => engine.md5(id)) });
    expect((await client.closed).code).toBe(4011);
    // Names of what is no token are as much work.
    engine.network.views.tokens.resolve = () => {
      throw new Error('looked up');
    };
    const other = await open('/ws/sync');
    other.send({ type: 'subscribe', tokens: Array.from({ length: 30_000 }, () => 'a') });
    expect((await other.closed).code).toBe(4011);
  });

  test('equal subscriptions share one frame, whatever the order of their tokens', async () => {
    const { open, engine, hub } = start();
    const clients = await Promise.all([0, 1, 2, 3].map(() => open('/ws/sync')));
    for (const [i, client] of clients.entries()) {
      const tokens = [engine.md5(1), engine.md5(2), engine.md5(3)];
      client.send({ type: 'subscribe', tokens: i % 2 ? tokens : tokens.reverse() });
      await client.next((frame) => frame.snapshot === true);
    }
    const { rendered } = engine;
    const built = hub.stats.framesBuilt;
    engine.apply({ tokens: [1] });
    for (const client of clients) await client.next(isUpdate);
    // One for them; the unsubscribed topic goes on for a while for who reconnects.
    expect(hub.stats.framesBuilt - built).toBeLessThanOrEqual(2);
    expect(engine.rendered - rendered).toBeLessThanOrEqual(2);
  });

  test('auth: a clear answer', async () => {
    const { open } = start();
    const client = await open('/ws/sync');
    await client.next();
    client.send({ type: 'auth', apiKey: 'xrpl_0123' });
    expect(await client.next()).toMatchObject({ type: 'auth', authenticated: false, tier: 'anonymous' });
  });
});

describe('sequence and resume', () => {
  /** Ledgers with a frame each. */
  async function ticks({ engine, published }: ReturnType<typeof start>, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      engine.apply({ tokens: [1 + (i % 5)] });
      await published();
    }
  }

  test('who lost the connection gets the frames missed, byte for byte', async () => {
    const house = start();
    const { open } = house;
    const witness = await open('/ws/sync');
    const first = await open('/ws/sync');
    await ticks(house, 5);
    const { seq: lastSeq } = await first.next((frame) => frame.seq === 5);
    first.socket.terminate();
    await ticks(house, 7);
    const again = await open('/ws/sync');
    const { session } = await again.next();
    again.send({ type: 'checkSeq', lastSeq, session });
    expect(await again.next()).toMatchObject({
      type: 'checkSeq',
      status: 'replayed',
      lastSeq: 5,
      seq: 12,
      missed: 7,
    });
    await witness.next((frame) => frame.seq === 12);
    await again.next((frame) => frame.seq === 12);
    const missed = (client: Client) => client.frames.filter((frame) => isUpdate(frame) && frame.seq > 5);
    expect(missed(again)).toEqual(missed(witness));
    again.send({ type: 'checkSeq', lastSeq: 12 });
    expect(await again.next()).toMatchObject({ status: 'ok', missed: 0 });
  });

  test('what is no longer kept, or of another session, comes as a snapshot', async () => {
    const house = start(new FakeEngine(), { ringFrames: 4 });
    const { open } = house;
    const client = await open('/ws/sync');
    await client.next();
    await ticks(house, 10);
    await client.next((frame) => frame.seq === 10);
    for (const message of [{ lastSeq: 2 }, { lastSeq: 99 }, { lastSeq: 9, session: 'another' }]) {
      client.send({ type: 'checkSeq', ...message });
      expect(await client.next()).toMatchObject({ type: 'checkSeq', status: 'snapshot', seq: 10 });
      expect(await client.next()).toMatchObject({ snapshot: true, seq: 10 });
    }
    client.send({ type: 'checkSeq', lastSeq: 6 });
    expect(await client.next()).toMatchObject({ status: 'replayed', missed: 4 });
    client.send({ type: 'resync' });
    expect(await client.next((frame) => frame.snapshot)).toMatchObject({ seq: 10, count: 9 });
  });

  // With short slices messages come while the frames of a ledger are being made.
  test.each([
    [100, 5],
    [3, 5],
    [100, 0.001],
    [3, 0.001],
  ])(
    'an unbroken chain of prevSeq, and a rising seq, over changes of the subscription: %i rows a frame, slices of %d ms',
    async (rowsPerFrame, timeSliceMs) => {
      const { open, engine } = start(new FakeEngine(50), { rowsPerFrame, timeSliceMs });
      await open('/ws/sync');
      const client = await open('/ws/sync');
      let last = (await client.next()).seq;
      for (let round = 0; round < 40; round++) {
        const tokens = Array.from({ length: 1 + (round % 7) }, (_, i) =>
          engine.md5(1 + ((round * 3 + i) % 49)),
        );
        client.send(round % 5 === 4 ? { type: 'subscribe' } : { type: 'subscribe', tokens });
        engine.apply({ tokens: Array.from({ length: 10 }, (_, i) => 1 + ((round + i * 5) % 49)) });
        await pause(round % 3);
      }
      await pause(50);
      let newest = last;
      for (const frame of client.frames) {
        if (frame.type === 'subscribed' || frame.snapshot) last = frame.seq;
        if (!isUpdate(frame)) continue;
        expect(frame.prevSeq).toBe(last);
        expect(frame.seq).toBeGreaterThan(frame.prevSeq);
        // Of two frames with one seq a client may leave out the second.
        expect(frame.seq).toBeGreaterThan(newest);
        newest = frame.seq;
        last = frame.seq;
      }
    },
  );
});
