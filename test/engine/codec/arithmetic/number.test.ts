/** Oracles: the tables of rippled's own unit test (recorded vectors), exact rational arithmetic. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Amount } from '../../../../engine/codec/arithmetic/amount.ts';
import {
  LARGE,
  Num,
  type Numbers,
  type Rounding,
  SMALL,
} from '../../../../engine/codec/arithmetic/number.ts';
import { corpusDir } from '../../../../support/corpus.ts';
import { seedOf } from '../../../sandbox/seed.ts';

const seed = seedOf('number');

interface Value {
  mantissa: string;
  exponent: number;
}
interface Case {
  op: string;
  mode?: string;
  scale?: string;
  a?: Value;
  b?: Value;
  b_decimal?: string;
  n?: number;
  d?: number;
  name?: string;
  result?: Value | string;
  result_int?: string;
  error?: unknown;
  [mode: string]: unknown;
}

const MODES: Readonly<Record<string, Rounding>> = {
  to_nearest: 'nearest',
  towards_zero: 'zero',
  downward: 'down',
  upward: 'up',
};

/** All except roots other than square roots, and non-integer powers: the ledger does not need them. */
const read = (name: string): Case[] =>
  (JSON.parse(readFileSync(join(corpusDir!, 'vectors', name), 'utf8')).cases as Case[]).filter(
    ({ op, n, d }) => (op !== 'root' || n === 2) && d === undefined,
  );

const num = (numbers: Numbers, { mantissa, exponent }: Value, mode: Rounding = 'nearest'): Num =>
  numbers.normal(BigInt(mantissa), exponent, mode);

/** Two values that need not be normalised, compared as numbers. */
function sameValue(a: { mantissa: bigint; exponent: number }, b: Value): boolean {
  const low = Math.min(a.exponent, b.exponent);
  if (a.mantissa === 0n || b.mantissa === '0') return a.mantissa === BigInt(b.mantissa);
  return (
    a.mantissa * 10n ** BigInt(a.exponent - low) === BigInt(b.mantissa) * 10n ** BigInt(b.exponent - low)
  );
}

function compute(numbers: Numbers, { op, a, b, n, mode }: Case): Num {
  const m = MODES[mode ?? 'to_nearest']!;
  const x = num(numbers, a!);
  switch (op) {
    case 'add':
      return numbers.add(x, num(numbers, b!), m);
    case 'sub':
      return numbers.sub(x, num(numbers, b!), m);
    case 'mul':
      return numbers.mul(x, num(numbers, b!), m);
    case 'div':
      return numbers.div(x, num(numbers, b!), m);
    case 'root':
      return numbers.sqrt(x, m);
    default:
      return numbers.power(x, n!);
  }
}

describe.skipIf(!corpusDir)('vectors', () => {
  test('16 digits: sums, products, quotients, powers and roots in four rounding modes', () => {
    const cases = read('number_arithmetic_16digit.json');
    expect(cases.length).toBeGreaterThan(100);
    for (const one of cases) {
      if (one.op === 'to_int64')
        expect(SMALL.toInt64(num(SMALL, one.a!), MODES[one.mode!]!)).toBe(BigInt(one.result_int!));
      else
        expect({ one, same: sameValue(compute(SMALL, one), one.result as Value) }).toEqual({
          one,
          same: true,
        });
    }
  });

  test('both scales: integers and texts', () => {
    const cases = read('number_scales_19digit.json').filter(({ op }) => op !== 'add');
    expect(cases.length).toBeGreaterThan(30);
    for (const one of cases)
      for (const scale of one.scale!.split('|')) {
        const numbers = scale === 'small' ? SMALL : LARGE;
        if (one.op === 'to_int64')
          for (const [name, mode] of Object.entries(MODES)) {
            if (one[name] === undefined) continue;
            expect(numbers.toInt64(num(numbers, one.a!), mode)).toBe(BigInt(one[name] as number));
          }
        else {
          const mode = MODES[one.mode ?? 'to_nearest']!;
          const value = one.a
            ? num(numbers, one.a, mode)
            : one.name === 'min'
              ? numbers.normal(1n, -32750)
              : numbers.normal(scale === 'small' ? 10n ** 16n - 1n : 2n ** 63n - 1n, 32768);
          expect(numbers.text(value)).toBe(one.result as string);
        }
      }
  });

  test('19 digits: sums of widely different exponents', () => {
    for (const one of read('number_scales_19digit.json').filter(({ op }) => op === 'add')) {
      const a = num(LARGE, one.a!);
      const b = one.b ? num(LARGE, one.b) : LARGE.of(BigInt(one.b_decimal!));
      if (one.result) expect(sameValue(LARGE.add(a, b), one.result as Value)).toBeTrue();
      for (const [name, mode] of Object.entries(MODES))
        if (typeof one[name] === 'string')
          expect(sameValue(LARGE.add(a, b, mode), { mantissa: one[name] as string, exponent: 0 })).toBeTrue();
    }
  });
});

const mantissa = fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n });
const exponent = fc.integer({ min: -40, max: 40 });
const mode = fc.constantFrom<Rounding>('nearest', 'zero', 'down', 'up');
const INT64_MAX = 2n ** 63n - 1n;

