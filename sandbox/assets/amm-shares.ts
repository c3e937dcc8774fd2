/**
 * Arithmetic of shares in an AMM's pool: LP tokens for deposited assets, assets for returned LP tokens (XLS-30;
 * rippled AMMHelpers.cpp, whose equation numbers are kept).
 *
 * T is the outstanding LP tokens, t those of this transaction, B and b the balance and the amount of one asset,
 * R = b/B. fixAMMv1_3 rounds tokens and assets so that sqrt(B1 * B2) never falls below T: tokens down and assets up
 * on a deposit, the other way on a withdrawal.
 */

import { feeFraction, feeMult, feeMultHalf, largerRoot } from '../../engine/codec/arithmetic/amm-math.ts';
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { multiply } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { Asset } from '../../engine/codec/arithmetic/asset.ts';
import type { Num, Numbers, Rounding } from '../../engine/codec/arithmetic/number.ts';
import type { Rules } from '../protocol/amendments.ts';

/** The direction: assets in and tokens out, or the reverse. */
export type Direction = 'deposit' | 'withdraw';

const tokenRounding = (direction: Direction): Rounding => (direction === 'deposit' ? 'down' : 'up');
const assetRounding = (direction: Direction): Rounding => (direction === 'deposit' ? 'up' : 'down');

/** `amount` times `factor`, every step rounded in one direction. */
function scaled(numbers: Numbers, amount: Amount, factor: Num | Amount, mode: Rounding): Amount {
  return numbers.toAmount(amount.asset, numbers.mul(numbers.of(amount), numbers.of(factor), mode), mode);
}

/** `whole` times `above / below`: since fixAMMv1_3 the quotient first and the product rounded in one direction. */
export function fractionOf(rules: Rules, whole: Amount, above: Num, below: Num, mode: Rounding): Amount {
  const { numbers } = rules;
  if (rules.enabled('fixAMMv1_3')) return scaled(numbers, whole, numbers.div(above, below), mode);
  return numbers.toAmount(whole.asset, numbers.div(numbers.mul(numbers.of(whole), above), below));
}

/** The result of a formula, all its steps rounded down since fixAMMv1_3. */
export function roundedDown(rules: Rules, asset: Asset, formula: (mode: Rounding) => Num): Amount {
  const mode = rules.enabled('fixAMMv1_3') ? 'down' : 'nearest';
  return rules.numbers.toAmount(asset, formula(mode), mode);
}

/** LP tokens of a new pool: the geometric mean of its balances (equation 1). */
export function initialLpTokens(rules: Rules, amount: Amount, amount2: Amount, lpAsset: Asset): Amount {
  const { numbers } = rules;
  return roundedDown(rules, lpAsset, (mode) =>
    numbers.sqrt(numbers.mul(numbers.of(amount), numbers.of(amount2), mode), mode),
  );
}

/** LP tokens for a deposit of one asset: t = T * (R - c) / (1 + c), c = sqrt(f2^2 + R/f1) - f2 (equation 3). */
export function lpTokensForDeposit(
  rules: Rules,
  balance: Amount,
  deposit: Amount,
  lpTokens: Amount,
  tradingFee: number,
): Amount {
  const { numbers } = rules;
  const f1 = feeMult(numbers, tradingFee);
  const f2 = numbers.div(feeMultHalf(numbers, tradingFee), f1);
  const r = numbers.div(numbers.of(deposit), numbers.of(balance));
  const c = numbers.sub(numbers.sqrt(numbers.add(numbers.mul(f2, f2), numbers.div(r, f1))), f2);
  const above = numbers.sub(r, c);
  const below = numbers.add(numbers.of(1n), c);
  return fractionOf(rules, lpTokens, above, below, 'down');
}

/** The deposit of one asset for `tokens`: equation 3 solved for b (equation 4). */
export function depositForLpTokens(
  rules: Rules,
  balance: Amount,
  lpTokens: Amount,
  tokens: Amount,
  tradingFee: number,
): Amount {
  const { numbers } = rules;
  const [one, two] = [numbers.of(1n), numbers.of(2n)];
  const f1 = feeMult(numbers, tradingFee);
  const f2 = numbers.div(feeMultHalf(numbers, tradingFee), f1);
  const t1 = numbers.div(numbers.of(tokens), numbers.of(lpTokens));
  const t2 = numbers.add(one, t1);
  const d = numbers.sub(f2, numbers.div(t1, t2));
  const a = numbers.div(one, numbers.mul(t2, t2));
  const b = numbers.sub(numbers.div(numbers.mul(two, d), t2), numbers.div(one, f1));
  const c = numbers.sub(numbers.mul(d, d), numbers.mul(f2, f2));
  const ratio = largerRoot(numbers, a, b, c);
  return scaled(numbers, balance, ratio, rules.enabled('fixAMMv1_3') ? 'up' : 'nearest');
}

