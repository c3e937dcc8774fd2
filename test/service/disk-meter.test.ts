/** Figures of the disk: measured, of the time in which ledgers were followed, or absent. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { PageFile } from '../../data/pages.ts';
import type { StoreSpace } from '../../data/space.ts';
import { openStore } from '../../data/store.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { DiskMeter, untilLimit } from '../../service/disk-meter.ts';
import { cursorOf, hashOf, temporaryDir } from '../data/tools.ts';
import { makeChain } from '../ledgers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const start: StoreSpace = {
  fileBytes: 1_000_000,
  usedBytes: 1_000_000,
  freeBytes: 200_000,
  mapBytes: 1e12,
  readers: 1,
  diskFreeBytes: 50_000_000_000,
  writtenBytes: 7_000_000,
};

/** A meter of a store that writes and grows steadily, a ledger every minute. */
class Rig {
  now = 12_345;
  space = start;
  /** What was reported of a disk that is almost full. */
  readonly low: object[] = [];
  readonly meter: DiskMeter;

  /** Of a limit of ledgers or time. */
  untilLimit: number | undefined;

  constructor(keepBytes?: number) {
    this.meter = new DiskMeter({
      read: () => this.space,
      now: () => this.now,
      keepBytes,
      untilLimit: () => this.untilLimit,
      onLow: (figures) => this.low.push(figures),
    });
  }

  /** @param perMinute what changes in a minute */
  follow(ms: number, perMinute: { written: number; growth: number }, isPresent = true): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.meter.sample(isPresent);
      this.now += MINUTE;
      const { usedBytes, writtenBytes } = this.space;
      this.space = {
        ...this.space,
        usedBytes: usedBytes + perMinute.growth,
        writtenBytes: writtenBytes === undefined ? undefined : writtenBytes + perMinute.written,
      };
    }
  }
}

describe('a disk that is almost full is reported at once, and every six hours', () => {
  test('by what is free, also while it catches up', () => {
    const rig = new Rig();
    rig.follow(DAY, { written: 1, growth: 1 });
    expect(rig.low).toEqual([]);
    rig.space = { ...rig.space, diskFreeBytes: 999_999_999 };
    rig.follow(7 * HOUR, { written: 0, growth: 0 }, false);
    expect(rig.low).toHaveLength(2);
    expect(rig.low[0]).toMatchObject({ freeBytes: 999_999_999 });
    rig.space = { ...rig.space, diskFreeBytes: 1_000_000_000 };
    rig.follow(DAY, { written: 0, growth: 0 });
    expect(rig.low).toHaveLength(2);
  });

  test('by when it is full', () => {
    const rig = new Rig();
    rig.space = { ...start, freeBytes: 0, diskFreeBytes: 5_000_000_000 };
    // 1.44 GB a day: three days and a half.
    rig.follow(4 * HOUR, { written: 1e6, growth: 1e6 });
    expect(rig.low).toEqual([]);
    rig.space = { ...rig.space, diskFreeBytes: 4_200_000_000 };
    rig.follow(10 * MINUTE, { written: 1e6, growth: 1e6 });
    expect(rig.low).toEqual([{ freeBytes: 4_200_000_000, fullInHours: 70 }]);
  });

  test('not where the system does not say what is free', () => {
    const rig = new Rig();
    rig.space = { ...start, diskFreeBytes: undefined };
    rig.follow(DAY, { written: 1e6, growth: 1e6 });
    expect(rig.low).toEqual([]);
  });
});