/** The neighbour of the exact n / d for the mode, by search among mantissas of the large scale. */
function nearestLarge(n: bigint, d: bigint, rounding: Rounding): { mantissa: bigint; exponent: number } {
  const negative = n < 0n !== d < 0n;
  let top = n < 0n ? -n : n;
  let bottom = d < 0n ? -d : d;
  let e = 0;
  while (top < bottom * 10n ** 18n) {
    top *= 10n;
    e--;
  }
  while (top >= bottom * 10n ** 19n) {
    bottom *= 10n;
    e++;
  }
  const below = top / bottom;
  const step = below >= INT64_MAX ? 10n : 1n;
  let low = below - (below % step);
  if (below >= INT64_MAX && low < INT64_MAX) low = INT64_MAX;
  const high = low === INT64_MAX ? INT64_MAX + 3n : low + step;
  const rest = top - low * bottom;
  const twice = 2n * rest - (high - low) * bottom;
  const tieUp = low === INT64_MAX || (low / step) % 2n === 1n;
  const up =
    rest !== 0n &&
    (rounding === 'nearest'
      ? twice > 0n || (twice === 0n && tieUp)
      : rounding !== 'zero' && (rounding === 'down') === negative);
  const magnitude = up ? high : low;
  return { mantissa: negative ? -magnitude : magnitude, exponent: e };
}

describe('against exact arithmetic', () => {
  test('19 digits: every operation is the exact result, rounded once', () => {
    fc.assert(
      fc.property(mantissa, exponent, mantissa, exponent, mode, (m1, e1, m2, e2, rounding) => {
        const a = LARGE.normal(m1, e1);
        const b = LARGE.normal(m2, e2);
        const pairs: [Num, bigint, bigint, number][] = [];
        if (!a.isZero && !b.isZero) {
          const shift = 10n ** BigInt(Math.abs(a.exponent - b.exponent));
          const high = a.exponent >= b.exponent ? a : b;
          const low = high === a ? b : a;
          pairs.push([LARGE.add(a, b, rounding), high.mantissa * shift + low.mantissa, 1n, low.exponent]);
          pairs.push([LARGE.mul(a, b, rounding), a.mantissa * b.mantissa, 1n, a.exponent + b.exponent]);
          pairs.push([LARGE.div(a, b, rounding), a.mantissa, b.mantissa, a.exponent - b.exponent]);
        }
        for (const [got, n, d, e] of pairs) {
          if (n === 0n) expect(got.isZero).toBeTrue();
          else {
            const want = nearestLarge(n, d, rounding);
            expect(sameValue(got, { mantissa: `${want.mantissa}`, exponent: want.exponent + e })).toBeTrue();
          }
        }
      }),
      { numRuns: 2_000, seed },
    );
  });

  test('16 digits: products and sums of positives are the exact result, half to even', () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 16n - 1n });
    const exact = (magnitude: bigint, e: number): { mantissa: bigint; exponent: number } => {
      const excess = magnitude.toString().length - 16;
      if (excess <= 0) return { mantissa: magnitude, exponent: e };
      const unit = 10n ** BigInt(excess);
      const low = magnitude / unit;
      const twice = 2n * (magnitude - low * unit) - unit;
      return {
        mantissa: twice > 0n || (twice === 0n && low % 2n === 1n) ? low + 1n : low,
        exponent: e + excess,
      };
    };
    fc.assert(
      fc.property(positive, exponent, positive, exponent, (m1, e1, m2, e2) => {
        const a = SMALL.normal(m1, e1);
        const b = SMALL.normal(m2, e2);
        const low = Math.min(a.exponent, b.exponent);
        const sum =
          a.mantissa * 10n ** BigInt(a.exponent - low) + b.mantissa * 10n ** BigInt(b.exponent - low);
        for (const [got, want] of [
          [SMALL.add(a, b), exact(sum, low)],
          [SMALL.mul(a, b), exact(a.mantissa * b.mantissa, a.exponent + b.exponent)],
        ] as const)
          expect(sameValue(got, { mantissa: `${want.mantissa}`, exponent: want.exponent })).toBeTrue();
      }),
      { numRuns: 2_000, seed },
    );
  });

  test('a square root squared is its number, except for the last digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 16n }), (m) => {
        for (const numbers of [SMALL, LARGE]) {
          const value = numbers.of(m);
          const root = numbers.sqrt(value);
          const off = new Num(root.mantissa / 10n ** BigInt(numbers.digits - 3), root.exponent);
          const square = (x: Num) => numbers.mul(x, x);
          expect(numbers.compare(square(numbers.sub(root, off)), value)).toBe(-1);
          expect(numbers.compare(square(numbers.add(root, off)), value)).toBe(1);
        }
      }),
      { numRuns: 200, seed },
    );
  });
});

describe('numbers and amounts', () => {
  test('whole units for XRP and MPTs in the given mode, 16 digits for issued currencies', () => {
    const third = LARGE.div(LARGE.of(10n), LARGE.of(3n));
    expect(LARGE.toAmount('XRP', third).drops).toBe(3n);
    expect(LARGE.toAmount('XRP', third, 'up').drops).toBe(4n);
    expect(LARGE.toAmount('A'.repeat(48), third.negate(), 'down').mantissa).toBe(-4n);
    const usd = LARGE.toAmount('5'.repeat(80), third, 'up');
    expect([usd.mantissa, usd.exponent]).toEqual([3333333333333334n, -15]);
    expect(SMALL.of(Amount.drops(10n ** 17n)).mantissa).toBe(10n ** 15n);
  });

  test('refuses division by zero, roots of negatives and numbers out of range', () => {
    expect(() => SMALL.div(SMALL.one, SMALL.zero)).toThrow(RangeError);
    expect(() => SMALL.sqrt(SMALL.one.negate())).toThrow(RangeError);
    expect(() => SMALL.normal(1n, 32_800)).toThrow(RangeError);
    expect(() => SMALL.toInt64(SMALL.normal(1n, 19))).toThrow(RangeError);
    expect(SMALL.normal(1n, -32_800).isZero).toBeTrue();
  });
});
