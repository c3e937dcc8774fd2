/** The small parts by themselves, against plain models. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { paramReader } from '../../requests/param-reader.ts';
import { Channel, StreamCounters, type Transport } from '../../ws/channel.ts';
import { DEFAULT_LIMITS } from '../../ws/limits.ts';
import { match } from '../../ws/match.ts';
import { Scheduler } from '../../ws/scheduler.ts';
import { changedTexts, jsonObject } from '../../ws/streams/field-choice.ts';
import { streams } from '../../ws/streams/index.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed}`);
const runs = { seed, numRuns: 300 };

describe('deltas', () => {
  const row = fc
    .dictionary(
      fc.constantFrom('md5', 'exch', 'usd', 'tags', '__proto__', 'constructor'),
      fc.oneof(fc.integer({ min: 0, max: 3 }), fc.string({ maxLength: 2 }), fc.array(fc.integer({ max: 2 }))),
    )
    .map((values) => new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])));

  test('put onto the row before, they make the row after', () => {
    fc.assert(
      fc.property(row, row, (before, after) => {
        const merged = new Map(before);
        for (const [name, text] of changedTexts(before, after) ?? []) {
          if (text === 'null') merged.delete(name);
          else merged.set(name, text);
        }
        expect(JSON.parse(jsonObject(merged))).toEqual(JSON.parse(jsonObject(after)));
        expect(merged.size).toBe(after.size);
      }),
      runs,
    );
  });

  test('equal rows have no delta', () => {
    fc.assert(
      fc.property(row, (one) => expect(changedTexts(one, new Map(one))).toBeUndefined()),
      runs,
    );
  });
});

describe('ring', () => {
  function transport(ringFrames: number, ringBytes: number): Transport {
    const limits = { ...DEFAULT_LIMITS, ringFrames, ringBytes };
    return {
      limits,
      topicPrefix: '',
      counters: new StreamCounters(),
      ringBytes: 0,
      sent() {},
      publish() {},
    };
  }

  test('since(seq) is every frame after it, or undefined where some are missing', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 30 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 20, max: 100 }),
        (all, frames, bytes) => {
          const made = transport(frames, bytes);
          const channel = new Channel(made, 'x', 0, true);
          const sent: { seq: number; text: string }[] = [];
          for (const [jump, length] of all) {
            const seq = channel.seq + jump;
            sent.push({ seq, text: 'x'.repeat(length) });
            channel.publish('x'.repeat(length), seq);
          }
          for (let seq = 0; seq <= channel.seq; seq++) {
            const due = sent.filter((frame) => frame.seq > seq).map((frame) => frame.text);
            const got = channel.since(seq);
            if (got) expect(got).toEqual(due);
            else
              expect(
                due.length > frames || due.join('').length > bytes || due.some((t) => t.length > bytes),
              ).toBe(true);
          }
          expect(channel.since(channel.seq + 1)).toBeUndefined();
          expect(made.ringBytes).toBeLessThanOrEqual(bytes);
          channel.release();
          expect(made.ringBytes).toBe(0);
        },
      ),
      runs,
    );
  });

  test('since(seq) never has more bytes than may wait for a socket, and has all that fit', () => {
    const length = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(
        fc.array(length, { maxLength: 30 }),
        fc.integer({ min: 1, max: 2000 }),
        (all, queueBytes) => {
          const made = transport(64, 10_000);
          const channel = new Channel({ ...made, limits: { ...made.limits, queueBytes } }, 'x', 0, true);
          // Two bytes a letter.
          for (const [at, letters] of all.entries()) channel.publish('é'.repeat(letters), at + 1);
          for (let seq = 0; seq <= all.length; seq++) {
            const bytes = all.slice(seq).reduce((sum, letters) => sum + letters * 2, 0);
            const isKept = all.reduce((sum, letters) => sum + letters * 2, 0) <= 10_000;
            if (bytes > queueBytes) expect(channel.since(seq)).toBeUndefined();
            else if (isKept) expect(channel.since(seq)).toHaveLength(all.length - seq);
          }
        },
      ),
      runs,
    );
  });
});

describe('scheduler', () => {
  const busy = (ms: number): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  test('order is kept, urgent first, nothing starves, a throw stops nothing', async () => {
    const faults: unknown[] = [];
    const scheduler = new Scheduler(1, (error) => faults.push(error));
    const ran: string[] = [];
    scheduler.submit(() => busy(2));
    for (const name of ['a', 'b', 'c']) scheduler.submit(() => ran.push(name) && busy(2));
    scheduler.urgent(() => {
      throw new Error('x');
    });
    scheduler.urgent(() => ran.push('u'));
    while (scheduler.length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(ran.filter((name) => name !== 'u')).toEqual(['a', 'b', 'c']);
    expect(ran.indexOf('u')).toBeLessThan(2);
    expect(faults).toHaveLength(1);
  });

  test('is drained after all urgent jobs, also those that others add, or when the time is over', async () => {
    const scheduler = new Scheduler(1, () => {});
    const ran: string[] = [];
    const add = (left: number) => {
      busy(1);
      ran.push('u');
      if (left > 0) scheduler.urgent(() => add(left - 1));
    };
    scheduler.urgent(() => add(9));
    scheduler.submit(() => busy(2));
    await scheduler.drained(60_000);
    expect(ran).toHaveLength(10);
    const late = scheduler.drained(3);
    scheduler.urgent(() => add(200));
    await late;
    expect(ran.length).toBeLessThan(10 + 201);
    while (scheduler.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await scheduler.drained(60_000);
  });

  test('many jobs leave the loop turning', async () => {
    const scheduler = new Scheduler(5, () => {});
    let done = 0;
    let most = 0;
    for (let i = 0; i < 100_000; i++)
      scheduler.submit(() => {
        done++;
        if (done % 500 === 0) busy(1);
      });
    while (scheduler.length > 0) {
      const before = done;
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, done - before);
    }
    expect(done).toBe(100_000);
    // A time slice of 5 ms fits five of the 200 jobs of one ms each; the next one ends it.
    expect(most).toBeLessThanOrEqual(20 * 500);
  });
});

test('paths: slashes at the end are ignored, parameters are decoded, malformed escapes kept', () => {
  const idOf = (id: string) => {
    const { stream, segments } = match(streams, `/ws/token/${id}`)!;
    return paramReader(stream)({ segments, query: new URLSearchParams(), body: undefined }).md5;
  };
  expect(match(streams, '/ws/sync/')?.stream.path).toBe('/ws/sync');
  expect(idOf('a%2Fb')).toBe('a/b');
  expect(idOf('%E0%A4%A')).toBe('%E0%A4%A');
  expect(match(streams, '/ws')).toBeUndefined();
});
