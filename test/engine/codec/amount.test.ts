import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { coreTypes, decode, encode } from 'ripple-binary-codec';
import {
  AssetKind,
  addDecimal,
  amountKind,
  amountRawOffset,
  compareDecimal,
  type Decimal,
  decimalNumber,
  decimalRaw,
  decimalText,
  divToNumber,
  dropsOf,
  isZero,
  mulDecimal,
  rawCompare,
  rawDecimal,
  rawNumber,
  rawText,
  subDecimal,
} from '../../../engine/codec/amount.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { decodeObject } from '../../../engine/codec/json.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { vectorCases } from './blobs.ts';

const { xrp, issued, mpt } = AssetKind;
const issuer = 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59';

/** The raw words of a reference-encoded amount. */
function rawOf(amount: unknown): [kind: 0 | 1 | 2, hi: number, lo: number] {
  const bytes = coreTypes.Amount!.from(amount as never).toBytes();
  const kind = amountKind(bytes[0]!);
  const view = new DataView(bytes.buffer, bytes.byteOffset + amountRawOffset(kind));
  return [kind, view.getUint32(0), view.getUint32(4)];
}

const issuedOf = (value: string): unknown => ({ value, currency: 'USD', issuer });

/** Brute force: sign, digits and exponent directly from the bits, text by string building. */
function bruteText(kind: number, raw: bigint, scale = 0): string {
  const positive = (raw >> 62n) & 1n;
  let m = raw;
  let e = -scale;
  if (kind === xrp) {
    m = raw & ((1n << 62n) - 1n);
    e = -6;
  } else if (kind === issued) {
    m = raw & ((1n << 54n) - 1n);
    e = Number((raw >> 54n) & 0xffn) - 97;
  }
  if (m === 0n) return '0';
  let text = m.toString() + '0'.repeat(Math.max(0, e));
  if (e < 0) {
    text = text.padStart(1 - e, '0');
    text = `${text.slice(0, e)}.${text.slice(e)}`.replace(/\.?0+$/, '');
  }
  return kind !== mpt && positive === 0n ? `-${text}` : text;
}

const split = (raw: bigint): [number, number] => [Number(raw >> 32n), Number(raw & 0xffffffffn)];

/** Raw issued amounts in normal form, all signs and exponents, and zero. */
const normalIssued = fc
  .tuple(fc.bigInt(10n ** 15n, 10n ** 16n - 1n), fc.integer({ min: -96, max: 80 }), fc.boolean(), fc.nat(15))
  .map(([m, e, positive, zeros]) => {
    const round = (m / 10n ** BigInt(zeros)) * 10n ** BigInt(zeros);
    return (1n << 63n) | (positive ? 1n << 62n : 0n) | (BigInt(e + 97) << 54n) | round;
  });
const anyXrp = fc
  .tuple(fc.bigInt(0n, (1n << 61n) - 1n), fc.nat(60), fc.boolean())
  .map(([drops, shift, positive]) => (drops >> BigInt(shift)) | (positive ? 1n << 62n : 0n));
const anyMpt = fc.tuple(fc.bigInt(0n, (1n << 63n) - 1n), fc.nat(62)).map(([v, shift]) => v >> BigInt(shift));
const anyRaw = fc.oneof(
  normalIssued.map((raw) => [issued, raw] as const),
  anyXrp.map((raw) => [xrp, raw] as const),
  anyMpt.map((raw) => [mpt, raw] as const),
);
/** Any possible value of the field AssetScale. */
const anyScale = fc.nat(255);
const anyDecimal = fc
  .tuple(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.integer({ min: -40, max: 40 }))
  .map(([m, e]): Decimal => ({ m, e }));

/** Value scaled to an integer, for comparing with plain BigInt arithmetic. */
const scaled = (d: Decimal, by = 200): bigint => d.m * 10n ** BigInt(d.e + by);

