/** AMMDeposit: pays assets into a pool for LP tokens (XLS-30; rippled AMMDeposit.cpp). */

import { TRADING_FEE_MAX } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import {
  ammHolds,
  ammLpHolds,
  checkPrecisionLoss,
  getTradingFee,
  initializeFeeAuctionVote,
  type PoolHoldings,
} from '../assets/amm.ts';
import { adjustByLpTokens } from '../assets/amm-shares.ts';
import { requireAuth } from '../assets/authorisation.ts';
import { checkFrozen, isIndividualFrozen } from '../assets/freeze.ts';
import { accountFunds } from '../assets/funds.ts';
import { xrpLiquid } from '../assets/reserve.ts';
import { accountSend } from '../assets/send.ts';
import { checkDepositFreeze } from '../assets/vault-freeze.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, hasOne, Tf } from '../protocol/flags.ts';
import { amm as ammKey, line as lineKey } from '../protocol/keylets.ts';
import { firstFailure, type Result } from '../protocol/results.ts';
import { checkAssetPair, checkNoMpt, checkPoolAmount } from './amm-checks.ts';
import { type DepositPlan, planDeposit } from './amm-deposit-plan.ts';

const KINDS =
  (Tf.tfLPToken |
    Tf.tfSingleAsset |
    Tf.tfTwoAsset |
    Tf.tfOneAssetLPToken |
    Tf.tfLimitLPToken |
    Tf.tfTwoAssetIfEmpty) >>>
  0;

type Option = 'Amount' | 'Amount2' | 'EPrice' | 'LPTokenOut' | 'TradingFee';

/** The fields of each kind: required and allowed ones. */
const FIELDS: readonly [flag: number, must: readonly Option[], may: readonly Option[]][] = [
  [Tf.tfLPToken, ['LPTokenOut'], ['Amount', 'Amount2']],
  [Tf.tfSingleAsset, ['Amount'], ['LPTokenOut']],
  [Tf.tfTwoAsset, ['Amount', 'Amount2'], ['LPTokenOut']],
  [Tf.tfOneAssetLPToken, ['Amount', 'LPTokenOut'], []],
  [Tf.tfLimitLPToken, ['Amount', 'EPrice'], []],
  [Tf.tfTwoAssetIfEmpty, ['Amount', 'Amount2'], ['TradingFee']],
];
const OPTIONS: readonly Option[] = ['Amount', 'Amount2', 'EPrice', 'LPTokenOut', 'TradingFee'];

function checkFields(tx: Readonly<TransactionFields>): Result {
  if (!hasOne(tx.Flags, KINDS)) return 'temMALFORMED';
  const [, must, may] = FIELDS.find(([flag]) => hasAny(tx.Flags, flag))!;
  const fits = OPTIONS.every((name) =>
    tx[name] === undefined ? !must.includes(name) : must.includes(name) || may.includes(name),
  );
  const lowest = (tx.Amount === undefined) === (tx.Amount2 === undefined) || !hasAny(tx.Flags, Tf.tfLPToken);
  return fits && lowest ? 'tesSUCCESS' : 'temMALFORMED';
}

