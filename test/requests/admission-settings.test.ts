/** The default figures against sections 5 and 8 of the contract, transcribed here by hand. */
import { describe, expect, test } from 'bun:test';
import { DEFAULT_ADMISSION, endpointLimit } from '../../requests/admission-settings.ts';
import type { Tier } from '../../requests/tiers.ts';

type Row = readonly (number | undefined)[];

/** Burst, ten seconds, minute, day, credits, multiplier, submit rate, keys. */
const TIERS: Readonly<Record<Tier, Row>> = {
  anonymous: [2, 5, 30, 333, undefined, 0.25, undefined, 0],
  free: [20, 100, 600, 33_000, 1e6, 1, 1, 1],
  developer: [100, 500, undefined, 400_000, 10e6, 3, 5, 5],
  partner: [200, 1000, undefined, 1e6, 20e6, 5, 10, 5],
  business: [300, 2000, undefined, 4e6, 100e6, 10, 50, 5],
  professional: [750, 5000, undefined, 8e6, 200e6, 15, 100, 5],
  enterprise: [undefined, undefined, undefined, undefined, undefined, undefined, undefined, 5],
};

test.each(Object.entries(TIERS) as [Tier, Row][])('%s', (tier, row) => {
  const of = DEFAULT_ADMISSION.tiers[tier];
  expect([
    of.burst,
    of.perTenSeconds,
    of.perMinute,
    of.perDay,
    of.creditsPerMonth,
    of.multiplier,
    of.submitPerSecond,
    of.keys,
  ]).toEqual([...row]);
});

test('who shows whose data it is: those who pay nothing', () => {
  const shown = Object.entries(DEFAULT_ADMISSION.tiers).filter(([, tier]) => tier.showsAttribution);
  expect(shown.map(([name]) => name)).toEqual(['anonymous', 'free', 'partner']);
});

describe('requests a minute to an endpoint', () => {
  test.each<[string, Tier, number | undefined]>([
    ['/tokens', 'anonymous', 5],
    ['/search', 'anonymous', 7],
    ['/amm', 'anonymous', 7],
    ['/account/tx', 'anonymous', 5],
    ['/account/tx', 'free', 20],
    ['/dex/quote', 'anonymous', 1],
    ['/dex/quote', 'free', 3],
    ['/dex/quote', 'partner', 45],
    ['/mentions/x-search', 'anonymous', 1],
    ['/mentions/x-search', 'free', 2],
    ['/web-search', 'anonymous', 1],
    ['/web-search', 'free', 3],
    ['/tx-explain', 'free', 3],
    ['/account-tx-explain', 'free', 2],
    ['/account/path-find', 'anonymous', 5],
    ['/account/path-find', 'enterprise', 5],
    ['/tokens', 'enterprise', undefined],
    ['/ohlc', 'anonymous', 30],
    ['/ohlc', 'professional', 1800],
  ])('%s for %s: %p', (bucket, tier, limit) => {
    expect(endpointLimit(DEFAULT_ADMISSION, tier, bucket)).toBe(limit);
  });
});
