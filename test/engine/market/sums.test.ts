/** Differences of raw amounts and sums that can be taken back, against BigInt. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decimalRaw, rawDecimal } from '../../../engine/codec/amount.ts';
import { amountDifference } from '../../../engine/market/amount-difference.ts';
import { Columns } from '../../../engine/market/columns.ts';
import { ExactSums } from '../../../engine/market/exact-sum.ts';
import { Traders } from '../../../engine/market/traders.ts';
import { exact, minus } from './brute.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`sums seed ${seed}`);
const options = { seed, numRuns: 3000 };

type Raw = [number, number];
const wordsOf = (value: bigint): Raw => [Number(value >> 32n), Number(value & 0xffffffffn)];
const integer = fc.oneof(
  fc.bigInt(0n, 2n ** 60n),
  fc.bigInt(0n, 1000n),
  fc.bigInt(2n ** 32n - 5n, 2n ** 32n + 5n),
);
const mantissa = fc.oneof(
  fc.bigInt(10n ** 15n, 10n ** 16n - 1n),
  fc.bigInt(10n ** 16n - 20n, 10n ** 16n - 1n),
  fc.bigInt(10n ** 15n, 10n ** 15n + 20n),
  fc.constant(0n),
);
const exponent = fc.oneof(fc.integer({ min: -20, max: -12 }), fc.integer({ min: -96, max: 80 }));
const issued = fc
  .tuple(mantissa, exponent, fc.boolean())
  .map(([m, e, negative]): Raw => decimalRaw(1, { m: negative ? -m : m, e }));
const xrp = fc
  .tuple(integer, fc.boolean())
  .map(([drops, negative]): Raw => decimalRaw(0, { m: negative ? -drops : drops, e: -6 }));

/** By kind: XRP, issued, MPT. */
const LARGEST = [
  { m: 2n ** 61n - 1n, e: -6 },
  { m: 10n ** 16n - 1n, e: 80 },
  { m: 2n ** 63n - 1n, e: 0 },
] as const;

describe('amount differences', () => {
  const out = new Uint32Array(2);
  const check = (kind: 0 | 1 | 2) => (a: Raw, b: Raw) => {
    const d = minus(rawDecimal(kind, ...a), rawDecimal(kind, ...b));
    const size = d.m < 0n ? -d.m : d.m;
    const sign = amountDifference(kind, ...a, ...b, out);
    expect(sign).toBe(d.m > 0n ? 1 : d.m < 0n ? -1 : 0);
    const largest = LARGEST[kind];
    const isTooLarge = minus({ m: size, e: d.e }, largest).m > 0n;
    expect([out[0], out[1]]).toEqual(decimalRaw(kind, isTooLarge ? largest : { m: size, e: d.e }));
  };
  test('issued', () => fc.assert(fc.property(issued, issued, check(1)), options));
  test('what is more than an amount can be is the largest one', () => {
    const [xrpLargest, issuedLargest] = LARGEST;
    const negative = ({ m, e }: { m: bigint; e: number }) => ({ m: -m, e });
    check(0)(decimalRaw(0, xrpLargest), decimalRaw(0, negative(xrpLargest)));
    check(1)(decimalRaw(1, negative(issuedLargest)), decimalRaw(1, issuedLargest));
  });
  test('issued of one exponent', () =>
    fc.assert(
      fc.property(mantissa, mantissa, exponent, (m, n, e) =>
        check(1)(decimalRaw(1, { m, e }), decimalRaw(1, { m: n, e })),
      ),
      options,
    ));
  test('the smallest amounts: what is below 10^-81 is nothing', () => {
    const at = (m: bigint): Raw => decimalRaw(1, { m, e: -96 });
    for (const less of [1n, 10n, 10n ** 14n, 10n ** 14n + 1n, 9n * 10n ** 14n, 10n ** 15n, 10n ** 15n + 1n])
      check(1)(at(3n * 10n ** 15n), at(3n * 10n ** 15n - less));
  });
  test('XRP, negative balances of 2013 included', () => fc.assert(fc.property(xrp, xrp, check(0)), options));
  test('MPT', () => fc.assert(fc.property(integer.map(wordsOf), integer.map(wordsOf), check(2)), options));
});

describe('exact sums', () => {
  test('what remains after taking terms back is the sum of the rest, whatever the order', () => {
    const power = fc.tuple(fc.double({ min: 1, max: 10, noNaN: true }), fc.integer({ min: -82, max: 95 }));
    const term = fc.oneof(
      fc.double({ min: 2 ** -11, max: 2 ** 100, noNaN: true }),
      // All that a token's amount can be.
      power.map(([digits, e]) => digits * 10 ** e),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 40 }), fc.array(term, { maxLength: 40 }), (kept, gone) => {
        const sums = new ExactSums(new Columns(4));
        for (const x of [...kept, ...gone]) sums.add(1, x, 1);
        for (const x of gone.toReversed()) sums.add(1, x, -1);
        const rebuilt = new ExactSums(new Columns(4));
        for (const x of kept.toReversed()) rebuilt.add(1, x, 1);
        expect(sums.value(1)).toBe(rebuilt.value(1));
        const total = kept.reduce((a, b) => a + b, 0);
        expect(Math.abs(sums.value(1) - total)).toBeLessThanOrEqual(total * 1e-12);
        const [one] = kept;
        if (one === undefined) return;
        for (const x of kept.slice(1)) sums.add(1, x, -1);
        expect(sums.value(1)).toBe(one);
        sums.add(1, one, -1);
        expect(sums.value(1)).toBe(0);
      }),
      { seed, numRuns: 500 },
    );
    expect(exact('1').m).toBe(1n);
  });
});

describe('trader counter', () => {
  test('equals sets while trades enter and leave in order', () => {
    const trade = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 900 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(trade, { minLength: 50, maxLength: 4000, size: 'max' }), (trades) => {
        const traders = new Traders(new Columns(8));
        const length = 1 + (trades.length >> 1);
        for (const [i, one] of trades.entries()) {
          traders.add(...one);
          if (i >= length) traders.remove(...trades[i - length]!);
        }
        const open = trades.slice(-length);
        for (let token = 0; token < 4; token++) {
          const own = open.filter(([t]) => t === token);
          const distinct = (list: typeof own) => new Set(list.map(([, account]) => account)).size;
          expect(traders.traders(token)).toBe(distinct(own));
          expect(traders.buyers(token)).toBe(distinct(own.filter(([, , bought]) => bought)));
          expect(traders.sellers(token)).toBe(distinct(own.filter(([, , bought]) => !bought)));
        }
      }),
      { seed, numRuns: 30 },
    );
  });
});
