/** AMMWithdraw: returns LP tokens to a pool for its assets (XLS-30; rippled AMMWithdraw.cpp). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import {
  adjustLastProvidersTokens,
  ammHolds,
  ammLpHolds,
  checkPrecisionLoss,
  getTradingFee,
  type PoolCounting,
} from '../assets/amm.ts';
import { setLpTokensOrDelete } from '../assets/amm-removal.ts';
import { requireAuth } from '../assets/authorisation.ts';
import { checkFrozen, isIndividualFrozen } from '../assets/freeze.ts';
import { checkWithdrawFreeze } from '../assets/vault-freeze.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, hasOne, Tf } from '../protocol/flags.ts';
import { amm as ammKey } from '../protocol/keylets.ts';
import { firstFailure, type Result } from '../protocol/results.ts';
import { checkAssetPair, checkNoMpt, checkPoolAmount } from './amm-checks.ts';
import { planWithdrawal } from './amm-withdraw-plan.ts';
import { type Withdrawal, type Withdrawn, withdraw, withdrawEqually } from './amm-withdrawal.ts';

type Option = 'Amount' | 'Amount2' | 'EPrice' | 'LPTokenIn';

/** The fields of each kind: exactly these of the four. */
const FIELDS: readonly [flag: number, must: readonly Option[]][] = [
  [Tf.tfLPToken, ['LPTokenIn']],
  [Tf.tfWithdrawAll, []],
  [Tf.tfOneAssetWithdrawAll, ['Amount']],
  [Tf.tfSingleAsset, ['Amount']],
  [Tf.tfTwoAsset, ['Amount', 'Amount2']],
  [Tf.tfOneAssetLPToken, ['Amount', 'LPTokenIn']],
  [Tf.tfLimitLPToken, ['Amount', 'EPrice']],
];
const KINDS = FIELDS.reduce((mask, [flag]) => mask | flag, 0) >>> 0;
const OPTIONS: readonly Option[] = ['Amount', 'Amount2', 'EPrice', 'LPTokenIn'];

const givesAll = (tx: Readonly<TransactionFields>): boolean =>
  hasAny(tx.Flags, Tf.tfWithdrawAll | Tf.tfOneAssetWithdrawAll);

function checkFields(tx: Readonly<TransactionFields>): Result {
  if (!hasOne(tx.Flags, KINDS)) return 'temMALFORMED';
  const [, must] = FIELDS.find(([flag]) => hasAny(tx.Flags, flag))!;
  return OPTIONS.every((name) => (tx[name] !== undefined) === must.includes(name))
    ? 'tesSUCCESS'
    : 'temMALFORMED';
}