/** LP tokens for a withdrawal of one asset: t = T * (c - sqrt(c^2 - 4R)) / 2, c = R*f + 2 - f (equation 7). */
export function lpTokensForWithdrawal(
  rules: Rules,
  balance: Amount,
  withdrawal: Amount,
  lpTokens: Amount,
  tradingFee: number,
): Amount {
  const { numbers } = rules;
  const two = numbers.of(2n);
  const r = numbers.div(numbers.of(withdrawal), numbers.of(balance));
  const fee = feeFraction(numbers, tradingFee);
  const c = numbers.sub(numbers.add(numbers.mul(r, fee), two), fee);
  const inner = numbers.sub(numbers.mul(c, c), numbers.mul(numbers.of(4n), r));
  const doubled = numbers.sub(c, numbers.sqrt(inner));
  return fractionOf(rules, lpTokens, doubled, two, 'up');
}

/** The withdrawal of one asset for `tokens`: b = B * (t1^2 - t1*(2 - f)) / (t1*f - 1), t1 = t/T (equation 8). */
export function withdrawalForLpTokens(
  rules: Rules,
  balance: Amount,
  lpTokens: Amount,
  tokens: Amount,
  tradingFee: number,
): Amount {
  const { numbers } = rules;
  const fee = feeFraction(numbers, tradingFee);
  const t1 = numbers.div(numbers.of(tokens), numbers.of(lpTokens));
  const above = numbers.sub(numbers.mul(t1, t1), numbers.mul(t1, numbers.sub(numbers.of(2n), fee)));
  const below = numbers.sub(numbers.mul(t1, fee), numbers.of(1n));
  return fractionOf(rules, balance, above, below, 'down');
}

/**
 * The tokens by which the outstanding total really changes: the part of `tokens` that remains when added to (or taken
 * from) a total of 16 digits (rippled `adjustLPTokens`). Never more than `tokens`.
 */
export function adjustLpTokens(rules: Rules, lpTokens: Amount, tokens: Amount, direction: Direction): Amount {
  const { numbers } = rules;
  const sum = (a: Amount, b: Amount): Amount =>
    numbers.toAmount(lpTokens.asset, numbers.add(numbers.of(a), numbers.of(b), 'down'), 'down');
  if (direction === 'deposit') return sum(sum(lpTokens, tokens), lpTokens.negate());
  return sum(sum(tokens, lpTokens.negate()), lpTokens);
}

/** Amounts and tokens of one deposit or withdrawal. */
export interface ShareChange {
  readonly amount: Amount;
  readonly amount2: Amount | undefined;
  readonly tokens: Amount;
}

/**
 * Before fixAMMv1_3: amounts reduced where the total of LP tokens cannot represent all of the tokens (rippled
 * `adjustAmountsByLPTokens`). Since then the amounts are adjusted before.
 */
export function adjustByLpTokens(
  rules: Rules,
  balance: Amount,
  lpTokens: Amount,
  change: ShareChange,
  tradingFee: number,
  direction: Direction,
): ShareChange {
  if (rules.enabled('fixAMMv1_3')) return change;
  const { numbers } = rules;
  const tokens = adjustLpTokens(rules, lpTokens, change.tokens, direction);
  if (tokens.isZero || tokens.compare(change.tokens) >= 0) return { ...change, tokens };
  const fixed = rules.enabled('fixAMMv1_1');
  const within = (value: Amount, limit: Amount): Amount =>
    fixed || value.compare(limit) < 0 ? value : limit;
  if (change.amount2 !== undefined) {
    const fraction = numbers.div(numbers.of(tokens), numbers.of(change.tokens));
    const amount = within(scaled(numbers, change.amount, fraction, 'nearest'), change.amount);
    return {
      amount,
      amount2: within(scaled(numbers, change.amount2, fraction, 'nearest'), change.amount2),
      tokens,
    };
  }
  const amount =
    direction === 'deposit'
      ? depositForLpTokens(rules, balance, lpTokens, tokens, tradingFee)
      : withdrawalForLpTokens(rules, balance, lpTokens, fixed ? tokens : change.tokens, tradingFee);
  return { amount: within(amount, change.amount), amount2: undefined, tokens };
}

