/** Sums within a payment are computed from the smallest part up, in the arithmetic of the rules. */
import { expect, spyOn, test } from 'bun:test';
import { Amount, currencyOfJson } from '../../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../../engine/codec/arithmetic/asset.ts';
import { LARGE, SMALL } from '../../../../engine/codec/arithmetic/number.ts';
import type { Scale } from '../../../../engine/codec/arithmetic/number-scale.ts';
import { Sum } from '../../../../engine/codec/arithmetic/ratio.ts';
import { DeferredCredits } from '../../../../sandbox/flow/deferred-credits.ts';
import { drawsOf, seedOf } from '../../../sandbox/seed.ts';

const [ann, ben] = ['A'.repeat(40), 'B'.repeat(40)];
const usd = issued(currencyOfJson('USD')!, ann!);
/** Together 1000000000000000 and 5000000000000001 behind the point: more than a half, but not in 19 digits. */
const much = Amount.issued(usd, 1_000_000_000_000_000n, 0);
const bit = Amount.issued(usd, 5_000_000_000_000_001n, -16);

test.each([
  [SMALL, '1000000000000001'],
  [LARGE, '1000000000000000'],
] as const)('sums and debts', (scale, text) => {
  const sum = new Sum(Amount.zero(usd), scale);
  for (const part of [much, bit]) sum.add(part);
  expect(sum.total.text()).toBe(text);
  const credits = new DeferredCredits(scale);
  for (const part of [much, bit]) credits.credit(ann!, ben!, part, Amount.zero(usd));
  expect(credits.adjustment(ann!, ben!, usd)?.debits.text()).toBe(text);
});

/** One after the other, from the smallest up. */
const inOrder = (parts: readonly Amount[], scale: Scale): Amount =>
  parts.toSorted((a, b) => a.compare(b)).reduce((sum, part) => sum.add(part, scale));

test.each([
  ['issued', SMALL],
  ['issued', LARGE],
  ['drops', SMALL],
] as const)('sums of %s, asked for after each part, are those in ascending order', (kind, scale) => {
  const draw = drawsOf(seedOf('sums', 20_261_130));
  const part = () => {
    const digits = BigInt(1_000_000_000 + draw(1_000_000_000)) * 1_000_000n;
    return kind === 'drops' ? Amount.drops(digits) : Amount.issued(usd, digits, -16 + draw(6));
  };
  const sum = new Sum(kind === 'drops' ? Amount.drops(0n) : Amount.zero(usd), scale);
  expect(sum.total.isZero).toBe(true);
  const parts: Amount[] = [];
  for (let i = 0; i < 200; i++) {
    if (parts.length > 3 && draw(4) === 0) sum.remove(parts.splice(draw(parts.length), 1)[0]!);
    parts.push(part());
    sum.add(parts.at(-1)!);
    expect(sum.total.text()).toBe(inOrder(parts, scale).text());
  }
});

test('a total after each of many parts costs one addition where they come in ascending order, or are drops', () => {
  let additions = 0;
  const add = spyOn(Amount.prototype, 'add').mockImplementation(function (this: Amount, b, scale) {
    additions++;
    return this.sub(b.negate(), scale);
  });
  try {
    const PARTS = 500;
    const issuedSum = new Sum(Amount.zero(usd), SMALL);
    const drops = new Sum(Amount.drops(0n), SMALL);
    for (let i = 1; i <= PARTS; i++) {
      issuedSum.add(Amount.issued(usd, BigInt(i), 0));
      drops.add(Amount.drops(BigInt(PARTS - i + 1)));
      expect(issuedSum.total.text()).toBe(String((i * (i + 1)) / 2));
      expect(drops.total.isZero).toBe(false);
    }
    expect(additions).toBeLessThan(2 * PARTS);
  } finally {
    add.mockRestore();
  }
});
