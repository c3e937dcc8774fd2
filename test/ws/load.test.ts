/** Slow readers, floods, many subscriptions: the event loop is never blocked and no client gets a silent gap. */
import { afterEach, describe, expect, test } from 'bun:test';
import { StallMeter } from '../../bench/stall-meter.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Limits } from '../../ws/limits.ts';
import { type Frame, pause, rig } from './rig.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start(engine: FakeEngine, limits: Partial<Limits> = {}) {
  const one = rig(engine, { limits });
  stops.push(one.stop);
  return { engine, ...one };
}

interface Stall {
  /** Longest time that the event loop was blocked, ms; waiting for a core of a shared machine is not ours. */
  readonly longest: number;
  /** CPU time of the whole run on all cores, ms. */
  readonly work: number;
}

async function stallOf(job: () => Promise<void>): Promise<Stall> {
  const before = process.cpuUsage();
  const meter = new StallMeter();
  await job();
  await pause(10); // the meter's last tick
  meter.stop();
  const { user, system } = process.cpuUsage(before);
  return { longest: meter.longestOwn, work: (user + system) / 1000 };
}

/** 50 ms, or where the machine is slow a small part of the whole: work that is not cut into slices is a third of it. */
const isShort = ({ longest, work }: Stall): boolean => longest < Math.max(50, work / 12);

/** Clients run in this process and the machine may be shared: noise only ever adds, so the best of three counts. */
async function quietest<T extends { stall: Stall }>(measure: () => Promise<T>): Promise<T> {
  let best = await measure();
  for (let i = 1; i < 3 && !isShort(best.stall); i++) {
    const again = await measure();
    if (again.stall.longest < best.stall.longest) best = again;
  }
  const { longest, work } = best.stall;
  console.log(`longest stall ${longest.toFixed(1)} ms of ${work.toFixed(0)} ms`);
  return best;
}

const isUpdate = (frame: Frame) => frame.prevSeq !== undefined;

