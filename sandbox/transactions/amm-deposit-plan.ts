/**
 * The amounts of each kind of AMMDeposit (XLS-30; rippled AMMDeposit.cpp). Pure arithmetic: it does not read the ledger,
 * and does not check what the account has.
 */

import { feeMult, feeMultHalf, largerRoot } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { divide } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { PoolHoldings } from '../assets/amm.ts';
import {
  adjustedShare,
  adjustLpTokens,
  adjustSingleAsset,
  depositForLpTokens,
  initialLpTokens,
  isMoreThan,
  lpTokensForDeposit,
  roundedDown,
  type ShareChange,
  shareOfBalance,
  shareOfLpTokens,
} from '../assets/amm-shares.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { Tf } from '../protocol/flags.ts';
import type { Result } from '../protocol/results.ts';
import { noTokens } from './amm-checks.ts';

/** Amounts paid in and LP tokens received, and their required minimums. */
export interface DepositPlan extends ShareChange {
  readonly least: {
    readonly amount?: Amount | undefined;
    readonly amount2?: Amount | undefined;
    readonly tokens?: Amount | undefined;
  };
}

/** Inputs of the arithmetic of a deposit. `pool` has the asset of `tx.Amount` first. */
export interface DepositTerms {
  readonly rules: Rules;
  readonly pool: PoolHoldings;
  readonly tx: Readonly<TransactionFields>;
  /** Units of 1/100000. */
  readonly tradingFee: number;
}

/** The requested tokens, rounded to the digits of the total; before fixAMMv1_3 unchanged. */
function takenTokens({ rules, pool }: DepositTerms, tokens: Amount): Amount {
  return rules.enabled('fixAMMv1_3') ? adjustLpTokens(rules, pool.lpTokens, tokens, 'deposit') : tokens;
}