describe('rates', () => {
  test('are absent for three hours, then what was measured, and the disk is full when its room is used', () => {
    const rig = new Rig();
    rig.follow(2.9 * HOUR, { written: 1_000, growth: 100 });
    const early = rig.meter.figures();
    expect(early).toMatchObject({ fileBytes: 1_000_000, freeBytes: 200_000, diskFreeBytes: 50_000_000_000 });
    for (const name of ['writtenBytesPerDay', 'growthBytesPerDay', 'fullInMs'])
      expect(early).not.toHaveProperty(name);
    rig.follow(0.2 * HOUR, { written: 1_000, growth: 100 });
    const { writtenBytesPerDay, growthBytesPerDay, fullInMs } = rig.meter.figures();
    expect([writtenBytesPerDay, growthBytesPerDay]).toEqual([1_440_000, 144_000]);
    expect(fullInMs).toBeCloseTo((50_000_200_000 / 144_000) * DAY, -3);
  });

  test('leave out the time in which ledgers are caught up with', () => {
    const rig = new Rig();
    rig.follow(2 * HOUR, { written: 1_000, growth: 100 });
    rig.follow(5 * HOUR, { written: 900_000, growth: 90_000 }, false);
    expect(rig.meter.figures().growthBytesPerDay).toBeUndefined();
    rig.follow(2 * HOUR, { written: 1_000, growth: 100 });
    expect(rig.meter.figures()).toMatchObject({ writtenBytesPerDay: 1_440_000, growthBytesPerDay: 144_000 });
  });

  test('are of the newest 24 hours', () => {
    const rig = new Rig();
    rig.follow(20 * HOUR, { written: 5_000, growth: 500 });
    rig.follow(25 * HOUR, { written: 1_000, growth: -100 });
    const figures = rig.meter.figures();
    expect(figures).toMatchObject({ writtenBytesPerDay: 1_440_000, growthBytesPerDay: -144_000 });
    // It becomes less: no moment at which the disk is full.
    expect(figures).not.toHaveProperty('fullInMs');
  });

  test('and what the system does not say are absent, not 0', () => {
    const rig = new Rig();
    rig.space = { ...start, diskFreeBytes: undefined, writtenBytes: undefined };
    rig.follow(4 * HOUR, { written: 1_000, growth: 100 });
    const figures = rig.meter.figures();
    expect(figures.growthBytesPerDay).toBe(144_000);
    for (const name of ['diskFreeBytes', 'writtenBytes', 'writtenBytesPerDay', 'fullInMs'])
      expect(figures).not.toHaveProperty(name);
  });

  test('a file that may not grow as far as the disk is full when it meets that limit', () => {
    const rig = new Rig();
    rig.space = { ...start, mapBytes: 2_000_000 };
    rig.follow(4 * HOUR, { written: 1_000, growth: 100 });
    const { fullInMs } = rig.meter.figures();
    expect(fullInMs).toBeCloseTo(((2_000_000 - rig.space.usedBytes + 200_000) / 144_000) * DAY, -3);
  });

  test('where the store is kept within what fits, the disk is not full at any time', () => {
    const space = { ...start, freeBytes: 0, diskFreeBytes: 2_000_000_000 };
    const grown = (keepBytes: number) => {
      const rig = new Rig(keepBytes);
      rig.space = space;
      rig.follow(4 * HOUR, { written: 1e6, growth: 1e6 });
      return { low: rig.low.length, ...rig.meter.figures() };
    };
    // 1.44 GB a day, of which the store takes 1.9 GB, and then no more.
    const within = grown(1_900_000_000);
    expect(within).toMatchObject({ low: 0, growthBytesPerDay: 1.44e9 });
    expect(within).not.toHaveProperty('fullInMs');
    // More than the disk has, or what the store has outgrown.
    for (const keepBytes of [2_300_000_000, 100_000_000])
      expect(grown(keepBytes)).toMatchObject({ low: 1, fullInMs: expect.any(Number) });
  });
});

