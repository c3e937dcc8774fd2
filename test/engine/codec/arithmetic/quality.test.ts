/** Oracles: the book directories of recorded offers, figures verified by mainnet transactions, exact rationals. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount } from '../../../../engine/codec/arithmetic/amount.ts';
import {
  divide,
  divideRate,
  divRound,
  divRoundStrict,
  mulRatio,
  mulRound,
  mulRoundStrict,
  multiply,
  multiplyRate,
} from '../../../../engine/codec/arithmetic/amount-arithmetic.ts';
import {
  amountFromQuality,
  ceilIn,
  ceilInStrict,
  ceilOut,
  ceilOutStrict,
  composed,
  getRate,
  QUALITY_ONE,
  qualityOf,
  roundToTickSize,
} from '../../../../engine/codec/arithmetic/quality.ts';
import { bytesOf } from '../../../../engine/codec/bytes.ts';
import { amendmentOf } from '../../../../sandbox/protocol/amendments.ts';
import { decodeFields, fromJson } from '../../../../sandbox/protocol/encode.ts';
import { directoryQuality } from '../../../../sandbox/protocol/keylets.ts';
import { corpusDir, readLines } from '../../../../support/corpus.ts';
import { seedOf } from '../../../sandbox/seed.ts';

const seed = seedOf('quality');

const USD = `0000000000000000000000005553440000000000${'A'.repeat(40)}`;
const usd = (text: string): Amount =>
  Amount.parse({ value: text, currency: 'USD', issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh' });

/** Close times since fixUniversalNumber was enabled. */
const UNIVERSAL_NUMBER = amendmentOf('fixUniversalNumber')!.since! + 86_400;

describe.skipIf(!corpusDir)('recorded offers', () => {
  test('an offer placed without crossing is in the directory of its rate', () => {
    let seen = 0;
    for (const line of readLines('tx.jsonl.gz')) {
      if (line.type !== 'OfferCreate' || ((line.close_time as number) ?? 0) < UNIVERSAL_NUMBER) continue;
      const tx = line.tx as Record<string, unknown>;
      const nodes = (line.meta as { AffectedNodes: Record<string, Record<string, unknown>>[] }).AffectedNodes;
      const created = nodes.flatMap(({ CreatedNode: node }) =>
        node?.LedgerEntryType === 'Offer' ? [node.NewFields as Record<string, unknown>] : [],
      )[0];
      // An offer that crossed keeps the rate of the whole, as far as its first part allowed: those are left out.
      if (!created || Bun.deepEquals(created.TakerPays, tx.TakerPays) === false) continue;
      if (!Bun.deepEquals(created.TakerGets, tx.TakerGets)) continue;
      const { TakerPays, TakerGets, BookDirectory } = fromJson({
        TakerPays: created.TakerPays,
        TakerGets: created.TakerGets,
        BookDirectory: created.BookDirectory,
      });
      seen++;
      expect({ hash: line.hash, rate: getRate(TakerGets!, TakerPays!) }).toEqual({
        hash: line.hash,
        rate: directoryQuality(BookDirectory!),
      });
    }
    expect(seen).toBeGreaterThan(40);
  });

  test('the exchange rate of a book directory is its own key', () => {
    let seen = 0;
    for (const line of readLines('tx.jsonl.gz')) {
      if (typeof line.meta_blob !== 'string') continue;
      for (const node of decodeFields(bytesOf(line.meta_blob)).AffectedNodes ?? []) {
        const { LedgerEntryType, LedgerIndex, NewFields } = node.CreatedNode ?? {};
        if (LedgerEntryType !== 'DirectoryNode' || NewFields?.ExchangeRate === undefined) continue;
        seen++;
        expect(directoryQuality(LedgerIndex!)).toBe(NewFields.ExchangeRate);
      }
    }
    expect(seen).toBeGreaterThan(100);
  });
});