describe('raw amounts', () => {
  test('text, decimal and number agree with brute force', () => {
    fc.assert(
      fc.property(anyRaw, ([kind, raw]) => {
        const [hi, lo] = split(raw);
        const text = bruteText(kind, raw);
        expect(rawText(kind, hi, lo)).toBe(text);
        expect(decimalText(rawDecimal(kind, hi, lo))).toBe(text);
        const number = Number(text);
        expect(Math.abs(rawNumber(kind, hi, lo) - number)).toBeLessThanOrEqual(Math.abs(number) * 4e-16);
        // What a double can hold is not rounded twice.
        const { m } = rawDecimal(kind, hi, lo);
        if ((m < 0n ? -m : m) <= Number.MAX_SAFE_INTEGER) expect(rawNumber(kind, hi, lo)).toBe(number);
        expect(isZero(kind, hi, lo)).toBe(text === '0');
        if (kind === xrp) expect(BigInt(dropsOf(hi, lo))).toBe(rawDecimal(kind, hi, lo).m);
      }),
      { numRuns: 5000 },
    );
  });

  test('the decimal converts back to the same raw words', () => {
    fc.assert(
      fc.property(anyRaw, ([kind, raw]) => {
        const [hi, lo] = split(raw);
        const back = decimalRaw(kind, rawDecimal(kind, hi, lo));
        if (isZero(kind, hi, lo)) expect(isZero(kind, ...back)).toBe(true);
        else expect(back).toEqual([hi, lo]);
      }),
      { numRuns: 2000 },
    );
  });

  test('order agrees with the values', () => {
    const pairs = fc.oneof(
      fc.tuple(fc.constant(issued), normalIssued, normalIssued),
      fc.tuple(fc.constant(xrp), anyXrp, anyXrp),
      fc.tuple(fc.constant(mpt), anyMpt, anyMpt),
    );
    fc.assert(
      fc.property(pairs, ([kind, a, b]) => {
        const da = rawDecimal(kind, ...split(a));
        const db = rawDecimal(kind, ...split(b));
        const expected = compareDecimal(da, db);
        expect(rawCompare(kind, ...split(a), ...split(b))).toBe(expected);
        expect(rawCompare(kind, ...split(a), ...split(a))).toBe(0);
        const difference = scaled(da) - scaled(db);
        expect(Math.sign(expected)).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
      { numRuns: 3000 },
    );
  });

  test('any amount, normalised or not: text equal to the reference, or refused like there', () => {
    const tail = `0000000000000000000000005553440000000000${'0'.repeat(39)}1`;
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 64n) - 1n), fc.nat(53), (raw, shift) => {
        const small = ((raw >> 54n) << 54n) | ((raw & ((1n << 54n) - 1n)) >> BigInt(shift));
        const first = small.toString(16).padStart(16, '0');
        const bytes = { 0: 8, 1: 48, 2: 33 }[amountKind(Number(small >> 56n))];
        const hex = `61${(first + tail).slice(0, 2 * bytes)}`.toUpperCase();
        let expected: unknown;
        try {
          expected = decode(hex);
        } catch {
          expect(() => decodeObject(bytesOf(hex))).toThrow();
          return;
        }
        expect(decodeObject(bytesOf(hex)) as unknown).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('decimals', () => {
  test('sum, difference, product and order are exact', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        expect(scaled(addDecimal(a, b))).toBe(scaled(a) + scaled(b));
        expect(scaled(subDecimal(a, b))).toBe(scaled(a) - scaled(b));
        expect(scaled(mulDecimal(a, b), 400)).toBe(scaled(a) * scaled(b));
        expect(compareDecimal(a, b)).toBe(scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0);
      }),
    );
  });

  test('quotient and number differ by at most one in the last digit', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        if (b.m === 0n) return;
        const expected = decimalNumber(a) / decimalNumber(b);
        expect(Math.abs(divToNumber(a, b) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-15);
      }),
    );
    expect(divToNumber({ m: 1n, e: 0 }, { m: 0n, e: 0 })).toBeNaN();
    expect(divToNumber({ m: 1n, e: 0 }, { m: 3n, e: 0 })).toBe(1 / 3);
  });

  test('rounding to raw is half to even, values above the limits are refused', () => {
    expect(rawText(issued, ...decimalRaw(issued, { m: 12345678901234565n, e: 0 }))).toBe('12345678901234560');
    expect(rawText(issued, ...decimalRaw(issued, { m: 12345678901234575n, e: 0 }))).toBe('12345678901234580');
    expect(rawText(issued, ...decimalRaw(issued, { m: 99999999999999996n, e: -3 }))).toBe('100000000000000');
    expect(rawText(xrp, ...decimalRaw(xrp, { m: 15n, e: -7 }))).toBe('0.000002');
    expect(rawText(issued, ...decimalRaw(issued, { m: 1n, e: -120 }))).toBe('0');
    expect(() => decimalRaw(issued, { m: 1n, e: 96 })).toThrow(RangeError);
    expect(() => decimalRaw(xrp, { m: 1n, e: 40 })).toThrow(RangeError);
    expect(() => decimalRaw(mpt, { m: -1n, e: 0 })).toThrow(RangeError);
    expect(() => decimalRaw(mpt, { m: 1n << 63n, e: 0 })).toThrow(RangeError);
  });
});