function preflight(tx: Readonly<TransactionFields>): Result {
  const { Amount: amount, Amount2: amount2, EPrice: price, LPTokenIn: tokens } = tx;
  const pair = [tx.Asset!, tx.Asset2!] as const;
  const anyAmount = hasAny(tx.Flags, Tf.tfOneAssetWithdrawAll | Tf.tfOneAssetLPToken) || price !== undefined;
  return firstFailure(
    () => checkNoMpt(tx),
    () => checkFields(tx),
    () => checkAssetPair(tx),
    () => (amount && amount2 && amount.asset === amount2.asset ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => (tokens && tokens.signum <= 0 ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => checkPoolAmount(amount, pair, anyAmount),
    () => checkPoolAmount(amount2, pair),
    () => checkPoolAmount(price),
  );
}

/** Whether an amount is in the pool and may move to the account. */
function checkAmount(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  amm: Readonly<Entry>,
  amount: Amount | undefined,
  balance: Amount,
): Result {
  if (amount === undefined) return 'tesSUCCESS';
  return firstFailure(
    () => (amount.compare(balance) > 0 ? 'tecAMM_BALANCE' : 'tesSUCCESS'),
    () => requireAuth(view, amount.asset, tx.Account, 'weak'),
    () => checkFreeze(view, tx.Account, amm.Account!, amount.asset),
  );
}

function checkFreeze(view: ReadView, account: AccountId, pool: AccountId, asset: Asset): Result {
  if (view.rules.enabled('fixCleanup3_3_0')) return checkWithdrawFreeze(view, pool, account, account, asset);
  const frozen = checkFrozen(view, pool, asset);
  if (frozen !== 'tesSUCCESS') return frozen;
  return isIndividualFrozen(view, account, asset) ? 'tecFROZEN' : 'tesSUCCESS';
}

/** How the pool's balances count: an issuer may withdraw its own tokens though they are frozen (fixCleanup3_3_0). */
function countingFor(view: ReadView, tx: Readonly<TransactionFields>): PoolCounting {
  const own = [tx.Asset!, tx.Asset2!].some((asset) => !isXrp(asset) && issuerOf(asset) === tx.Account);
  return { freeze: own && view.rules.enabled('fixCleanup3_3_0') ? 'ignore' : 'zero', auth: 'zero' };
}

/** The tokens to return: all, or the given ones; undefined where they follow from the amounts. */
const tokensToGive = (tx: Readonly<TransactionFields>, held: Amount): Amount | undefined =>
  givesAll(tx) ? held : tx.LPTokenIn;

function checkTokens(tx: Readonly<TransactionFields>, held: Amount): Result {
  if (held.signum <= 0) return 'tecAMM_BALANCE';
  const tokens = tokensToGive(tx, held);
  if (tokens !== undefined && tokens.asset !== held.asset) return 'temBAD_AMM_TOKENS';
  if (tokens !== undefined && tokens.compare(held) > 0) return 'tecAMM_INVALID_TOKENS';
  return tx.EPrice !== undefined && tx.EPrice.asset !== held.asset ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const amm = view.read(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'terNO_AMM';
  const pool = ammHolds(view, amm, tx.Amount?.asset, tx.Amount2?.asset, { freeze: 'ignore', auth: 'ignore' });
  if (typeof pool === 'string') return pool;
  const { amount, amount2, lpTokens } = pool;
  if (lpTokens.isZero) return 'tecAMM_EMPTY';
  if (amount.signum <= 0 || amount2.signum <= 0 || lpTokens.signum < 0) return 'tecINTERNAL';
  const both = hasAny(tx.Flags, Tf.tfLPToken | Tf.tfWithdrawAll);
  return firstFailure(
    () => checkAmount(view, tx, amm, tx.Amount, amount),
    () => checkAmount(view, tx, amm, tx.Amount2, amount2),
    () => checkTokens(tx, ammLpHolds(view, amm, tx.Account)),
    () => (both ? checkAmount(view, tx, amm, amount, amount) : 'tesSUCCESS'),
    () => (both ? checkAmount(view, tx, amm, amount2, amount2) : 'tesSUCCESS'),
  );
}

function takeOut(withdrawal: Withdrawal, tx: Readonly<TransactionFields>, held: Amount): Withdrawn | Result {
  const { view, pool, tradingFee, all } = withdrawal;
  const tokens = tokensToGive(tx, held);
  if (hasAny(tx.Flags, Tf.tfLPToken | Tf.tfWithdrawAll)) return withdrawEqually(withdrawal, tokens!);
  const plan = planWithdrawal({ rules: view.rules, pool, tx, tradingFee, tokens, all });
  return typeof plan === 'string' ? plan : withdraw(withdrawal, plan);
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const amm = view.peek(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'tecINTERNAL';
  const held = ammLpHolds(view, amm, account);
  if (view.rules.enabled('fixAMMv1_1')) {
    const adjusted = adjustLastProvidersTokens(view, amm, held, account);
    if (adjusted !== 'tesSUCCESS') return adjusted;
  }
  const counting = countingFor(view, tx);
  const pool = ammHolds(view, amm, tx.Amount?.asset, tx.Amount2?.asset, counting);
  if (typeof pool === 'string') return pool;
  const tradingFee = getTradingFee(view, amm, account);
  const withdrawal = { view, amm, account, pool, tradingFee, counting, all: givesAll(tx), priorBalance };
  const done = takeOut(withdrawal, tx, held);
  if (typeof done === 'string') return done;
  if (view.rules.enabled('fixCleanup3_3_0') && view.rules.enabled('fixAMMv1_3')) {
    const sound = checkPrecisionLoss(view, amm, done.lpTokens);
    if (sound !== 'tesSUCCESS') return sound;
  }
  return setLpTokensOrDelete(view, amm, done.lpTokens);
}

export const ammWithdraw: Rule = {
  type: 'AMMWithdraw',
  amendment: 'AMM',
  flags: KINDS,
  preflight,
  preclaim,
  apply,
};
