/** Source tags name platforms, both ways, and numbers in records never clash. */
import { expect, test } from 'bun:test';
import {
  PLATFORMS,
  platformByNumber,
  platformBySlug,
  platformByTag,
  platformNumber,
} from '../../../engine/market/platforms.ts';

test('platforms by source tag, number and slug', () => {
  expect(platformByTag(74920348)?.name).toBe('First Ledger');
  expect(platformBySlug('First-Ledger')?.sourceTag).toBe(74920348);
  expect(platformNumber(0)).toBe(0);
  expect(platformByNumber(0)).toBeUndefined();
  for (const p of PLATFORMS) expect(platformByNumber(platformNumber(p.sourceTag))).toBe(p);
  expect(new Set(PLATFORMS.map((p) => p.slug)).size).toBe(PLATFORMS.length);
});