describe('figures of mainnet', () => {
  test('quality of the remainder that tick sizes changed (ledger 105333100)', () => {
    expect(getRate(Amount.drops(3654430), usd('140.55304742187'))).toBe(0x500daa02090c875dn);
    expect(getRate(Amount.drops(3654519), usd('140.55304742187'))).toBe(0x500da9ec3a23f7e9n);
  });

  test('the XRP side of a tick-sized offer rounds half to even', () => {
    expect(multiply(usd('3654430.39499415'), usd('1'), 'XRP').drops).toBe(3654430n);
    expect(multiply(usd('8543054.951085025'), usd('1'), 'XRP').drops).toBe(8543055n);
  });

  test('a quotient is truncated, raised by five in a place beyond the last, then rounded (ledger 105330061)', () => {
    const part = divide(usd('847705.70467585'), usd('59602830.80566885'), USD);
    expect(part.mantissa).toBe(1422257455253660n);
  });
});

const positive = fc.tuple(
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 16n - 1n }),
  fc.integer({ min: -25, max: 5 }),
);
const amountOf = ([m, e]: [bigint, number]): Amount => Amount.issued(USD, m, e);
/** The value in units of 10^-120. */
const exact = (amount: Amount): bigint =>
  amount.isZero ? 0n : amount.mantissa * 10n ** BigInt(amount.exponent + 120);

describe('rounding', () => {
  test('up is not below and down not above the exact value, and both are within two digits of it', () => {
    fc.assert(
      fc.property(positive, positive, (x, y) => {
        const a = amountOf(x);
        const b = amountOf(y);
        const product = a.mantissa * b.mantissa * 10n ** BigInt(a.exponent + b.exponent + 120);
        const numerator = a.mantissa * 10n ** BigInt(a.exponent - b.exponent + 120);
        for (const [round, top, bottom] of [
          [mulRound, product, 1n],
          [mulRoundStrict, product, 1n],
          [divRound, numerator, b.mantissa],
          [divRoundStrict, numerator, b.mantissa],
        ] as const) {
          const up = round(a, b, USD, true);
          const down = round(a, b, USD, false);
          // A 17th digit that is truncated alone is not seen by any of them.
          const slip = 10n ** BigInt(up.exponent + 119);
          expect((exact(up) + slip) * bottom >= top).toBeTrue();
          const strict = round === mulRoundStrict || round === divRoundStrict;
          // The older ones round half to even where they should round down.
          const slack = strict ? 0n : 10n ** BigInt(down.exponent + 120);
          expect((exact(down) - slack) * bottom <= top).toBeTrue();
          const unit = 10n ** BigInt(up.exponent + 120);
          expect(exact(up) * bottom - top <= 2n * unit * bottom).toBeTrue();
          expect(top - exact(down) * bottom <= 2n * unit * bottom).toBeTrue();
        }
      }),
      { numRuns: 1_000, seed },
    );
  });

  test('a fraction of a drop below 0.1 is lost by the older product, kept by the strict one', () => {
    const one = usd('1');
    expect(mulRound(usd('5.01'), one, 'XRP', true).drops).toBe(5n);
    expect(mulRoundStrict(usd('5.01'), one, 'XRP', true).drops).toBe(6n);
    expect(mulRound(usd('5.1'), one, 'XRP', true).drops).toBe(6n);
    expect(mulRoundStrict(usd('5.9'), one, 'XRP', false).drops).toBe(5n);
    expect(mulRound(usd('5.9'), one, 'XRP', false).drops).toBe(6n);
    expect(mulRound(usd('0.0000001'), one, 'XRP', true).drops).toBe(1n);
    // rippled rounds a negative quotient down in both cases.
    expect(divRoundStrict(usd('-59'), usd('10'), 'XRP', true).drops).toBe(-6n);
    expect(divRoundStrict(usd('-59'), usd('10'), 'XRP', false).drops).toBe(-6n);
  });

  test('overflow and division by zero are errors', () => {
    expect(() => multiply(Amount.drops(10n ** 17n), Amount.drops(2), 'XRP')).toThrow(RangeError);
    expect(() => divide(usd('1'), usd('0'), USD)).toThrow(RangeError);
    expect(() => mulRound(usd('1e90'), usd('1e90'), USD, true)).toThrow(RangeError);
    expect(getRate(usd('0'), usd('1'))).toBe(0n);
    expect(getRate(usd('1e-81'), usd('9e80'))).toBe(0n);
  });

  test('rates: a billion is one', () => {
    expect(multiplyRate(usd('10'), 1_002_000_000).text()).toBe('10.02');
    expect(divideRate(usd('10.02'), 1_002_000_000).text()).toBe('10');
    expect(multiplyRate(Amount.drops(3), 1_000_000_000).drops).toBe(3n);
    expect(multiplyRate(Amount.mpt('0'.repeat(48), 1000), 1_000_100_000).mantissa).toBe(1000n);
  });

  test('ratios round up or down exactly', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        (drops, n, d) => {
          const top = drops * BigInt(n);
          const down = top / BigInt(d) - (top % BigInt(d) !== 0n && top < 0n ? 1n : 0n);
          const up = top % BigInt(d) === 0n ? down : down + 1n;
          if (up > 2n ** 63n - 1n || down < -(2n ** 63n) + 1n) return;
          expect(mulRatio(Amount.drops(drops), n, d, false).drops).toBe(down);
          expect(mulRatio(Amount.drops(drops), n, d, true).drops).toBe(up);
        },
      ),
      { numRuns: 1_000, seed },
    );
    expect(mulRatio(usd('1'), 1, 3, false).text()).toBe('0.3333333333333333');
    expect(mulRatio(usd('1'), 1, 3, true).text()).toBe('0.3333333333333334');
    expect(mulRatio(usd('-1'), 1, 3, false).text()).toBe('-0.3333333333333334');
  });
});