/** A share of a balance, for deposits and withdrawals of both assets (rippled `getRoundedAsset`). */
export function shareOfBalance(
  rules: Rules,
  balance: Amount,
  share: Num | Amount,
  direction: Direction,
): Amount {
  if (rules.enabled('fixAMMv1_3')) return scaled(rules.numbers, balance, share, assetRounding(direction));
  return share instanceof Amount
    ? multiply(balance, share, balance.asset, rules.numbers)
    : scaled(rules.numbers, balance, share, 'nearest');
}

/**
 * Whether a share of a balance is more than a limit. Before fixAMMv1_3 the share was compared before it was rounded to
 * an amount: a fraction of a drop too much was refused.
 */
export function isMoreThan(
  rules: Rules,
  rounded: Amount,
  limit: Amount,
  balance: Amount,
  share: Num,
): boolean {
  if (rules.enabled('fixAMMv1_3')) return rounded.compare(limit) > 0;
  const { numbers } = rules;
  return numbers.compare(numbers.mul(numbers.of(balance), share), numbers.of(limit)) > 0;
}

/** A share of the LP tokens, rounded to the digits of the total (rippled `getRoundedLPTokens`). */
export function shareOfLpTokens(rules: Rules, lpTokens: Amount, share: Num, direction: Direction): Amount {
  if (!rules.enabled('fixAMMv1_3')) return scaled(rules.numbers, lpTokens, share, 'nearest');
  const tokens = scaled(rules.numbers, lpTokens, share, tokenRounding(direction));
  return adjustLpTokens(rules, lpTokens, tokens, direction);
}

/** The share of the adjusted tokens in the total; before fixAMMv1_3 the requested share. */
export function adjustedShare(rules: Rules, lpTokens: Amount, tokens: Amount, share: Num): Num {
  if (!rules.enabled('fixAMMv1_3')) return share;
  return rules.numbers.div(rules.numbers.of(tokens), rules.numbers.of(lpTokens));
}

/**
 * Makes one asset and its tokens consistent (rippled `adjustAssetInByTokens`, `adjustAssetOutByTokens`): the amount for
 * the adjusted tokens, never more than requested.
 */
export function adjustSingleAsset(
  rules: Rules,
  balance: Amount,
  amount: Amount,
  lpTokens: Amount,
  tokens: Amount,
  tradingFee: number,
  direction: Direction,
): { readonly amount: Amount; readonly tokens: Amount } {
  if (!rules.enabled('fixAMMv1_3')) return { amount, tokens };
  const [assetFor, tokensFor] =
    direction === 'deposit'
      ? [depositForLpTokens, lpTokensForDeposit]
      : [withdrawalForLpTokens, lpTokensForWithdrawal];
  const asset = assetFor(rules, balance, lpTokens, tokens, tradingFee);
  if (asset.compare(amount) <= 0) return { amount: asset, tokens };
  // Rounded in the wrong direction: try again with the difference subtracted.
  const { numbers } = rules;
  const less = amount.sub(asset.sub(amount, numbers), numbers);
  const again = tokensFor(rules, balance, less, lpTokens, tradingFee);
  const adjusted = adjustLpTokens(rules, lpTokens, again, direction);
  const fitting = assetFor(rules, balance, lpTokens, adjusted, tradingFee);
  return { amount: fitting.compare(amount) < 0 ? fitting : amount, tokens: adjusted };
}

/**
 * Whether two values are within a relative distance: (max - min) / max < distance (rippled
 * `withinRelativeDistance`).
 */
export function withinRelativeDistance(numbers: Numbers, a: Num, b: Num, distance: Num): boolean {
  if (numbers.equals(a, b)) return true;
  const [low, high] = numbers.compare(a, b) < 0 ? [a, b] : [b, a];
  return numbers.compare(numbers.div(numbers.sub(high, low), high), distance) < 0;
}