/** tfLPToken: both assets for the requested tokens. */
function byTokens(terms: DepositTerms): DepositPlan | Result {
  const { rules, pool, tx } = terms;
  const tokens = takenTokens(terms, tx.LPTokenOut!);
  if (rules.enabled('fixAMMv1_3') && tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const share = divide(tokens, pool.lpTokens, pool.lpTokens.asset);
  return {
    amount: shareOfBalance(rules, pool.amount, share, 'deposit'),
    amount2: shareOfBalance(rules, pool.amount2, share, 'deposit'),
    tokens,
    least: { amount: tx.Amount, amount2: tx.Amount2 },
  };
}

/** tfTwoAsset: both assets in the pool's ratio, neither more than given. */
function byLimits({ rules, pool, tx }: DepositTerms): DepositPlan | Result {
  const { numbers } = rules;
  const given = [tx.Amount!, tx.Amount2!] as const;
  const balances = [pool.amount, pool.amount2] as const;
  for (const [full, other] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const asked = numbers.div(numbers.of(given[full]), numbers.of(balances[full]));
    const tokens = shareOfLpTokens(rules, pool.lpTokens, asked, 'deposit');
    if (tokens.isZero) return noTokens(rules);
    const share = adjustedShare(rules, pool.lpTokens, tokens, asked);
    const rest = shareOfBalance(rules, balances[other], share, 'deposit');
    if (isMoreThan(rules, rest, given[other], balances[other], share)) continue;
    const [amount, amount2] = full === 0 ? [given[0], rest] : [rest, given[1]];
    return { amount, amount2, tokens, least: { tokens: tx.LPTokenOut } };
  }
  return 'tecAMM_FAILED';
}

/** One asset of which `amount` is paid in, with its tokens; undefined tokens: the amount is too small for any. */
function ofOneAsset(
  { rules, pool, tradingFee }: DepositTerms,
  amount: Amount,
  tokens: Amount,
): DepositPlan | Result {
  const adjusted = adjustSingleAsset(
    rules,
    pool.amount,
    amount,
    pool.lpTokens,
    tokens,
    tradingFee,
    'deposit',
  );
  if (rules.enabled('fixAMMv1_3') && adjusted.tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  return { ...adjusted, amount2: undefined, least: {} };
}

/** tfSingleAsset: one asset, the whole given amount. */
function bySingleAsset(terms: DepositTerms): DepositPlan | Result {
  const { rules, pool, tx, tradingFee } = terms;
  const amount = tx.Amount!;
  const tokens = takenTokens(
    terms,
    lpTokensForDeposit(rules, pool.amount, amount, pool.lpTokens, tradingFee),
  );
  if (tokens.isZero) return noTokens(rules);
  const plan = ofOneAsset(terms, amount, tokens);
  return typeof plan === 'string' ? plan : { ...plan, least: { tokens: tx.LPTokenOut } };
}

/** tfOneAssetLPToken: one asset for the requested tokens, at most the given amount. */
function bySingleTokens(terms: DepositTerms): DepositPlan | Result {
  const { rules, pool, tx, tradingFee } = terms;
  const tokens = takenTokens(terms, tx.LPTokenOut!);
  if (rules.enabled('fixAMMv1_3') && tokens.isZero) return 'tecAMM_INVALID_TOKENS';
  const amount = depositForLpTokens(rules, pool.amount, pool.lpTokens, tokens, tradingFee);
  if (amount.compare(tx.Amount!) > 0) return 'tecAMM_FAILED';
  return { amount, amount2: undefined, tokens, least: {} };
}

/** tfLimitLPToken: one asset, the whole given amount if a token then costs at most EPrice, else as much as fits EPrice. */
function byPrice(terms: DepositTerms): DepositPlan | Result {
  const { rules, pool, tx, tradingFee } = terms;
  const { numbers } = rules;
  const [amount, price] = [tx.Amount!, numbers.of(tx.EPrice!)];
  if (!amount.isZero) {
    const tokens = takenTokens(
      terms,
      lpTokensForDeposit(rules, pool.amount, amount, pool.lpTokens, tradingFee),
    );
    if (tokens.signum <= 0) return noTokens(rules);
    const plan = ofOneAsset(terms, amount, tokens);
    if (typeof plan === 'string') return plan;
    if (numbers.compare(numbers.div(numbers.of(plan.amount), numbers.of(plan.tokens)), price) <= 0)
      return plan;
  }
  const deposit = depositAtPrice(terms);
  if (deposit.signum <= 0) return 'tecAMM_FAILED';
  const tokens = roundedDown(rules, pool.lpTokens.asset, (mode) =>
    numbers.div(numbers.of(deposit), price, mode),
  );
  return ofOneAsset(terms, deposit, takenTokens(terms, tokens));
}

/**
 * The amount of one asset that buys tokens at EPrice = b/t. With c = f1*B/(E*T), d = f1 + c*f2 - c and R = b/(f1*B),
 * equation 3 becomes c^2*R^2 + (c^2*f2^2 + 2c - d^2)*R + 2c*f2^2 + 1 - 2d*f2 = 0.
 */
function depositAtPrice({ rules, pool, tx, tradingFee }: DepositTerms): Amount {
  const { numbers } = rules;
  const [one, two, balance] = [numbers.of(1n), numbers.of(2n), numbers.of(pool.amount)];
  const f1 = feeMult(numbers, tradingFee);
  const f2 = numbers.div(feeMultHalf(numbers, tradingFee), f1);
  const cost = numbers.mul(numbers.of(tx.EPrice!), numbers.of(pool.lpTokens));
  const c = numbers.div(numbers.mul(f1, balance), cost);
  const d = numbers.sub(numbers.add(f1, numbers.mul(c, f2)), c);
  const a1 = numbers.mul(c, c);
  const squares = numbers.mul(numbers.mul(a1, f2), f2);
  const twoC = numbers.mul(two, c);
  const b1 = numbers.sub(numbers.add(squares, twoC), numbers.mul(d, d));
  const free = numbers.add(numbers.mul(numbers.mul(twoC, f2), f2), one);
  const c1 = numbers.sub(free, numbers.mul(numbers.mul(two, d), f2));
  const root = largerRoot(numbers, a1, b1, c1);
  if (rules.enabled('fixAMMv1_3'))
    return shareOfBalance(rules, pool.amount, numbers.mul(f1, root), 'deposit');
  return numbers.toAmount(pool.amount.asset, numbers.mul(numbers.mul(f1, balance), root));
}

/** tfTwoAssetIfEmpty: both assets as given, as in AMMCreate. */
function intoEmpty({ rules, pool, tx }: DepositTerms): DepositPlan {
  const [amount, amount2] = [tx.Amount!, tx.Amount2!];
  return { amount, amount2, tokens: initialLpTokens(rules, amount, amount2, pool.lpTokens.asset), least: {} };
}

/** The plan of a deposit by the flag for its kind. */
export function planDeposit(terms: DepositTerms): DepositPlan | Result {
  const flags = terms.tx.Flags ?? 0;
  if (flags & Tf.tfTwoAsset) return byLimits(terms);
  if (flags & Tf.tfOneAssetLPToken) return bySingleTokens(terms);
  if (flags & Tf.tfLimitLPToken) return byPrice(terms);
  if (flags & Tf.tfSingleAsset) return bySingleAsset(terms);
  return flags & Tf.tfLPToken ? byTokens(terms) : intoEmpty(terms);
}