describe.if(corpusDir !== undefined)('recorded amount vectors', () => {
  test("rippled's own amounts", () => {
    let checked = 0;
    for (const c of vectorCases('stamount.json')) {
      if (c.group === 'native_currency') {
        expect(String(dropsOf(...decimalRaw(xrp, { m: BigInt(String(c.drops)), e: -6 })))).toBe(
          String(c.expected_text),
        );
      } else if (c.group === 'iou_currency') {
        const raw = decimalRaw(issued, { m: BigInt(String(c.mantissa)), e: Number(c.exponent) });
        expect(rawText(issued, ...raw)).toBe(String(c.expected_text));
      } else if (c.group === 'iou_valid_values' || c.group === 'iou_conversion') {
        if (!c.valid || !Number.isFinite(Number(c.value))) continue;
        const raw = rawOf(issuedOf(String(c.value)));
        expect(Number(rawText(...raw))).toBe(Number(c.value));
      } else if (c.group === 'xrp_conversion' && c.valid) {
        const [hi, lo] = decimalRaw(xrp, { m: BigInt(String(c.drops)), e: -6 });
        expect(String(dropsOf(hi, lo))).toBe(String(c.drops));
      } else continue;
      checked++;
    }
    expect(checked).toBeGreaterThan(25);
  });

  test('data-driven amounts of the reference', () => {
    let checked = 0;
    for (const c of vectorCases('codec_data_driven.json')) {
      if (c.kind !== 'values_tests' || c.type !== 'Amount' || typeof c.expected_hex !== 'string') continue;
      const hex = `61${c.expected_hex}`;
      expect(decodeObject(bytesOf(hex)) as unknown).toEqual(decode(hex));
      expect(encode(decodeObject(bytesOf(hex)) as never)).toBe(hex);
      const [kind, hi, lo] = rawOf(c.test_json);
      const value = c.is_native ? String(c.test_json) : (c.test_json as { value: string }).value;
      if (kind === xrp) expect(String(dropsOf(hi, lo))).toBe(value);
      else expect(Number(rawText(kind, hi, lo))).toBe(Number(value) + 0); // the vectors have a "-0"
      if (typeof c.mantissa === 'string' && kind === issued) {
        const d = rawDecimal(kind, hi, lo);
        expect(d.m < 0n).toBe(Boolean(c.is_negative));
        expect(d.m < 0n ? -d.m : d.m).toBe(BigInt(`0x${c.mantissa}`));
        if (d.m !== 0n && typeof c.exponent === 'number') expect(d.e).toBe(c.exponent);
      }
      checked++;
    }
    expect(checked).toBeGreaterThan(15);
  });

  test("the serializer's integers", () => {
    for (const c of vectorCases('serialization.json')) {
      const digits = String(c.hex_value).slice(2);
      if (c.group === 'int32_roundtrip')
        expect(decodeObject(bytesOf(`A1${digits}`))).toEqual({ LoanScale: Number(c.value) });
      if (c.group === 'int64_roundtrip')
        expect(decodeObject(bytesOf(`31${digits}`))).toEqual({ IndexNext: digits.toUpperCase() });
    }
  });
});

test('an MPT amount is counted in tokens by its asset scale, exactly', () => {
  fc.assert(
    fc.property(anyMpt, anyScale, (raw, scale) => {
      const [hi, lo] = split(raw);
      const text = bruteText(mpt, raw, scale);
      expect(rawText(mpt, hi, lo, scale)).toBe(text);
      expect(decimalText(rawDecimal(mpt, hi, lo, scale))).toBe(text);
      const number = rawNumber(mpt, hi, lo, scale);
      // Two roundings at most: of the integer to a float, and of its quotient.
      expect(Math.abs(number - Number(text))).toBeLessThanOrEqual(Number(text) * 2 ** -52);
    }),
  );
});
