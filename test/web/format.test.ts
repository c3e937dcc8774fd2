/** How the pages write numbers, times and the texts of strangers. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import * as format from '../../web/format.ts';

const seed = Number(process.env.SEED ?? 20_261_123);

describe('prices', () => {
  test.each([
    ['1735.2345', '1,735.23'],
    ['0.8004002749189159', '0.8004'],
    ['0.05', '0.05'],
    ['0.000123456', '0.00012346'],
    ['0.00001234567', '0.0₄12346'],
    ['0.0000000000000012', '0.0₁₄12'],
    ['0', '0'],
    [undefined, '–'],
    [null, '–'],
    ['', '–'],
  ])('%p is written %s', (value, text) => {
    expect(format.price(value)).toBe(text);
  });

  test(`are never off by more than half a digit in the fifth place (seed ${seed})`, () => {
    const anyPrice = fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: -18, max: -2 }));
    fc.assert(
      fc.property(anyPrice, ([digits, exponent]) => {
        const value = `${digits}e${exponent}`;
        const text = format.price(value).replaceAll(',', '');
        const zeros = /0\.0([₀-₉]+)/.exec(text)?.[1];
        const count = zeros && Number([...zeros].map((one) => one.codePointAt(0)! - 0x2080).join(''));
        const plain = zeros ? text.replace(`0.0${zeros}`, `0.${'0'.repeat(Number(count))}`) : text;
        expect(Math.abs(Number(plain) / Number(value) - 1)).toBeLessThan(5.01e-5);
      }),
      { seed },
    );
  });
});

test('amounts are whole above a hundred and short above a million; exact ones keep every digit', () => {
  expect(['1234567', '876848.011041', '99.999', '0.00012345'].map(format.amount)).toEqual([
    '1.23M',
    '876,848',
    '100',
    '0.0001235',
  ]);
  expect(format.exact('10000000.0000000146899')).toBe('10,000,000.0000000146899');
});

test('the smallest and the largest amounts of the ledger keep every digit, and are no longer than they must be', () => {
  const written = {
    '1e-15': '0.000000000000001',
    '-1234567890.123456e-12': '-0.001234567890123456',
    '9999999999999999e80': '9.999999999999999E95',
    '1234567890123456e-96': '1.234567890123456E-81',
    '-1e-30': '-1E-30',
    '1e15': '1,000,000,000,000,000',
    '9223372036854775807': '9,223,372,036,854,775,807',
  };
  for (const [value, text] of Object.entries(written)) expect(format.exact(value)).toBe(text);
});

test(`figures of any size that the ledger knows stay short, and none is minus zero (seed ${seed})`, () => {
  expect(['9999999999999999e80', '1.5e-30', '0.000001'].map(format.amount)).toEqual([
    '1E96',
    '0.0₂₉15',
    '0.000001',
  ]);
  const anyAmount = fc.tuple(
    fc.integer({ min: 1, max: 9_999_999 }),
    fc.integer({ min: -90, max: 90 }),
    fc.boolean(),
  );
  fc.assert(
    fc.property(anyAmount, ([digits, exponent, isNegative]) => {
      const value = `${isNegative ? '-' : ''}${digits}e${exponent}`;
      for (const write of [format.amount, format.price, format.percent, format.change]) {
        const text = write(value);
        expect(text.length, `${value}: ${text}`).toBeLessThanOrEqual(24);
        expect(text, value).not.toMatch(/^[-+][0.]+%?$/);
      }
    }),
    { seed },
  );
});

test('changes have a sign, except zero', () => {
  expect([1.5, -0.126, 0].map(format.change)).toEqual(['+1.50%', '-0.13%', '0.00%']);
});

test('large changes and prices are as short as small ones', () => {
  expect([120.44, -999.9, 1_234.5, 12_345, 1_234_567, 1e14].map(format.change)).toEqual([
    '+120.4%',
    '-999.9%',
    '+1,235%',
    '+12.3K%',
    '+1.23M%',
    '+100T%',
  ]);
  expect(['586936.14', '1234567.891', '12345678912'].map(format.price)).toEqual([
    '586,936.14',
    '1.2346M',
    '12.346B',
  ]);
});

test('ages and durations', () => {
  const now = 10_000_000_000;
  const seconds = [0, 1, 59, 60, 3_599, 3_600, 86_399, 86_400, -5];
  expect(seconds.map((ago) => format.age(now - ago * 1000, now))).toEqual([
    'now',
    'now',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '23 h',
    '1 d',
    'now',
  ]);
  expect([4.4, 80, 3_700].map(format.duration)).toEqual(['4 s', '1 min 20 s', '1 h 1 min']);
});

test('what strangers wrote is cut, and turns nothing around', () => {
  expect(format.text('a\u202Eb\u0000c\u200Fd')).toBe('a b c d');
  expect([...format.text('😀'.repeat(10_000))]).toHaveLength(80);
  expect(format.text('x'.repeat(10_000)).endsWith('…')).toBe(true);
  expect(format.text('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  expect(format.text(undefined)).toBe('');
});
