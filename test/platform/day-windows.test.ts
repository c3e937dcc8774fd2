/** Windows of a day over restarts and crashes: what a client has used of its day, it has used. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DAY_COLLECTIONS, DayJournal } from '../../platform/day-windows.ts';
import type { PlatformStore } from '../../platform/store.ts';
import { DEFAULT_ADMISSION } from '../../requests/admission-settings.ts';
import { isFull, RateLimits, type Standing } from '../../requests/rate-limits.ts';
import type { Tier } from '../../requests/tiers.ts';
import { CustomerRig } from './store-rig.ts';

const DAY = 86_400_000;
const START = 1_900_000_000_000;
const SIZES = [1024, 1024] as const;

const rig = new CustomerRig();
beforeAll(async () => {
  await rig.open();
});
afterAll(() => rig.stop());

/** One process: its table, and what keeps it. */
class Run {
  now: number;
  /** From then on it writes nothing. */
  isKilled = false;
  readonly rates: RateLimits;
  readonly journal: DayJournal;
  /** Most rows that were read without a break since the start. */
  readAtOnce = 0;
  readonly #keys = new Map<string, Int32Array>();

  constructor(now: number, sizes: readonly [number, number] = SIZES, rowsMin?: number) {
    this.now = now;
    this.rates = new RateLimits(DEFAULT_ADMISSION, ['/token', '/tokens'], sizes);
    this.journal = new DayJournal(this.rates.days, () => this.now, rowsMin);
    const { store } = rig;
    const walk: PlatformStore['walk'] = (collection, range, visit) => {
      let read = 0;
      store.walk(collection, range, (row, key) => {
        read++;
        return visit(row, key);
      });
      this.readAtOnce = Math.max(this.readAtOnce, read);
    };
    const transaction: PlatformStore['transaction'] = (run) =>
      this.isKilled ? Promise.reject(new Error('killed')) : store.transaction(run);
    this.journal.attach({ walk, transaction } as PlatformStore);
    this.readAtOnce = 0;
  }

  /** What is left of the day after one request more, a minute later. */
  left(tier: Tier, address: string, key?: string): number | undefined {
    this.now += 60_000;
    const windows = key === undefined ? undefined : this.#windowsOf(key);
    const taken = this.rates.take('/token', tier, address, windows, this.now)!;
    return isFull(taken) ? 0 : (taken as Standing).dailyRemaining;
  }

  #windowsOf(key: string): Int32Array {
    const windows = this.#keys.get(key) ?? this.rates.keyWindows(key);
    this.#keys.set(key, windows);
    return windows;
  }
}

const CLIENTS: readonly (readonly [Tier, string, string?])[] = [
  ['anonymous', '192.0.2.1'],
  ['anonymous', '2001:db8:1:2'],
  ['free', '192.0.2.1'],
  ['developer', '192.0.2.9', 'one'],
  ['business', '192.0.2.9', 'two'],
];
const limitOf = (tier: Tier) => DEFAULT_ADMISSION.tiers[tier].perDay!;

test('they go on where they were, of addresses and keys, also after a crash', async () => {
  let run = new Run(START);
  for (let used = 1; used <= 12; used++) {
    for (const [tier, address, key] of CLIENTS)
      expect(run.left(tier, address, key), `${tier} ${used}`).toBe(limitOf(tier) - used);
    if (used % 4 !== 0) continue;
    // After the last second was written; what came after that is forgotten, which is the client's gain.
    if (used === 8) await run.journal.save();
    else await run.journal.close();
    const { now } = run;
    run.isKilled = true;
    if (used === 8) for (const [tier, address, key] of CLIENTS) run.left(tier, address, key);
    await rig.restart();
    run = new Run(now);
  }
  await run.journal.close();
});

test('they end a day after they began, whenever that was', async () => {
  const before = new Run(START);
  const next = new Run(START + DAY + 60_000);
  for (const [tier, address, key] of CLIENTS) expect(next.left(tier, address, key)).toBe(limitOf(tier) - 1);
  await Promise.all([before.journal.close(), next.journal.close()]);
});

test('a journal that has become long is written again with what still counts', async () => {
  const start = START + 3 * DAY;
  const run = new Run(start, SIZES, 80);
  run.left('developer', '192.0.2.9', 'idle');
  for (let i = 0; i < 100; i++) {
    run.left('anonymous', `198.51.100.${i % 50}`);
    await run.journal.save();
  }
  await run.journal.close();
  // While it is written again, requests are answered.
  expect(run.readAtOnce).toBeGreaterThan(0);
  expect(run.readAtOnce).toBeLessThan(40);
  let rows = 0;
  rig.store.walk(DAY_COLLECTIONS[0]!, {}, () => ++rows > 0);
  expect(rows).toBeLessThan(50);
  const again = new Run(run.now);
  expect(again.left('developer', '192.0.2.9', 'idle')).toBe(limitOf('developer') - 2);
  for (let i = 0; i < 50; i++)
    expect(again.left('anonymous', `198.51.100.${i}`)).toBe(limitOf('anonymous') - 3);
  await again.journal.close();
});

test('a large table is gone through in parts, whose addresses are all of those that have changed', () => {
  const { days, take } = ((rates) => ({
    days: rates.days,
    take: (address: string) => rates.take('/token', 'anonymous', address, undefined, START),
  }))(new RateLimits(DEFAULT_ADMISSION, ['/token'], [1 << 17, 1024]));
  const addresses = Array.from({ length: 300 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
  for (const address of addresses) take(address);
  for (const isTouched of [false, true]) {
    if (isTouched) days.touch();
    const parts: (readonly number[])[] = [];
    for (let part = days.changed(100, START); part; part = days.changed(100, START)) parts.push(part);
    expect(parts.reduce((sum, part) => sum + part.length / 4, 0)).toBe(addresses.length);
    expect(Math.max(...parts.map(({ length }) => length / 4))).toBeLessThan(100 + 32);
    // A part of all entries is some thousand of them.
    if (isTouched) expect(parts.length).toBeGreaterThan(16);
  }
  expect([days.changed(100, START), days.changed(100, START)]).toEqual([[], undefined]);
});

test('a table of another size begins again; keys do not', async () => {
  const start = START + 6 * DAY;
  const run = new Run(start);
  run.left('anonymous', '192.0.2.77');
  run.left('developer', '192.0.2.77', 'kept');
  await run.journal.close();
  const larger = new Run(run.now, [2048, 1024]);
  expect(larger.left('anonymous', '192.0.2.77')).toBe(limitOf('anonymous') - 1);
  expect(larger.left('developer', '192.0.2.77', 'kept')).toBe(limitOf('developer') - 2);
  await larger.journal.close();
});

test('what cannot be written for a while is written once for each key, as it is then', async () => {
  const run = new Run(START + 20 * DAY);
  run.isKilled = true;
  for (let used = 1; used <= 20; used++) {
    for (const key of ['one', 'two']) run.left('developer', '192.0.2.9', key);
    await run.journal.save();
  }
  run.isKilled = false;
  await run.journal.save();
  const { now } = run;
  let written: readonly unknown[] = [];
  rig.store.walk(DAY_COLLECTIONS[0]!, {}, (row) => {
    written = (row as { keys: readonly unknown[] }).keys;
    return true;
  });
  expect(written.map((day) => (day as unknown[]).filter((_, i) => i !== 1))).toEqual([
    ['one', 20],
    ['two', 20],
  ]);
  await run.journal.close();
  await rig.restart();
  const next = new Run(now);
  expect(next.left('developer', '192.0.2.9', 'one')).toBe(limitOf('developer') - 21);
  await next.journal.close();
});
