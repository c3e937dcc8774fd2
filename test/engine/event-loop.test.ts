/** Work that yields to the event loop: what runs in between, and that the result is that of one piece. */
import { describe, expect, test } from 'bun:test';
import {
  type CooperativeTask,
  mapInSlices,
  runInSlices,
  runToEnd,
  TimeSlice,
  Turns,
} from '../../engine/event-loop.ts';

/** Counts how often other work, which was there first, runs until `work` has ended. */
async function runsBetween<T>(work: () => Promise<T>): Promise<{ count: number; result: T }> {
  let count = 0;
  let isRunning = true;
  const tick = () => {
    count++;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  const result = await work();
  isRunning = false;
  return { count, result };
}

describe('a time slice', () => {
  test('does not yield before its milliseconds are used, and begins again after it yielded', async () => {
    let time = 1_000;
    const slice = new TimeSlice(8, () => time);
    time += 7;
    expect(slice.pause()).toBeUndefined();
    time += 1;
    const paused = slice.pause();
    expect(paused).toBeInstanceOf(Promise);
    time += 100; // other work took long: that is not time of this slice
    await paused;
    time += 7;
    expect(slice.pause()).toBeUndefined();
    time += 1;
    expect(slice.pause()).toBeInstanceOf(Promise);
  });

  test('lets timers and sockets run: waiting events are served before the work continues', async () => {
    let time = 0;
    const slice = new TimeSlice(1, () => time);
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    time = 1;
    await slice.pause();
    order.push('work');
    expect(order).toEqual(['other', 'work']);
  });

  test('leaves the loop two rounds: what waiting events bring about is served as well', async () => {
    let time = 0;
    const slice = new TimeSlice(1, () => time);
    const order: string[] = [];
    setImmediate(() => {
      order.push('event');
      setImmediate(() => order.push('its answer'));
    });
    time = 1;
    await slice.pause();
    order.push('work');
    expect(order).toEqual(['event', 'its answer', 'work']);
  });
});

describe('work in slices', () => {
  function* sum(items: number, slice: number): CooperativeTask<number> {
    let total = 0;
    for (let i = 1; i <= items; i++) {
      total += i;
      if (i % slice === 0) yield;
    }
    return total;
  }

  test('has the result of work in one piece, and yields at every slice', async () => {
    const { count, result } = await runsBetween(() => runInSlices(sum(100, 10)));
    expect(count).toBeGreaterThanOrEqual(10);
    expect(result).toBe(runToEnd(sum(100, 10)));
  });

  test('maps items in their order, and yields between slices only', async () => {
    const items = Array.from({ length: 45 }, (_, i) => i);
    const { count, result } = await runsBetween(() => mapInSlices(items, 10, (item) => item * 2));
    expect(count).toBe(4);
    expect(result).toEqual(items.map((item) => item * 2));
    expect(await mapInSlices([], 10, (item) => item)).toEqual([]);
  });
});

describe('turns', () => {
  test('give so many places each, first to those that wait, in their order', async () => {
    const turns = new Turns(3);
    const order: number[] = [];
    for (let i = 0; i < 8; i++) void turns.wait().then(() => order.push(i));
    expect(turns.take()).toBe(false);
    const done: number[] = [];
    while (order.length < 8) {
      await Promise.resolve();
      done.push(order.length);
      await new Promise((resume) => setImmediate(resume));
      expect(turns.take()).toBe(order.length === 8);
    }
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(done).toEqual([3, 6]);
  });

  test('give places again in the next turn', async () => {
    const turns = new Turns(2);
    for (let turn = 0; turn < 3; turn++) {
      expect([turns.take(), turns.take(), turns.take()]).toEqual([true, true, false]);
      await new Promise((resume) => setImmediate(resume));
    }
  });
});
