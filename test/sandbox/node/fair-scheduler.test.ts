/** The order in which a crowd is served, on a clock that only the requests move. */
import { describe, expect, test } from 'bun:test';
import { BackpressureGuard } from '../../../sandbox/node/backpressure-guard.ts';
import { FairScheduler, FlowQueue } from '../../../sandbox/node/fair-scheduler.ts';
import { drawsOf, seedOf } from '../seed.ts';

const seed = seedOf('the order of a crowd');

/** A desk, and requests that take as long as they say. */
function rig() {
  let time = 0;
  const desk = new FairScheduler(() => time);
  const served: string[] = [];
  const ask = (lane: FlowQueue, name: string, ms: number) =>
    desk.run(lane, () => {
      time += ms;
      served.push(name);
      return name;
    });
  return { desk, served, ask, now: () => time };
}

const turn = () => new Promise<void>(setImmediate);

describe('a crowd of lanes', () => {
  test('leaves timers their turn after some milliseconds, however many wait', async () => {
    const { ask, now } = rig();
    for (let lane = 0; lane < 500; lane++) void ask(new FlowQueue(), `${lane}`, 5);
    for (let turns = 1; turns <= 20; turns++) {
      const before = now();
      await turn();
      expect(now() - before).toBeLessThanOrEqual(12);
    }
    expect(now()).toBeGreaterThanOrEqual(100);
  });

  test('does not hold up one who asks little', async () => {
    const { ask, served, now } = rig();
    const [little, ...quick] = Array.from({ length: 21 }, () => new FlowQueue());
    for (const lane of [little!, ...quick]) for (let i = 0; i < 20; i++) void ask(lane, 'before', 1);
    while (served.length < 420) await turn();
    // Minutes of long requests, some that overtake them, and more where the first were.
    const crowd = Array.from({ length: 500 }, () => new FlowQueue());
    for (let round = 0; round < 200; round++) {
      for (const lane of crowd) if (lane.waiting.length < 3) void ask(lane, 'long', 100);
      for (const lane of quick) if (lane.waiting.length < 3) void ask(lane, 'quick', 1);
      await turn();
      const before = served.length;
      void ask(little!, 'little', 1);
      while (!served.slice(before).includes('little')) await turn();
      const between = served.slice(before, served.indexOf('little', before));
      expect(between.filter((name) => name === 'long').length).toBeLessThanOrEqual(1);
      expect(between.filter((name) => name === 'quick').length).toBeLessThanOrEqual(2 * quick.length);
    }
    // Nor do the quick ones hold up the others for ever.
    expect(served.filter((name) => name === 'long').length * 100).toBeGreaterThan((now() - 420) * 0.4);
  });

  test(`has shares of the time and not of the requests (seed ${seed})`, async () => {
    const below = drawsOf(seed);
    const { ask, now } = rig();
    const lanes = Array.from({ length: 7 }, () => ({ lane: new FlowQueue(), most: 1 + below(40), had: 0 }));
    for (let round = 0; round < 2_000; round++) {
      for (const each of lanes)
        while (each.lane.waiting.length < 20) {
          const ms = 10 + below(each.most);
          void ask(each.lane, '', ms).then(() => {
            each.had += ms;
          });
        }
      await turn();
    }
    const had = lanes.map((each) => each.had);
    expect(had.reduce((sum, ms) => sum + ms, 0)).toBe(now());
    // One request more, or one less.
    expect(Math.max(...had) - Math.min(...had)).toBeLessThanOrEqual(2 * 50);
  });

  test('gives no credit for time in which nothing was asked', async () => {
    const { ask, served } = rig();
    const [early, late] = [new FlowQueue(), new FlowQueue()];
    for (let i = 0; i < 20; i++) void ask(early, 'early', 10);
    for (let i = 0; i < 10; i++) await turn();
    const before = served.length;
    for (let i = 0; i < 10; i++) void ask(late, 'late', 10);
    for (let i = 0; i < 8; i++) await turn();
    const after = served.slice(before);
    expect(Math.abs(after.filter((name) => name === 'late').length - after.length / 2)).toBeLessThanOrEqual(
      1,
    );
  });
});

describe('a lane', () => {
  test('is served in order, also where a request goes on in turns of its own', async () => {
    const { desk } = rig();
    const lane = new FlowQueue();
    const order: string[] = [];
    const slow = desk.run(lane, async () => {
      order.push('begun');
      await Bun.sleep(5);
      order.push('ended');
    });
    const next = desk.run(lane, () => order.push('next'));
    const other = desk.run(new FlowQueue(), () => order.push('other'));
    await Promise.all([slow, next, other]);
    expect(order).toEqual(['begun', 'other', 'ended', 'next']);
  });

  test('of many has as many under way as it may', async () => {
    const { desk } = rig();
    const lane = new FlowQueue(3);
    let [underWay, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        desk.run(lane, async () => {
          most = Math.max(most, ++underWay);
          await Bun.sleep(1);
          underWay--;
        }),
      ),
    );
    expect(most).toBe(3);
  });

  test('goes on after a request that fails', async () => {
    const { desk } = rig();
    const lane = new FlowQueue();
    const failed = desk.run(lane, () => {
      throw new RangeError('at once');
    });
    const later = desk.run(lane, async () => {
      await turn();
      throw new RangeError('later');
    });
    const whole = desk.run(lane, () => 'whole');
    expect(failed).rejects.toThrow('at once');
    expect(later).rejects.toThrow('later');
    expect(await whole).toBe('whole');
  });

  test('that has left is served no more', async () => {
    const { desk, ask, served } = rig();
    const lane = new FlowQueue();
    for (let i = 0; i < 5; i++) void ask(lane, 'gone', 1);
    desk.remove(lane);
    void ask(new FlowQueue(), 'there', 1);
    for (let i = 0; i < 3; i++) await turn();
    expect(served).toEqual(['there']);
  });
});

describe('what readers leave unread', () => {
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

  test('is bounded in all: those with most of it are cut off', () => {
    const readers = [10, 500, 0, 400, 90, 200].map(reader);
    const unread = new BackpressureGuard(readers, 1_000);
    unread.sent(124);
    expect(readers.some(({ cut }) => cut)).toBe(false);
    unread.sent(1);
    expect(readers.map(({ cut }) => cut)).toEqual([false, true, false, true, false, false]);
  });

  test('up to the bound harms nobody', () => {
    const readers = [400, 400, 200].map(reader);
    new BackpressureGuard(readers, 1_000).sent(1_000_000);
    expect(readers.some(({ cut }) => cut)).toBe(false);
  });
});