describe('slow readers', () => {
  for (const deflate of [false, true]) {
    test(`a paused socket gets every frame up to its close code, never a silent gap (deflate ${deflate})`, async () => {
      const engine = new FakeEngine(200);
      engine.padding = 300;
      const { open, hub } = start(engine, { queueBytes: 256 * 1024, sweepBytes: 64 * 1024 });
      const slow = await open('/ws/sync', { perMessageDeflate: deflate });
      const quick = await open('/ws/sync');
      await slow.next();
      await quick.next();
      slow.socket.pause();
      const touched = Array.from({ length: 150 }, (_, id) => id + 1);
      let ticks = 0;
      while (hub.stats.slowReaders === 0 && ticks < 2000) {
        engine.apply({ tokens: touched });
        // Prices that do not deflate well, so that the queue grows in either case.
        for (const id of touched) engine.prices[id] = Math.random();
        ticks++;
        await pause(1);
      }
      expect(hub.stats.slowReaders).toBe(1);
      await pause(20);
      slow.socket.resume();
      expect((await slow.closed).code).toBe(4010);
      const seqs = slow.frames.filter(isUpdate).map((frame) => frame.seq);
      expect(seqs.length).toBeGreaterThan(5);
      expect(seqs).toEqual(seqs.map((_, i) => i + 1));
      expect(slow.frames.at(-1)).toMatchObject({ errorCode: 4010 });
      await quick.next((frame) => frame.seq >= ticks - 1);
      const others = quick.frames.filter(isUpdate).map((frame) => frame.seq);
      expect(others).toEqual(others.map((_, i) => i + 1));
    });
  }

  test('a client that requests much and does not read is closed as well', async () => {
    const engine = new FakeEngine(200);
    engine.padding = 2000;
    const { open } = start(engine, { messageBurst: 1e6, queueBytes: 256 * 1024 });
    const client = await open('/ws/sync');
    await client.next();
    client.socket.pause();
    for (let i = 0; i < 300; i++) {
      client.send({ type: 'resync' });
      if (i % 10 === 0) await pause(5);
    }
    await pause(50);
    client.socket.resume();
    expect((await client.closed).code).toBe(4010);
  });

  test('who does not read its close either is cut off, and its queue is given back', async () => {
    const engine = new FakeEngine(200);
    engine.padding = 2000;
    const { open, hub } = start(engine, { queueBytes: 2 * 1024 * 1024, drainMs: 300 });
    const client = await open('/ws/sync');
    await client.next();
    client.socket.pause();
    const tokens = Array.from({ length: 150 }, (_, id) => id + 1);
    for (let i = 0; i < 2000 && hub.stats.draining === 0; i++) {
      engine.apply({ tokens });
      await pause(1);
    }
    expect(hub.stats).toMatchObject({ slowReaders: 1, draining: 1, connections: 1 });
    expect(hub.stats.queuedBytes).toBeGreaterThan(1024 * 1024);
    while (hub.connections > 0) await pause(20);
    expect(hub.stats).toMatchObject({ draining: 0, connections: 0, queuedBytes: 0, terminated: 1 });
  });

  test('the queues of all sockets together are bounded, though none is too long by itself', async () => {
    const engine = new FakeEngine(400);
    engine.padding = 2000;
    const bound = 4 * 1024 * 1024;
    const { open, hub } = start(engine, {
      queueBytesInAll: bound,
      queueBytes: 64 * 1024 * 1024,
      rowsPerFrame: 100,
    });
    const quick = await open('/ws/sync');
    const slow = await Promise.all(Array.from({ length: 6 }, () => open('/ws/sync')));
    for (const { socket } of slow) socket.pause();
    const tokens = Array.from({ length: 350 }, (_, id) => id + 1);
    let most = 0;
    for (let i = 0; i < 300 && hub.stats.terminated < 3; i++) {
      engine.apply({ tokens });
      await pause(2);
      most = Math.max(most, hub.stats.queuedBytes);
    }
    expect(hub.stats.terminated).toBeGreaterThanOrEqual(3);
    expect(most).toBeGreaterThan(bound / 4);
    // An eighth is not yet measured, and one tick goes to all.
    expect(most).toBeLessThan(bound + bound / 8 + 7 * 350 * 2600);
    expect(quick.socket.readyState).toBe(1);
    const seqs = quick.frames.filter(isUpdate).map((frame) => frame.seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  });
});

describe('floods', () => {
  const MESSAGES = 100_000;

  /** Sends from the same process, so what the client costs is measured apart. */
  async function flood(limits: Partial<Limits>, connections: number) {
    const engine = new FakeEngine(1000);
    const { open, hub } = start(engine, { connectionsPerIp: 1000, ...limits });
    const clients = await Promise.all(Array.from({ length: connections }, () => open('/ws/sync')));
    for (const client of clients) await client.next();
    const md5s = Array.from({ length: 1000 }, (_, id) => engine.md5(id));
    let sent = 0;
    const stall = await stallOf(async () => {
      while (sent < MESSAGES && clients.some((client) => client.socket.readyState === 1)) {
        for (let i = 0; i < 200; i++, sent++) {
          const client = clients[sent % connections]!;
          if (client.socket.readyState !== 1) continue;
          const tokens = [md5s[sent % 999]!, md5s[(sent * 7) % 999]!];
          client.send({ type: 'subscribe', tokens });
        }
        if (sent % 10_000 === 0) engine.apply({ tokens: [sent % 999, 5, 6, 7] });
        await pause(0);
      }
      const deadline = Date.now() + 120_000;
      while (hub.stats.jobs > 0 && Date.now() < deadline) await pause(5);
    });
    return { stall, hub, clients, engine };
  }

  test('100,000 subscribe messages of one socket end in 4010 and stall nothing', async () => {
    const { stall, clients, hub } = await quietest(() => flood({}, 1));
    expect((await clients[0]!.closed).code).toBe(4010);
    expect(hub.stats.messagesIn).toBeLessThan(1000);
    expect(stall).toSatisfy(isShort);
  });

  test('100,000 subscribe messages that are all allowed are all answered, in slices', async () => {
    const { stall, clients, hub } = await quietest(() => flood({ messageBurst: 1e9 }, 20));
    expect(stall).toSatisfy(isShort);
    expect(hub.stats.messagesIn).toBe(MESSAGES);
    const acks = () =>
      clients.reduce((sum, { frames }) => sum + frames.filter((f) => f.type === 'subscribed').length, 0);
    while (acks() < MESSAGES) await pause(20);
    expect(acks()).toBe(MESSAGES);
  }, 180_000);

  async function manySubscriptions() {
    const engine = new FakeEngine(3000);
    const { open, hub } = start(engine, { connectionsPerIp: 5000, messageBurst: 1000 });
    const clients = await Promise.all(Array.from({ length: 2000 }, () => open('/ws/sync')));
    for (const [i, client] of clients.entries()) {
      await client.next();
      client.send({ type: 'subscribe', tokens: [engine.md5(1), engine.md5(i + 2)], snapshot: false });
    }
    for (const client of clients) await client.next((frame) => frame.type === 'subscribed');
    const stall = await stallOf(async () => {
      for (let seq = 1; seq <= 3; seq++) {
        engine.apply({ tokens: Array.from({ length: 200 }, (_, n) => n + 1) });
        // Ledgers that come before the last is flushed would share a frame.
        for (const client of clients) await client.next((frame) => frame.seq === seq);
      }
    });
    return { stall, hub, clients };
  }

  test('a ledger that concerns 2,000 different subscriptions is sent in slices', async () => {
    const { stall, hub, clients } = await quietest(manySubscriptions);
    expect(hub.stats.byStream['/ws/sync']!.channels).toBeGreaterThanOrEqual(2000);
    for (const client of clients)
      expect(client.frames.filter(isUpdate).map((frame) => frame.prevSeq)).toEqual([0, 1, 2]);
    expect(stall).toSatisfy(isShort);
  }, 180_000);
});
