/** The order in which many clients are served, on a clock that only the requests advance. */
import { describe, expect, test } from 'bun:test';
import { BackpressureGuard } from '../../../sandbox/node/backpressure-guard.ts';
import { FairScheduler, FlowQueue } from '../../../sandbox/node/fair-scheduler.ts';
import { drawsOf, seedOf } from '../seed.ts';

const seed = seedOf('the order of a crowd');

/** A scheduler, and requests that take a given time. */
function rig() {
  let time = 0;
  const scheduler = new FairScheduler(() => time);
  const served: string[] = [];
  const ask = (flow: FlowQueue, name: string, ms: number) =>
    scheduler.run(flow, () => {
      time += ms;
      served.push(name);
      return name;
    });
  return { scheduler, served, ask, now: () => time };
}

const nextRound = () => new Promise<void>(setImmediate);

describe('many flows', () => {
  test('let timers run after some milliseconds, however many requests wait', async () => {
    const { ask, now } = rig();
    for (let flow = 0; flow < 500; flow++) void ask(new FlowQueue(), `${flow}`, 5);
    for (let rounds = 1; rounds <= 20; rounds++) {
      const before = now();
      await nextRound();
      expect(now() - before).toBeLessThanOrEqual(12);
    }
    expect(now()).toBeGreaterThanOrEqual(100);
  });

  test('do not delay a flow with few requests', async () => {
    const { ask, served, now } = rig();
    const [little, ...quick] = Array.from({ length: 21 }, () => new FlowQueue());
    for (const flow of [little!, ...quick]) for (let i = 0; i < 20; i++) void ask(flow, 'before', 1);
    while (served.length < 420) await nextRound();
    // Minutes of long requests, some later short ones, and more long ones.
    const crowd = Array.from({ length: 500 }, () => new FlowQueue());
    for (let round = 0; round < 200; round++) {
      for (const flow of crowd) if (flow.waiting.length < 3) void ask(flow, 'long', 100);
      for (const flow of quick) if (flow.waiting.length < 3) void ask(flow, 'quick', 1);
      await nextRound();
      const before = served.length;
      void ask(little!, 'little', 1);
      while (!served.slice(before).includes('little')) await nextRound();
      const between = served.slice(before, served.indexOf('little', before));
      expect(between.filter((name) => name === 'long').length).toBeLessThanOrEqual(1);
      expect(between.filter((name) => name === 'quick').length).toBeLessThanOrEqual(2 * quick.length);
    }
    // The short ones do not block the others permanently either.
    expect(served.filter((name) => name === 'long').length * 100).toBeGreaterThan((now() - 420) * 0.4);
  });

  test(`share the time and not the number of requests (seed ${seed})`, async () => {
    const below = drawsOf(seed);
    const { ask, now } = rig();
    const flows = Array.from({ length: 7 }, () => ({ flow: new FlowQueue(), most: 1 + below(40), had: 0 }));
    for (let round = 0; round < 2_000; round++) {
      for (const each of flows)
        while (each.flow.waiting.length < 20) {
          const ms = 10 + below(each.most);
          void ask(each.flow, '', ms).then(() => {
            each.had += ms;
          });
        }
      await nextRound();
    }
    const had = flows.map((each) => each.had);
    expect(had.reduce((sum, ms) => sum + ms, 0)).toBe(now());
    // One request more, or one less.
    expect(Math.max(...had) - Math.min(...had)).toBeLessThanOrEqual(2 * 50);
  });

  test('get no credit for idle time', async () => {
    const { ask, served } = rig();
    const [early, late] = [new FlowQueue(), new FlowQueue()];
    for (let i = 0; i < 20; i++) void ask(early, 'early', 10);
    for (let i = 0; i < 10; i++) await nextRound();
    const before = served.length;
    for (let i = 0; i < 10; i++) void ask(late, 'late', 10);
    for (let i = 0; i < 8; i++) await nextRound();
    const after = served.slice(before);
    expect(Math.abs(after.filter((name) => name === 'late').length - after.length / 2)).toBeLessThanOrEqual(
      1,
    );
  });
});

describe('a flow', () => {
  test('is served in order, also when a request continues asynchronously', async () => {
    const { scheduler } = rig();
    const flow = new FlowQueue();
    const order: string[] = [];
    const slow = scheduler.run(flow, async () => {
      order.push('started');
      await Bun.sleep(5);
      order.push('ended');
    });
    const next = scheduler.run(flow, () => order.push('next'));
    const other = scheduler.run(new FlowQueue(), () => order.push('other'));
    await Promise.all([slow, next, other]);
    expect(order).toEqual(['started', 'other', 'ended', 'next']);
  });

  test('has as many concurrent requests as allowed', async () => {
    const { scheduler } = rig();
    const flow = new FlowQueue(3);
    let [underWay, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        scheduler.run(flow, async () => {
          most = Math.max(most, ++underWay);
          await Bun.sleep(1);
          underWay--;
        }),
      ),
    );
    expect(most).toBe(3);
  });

  test('continues after a request that fails', async () => {
    const { scheduler } = rig();
    const flow = new FlowQueue();
    const failed = scheduler.run(flow, () => {
      throw new RangeError('at once');
    });
    const later = scheduler.run(flow, async () => {
      await nextRound();
      throw new RangeError('later');
    });
    const whole = scheduler.run(flow, () => 'whole');
    expect(failed).rejects.toThrow('at once');
    expect(later).rejects.toThrow('later');
    expect(await whole).toBe('whole');
  });

  test('is not served any more after its removal', async () => {
    const { scheduler, ask, served } = rig();
    const flow = new FlowQueue();
    for (let i = 0; i < 5; i++) void ask(flow, 'gone', 1);
    scheduler.remove(flow);
    void ask(new FlowQueue(), 'there', 1);
    for (let i = 0; i < 3; i++) await nextRound();
    expect(served).toEqual(['there']);
  });
});

describe('unread data of readers', () => {
  const reader = (unread: number) => ({
    unread,
    cut: false,
    getBufferedAmount() {
      return this.unread;
    },
    terminate() {
      this.cut = true;
      this.unread = 0;
    },
  });

  test('is bounded in total: the readers with most of it are terminated', () => {
    const readers = [10, 500, 0, 400, 90, 200].map(reader);
    const unread = new BackpressureGuard(readers, 1_000);
    unread.sent(124);
    expect(readers.some(({ cut }) => cut)).toBe(false);
    unread.sent(1);
    expect(readers.map(({ cut }) => cut)).toEqual([false, true, false, true, false, false]);
  });

  test('up to the limit has no effect', () => {
    const readers = [400, 400, 200].map(reader);
    new BackpressureGuard(readers, 1_000).sent(1_000_000);
    expect(readers.some(({ cut }) => cut)).toBe(false);
  });
});