describe('a limit of ledgers or of time', () => {
  test('that is met before the disk is full: when it is full is known from the growth since then', () => {
    const rig = new Rig();
    // 1.44 GB a day: 2 days, of which the limit is met after half a day.
    rig.space = { ...start, freeBytes: 0, diskFreeBytes: 2_880_000_000 };
    rig.untilLimit = 12 * HOUR;
    rig.follow(4 * HOUR, { written: 1e6, growth: 1e6 });
    expect(rig.meter.figures().growthBytesPerDay).toBe(1.44e9);
    expect(rig.meter.figures()).not.toHaveProperty('fullInMs');
    expect(rig.low).toEqual([]);
    rig.untilLimit = 0;
    rig.follow(2.5 * HOUR, { written: 1e6, growth: 1e4 });
    expect(rig.meter.figures()).not.toHaveProperty('fullInMs');
    rig.follow(0.7 * HOUR, { written: 1e6, growth: 1e4 });
    expect(rig.meter.figures().fullInMs).toBeCloseTo((2_880_000_000 / 1.44e7) * DAY, -3);
    expect(rig.low).toEqual([]);
  });

  test('that is met only when the disk is full says when that is', () => {
    const rig = new Rig();
    rig.space = { ...start, freeBytes: 0, diskFreeBytes: 2_880_000_000 };
    rig.untilLimit = 2.1 * DAY;
    rig.follow(4 * HOUR, { written: 1e6, growth: 1e6 });
    expect(rig.meter.figures().fullInMs).toBeCloseTo(2 * DAY, -3);
    expect(rig.low).toHaveLength(1);
  });

  test('is met in what is left of its ledgers or its time, at the pace of those that are kept', () => {
    const ledgers = makeChain({ count: 1, first: 1_001, transactions: 1 });
    const [first] = ledgers;
    const head = { index: 2_000, closeTimeMs: unixMs(first!.closeTime + 4_000) };
    const engine = { head, ledgerRanges: () => [[1_001, 2_000]], ledgerBytes: () => first } as never;
    const until = (unit: 'ledgers' | 'seconds' | 'bytes', amount: number) =>
      untilLimit({ unit, amount }, engine);
    expect(until('ledgers', 3_000)).toBe(8_000_000);
    expect(until('seconds', 10_000)).toBe(6_000_000);
    for (const amount of [1, 1_000, 1_001]) expect(until('ledgers', amount)).toBe(0);
    for (const amount of [1, 4_000, 4_004]) expect(until('seconds', amount)).toBe(0);
    expect([until('bytes', 5), untilLimit(undefined, engine)]).toEqual([undefined, undefined]);
  });
});

/** Pages in LMDB's own list of free ones, read from the file. */
function listedFree(dir: string): number {
  const file = PageFile.open(dir)!;
  let pages = 0;
  const visit = (row: { value(): Buffer }): void => {
    const bytes = row.value();
    for (let i = 1, count = Number(bytes.readBigInt64LE(0)); i <= count; i++) {
      const entry = Number(bytes.readBigInt64LE(i * 8));
      if (entry > 0) pages++;
      else if (entry < 0) {
        pages -= entry;
        i++;
      }
    }
  };
  file.check(file.free, { longValues: true, visit });
  file.close();
  return pages * file.pageBytes;
}

test.skipIf(!existsSync('/proc/self/io'))(
  'free bytes are those in the list of free pages; written ones are what the process wrote',
  async () => {
    const { dir, remove } = temporaryDir();
    const keep = { ledgers: { unit: 'ledgers', amount: 256 } } as const;
    const written = () => Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
    const store = await openStore({ dir, network: 'test', keep });
    const before = [written(), store.space().writtenBytes!] as const;
    for (let n = 1; n <= 600; n++) {
      const batch = store.batch();
      batch.ledger(n, n * 4, Buffer.concat(Array.from({ length: 200 }, (_, i) => hashOf(n * 200 + i))));
      await store.commit(batch, cursorOf(n));
    }
    const [all, own] = [written() - before[0], store.space().writtenBytes! - before[1]];
    expect(own).toBeGreaterThan(600 * 6_400);
    expect(own / all).toBeGreaterThan(0.9);
    expect(own).toBeLessThanOrEqual(all);
    const { freeBytes, usedBytes, fileBytes, diskFreeBytes } = store.space();
    expect(diskFreeBytes).toBeGreaterThan(0);
    expect(usedBytes).toBeLessThanOrEqual(fileBytes);
    await store.close();
    const listed = listedFree(dir);
    // The pages of the newest transaction's own list may be counted either way.
    expect(Math.abs(freeBytes - listed)).toBeLessThanOrEqual(4 * 4096);
    expect(freeBytes).toBeGreaterThan(0);
    remove();
  },
);