function preflight(tx: Readonly<TransactionFields>): Result {
  const { Amount: amount, Amount2: amount2, EPrice: price, LPTokenOut: tokens } = tx;
  const pair = [tx.Asset!, tx.Asset2!] as const;
  return firstFailure(
    () => checkNoMpt(tx),
    () => checkFields(tx),
    () => checkAssetPair(tx),
    () => (amount && amount2 && amount.asset === amount2.asset ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => (tokens && tokens.signum <= 0 ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => checkPoolAmount(amount, pair, price !== undefined),
    () => checkPoolAmount(amount2, pair),
    () => (amount ? checkPoolAmount(price, [amount.asset, amount.asset]) : 'tesSUCCESS'),
    () => ((tx.TradingFee ?? 0) > TRADING_FEE_MAX ? 'temBAD_FEE' : 'tesSUCCESS'),
  );
}

function checkPoolState(tx: Readonly<TransactionFields>, pool: PoolHoldings): Result {
  const { amount, amount2, lpTokens } = pool;
  if (hasAny(tx.Flags, Tf.tfTwoAssetIfEmpty)) {
    if (!lpTokens.isZero) return 'tecAMM_NOT_EMPTY';
    return amount.isZero && amount2.isZero ? 'tesSUCCESS' : 'tecINTERNAL';
  }
  if (lpTokens.isZero) return 'tecAMM_EMPTY';
  const sound = amount.signum > 0 && amount2.signum > 0 && lpTokens.signum > 0;
  return sound ? 'tesSUCCESS' : 'tecINTERNAL';
}

function hasLpLine(view: ReadView, account: AccountId, lpAsset: Asset): boolean {
  return view.read(lineKey(account, issuerOf(lpAsset), currencyOf(lpAsset)!)) !== undefined;
}

/** Whether the account has the amount, apart from the reserve for the LP tokens' line. */
function canAfford(view: ReadView, account: AccountId, amount: Amount, lpAsset: Asset): boolean {
  const funds = amount.isNative
    ? xrpLiquid(view, account, hasLpLine(view, account, lpAsset) ? 0 : 1)
    : accountFunds(view, account, amount, 'ignore');
  return funds.compare(amount) >= 0;
}

function checkAmountFreeze(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  amm: Readonly<Entry>,
  { asset }: Amount,
): Result {
  const frozen = checkFrozen(view, amm.Account!, asset);
  if (frozen !== 'tesSUCCESS') return frozen;
  return isIndividualFrozen(view, tx.Account, asset) ? 'tecFROZEN' : 'tesSUCCESS';
}

/** Whether the account may deposit into the pool at all: neither asset may be frozen, for it or for the pool. */
function checkAsset(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  amm: Readonly<Entry>,
  asset: Asset,
): Result {
  const unified = view.rules.enabled('fixCleanup3_3_0');
  if (!unified && !view.rules.enabled('AMMClawback')) return 'tesSUCCESS';
  const refused = requireAuth(view, asset, tx.Account, 'weak');
  if (refused !== 'tesSUCCESS') return refused;
  return unified
    ? checkDepositFreeze(view, tx.Account, amm.Account!, asset)
    : checkFrozen(view, tx.Account, asset);
}

/** Checks before the computation: may this amount move, and (with `funds`) does the account have it. */
function checkAmount(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  amm: Readonly<Entry>,
  amount: Amount | undefined,
  funds: boolean,
): Result {
  if (amount === undefined) return 'tesSUCCESS';
  const lpAsset = amm.LPTokenBalance!.asset;
  return firstFailure(
    () => requireAuth(view, amount.asset, tx.Account, 'legacy'),
    () => (view.rules.enabled('fixCleanup3_3_0') ? 'tesSUCCESS' : checkAmountFreeze(view, tx, amm, amount)),
    () => {
      if (!funds || canAfford(view, tx.Account, amount, lpAsset)) return 'tesSUCCESS';
      return amount.isNative && !hasLpLine(view, tx.Account, lpAsset)
        ? 'tecINSUF_RESERVE_LINE'
        : 'tecUNFUNDED_AMM';
    },
  );
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const account = tx.Account;
  const amm = view.read(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'terNO_AMM';
  const pool = ammHolds(view, amm, undefined, undefined, { freeze: 'ignore', auth: 'ignore' });
  if (typeof pool === 'string') return pool;
  // With tfLPToken the amounts are minimums: both assets will move, and the amounts are not known yet.
  const byTokens = hasAny(tx.Flags, Tf.tfLPToken);
  return firstFailure(
    () => checkPoolState(tx, pool),
    () => checkAsset(view, tx, amm, tx.Asset!),
    () => checkAsset(view, tx, amm, tx.Asset2!),
    () => checkAmount(view, tx, amm, byTokens ? pool.amount : tx.Amount, !byTokens),
    () => checkAmount(view, tx, amm, byTokens ? pool.amount2 : tx.Amount2, !byTokens),
    () => (tx.LPTokenOut && tx.LPTokenOut.asset !== pool.lpTokens.asset ? 'temBAD_AMM_TOKENS' : 'tesSUCCESS'),
    () => {
      const newProvider = ammLpHolds(view, amm, account).isZero;
      return newProvider && xrpLiquid(view, account, 1).signum <= 0 ? 'tecINSUF_RESERVE_LINE' : 'tesSUCCESS';
    },
  );
}

/** Moves the planned amounts, if the account has them and they are enough. */
function deposit(
  { view, account }: ApplyContext,
  amm: Readonly<Entry>,
  pool: PoolHoldings,
  plan: DepositPlan,
  tradingFee: number,
): { readonly lpTokens: Amount } | Result {
  const empty = pool.lpTokens.isZero;
  const balance = empty ? plan.amount : pool.amount;
  const change = adjustByLpTokens(view.rules, balance, pool.lpTokens, plan, tradingFee, 'deposit');
  if (change.tokens.signum <= 0) return 'tecAMM_INVALID_TOKENS';
  const below = (value: Amount | undefined, least: Amount | undefined): boolean =>
    least !== undefined && (value === undefined || value.compare(least) < 0);
  const { least } = plan;
  if (below(change.amount, least.amount) || below(change.amount2, least.amount2)) return 'tecAMM_FAILED';
  if (below(change.tokens, least.tokens)) return 'tecAMM_FAILED';
  for (const amount of [change.amount, change.amount2]) {
    if (amount === undefined) continue;
    if (amount.signum <= 0) return 'temBAD_AMOUNT';
    if (!canAfford(view, account, amount, pool.lpTokens.asset)) return 'tecUNFUNDED_AMM';
    const sent = accountSend(view, account, amm.Account!, amount, { waiveFee: true });
    if (sent !== 'tesSUCCESS') return sent;
  }
  const issued = accountSend(view, amm.Account!, account, change.tokens);
  return issued === 'tesSUCCESS'
    ? { lpTokens: pool.lpTokens.add(change.tokens, view.rules.numbers) }
    : issued;
}

function planAndDeposit(
  context: ApplyContext,
  amm: Readonly<Entry>,
  pool: PoolHoldings,
  tradingFee: number,
): { readonly lpTokens: Amount } | Result {
  const { tx, view } = context;
  try {
    const plan = planDeposit({ rules: view.rules, pool, tx, tradingFee });
    return typeof plan === 'string' ? plan : deposit(context, amm, pool, plan, tradingFee);
  } catch (error) {
    // For this one kind rippled turns an overflow into a result; other kinds fail completely.
    if (error instanceof RangeError && hasAny(tx.Flags, Tf.tfLPToken)) return 'tecINTERNAL';
    throw error;
  }
}

function apply(context: ApplyContext): Result {
  const { view, tx, account } = context;
  const amm = view.peek(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'tecINTERNAL';
  const pool = ammHolds(view, amm, tx.Amount?.asset, tx.Amount2?.asset, { freeze: 'zero', auth: 'zero' });
  if (typeof pool === 'string') return pool;
  const empty = pool.lpTokens.isZero;
  const tradingFee = empty ? (tx.TradingFee ?? 0) : getTradingFee(view, amm, account);
  const done = planAndDeposit(context, amm, pool, tradingFee);
  if (typeof done === 'string') return done;
  if (view.rules.enabled('fixCleanup3_3_0') && view.rules.enabled('fixAMMv1_3')) {
    const sound = checkPrecisionLoss(view, amm, done.lpTokens);
    if (sound !== 'tesSUCCESS') return sound;
  }
  amm.LPTokenBalance = done.lpTokens;
  if (empty) initializeFeeAuctionVote(view, amm, account, pool.lpTokens.asset, tradingFee);
  return 'tesSUCCESS';
}

export const ammDeposit: Rule = {
  type: 'AMMDeposit',
  amendment: 'AMM',
  flags: KINDS,
  preflight,
  preclaim,
  apply,
};
