/** Resuming by `?from_seq=` after a reconnect, against a socket that was there all the time. */
import { afterEach, describe, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Limits } from '../../ws/limits.ts';
import { type Client, type Frame, rig } from './rig.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(limits: Partial<Limits> = {}, engine = new FakeEngine()) {
  const one = rig(engine.network, { limits, now: () => 1_700_000_000_000 });
  stops.push(one.stop);
  return { engine, ...one };
}

const isUpdate = (frame: Frame) => frame.prevSeq !== undefined;

/** Changes the token once for each seq up to `to`; the witness has seen them all when this resolves. */
async function updates(engine: FakeEngine, witness: Client, from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq++) {
    engine.apply({ tokens: [1] });
    await witness.next((frame) => frame.seq === seq);
  }
}

/** Ends a connection without a close frame; resolves when the hub has noticed. */
async function lost(client: Client, hub: { readonly connections: number }): Promise<void> {
  const left = hub.connections - 1;
  client.socket.terminate();
  while (hub.connections > left) await Bun.sleep(1);
}

describe.each([
  ['/ws/token', (engine: FakeEngine, query: string) => `/ws/token/${engine.md5(1)}?${query}`],
  [
    '/ws/token in delta mode',
    (engine: FakeEngine, query: string) => `/ws/token/${engine.md5(1)}?delta=1&${query}`,
  ],
  ['/ws/sync', (_: FakeEngine, query: string) => `/ws/sync?${query}`],
])('%s', (_, path) => {
  test('the frames since follow, byte for byte, and then those to come', async () => {
    const { open, engine, hub } = start();
    const witness = await open(path(engine, ''));
    await witness.next();
    const first = await open(path(engine, ''));
    const { session } = await first.next();
    await updates(engine, witness, 1, 3);
    await lost(first, hub);
    await updates(engine, witness, 4, 8);
    const again = await open(path(engine, `from_seq=3&session=${session}`));
    expect(await again.next()).toEqual({ type: 'resumed', fromSeq: 3, seq: 8, session, missed: 5 });
    await updates(engine, witness, 9, 9);
    await again.next((frame) => frame.seq === 9);
    const since = (client: Client) => client.frames.filter((frame) => isUpdate(frame) && frame.seq > 3);
    expect(since(again)).toEqual(since(witness));
    expect(since(again).map(({ prevSeq }) => prevSeq)).toEqual([3, 4, 5, 6, 7, 8]);
  });

  test('nothing missed: no first frame, and the next update follows', async () => {
    const { open, engine, hub } = start();
    const witness = await open(path(engine, ''));
    const { session } = await witness.next();
    await updates(engine, witness, 1, 2);
    const again = await open(path(engine, 'from_seq=2'));
    expect(await again.next()).toEqual({ type: 'resumed', fromSeq: 2, seq: 2, session, missed: 0 });
    await updates(engine, witness, 3, 3);
    expect(await again.next()).toMatchObject({ seq: 3, prevSeq: 2 });
    expect(hub.connections).toBe(2);
  });

  test('a gap is reported before the first frame', async () => {
    const { open, engine } = start({ ringFrames: 4 });
    const witness = await open(path(engine, ''));
    const { session } = await witness.next();
    await updates(engine, witness, 1, 10);
    for (const query of ['from_seq=2', 'from_seq=99', 'from_seq=9&session=another']) {
      const again = await open(path(engine, query));
      const fromSeq = Number(/\d+/.exec(query)![0]);
      expect(await again.next()).toEqual({ type: 'gap', fromSeq, seq: 10, session });
      const initial = await again.next();
      expect(initial.seq).toBe(10);
      expect(initial.initial === true || initial.type === 'initial').toBe(true);
    }
    const kept = await open(path(engine, 'from_seq=6'));
    expect(await kept.next()).toMatchObject({ type: 'resumed', missed: 4 });
  });
});

