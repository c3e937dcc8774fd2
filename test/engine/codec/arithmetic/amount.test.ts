/** Oracles: rippled's unit test values (recorded vectors), exact integers. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Amount, AmountError, assetFromJson, assetJson } from '../../../../engine/codec/arithmetic/amount.ts';
import { canAdd } from '../../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { LARGE } from '../../../../engine/codec/arithmetic/number.ts';
import { corpusDir } from '../../../../support/corpus.ts';
import { seedOf } from '../../../sandbox/seed.ts';

const seed = seedOf('amount');

const ISSUER = 'B5F762798A53D543A014CAF8B297CFF8F2F937E8';
const USD = `0000000000000000000000005553440000000000${ISSUER}`;
const MPT = `00000001${ISSUER}`;
const issuedJson = (value: string) => ({
  value,
  currency: 'USD',
  issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
});

type Vector = Record<string, unknown> & { group: string };
const vectors = (group: string): Vector[] =>
  (JSON.parse(readFileSync(join(corpusDir!, 'vectors/stamount.json'), 'utf8')).cases as Vector[]).filter(
    (one) => one.group === group,
  );

describe.skipIf(!corpusDir)('vectors', () => {
  test('texts of XRP and issued values', () => {
    for (const one of vectors('native_currency'))
      expect(Amount.drops(one.drops as number).text()).toBe(one.expected_text as string);
    for (const one of vectors('iou_currency'))
      expect(Amount.issued(USD, one.mantissa as number, one.exponent as number).text()).toBe(
        one.expected_text as string,
      );
  });

  test('values that are accepted, and values that are refused', () => {
    for (const group of ['xrp_valid_values', 'xrp_conversion'])
      for (const one of vectors(group)) {
        const value = (one.value ?? one.drops) as string;
        expect(Amount.parse(value).json()).toBe(value);
      }
    for (const one of vectors('xrp_invalid_values'))
      expect(() => Amount.parse(one.value)).toThrow(AmountError);
    for (const group of ['iou_valid_values', 'iou_conversion'])
      for (const one of vectors(group))
        expect(Amount.parse(issuedJson(one.value as string)).json()).toEqual(issuedJson(one.value as string));
  });

  test('which XRP amounts can be added', () => {
    const drops = (value: unknown) =>
      Amount.drops(value === 'MAX_INT64' ? 2n ** 63n - 1n : (value as number));
    for (const one of vectors('can_add_xrp'))
      expect(canAdd(drops(one.amt1), drops(one.amt2))).toBe(one.can_add as boolean);
  });
});

describe('JSON', () => {
  test('MPTs and assets survive a round trip', () => {
    const json = { value: '9223372036854775807', mpt_issuance_id: MPT };
    expect(Amount.parse(json).json()).toEqual(json);
    for (const asset of ['XRP', USD, MPT]) expect(assetFromJson(assetJson(asset))).toBe(asset);
  });

  test('rippled prints values far from one with their exponent', () => {
    expect(Amount.issued(USD, 1n, 20).text()).toBe('1000000000000000e5');
    expect(Amount.issued(USD, -1n, -30).text()).toBe('-1000000000000000e-45');
    expect(Amount.issued(USD, 1n, 10).text()).toBe('10000000000');
    expect(Amount.issued(USD, 12345n, -10).text()).toBe('0.0000012345');
  });

  test('text that is not an amount is refused', () => {
    const bad = [
      undefined,
      null,
      '',
      '1.5',
      ' 1',
      '0x10',
      'abc',
      '1e',
      true,
      1.5,
      [],
      {},
      { value: '1' },
      { value: '1', currency: 'USD' },
      { value: '1', currency: 'XRP', issuer: issuedJson('1').issuer },
      { value: '1', currency: 'US', issuer: issuedJson('1').issuer },
      { value: '1', currency: 'USD', issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi' },
      { value: '1', currency: 'USD', issuer: issuedJson('1').issuer, more: 1 },
      { value: '1.5', mpt_issuance_id: MPT },
      { value: '9223372036854775808', mpt_issuance_id: MPT },
      issuedJson('1e96'),
      issuedJson('9'.repeat(200)),
    ];
    for (const json of bad) expect(() => Amount.parse(json)).toThrow(AmountError);
    expect(Amount.parse(issuedJson('1e-100')).isZero).toBeTrue();
  });
});

describe('sums and order', () => {
  const part = fc.tuple(
    fc.bigInt({ min: -(10n ** 16n) + 1n, max: 10n ** 16n - 1n }),
    fc.integer({ min: -30, max: 10 }),
  );
  /** The value in units of 10^-60. */
  const exact = (amount: Amount): bigint =>
    amount.isZero ? 0n : amount.mantissa * 10n ** BigInt(amount.exponent + 60);

  // Of the result's last digit, except where a difference falls just below a power of ten: rippled's Number has rounded to
  // the digits of the larger operand by then.
  test('an issued sum is off by half a digit at most, and the order is that of the values', () => {
    fc.assert(
      fc.property(part, part, ([m1, e1], [m2, e2]) => {
        const a = Amount.issued(USD, m1, e1);
        const b = Amount.issued(USD, m2, e2);
        const sum = a.add(b);
        const want = exact(a) + exact(b);
        const off = exact(sum) - want;
        const larger = Math.max(a.exponent, b.exponent);
        const digit = sum.exponent === larger - 1 ? larger : sum.exponent;
        const unit = sum.isZero ? 0n : 10n ** BigInt(digit + 60);
        expect(2n * (off < 0n ? -off : off) <= unit).toBeTrue();
        expect(b.add(a).equals(sum)).toBeTrue();
        expect(a.sub(b.negate()).equals(sum)).toBeTrue();
        const x = exact(a);
        const y = exact(b);
        expect(a.compare(b)).toBe(x === y ? 0 : x < y ? -1 : 1);
      }),
      { numRuns: 3_000, seed },
    );
  });

  test('with numbers of 19 digits a sum is rounded to them before it is rounded to 16', () => {
    /** Half to even at `digits` digits, from exact integers. */
    const rounded = (value: bigint, digits: number): bigint => {
      const magnitude = value < 0n ? -value : value;
      const excess = magnitude.toString().length - digits;
      if (excess <= 0) return value;
      const unit = 10n ** BigInt(excess);
      let kept = magnitude / unit;
      const rest = 2n * (magnitude - kept * unit);
      if (rest > unit || (rest === unit && kept % 2n === 1n)) kept += 1n;
      return (value < 0n ? -kept : kept) * unit;
    };
    const near = fc.tuple(
      fc.bigInt({ min: 10n ** 15n, max: 9n * 10n ** 15n }),
      fc.integer({ min: -20, max: 0 }),
    );
    /** The larger one ends in 5 hundredths of the last digit but one: ties are likely. */
    const tie = fc.tuple(fc.bigInt({ min: 10n ** 8n, max: 9n * 10n ** 8n }), fc.integer({ min: 0, max: 3 }));
    let different = 0;
    fc.assert(
      fc.property(near, tie, ([m1, e1], [m2, by]) => {
        const a = Amount.issued(USD, m1, e1);
        const tiny = m2 * 10n ** 7n + 1n;
        const b = Amount.issued(USD, 5n * 10n ** 15n, e1 - 16).add(Amount.issued(USD, tiny, e1 - 22 - by));
        const exactly = exact(a) + exact(b);
        const sum = a.add(b, LARGE);
        // Beyond 2^63 - 1 a mantissa of 19 digits ends with a zero.
        const digits = rounded(exactly, 19).toString().slice(0, 19) > '9223372036854775807' ? 18 : 19;
        expect(exact(sum)).toBe(rounded(rounded(exactly, digits), 16));
        if (!sum.equals(a.add(b))) different += 1;
        expect(a.sub(b.negate(), LARGE).equals(sum)).toBeTrue();
      }),
      { numRuns: 2_000, seed },
    );
    expect(different).toBeGreaterThan(100);
    const odd = Amount.issued(USD, 1_000_000_000_000_000n, 0);
    const half = Amount.issued(USD, 5_000_000_000_000_001n, -16);
    expect(odd.add(half).mantissa).toBe(1_000_000_000_000_001n);
    expect(odd.add(half, LARGE).mantissa).toBe(1_000_000_000_000_000n);
  });

  test('issuers do not matter, currencies do', () => {
    const other = Amount.issued(USD.replace(/E8$/, 'E9'), 1n, 0);
    expect(Amount.issued(USD, 1n, 0).add(other).asset).toBe(USD);
    expect(Amount.issued(USD, 1n, 0).equals(other)).toBeTrue();
    expect(() => Amount.drops(1).add(other)).toThrow(AmountError);
    expect(() => Amount.mpt(MPT, 1).compare(other)).toThrow(AmountError);
    expect(Amount.mpt(MPT, 1).equals(other)).toBeFalse();
  });

  test('zero, overflow and the asset of a result', () => {
    const zero = Amount.zero(USD);
    expect([zero.mantissa, zero.exponent]).toEqual([0n, -100]);
    expect(
      Amount.issued(USD, 5n, 3)
        .sub(Amount.issued(USD, 5n, 3))
        .equals(zero),
    ).toBeTrue();
    expect(() => Amount.issued(USD, 10n ** 16n - 1n, 80).add(Amount.issued(USD, 1n, 79))).not.toThrow();
    expect(() =>
      Amount.issued(USD, 10n ** 16n - 1n, 80).add(Amount.issued(USD, 10n ** 16n - 1n, 80)),
    ).toThrow(AmountError);
    expect(() => Amount.mpt(MPT, 2n ** 63n - 1n).add(Amount.mpt(MPT, 1))).toThrow(AmountError);
    expect(Amount.issued(USD, 1n, -97 - 15).isZero).toBeTrue();
    expect(Amount.drops(7).withAsset('XRP').drops).toBe(7n);
    expect(() => zero.drops).toThrow(AmountError);
  });
});
