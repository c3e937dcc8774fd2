/** Source tags name platforms, both ways, and numbers in records never clash. */
import { expect, test } from 'bun:test';
import {
  PLATFORMS,
  placeOfLaunchpad,
  platformByNumber,
  platformNumber,
} from '../../../engine/market/platforms.ts';

test('platforms by source tag and number', () => {
  const { name, slug } = platformByNumber(platformNumber(74920348))!;
  expect([name, slug]).toEqual(['First Ledger', 'first-ledger']);
  expect(platformNumber(0)).toBe(0);
  expect(platformByNumber(0)).toBeUndefined();
  for (const p of PLATFORMS) expect(platformByNumber(platformNumber(p.sourceTag))).toBe(p);
  expect(new Set(PLATFORMS.map((p) => p.slug)).size).toBe(PLATFORMS.length);
});

test('launch platforms have the places of their names in the alphabet, others none', () => {
  const launchpads = PLATFORMS.filter(({ launchpad }) => launchpad !== undefined);
  const byPlace = launchpads.toSorted((a, b) => placeOfLaunchpad(a)! - placeOfLaunchpad(b)!);
  const names = byPlace.map(({ launchpad }) => launchpad!);
  expect(names).toEqual(['FirstLedger', 'Horizon', 'Magnetic X', 'Millrace', 'XPMarket']);
  expect(placeOfLaunchpad(PLATFORMS.find(({ launchpad }) => launchpad === undefined))).toBeUndefined();
  expect(placeOfLaunchpad(undefined)).toBeUndefined();
});
