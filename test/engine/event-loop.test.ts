/** Work that yields to the event loop: what runs in between, and that the result is that of one piece. */
import { describe, expect, test } from 'bun:test';
import {
  type CooperativeTask,
  mapInSlices,
  runInSlices,
  runToEnd,
  TimeSlice,
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
