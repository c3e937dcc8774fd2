/** The layers of section 8.1 at their edges, by a clock of the test; the tables of addresses. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DEFAULT_ADMISSION, endpointLimit } from '../../requests/admission-settings.ts';
import { type Full, isFull, RateLimits, type Standing } from '../../requests/rate-limits.ts';
import { TIERS, type Tier } from '../../requests/tiers.ts';
import { AddressWindows, timeOf } from '../../requests/windows.ts';

const BUCKETS = ['/tokens', '/token', '/dex/quote', '/account/path-find', '/submit', '/scams', '/nft/scam'];
const START = 1_900_000_000_000;
const seed = Number(process.env.SEED ?? 20_260_101);

function placeOf(table: AddressWindows, address: string, now: number): number {
  const hash = table.hash(address);
  return table.at(hash, table.tag(address, hash), 0, timeOf(now));
}

function limits(settings = DEFAULT_ADMISSION) {
  const rates = new RateLimits(settings, BUCKETS, [1024, 1024]);
  const keys = new Map<string, Int32Array>();
  const ask = (tier: Tier, now: number, bucket = '/token', address = '192.0.2.1', key = 'a') => {
    if (!keys.has(key)) keys.set(key, rates.keyWindows(key));
    return rates.take(bucket, tier, address, keys.get(key), now);
  };
  /** How many are admitted at one time; the address differs each time unless one is given. */
  const admitted = (tier: Tier, now: number, tries: number, bucket = '/token', address?: string) => {
    let count = 0;
    for (let i = 0; i < tries; i++) {
      const result = ask(tier, now, bucket, address ?? `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
      if (!result || !isFull(result)) count++;
    }
    return count;
  };
  return { rates, ask, admitted };
}

test('what counts as several requests takes as many places of its endpoint, and one of each other window', () => {
  const { rates } = limits();
  const windows = rates.keyWindows('a');
  const take = (times: number, now = START) =>
    rates.take('/dex/quote', 'partner', '192.0.2.1', windows, now, times)!;
  for (let i = 0; i < 5; i++) {
    const standing = take(8) as Standing;
    expect([standing.nearest, standing.nearestRemaining]).toEqual(['/dex/quote', 45 - 8 * (i + 1)]);
    expect(standing.remaining).toBe(200 - i - 1);
  }
  expect(take(6)).toMatchObject({ bucket: '/dex/quote', limit: 45 });
  expect(take(5)).toMatchObject({ nearestRemaining: 0 });
  expect(isFull(take(1))).toBe(true);
  // More than the window ever has: alone in it, and nothing beside it.
  expect(take(100, START + 60_000)).toMatchObject({ nearest: '/dex/quote', nearestRemaining: 0 });
  expect(isFull(take(1, START + 60_000))).toBe(true);
});

/** Settings in which one layer alone can be full. */
const alone = (tier: Tier, layer: 'burst' | 'perTenSeconds' | 'perMinute' | 'perDay') => {
  const { isPerAddress, keys, showsAttribution, [layer]: limit } = DEFAULT_ADMISSION.tiers[tier];
  const own = { isPerAddress, keys, showsAttribution, [layer]: limit };
  const addressBurst = { limit: 1e9, windowMs: 2000 };
  return { ...DEFAULT_ADMISSION, addressBurst, tiers: { ...DEFAULT_ADMISSION.tiers, [tier]: own } };
};

const LAYERS = [
  ['burst', 1000],
  ['perTenSeconds', 10_000],
  ['perMinute', 60_000],
  ['perDay', 86_400_000],
] as const;
/** Daily limits of millions take the test seconds and show nothing that others do not. */
const MOST = 500_000;
const edges = TIERS.flatMap((tier) =>
  LAYERS.flatMap(([layer, windowMs]) => {
    const limit = DEFAULT_ADMISSION.tiers[tier][layer];
    return limit === undefined || limit > MOST ? [] : [[tier, layer, windowMs, limit] as const];
  }),
);

describe.each(edges)('%s, %s', (tier, layer, windowMs, limit) => {
  const address = '192.0.2.7';

  test(`admits exactly ${limit}, until the window ends`, () => {
    const { ask, admitted } = limits(alone(tier, layer));
    expect(admitted(tier, START, limit, '/token', address)).toBe(limit);
    const full = ask(tier, START + windowMs - 1, '/token', address) as Full;
    expect([full.limit, full.remaining, full.windowSeconds]).toEqual([limit, 0, windowMs / 1000]);
    expect(full.resetSeconds).toBeCloseTo(0.001);
    expect(isFull(ask(tier, START + windowMs, '/token', address)!)).toBe(false);
    expect(admitted(tier, START + windowMs, 3, '/token', address)).toBe(Math.min(3, limit - 1));
  });

  test('a clock that jumps begins a new window, and no request counts twice', () => {
    for (const jump of [-10 * 86_400_000, -1, 2 ** 32 - 1, 10 * 86_400_000]) {
      const { admitted } = limits(alone(tier, layer));
      expect(admitted(tier, START, 1, '/token', address)).toBe(1);
      const left = admitted(tier, START + jump, limit + 1, '/token', address);
      expect(left).toBeGreaterThanOrEqual(limit - 1);
      expect(left).toBeLessThanOrEqual(limit);
    }
  });
});

describe.each(TIERS.filter((tier) => tier !== 'enterprise'))('endpoints, %s', (tier) => {
  test.each(['/tokens', '/dex/quote'])('%s admits its limit in a minute', (bucket) => {
    const { isPerAddress, keys, showsAttribution, multiplier } = DEFAULT_ADMISSION.tiers[tier];
    const own = { isPerAddress, keys, showsAttribution, multiplier };
    const addressBurst = { limit: 1e9, windowMs: 2000 };
    const { admitted, ask } = limits({
      ...DEFAULT_ADMISSION,
      addressBurst,
      tiers: { ...DEFAULT_ADMISSION.tiers, [tier]: own },
    });
    const limit = endpointLimit(DEFAULT_ADMISSION, tier, bucket)!;
    expect(admitted(tier, START, limit + 5, bucket, '192.0.2.1')).toBe(limit);
    const full = ask(tier, START + 59_999, bucket) as Full;
    expect([full.bucket, full.windowSeconds]).toEqual([bucket, 60]);
    expect(isFull(ask(tier, START + 59_999, '/token')!)).toBe(false);
    expect(isFull(ask(tier, START + 60_000, bucket)!)).toBe(false);
  });
});

test('one address may send 100 in 2 s, whoever sends them; the wait is 2 s', () => {
  const { ask, admitted } = limits();
  expect(admitted('enterprise', START, 60, '/token', '192.0.2.1')).toBe(60);
  expect(admitted('professional', START, 60, '/token', '192.0.2.1')).toBe(40);
  const full = ask('developer', START + 1900, '/token', '192.0.2.1', 'b') as Full;
  expect([full.bucket, full.limit, full.windowSeconds, full.resetSeconds]).toEqual(['address', 100, 2, 2]);
  expect(isFull(ask('developer', START + 2000, '/token', '192.0.2.1', 'b')!)).toBe(false);
});

test('clients of one address share what is limited by address; keys that pay do not', () => {
  const { ask } = limits();
  const one = (tier: Tier, key: string, address: string) =>
    (ask(tier, START, '/token', address, key) as Standing).dailyRemaining;
  expect([
    one('free', 'a', '1.1.1.1'),
    one('free', 'b', '1.1.1.1'),
    one('anonymous', 'c', '1.1.1.1'),
  ]).toEqual([32_999, 32_998, 332]);
  expect([one('developer', 'd', '1.1.1.1'), one('developer', 'e', '1.1.1.1')]).toEqual([399_999, 399_999]);
  expect(one('developer', 'd', '2.2.2.2')).toBe(399_998);
});

test('path-find is 5 a minute for one address, whatever its clients pay', () => {
  const { admitted } = limits();
  expect(admitted('enterprise', START, 4, '/account/path-find', '3.3.3.3')).toBe(4);
  expect(admitted('developer', START, 4, '/account/path-find', '3.3.3.3')).toBe(1);
  expect(admitted('developer', START, 4, '/account/path-find', '4.4.4.4')).toBe(4);
});

test('transactions have a rate of their own', () => {
  const { admitted } = limits();
  expect(admitted('developer', START, 9, '/submit', '3.3.3.3')).toBe(5);
  expect(admitted('developer', START, 9, '/token', '3.3.3.3')).toBe(9);
});

test('reads of scams are not limited', () => {
  const { admitted } = limits();
  expect(admitted('anonymous', START, 500, '/scams', '5.5.5.5')).toBe(500);
  expect(admitted('anonymous', START, 500, '/nft/scam', '5.5.5.5')).toBe(500);
});

test('what is refused uses nothing up', () => {
  const { ask } = limits();
  for (let i = 0; i < 50; i++) ask('anonymous', START, '/token', '6.6.6.6');
  expect((ask('anonymous', START + 1000, '/token', '6.6.6.6') as Standing).remaining).toBe(27);
});

test('what is shown: the minute without a key, the second with one, and what is nearest to its end', () => {
  const { ask } = limits();
  const anonymous = ask('anonymous', START, '/token', '7.7.7.7') as Standing;
  expect(anonymous).toMatchObject({ remaining: 29, reset: 60, dailyRemaining: 332 });
  expect([anonymous.nearest, anonymous.nearestRemaining, anonymous.nearestReset]).toEqual(['second', 1, 1]);
  expect(anonymous.fixed).toEqual([
    ['X-RateLimit-Limit', '30'],
    [
      'RateLimit-Policy',
      '"address";q=100;w=2, "second";q=2;w=1, "ten seconds";q=5;w=10, "minute";q=30;w=60, "day";q=333;w=86400, "/token";q=30;w=60',
    ],
  ]);
  expect(ask('developer', START, '/token', '7.7.7.8')).toMatchObject({ remaining: 99, reset: 1 });
  expect(ask('enterprise', START, '/token', '7.7.7.9')).toMatchObject({
    remaining: undefined,
    dailyRemaining: undefined,
  });
});

test(`the shown window that is used up ends when the client is admitted again, not before (seed ${seed})`, () => {
  const shown = new Set<string>();
  const pauses = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4000 })), { maxLength: 60 });
  const property = (tier: Tier, bucket: string, waits: readonly number[]) => {
    const { ask } = limits();
    let now = START;
    for (const wait of waits) {
      const result = ask(tier, now, bucket)!;
      if (!isFull(result) && result.nearestRemaining === 0) {
        const end = now + result.nearestReset * 1000;
        if (end - 1000 > now) expect(isFull(ask(tier, end - 1000, bucket)!)).toBe(true);
        expect(isFull(ask(tier, end, bucket)!)).toBe(false);
        shown.add(result.nearest);
        now = end;
      }
      now += wait;
    }
  };
  const buckets = fc.constantFrom('/tokens', '/token', '/dex/quote', '/account/path-find', '/submit');
  fc.assert(fc.property(fc.constantFrom(...TIERS.slice(0, 4)), buckets, pauses, property), {
    seed,
    numRuns: 500,
  });
  expect(shown.size).toBeGreaterThan(3);
});

describe('the table of addresses', () => {
  test('holds as many as it has entries, in memory that does not grow', () => {
    const table = new AddressWindows(4096, 1, 60_000);
    const { byteLength } = table.words;
    for (let i = 0; i < 20_000; i++) {
      const address = `10.0.${i >> 8}.${i & 255}`;
      table.words[placeOf(table, address, START + i)] = i;
    }
    expect(table.words.byteLength).toBe(byteLength);
    // The newest are there still: of sets of 8 few are asked for 8 others within 2,000 addresses of 4,096.
    let kept = 0;
    for (let i = 19_000; i < 20_000; i++) {
      const address = `10.0.${i >> 8}.${i & 255}`;
      if (table.words[placeOf(table, address, START + i)] === i) kept++;
    }
    expect(kept).toBeGreaterThan(950);
    expect(table.displaced).toBeGreaterThan(10_000);
  });

  test('a flood of addresses does not touch what a paying key has used', () => {
    const { ask, admitted } = limits();
    const before = (ask('developer', START, '/token', '9.9.9.9', 'paying') as Standing).dailyRemaining!;
    admitted('anonymous', START + 1, 50_000);
    const after = ask('developer', START + 2, '/token', '9.9.9.9', 'paying') as Standing;
    expect([before, after.dailyRemaining]).toEqual([399_999, 399_998]);
  });
});
