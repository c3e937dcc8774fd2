/**
 * The amounts of each kind of AMMWithdraw (XLS-30; rippled AMMWithdraw.cpp). Pure arithmetic, as in
 * amm-deposit-plan.ts; also used by AMMClawback.
 */

import { feeFraction } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { divide } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { Num } from '../../engine/codec/arithmetic/number.ts';
import type { PoolHoldings } from '../assets/amm.ts';
import {
  adjustedShare,
  adjustLpTokens,
  adjustSingleAsset,
  fractionOf,
  isMoreThan,
  lpTokensForWithdrawal,
  roundedDown,
  type ShareChange,
  shareOfBalance,
  shareOfLpTokens,
  withdrawalForLpTokens,
} from '../assets/amm-shares.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';
import { noTokens } from './amm-checks.ts';

/** Inputs of the arithmetic of a withdrawal. `pool` has the asset of `tx.Amount` first. */
export interface WithdrawTerms {
  readonly rules: Rules;
  readonly pool: PoolHoldings;
  readonly tx: Readonly<TransactionFields>;
  /** Units of 1/100000. */
  readonly tradingFee: number;
  /** LP tokens to return; absent for the kinds that compute them. */
  readonly tokens: Amount | undefined;
  /** All of the account's tokens are returned: they are not adjusted. */
  readonly all: boolean;
}

function takenTokens(rules: Rules, pool: PoolHoldings, tokens: Amount, all: boolean): Amount {
  if (all || !rules.enabled('fixAMMv1_3')) return tokens;
  return adjustLpTokens(rules, pool.lpTokens, tokens, 'withdraw');
}

/**
 * Both assets for `tokens`, which are not all of the pool's.
 * @param all see `WithdrawTerms`
 */
