/** Sums within a payment are computed from the smallest part up, in the arithmetic of the rules. */
import { expect, test } from 'bun:test';
import { Amount, currencyOfJson } from '../../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../../engine/codec/arithmetic/asset.ts';
import { LARGE, SMALL } from '../../../../engine/codec/arithmetic/number.ts';
import { Sum } from '../../../../engine/codec/arithmetic/ratio.ts';
import { DeferredCredits } from '../../../../sandbox/flow/deferred-credits.ts';

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
