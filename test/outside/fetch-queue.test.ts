/** What is fetched, in which order, and that hosts are spared. */
import { describe, expect, test } from 'bun:test';
import { type FetchJob, FetchQueue } from '../../outside/fetch-queue.ts';

/** A queue of which each fetch ends by hand. */
class Rig {
  now = 0;
  readonly started: string[] = [];
  readonly #ends = new Map<string, (hasAnswered: boolean) => void>();
  readonly queue: FetchQueue<FetchJob>;

  constructor(limits: { atOnce?: number; perHost?: number; waiting?: number } = {}) {
    const { atOnce = 3, perHost = 2, waiting = 5 } = limits;
    this.queue = new FetchQueue(
      { atOnce, atOncePerHost: () => perHost, waiting },
      () => this.now,
      ({ key }) => {
        this.started.push(key);
        return new Promise((resolve) => this.#ends.set(key, resolve));
      },
    );
  }

  ask(key: string, isLast = false): boolean {
    return this.queue.ask({ key, host: key[0]! }, isLast);
  }

  async end(key: string, hasAnswered = true): Promise<void> {
    this.#ends.get(key)!(hasAnswered);
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe('what waits', () => {
  test('is fetched once, the newest first, two of a host and three in all', async () => {
    const rig = new Rig();
    for (const key of ['a1', 'a2', 'a3', 'b1', 'c1', 'c1', 'a1']) expect(rig.ask(key)).toBe(true);
    expect(rig.started).toEqual(['a1', 'a2', 'b1']);
    await rig.end('b1');
    expect(rig.started.at(-1)).toBe('c1');
    await rig.end('c1');
    expect(rig.started).toHaveLength(4);
    await rig.end('a1');
    expect(rig.started.at(-1)).toBe('a3');
    expect([rig.queue.waiting, rig.queue.running]).toEqual([0, 2]);
    // It can be asked for again when it has ended.
    rig.ask('a1');
    await rig.end('a2');
    expect(rig.started.at(-1)).toBe('a1');
  });

  test('is bounded: the oldest goes, and what nobody waits for does not come in', () => {
    const rig = new Rig({ atOnce: 1 });
    for (let n = 0; n < 9; n++) rig.ask(`a${n}`);
    expect(rig.queue.waiting).toBe(5);
    expect(rig.ask('b1', true)).toBe(false);
    // It was dropped, so it is not among those that wait.
    expect(rig.ask('a1')).toBe(true);
  });

  test('that nobody waits for comes last', async () => {
    const rig = new Rig({ atOnce: 1 });
    for (const key of ['a1', 'b1']) rig.ask(key, true);
    rig.ask('c1');
    await rig.end('a1');
    expect(rig.started).toEqual(['a1', 'c1']);
    rig.queue.close();
    await rig.end('c1');
    expect([rig.started.length, rig.ask('d1')]).toEqual([2, false]);
  });

  test('comes first as soon as somebody waits for it', async () => {
    const rig = new Rig({ atOnce: 1 });
    for (const key of ['a1', 'b1', 'c1']) rig.ask(key, true);
    rig.ask('d1');
    // Nobody waits for it any more than before.
    rig.ask('c1', true);
    rig.ask('c1');
    for (const key of ['a1', 'c1', 'd1']) await rig.end(key);
    expect(rig.started).toEqual(['a1', 'c1', 'd1', 'b1']);
    expect(rig.queue.find('b1')).toEqual({ key: 'b1', host: 'b' });
    await rig.end('b1');
    expect(rig.queue.find('b1')).toBeUndefined();
  });
});

describe('a host that does not answer', () => {
  test('is left alone, longer each time, and what waits for it is dropped', async () => {
    const rig = new Rig({ perHost: 1 });
    rig.ask('a1');
    rig.ask('a2');
    await rig.end('a1', false);
    expect([rig.started, rig.queue.waiting, rig.ask('a3')]).toEqual([['a1'], 0, false]);
    rig.now += 30_000;
    expect(rig.ask('a3')).toBe(true);
    await rig.end('a3', false);
    rig.now += 30_000;
    expect(rig.ask('a4')).toBe(false);
    rig.now += 30_000;
    rig.ask('a4');
    await rig.end('a4');
    expect(rig.ask('a5')).toBe(true);
  });

  test('does not hold up others, and only so many are known', async () => {
    const rig = new Rig({ waiting: 10_000 });
    rig.ask('a1');
    await rig.end('a1', false);
    expect(rig.ask('b1')).toBe(true);
    for (let n = 0; n < 5_000; n++) {
      const host = String.fromCharCode(0x4e00 + n);
      rig.ask(`${host}1`);
      await rig.end(`${host}1`, false);
    }
    // Forgotten among so many.
    expect(rig.ask('a2')).toBe(true);
  });
});
