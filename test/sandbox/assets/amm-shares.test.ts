/** Shares in pools: recorded figures, closed formulas at higher precision, and that providers never gain by rounding. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Amount, amountOfText } from '../../../engine/codec/arithmetic/amount.ts';
import { divide } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type Asset, issued, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import {
  adjustLpTokens,
  adjustSingleAsset,
  depositForLpTokens,
  initialLpTokens,
  lpTokensForDeposit,
  lpTokensForWithdrawal,
  shareOfBalance,
  withdrawalForLpTokens,
} from '../../../sandbox/assets/amm-shares.ts';
import { type Rules, rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { seedOf } from '../seed.ts';

const seed = seedOf('amm-shares', 20_260_322);

const MAINNET = rulesOf(['AMM', 'fixAMMv1_1', 'fixAMMv1_2', 'fixAMMv1_3']);
const OLD = rulesOf(['AMM', 'fixAMMv1_1']);
const TOKEN = issued(`${'0'.repeat(24)}544B4E${'0'.repeat(10)}`, '11'.repeat(20));
const LP = issued(`03${'5A'.repeat(19)}`, '33'.repeat(20));

describe.skipIf(!corpusDir)('recorded', () => {
  const cases = corpusDir
    ? JSON.parse(readFileSync(join(corpusDir, 'vectors/amm_math_mainnet_anchored.json'), 'utf8')).cases
    : [];
  const of = (id: string) => cases.find((one: { id: string }) => one.id === id);

  test('withdrawal of all tokens: the share is rounded as an amount', () => {
    const one = of('withdraw all Beats/XRP');
    const share = divide(amountOfText(LP, one.lp_holder), amountOfText(LP, one.lp_total), LP);
    expect(share.mantissa.toString()).toBe(one.expect_frac_mantissa);
    const payout = shareOfBalance(MAINNET, amountOfText(TOKEN, one.pool_asset), share, 'withdraw');
    expect(payout.text()).toBe(one.expect_payout);
  });

  test('deposit of one asset', () => {
    const one = of('single asset deposit XRP/QZilla (LP tokens out)');
    const total = amountOfText(LP, one.lp_total);
    const deposit = amountOfText(XRP, one.deposit);
    const tokensIn = (rules: Rules): Amount =>
      lpTokensForDeposit(rules, amountOfText(XRP, one.pool_asset), deposit, total, one.trading_fee);
    // The figure was computed with more digits than mainnet uses.
    expect(tokensIn(SANDBOX_RULES).text()).toStartWith(one.expect_tokens_prefix);
    const tokens = tokensIn(MAINNET);
    const taken = adjustLpTokens(MAINNET, total, tokens, 'deposit');
    expect(total.add(taken).text()).toStartWith(one.expect_new_lp_prefix);
  });
});

/** XLS-30's equations in double precision: an oracle to eleven digits or so. */
const closed = {
  tokensOut: (balance: number, deposit: number, total: number, fee: number): number => {
    const [f1, r] = [1 - fee, deposit / balance];
    const f2 = (1 - fee / 2) / f1;
    const c = Math.sqrt(f2 * f2 + r / f1) - f2;
    return (total * (r - c)) / (1 + c);
  },
  tokensIn: (balance: number, withdrawal: number, total: number, fee: number): number => {
    const r = withdrawal / balance;
    const c = r * fee + 2 - fee;
    return (total * (c - Math.sqrt(c * c - 4 * r))) / 2;
  },
};
const value = (amount: Amount): number => Number(amount.mantissa) * 10 ** amount.exponent;
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

const amounts = (asset: Asset): fc.Arbitrary<Amount> =>
  fc
    .tuple(fc.bigInt({ min: 10n ** 15n, max: 10n ** 16n - 1n }), fc.integer({ min: -13, max: -6 }))
    .map(([mantissa, exponent]) => Amount.issued(asset, mantissa, exponent));
const drops = fc.bigInt({ min: 10n ** 6n, max: 10n ** 14n }).map((n) => Amount.drops(n));
const balances = fc.oneof(amounts(TOKEN), drops);
const fees = fc.integer({ min: 0, max: 1000 });
const parts = fc.integer({ min: 1, max: 900_000 });
const partOf = (amount: Amount, millionths: number): Amount =>
  Amount.of(amount.asset, (amount.mantissa * BigInt(millionths)) / 1_000_000n, amount.exponent);