describe('qualities', () => {
  test('one, its amount, and the order of rates', () => {
    expect(QUALITY_ONE).toBe(0x55038d7ea4c68000n);
    expect(amountFromQuality(QUALITY_ONE).text()).toBe('1');
    expect(qualityOf(usd('1'), usd('2')) < qualityOf(usd('1'), usd('1'))).toBeTrue();
    expect(composed(qualityOf(usd('2'), usd('1')), qualityOf(usd('3'), usd('1')))).toBe(
      qualityOf(usd('6'), usd('1')),
    );
  });

  test('tick sizes round the rate up', () => {
    const rate = qualityOf(usd('1.23456789'), usd('1'));
    expect(amountFromQuality(roundToTickSize(rate, 5)).text()).toBe('1.2346');
    expect(amountFromQuality(roundToTickSize(rate, 3)).text()).toBe('1.24');
    expect(roundToTickSize(rate, 16)).toBe(rate);
  });

  test('a limited offer keeps its rate and never takes or gives more than before', () => {
    fc.assert(
      fc.property(positive, positive, fc.integer({ min: 1, max: 99 }), (x, y, percent) => {
        const offer = { in: amountOf(x), out: amountOf(y) };
        const quality = qualityOf(offer.in, offer.out);
        if (quality === 0n) return;
        const share = Amount.issued(USD, BigInt(percent), -2);
        const limitIn = multiply(offer.in, share, USD);
        const limitOut = multiply(offer.out, share, USD);
        for (const [got, limit] of [
          [ceilIn(quality, offer, limitIn), limitIn],
          [ceilInStrict(quality, offer, limitIn, false), limitIn],
        ] as const) {
          expect(got.in.equals(limit)).toBeTrue();
          expect(got.out.compare(offer.out) <= 0).toBeTrue();
        }
        const strict = ceilOutStrict(quality, offer, limitOut, true);
        expect(strict.in.compare(ceilOutStrict(quality, offer, limitOut, false).in) >= 0).toBeTrue();
        expect(ceilOut(quality, offer, limitOut).out.equals(limitOut)).toBeTrue();
        expect(ceilIn(quality, offer, offer.in)).toEqual(offer);
      }),
      { numRuns: 500, seed },
    );
  });
});
