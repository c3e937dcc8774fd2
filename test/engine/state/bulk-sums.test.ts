/** Amounts summed in bulk are the sum of the amounts one by one. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decimalNumber } from '../../../engine/codec/amount.ts';
import { BulkSums } from '../../../engine/state/bulk-sums.ts';
import { Supplies } from '../../../engine/state/supply.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
/** More than may be summed in doubles at once. */
const MANY = 2 ** 20 + 17;
const LARGEST_MANTISSA = 9_999_999_999_999_999n;

/** Words of a raw issued amount above zero. */
function raw(mantissa: bigint, exponent: number): [hi: number, lo: number] {
  const word = (1n << 63n) | (1n << 62n) | (BigInt(exponent + 97) << 54n) | mantissa;
  return [Number(word >> 32n), Number(word & 0xffffffffn)];
}

test(`of any tokens and exponents, in any order (seed ${seed})`, () => {
  const amount = fc.record({
    token: fc.integer({ min: 1, max: 2_000 }),
    mantissa: fc.bigInt({ min: 10n ** 15n, max: LARGEST_MANTISSA }),
    exponent: fc.integer({ min: -96, max: 80 }),
  });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 3_000, size: 'max' }), (amounts) => {
      const [bulk, single] = [new Supplies(), new Supplies()];
      const sums = new BulkSums(bulk);
      for (const [token, ofToken] of Map.groupBy(amounts, (one) => one.token)) {
        for (const { mantissa, exponent } of ofToken) {
          const [hi, lo] = raw(mantissa, exponent);
          sums.add(hi, lo);
          single.add(token, hi, lo, 1);
        }
        sums.flush(token);
      }
      for (const { token } of amounts) expect(bulk.get(token)).toEqual(single.get(token));
    }),
    { seed, numRuns: 40 },
  );
});

test('of very many of the largest amounts of one token', () => {
  const supplies = new Supplies();
  const sums = new BulkSums(supplies);
  const [hi, lo] = raw(LARGEST_MANTISSA, -15);
  for (let i = 0; i < MANY; i++) sums.add(hi, lo);
  sums.flush(5);
  expect(supplies.get(5)).toEqual({ m: LARGEST_MANTISSA * BigInt(MANY), e: -15 });
});

test(`a sum as a number is that of the exact sum after every change (seed ${seed})`, () => {
  // Few digits, so that sums have the same ones at different scales.
  const change = fc.record({
    mantissa: fc.constantFrom(10n ** 15n, 2n * 10n ** 15n),
    exponent: fc.integer({ min: -18, max: -13 }),
    sign: fc.constantFrom(1 as const, -1 as const),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60, size: 'max' }), (changes) => {
      const supplies = new Supplies();
      const held: (readonly [hi: number, lo: number])[] = [];
      for (const { mantissa, exponent, sign } of changes) {
        if (sign === 1 || held.length === 0) {
          const words = raw(mantissa, exponent);
          held.push(words);
          supplies.add(7, ...words, 1);
        } else supplies.add(7, ...held.pop()!, -1);
        expect(supplies.number(7)).toBe(decimalNumber(supplies.get(7)));
      }
      supplies.clear();
      expect(supplies.number(7)).toBe(0);
    }),
    { seed, numRuns: 200 },
  );
});

test('a sum with the digits of an earlier one, at another scale, is another number', () => {
  const supplies = new Supplies();
  const [tenth, hundredth] = [raw(25n * 10n ** 14n, -16), raw(25n * 10n ** 14n, -17)];
  supplies.add(7, ...tenth, 1);
  expect(supplies.number(7)).toBe(0.25);
  supplies.add(7, ...tenth, -1);
  supplies.add(7, ...hundredth, 1);
  expect(supplies.number(7)).toBe(0.025);
});