describe('/ws/token without another socket', () => {
  test('what changed meanwhile comes in one frame', async () => {
    const { open, engine, hub } = start();
    const path = `/ws/token/${engine.md5(1)}`;
    const first = await open(path);
    const { session } = await first.next();
    await updates(engine, first, 1, 2);
    await lost(first, hub);
    for (let ledger = 0; ledger < 5; ledger++) engine.apply({ tokens: [1] });
    const again = await open(`${path}?from_seq=1&session=${session}`);
    expect(await again.next()).toMatchObject({ type: 'resumed', fromSeq: 1, seq: 3, missed: 2 });
    expect(await again.next()).toMatchObject({ seq: 2, prevSeq: 1 });
    expect(await again.next()).toMatchObject({ seq: 3, prevSeq: 2, token: { exch: engine.prices[1]! } });
  });

  test('the numbers of a topic that is gone are not those of its successor', async () => {
    const { open, engine, hub } = start({}, new FakeEngine(400));
    const path = `/ws/token/${engine.md5(1)}`;
    const first = await open(path);
    await first.next();
    await updates(engine, first, 1, 5);
    await lost(first, hub);
    // As many topics as are kept come and go.
    for (let token = 2; token < 300; token++) {
      const other = await open(`/ws/token/${engine.md5(token)}`);
      await other.next();
      await lost(other, hub);
    }
    engine.apply({ tokens: [1] });
    const back = await open(`${path}?from_seq=5`);
    expect(await back.next()).toMatchObject({ type: 'gap', fromSeq: 5 });
    const other = await open(path);
    const { seq } = await other.next();
    expect(seq).toBeGreaterThanOrEqual(5);
    await updates(engine, other, seq + 1, seq + 3);
    const again = await open(`${path}?from_seq=3`);
    expect(await again.next()).toMatchObject({ type: 'gap', fromSeq: 3 });
  });
});

describe('/ws/ledger', () => {
  test('the ledgers since follow; those no longer kept are reported as a gap', async () => {
    const { open, engine, hub } = start({ ringFrames: 4 });
    const first = await open('/ws/ledger');
    const { ledger_index: last } = await first.next();
    const close = async (client: Client, count: number) => {
      for (let i = 0; i < count; i++) {
        engine.apply();
        await client.next((frame) => frame.ledger_index === engine.head!.index);
      }
    };
    await close(first, 3);
    const near = await open(`/ws/ledger?from_seq=${last + 1}`);
    expect((await near.next()).ledger_index).toBe(last + 2);
    expect((await near.next()).ledger_index).toBe(last + 3);
    await close(first, 6);
    const far = await open(`/ws/ledger?from_seq=${last + 1}`);
    expect(await far.next()).toMatchObject({ e: 'gap', from: last + 2, to: last + 5 });
    for (let index = last + 6; index <= last + 9; index++)
      expect((await far.next()).ledger_index).toBe(index);
    for (const client of [first, near, far]) await lost(client, hub);
    // For a while ledgers are kept without a socket.
    for (let i = 0; i < 2; i++) engine.apply();
    const again = await open(`/ws/ledger?from_seq=${last + 9}`);
    for (const index of [last + 10, last + 11]) expect((await again.next()).ledger_index).toBe(index);
    await lost(again, hub);
    for (let i = 0; i < 20; i++) engine.apply();
    const late = await open(`/ws/ledger?from_seq=${last + 11}`);
    expect(await late.next()).toMatchObject({ e: 'gap', from: last + 12 });
    await late.next((frame) => frame.ledger_index === last + 31);
  });

  test('who reconnects after a restart gets neither a ledger again nor a gap where nothing is missing', async () => {
    const { open, engine } = start();
    const last = engine.head!.index;
    const early = await open(`/ws/ledger?from_seq=${last}`);
    for (let i = 0; i < 2; i++) engine.apply();
    for (const index of [last + 1, last + 2])
      expect(await early.next()).toMatchObject({ e: 'ledger', ledger_index: index });
    const restarted = start({}, engine);
    for (let i = 0; i < 2; i++) engine.apply();
    await restarted.published();
    const late = await restarted.open(`/ws/ledger?from_seq=${last + 2}`);
    for (const index of [last + 3, last + 4])
      expect(await late.next()).toMatchObject({ e: 'ledger', ledger_index: index });
    const short = await restarted.open(`/ws/ledger?from_seq=${last + 1}`);
    expect(await short.next()).toMatchObject({ e: 'gap', from: last + 2, to: last + 2 });
    expect(await short.next()).toMatchObject({ e: 'ledger', ledger_index: last + 3 });
  });
});