export function planEqualWithdrawal(
  rules: Rules,
  pool: PoolHoldings,
  asked: Amount,
  all: boolean,
): ShareChange | Result {
  const tokens = takenTokens(rules, pool, asked, all);
  if (rules.enabled('fixAMMv1_3') && tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const share = divide(tokens, pool.lpTokens, pool.lpTokens.asset);
  const amount = shareOfBalance(rules, pool.amount, share, 'withdraw');
  const amount2 = shareOfBalance(rules, pool.amount2, share, 'withdraw');
  // So few tokens that one asset rounds to zero: the pool would be emptied on one side.
  return amount.isZero || amount2.isZero ? 'tecAMM_FAILED' : { amount, amount2, tokens };
}

/** tfTwoAsset: both assets in the pool's ratio, neither more than requested. */
function byLimits({ rules, pool, tx }: WithdrawTerms): ShareChange | Result {
  const { numbers } = rules;
  const shareOf = (asked: Amount, balance: Amount): { tokens: Amount; share: Num } => {
    const share = numbers.div(numbers.of(asked), numbers.of(balance));
    const tokens = shareOfLpTokens(rules, pool.lpTokens, share, 'withdraw');
    return { tokens, share: adjustedShare(rules, pool.lpTokens, tokens, share) };
  };
  const [asked, asked2] = [tx.Amount!, tx.Amount2!];
  const fixed = rules.enabled('fixAMMv1_3');
  const first = shareOf(asked, pool.amount);
  if (fixed && first.tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const amount2 = shareOfBalance(rules, pool.amount2, first.share, 'withdraw');
  if (!isMoreThan(rules, amount2, asked2, pool.amount2, first.share))
    return { amount: asked, amount2, tokens: first.tokens };
  const second = shareOf(asked2, pool.amount2);
  if (fixed && second.tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const amount = shareOfBalance(rules, pool.amount, second.share, 'withdraw');
  if (fixed && amount.compare(asked) > 0) return 'tecAMM_FAILED';
  return { amount, amount2: asked2, tokens: second.tokens };
}

/** tfSingleAsset: the requested amount of one asset. */
function bySingleAsset({ rules, pool, tx, tradingFee, all }: WithdrawTerms): ShareChange | Result {
  const amount = tx.Amount!;
  const wanted = lpTokensForWithdrawal(rules, pool.amount, amount, pool.lpTokens, tradingFee);
  const tokens = takenTokens(rules, pool, wanted, all);
  if (tokens.isZero) return noTokens(rules);
  const adjusted = adjustSingleAsset(
    rules,
    pool.amount,
    amount,
    pool.lpTokens,
    tokens,
    tradingFee,
    'withdraw',
  );
  if (rules.enabled('fixAMMv1_3') && adjusted.tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  return { ...adjusted, amount2: undefined };
}

/** tfOneAssetLPToken, tfOneAssetWithdrawAll: one asset for tokens, at least the requested amount (zero: any). */
function bySingleTokens({
  rules,
  pool,
  tx,
  tradingFee,
  tokens: asked,
  all,
}: WithdrawTerms): ShareChange | Result {
  const least = tx.Amount!;
  const tokens = takenTokens(rules, pool, asked!, all);
  if (rules.enabled('fixAMMv1_3') && tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const amount = withdrawalForLpTokens(rules, pool.amount, pool.lpTokens, tokens, tradingFee);
  return least.isZero || amount.compare(least) >= 0
    ? { amount, amount2: undefined, tokens }
    : 'tecAMM_FAILED';
}

/**
 * tfLimitLPToken: one asset at EPrice = t/b tokens. Equation 8 with b = t/E gives
 * t = T * (T + B*E*(f - 2)) / (T*f - B*E).
 */
function byPrice({ rules, pool, tx, tradingFee, all }: WithdrawTerms): ShareChange | Result {
  const { numbers } = rules;
  const [total, price] = [numbers.of(pool.lpTokens), numbers.of(tx.EPrice!)];
  const fee = feeFraction(numbers, tradingFee);
  const cost = numbers.mul(numbers.of(pool.amount), price);
  const below = numbers.sub(numbers.mul(total, fee), cost);
  if (below.isZero && rules.enabled('fixCleanup3_3_0')) return 'tecAMM_FAILED';
  const above = numbers.add(total, numbers.mul(cost, numbers.sub(fee, numbers.of(2n))));
  const wanted = fractionOf(rules, pool.lpTokens, above, below, 'up');
  const tokens = takenTokens(rules, pool, wanted, all);
  if (tokens.signum <= 0) return noTokens(rules);
  const least = tx.Amount!;
  const amount = roundedDown(rules, least.asset, (mode) => numbers.div(numbers.of(tokens), price, mode));
  return least.isZero || amount.compare(least) >= 0
    ? { amount, amount2: undefined, tokens }
    : 'tecAMM_FAILED';
}

/** The plan of a withdrawal by its flag, for the kinds other than "both assets for tokens". */
export function planWithdrawal(terms: WithdrawTerms): ShareChange | Result {
  const flags = terms.tx.Flags ?? 0;
  if (flags & Tf.tfTwoAsset) return byLimits(terms);
  if (flags & (Tf.tfOneAssetLPToken | Tf.tfOneAssetWithdrawAll)) return bySingleTokens(terms);
  return flags & Tf.tfLimitLPToken ? byPrice(terms) : bySingleAsset(terms);
}

/**
 * The amounts that AMMClawback withdraws for `amount` of the first asset.
 * @returns undefined when that needs more tokens than the holder has: then all of them are returned
 */
export function planClawback(
  rules: Rules,
  pool: PoolHoldings,
  amount: Amount,
  held: Amount,
): ShareChange | Result | undefined {
  const { numbers } = rules;
  const asked = numbers.div(numbers.of(amount), numbers.of(pool.amount));
  const lpAsset = pool.lpTokens.asset;
  const tokens = numbers.toAmount(lpAsset, numbers.mul(numbers.of(pool.lpTokens), asked));
  if (tokens.compare(held) > 0) return undefined;
  if (!rules.enabled('fixAMMClawbackRounding')) {
    const amount2 = numbers.toAmount(pool.amount2.asset, numbers.mul(numbers.of(pool.amount2), asked));
    return { amount, amount2, tokens };
  }
  const taken = shareOfLpTokens(rules, pool.lpTokens, asked, 'withdraw');
  if (taken.isZero) return 'tecAMM_INVALID_TOKENS';
  const share = adjustedShare(rules, pool.lpTokens, taken, asked);
  return {
    amount: shareOfBalance(rules, pool.amount, share, 'withdraw'),
    amount2: shareOfBalance(rules, pool.amount2, share, 'withdraw'),
    tokens: taken,
  };
}
