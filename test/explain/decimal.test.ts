/** The exact arithmetic of the pages, against fractions of whole numbers. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dropsOf, minus, shifted, withShare, xrpOfDrops } from '../../explain/decimal.ts';

const seed = Number(process.env.SEED ?? 20_261_123);

test('a share is added and rounded up to 15 digits', () => {
  expect(withShare('100', '0.02')).toBe('102');
  expect(withShare('0.1', '0.001')).toBe('0.1001');
  expect(withShare('1.23456789012345', '0.02')).toBe('1.25925924792592');
  expect(withShare('123456789012345678', '0')).toBe('123456789012346000');
});

test('XRP become drops, rounded up', () => {
  expect(['1', '0.000001', '0.0000001', '12.3456789'].map(dropsOf)).toEqual([
    '1000000',
    '1',
    '1',
    '12345679',
  ]);
});

test.each(['-1', '1e5', '', '1.', '.5', 'x'])('%p is refused', (text) => {
  expect(() => dropsOf(text)).toThrow(SyntaxError);
});

test(`what may be spent is never below the exact product, nor above it by a unit of the last digit (seed ${seed})`, () => {
  const anyAmount = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 16n }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(anyAmount, fc.integer({ min: 0, max: 500 }), ([digits, places], permille) => {
      const padded = String(digits).padStart(places + 1, '0');
      const cut = padded.length - places;
      const amount = places === 0 ? padded : `${padded.slice(0, cut)}.${padded.slice(cut)}`;
      const found = withShare(amount, `0.${String(permille).padStart(3, '0')}`);
      const [whole = '', fraction = ''] = found.split('.');
      // Both as whole numbers of 10^-40.
      const exact = digits * BigInt(1000 + permille) * 10n ** BigInt(40 - places - 3);
      const got = BigInt(whole + fraction) * 10n ** BigInt(40 - fraction.length);
      expect(got >= exact).toBe(true);
      expect((got - exact) * 10n ** 14n <= exact).toBe(true);
    }),
    { seed },
  );
});

test('decimals are subtracted to the last digit', () => {
  for (const [a, b, difference] of [
    ['1', '0.000000000000001', '0.999999999999999'],
    ['-1018353.510568326', '-1020390.217568326', '2036.707'],
    ['1e-81', '0', `0.${'0'.repeat(80)}1`],
    ['5E2', '500', '0'],
    ['99999999999999999999', '1', '99999999999999999998'],
  ] as const)
    expect(minus(a, b)).toBe(difference);
  expect([xrpOfDrops('1'), xrpOfDrops('-25000000'), shifted('236150', -2)]).toEqual([
    '0.000001',
    '-25',
    '23615000',
  ]);
});