for (const [name, rules] of [
  ['16 digits', MAINNET],
  ['19 digits', SANDBOX_RULES],
  ['before fixAMMv1_3', OLD],
] as const) {
  describe(name, () => {
    test('tokens for a deposit and for a withdrawal are those of XLS-30', () => {
      fc.assert(
        fc.property(balances, amounts(LP), fees, parts, (balance, total, fee, part) => {
          const amount = partOf(balance, part + 1000);
          const out = lpTokensForDeposit(rules, balance, amount, total, fee);
          expect(
            near(value(out), closed.tokensOut(value(balance), value(amount), value(total), fee / 1e5)),
          ).toBe(true);
          const back = lpTokensForWithdrawal(rules, balance, amount, total, fee);
          expect(
            near(value(back), closed.tokensIn(value(balance), value(amount), value(total), fee / 1e5)),
          ).toBe(true);
        }),
        { seed, numRuns: 500 },
      );
    });

    test('the solved equations invert the others', () => {
      fc.assert(
        fc.property(amounts(TOKEN), amounts(LP), fees, parts, (balance, total, fee, part) => {
          const amount = partOf(balance, part + 1000);
          const out = lpTokensForDeposit(rules, balance, amount, total, fee);
          expect(near(value(depositForLpTokens(rules, balance, total, out, fee)), value(amount))).toBe(true);
          const back = lpTokensForWithdrawal(rules, balance, amount, total, fee);
          expect(near(value(withdrawalForLpTokens(rules, balance, total, back, fee)), value(amount))).toBe(
            true,
          );
        }),
        { seed, numRuns: 500 },
      );
    });

    test('the total changes by the adjusted tokens, except in the last digit', () => {
      fc.assert(
        fc.property(amounts(LP), amounts(LP), (total, tokens) => {
          const taken = adjustLpTokens(rules, total, tokens, 'deposit');
          expect(taken.compare(tokens)).toBeLessThanOrEqual(0);
          const sum = total.add(taken);
          const lost = exactly(total) + exactly(taken) - exactly(sum);
          // No difference at all, except where it falls below a power of ten: there rippled drops a digit.
          expect(lost < 0n ? -lost : lost).toBeLessThanOrEqual(10n ** BigInt(sum.exponent + 40));
        }),
        { seed, numRuns: 1000 },
      );
    });
  });
}

/** In units of 10^-40. */
const exactly = (amount: Amount): bigint => amount.mantissa * 10n ** BigInt(amount.exponent + 40);

describe('since fixAMMv1_3', () => {
  for (const [name, rules] of [
    ['16 digits', MAINNET],
    ['19 digits', SANDBOX_RULES],
  ] as const) {
    test(`LP tokens of a new pool are not more than its mean (${name})`, () => {
      fc.assert(
        fc.property(balances, amounts(TOKEN), (amount, amount2) => {
          const tokens = initialLpTokens(rules, amount, amount2, LP);
          // Compared as squares, exactly: drops count as units.
          const mean2 = exactly(amount) * exactly(amount2);
          const off = exactly(tokens) ** 2n - mean2;
          // Newton's method may end one unit of the sixteenth digit above.
          expect(off * 10n ** 14n <= mean2).toBe(true);
        }),
        { seed, numRuns: 500 },
      );
    });

    test(`both assets for tokens: never less on the way in, never more on the way out (${name})`, () => {
      fc.assert(
        fc.property(balances, amounts(LP), parts, (balance, total, part) => {
          const tokens = partOf(total, part);
          const share = rules.numbers.div(rules.numbers.of(tokens), rules.numbers.of(total));
          const put = shareOfBalance(rules, balance, share, 'deposit');
          const got = shareOfBalance(rules, balance, share, 'withdraw');
          expect(got.compare(put)).toBeLessThanOrEqual(0);
        }),
        { seed, numRuns: 500 },
      );
    });

    test(`one asset is never more than asked for, and pays for its tokens (${name})`, () => {
      fc.assert(
        fc.property(balances, amounts(LP), fees, parts, (balance, total, fee, part) => {
          const amount = partOf(balance, part);
          if (amount.isZero) return;
          for (const direction of ['deposit', 'withdraw'] as const) {
            const tokensFor = direction === 'deposit' ? lpTokensForDeposit : lpTokensForWithdrawal;
            const tokens = adjustLpTokens(
              rules,
              total,
              tokensFor(rules, balance, amount, total, fee),
              direction,
            );
            if (tokens.signum <= 0) continue;
            const adjusted = adjustSingleAsset(rules, balance, amount, total, tokens, fee, direction);
            expect(adjusted.amount.compare(amount)).toBeLessThanOrEqual(0);
            if (adjusted.tokens.signum <= 0 || !adjusted.amount.isIssued) continue;
            const worth = tokensFor(rules, balance, adjusted.amount, total, fee);
            // The formulas subtract numbers near one, whose sixteenth digit is 10^-15: that fraction of the total is lost.
            const lost = 1e-14 * value(total);
            expect(Math.abs(value(worth) - value(adjusted.tokens))).toBeLessThanOrEqual(
              1e-9 * value(worth) + lost,
            );
          }
        }),
        { seed, numRuns: 500 },
      );
    });
  }
});
