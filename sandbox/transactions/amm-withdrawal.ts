/** Assets taken out of a pool for LP tokens, by AMMWithdraw and AMMClawback (rippled AMMWithdraw.cpp `withdraw`). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import { ammHolds, ammLpHolds, type PoolCounting, type PoolHoldings } from '../assets/amm.ts';
import { adjustByLpTokens, type ShareChange } from '../assets/amm-shares.ts';
import { reserveForHolding } from '../assets/reserve.ts';
import { accountSend, redeemIou } from '../assets/send.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { account as accountKey, line as lineKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { planEqualWithdrawal } from './amm-withdraw-plan.ts';

/** A withdrawal: the account and the pool. */
export interface Withdrawal {
  readonly view: ApplyView;
  readonly amm: Readonly<Entry>;
  /** The account that returns the tokens and receives the assets. */
  readonly account: AccountId;
  /** The pool before, in the order of the amounts. */
  readonly pool: PoolHoldings;
  /** Units of 1/100000. */
  readonly tradingFee: number;
  readonly counting: PoolCounting;
  /** All of the account's tokens are returned. */
  readonly all: boolean;
  /** XRP of the transaction's sender before the fee, in drops. */
  readonly priorBalance: bigint;
}

/** The withdrawn amounts, and the tokens then outstanding. */
export interface Withdrawn extends ShareChange {
  readonly lpTokens: Amount;
}

const same = (a: Amount | undefined, b: Amount): boolean => a?.equals(b) ?? false;

/** The pool must keep both assets or none, and no more may be withdrawn than it has. */
function checkWithdrawal({ view, amm, account, pool, counting }: Withdrawal, change: ShareChange): Result {
  const held = ammLpHolds(view, amm, account);
  const { amount, amount2, tokens } = change;
  if (tokens.signum <= 0 || tokens.compare(held) > 0) return 'tecAMM_INVALID_TOKENS';
  if (view.rules.enabled('fixAMMv1_1') && tokens.compare(pool.lpTokens) > 0) return 'tecINTERNAL';
  const now = ammHolds(view, amm, amount.asset, undefined, counting);
  if (typeof now === 'string') return now;
  const all = same(amount, now.amount);
  const all2 = same(amount2, now.amount2);
  if (all !== all2) return 'tecAMM_BALANCE';
  if (tokens.equals(pool.lpTokens) && !all) return 'tecAMM_BALANCE';
  const tooMuch =
    amount.compare(now.amount) > 0 || (amount2 !== undefined && amount2.compare(now.amount2) > 0);
  return tooMuch ? 'tecAMM_BALANCE' : 'tesSUCCESS';
}

/** The reserve for a trust line that the asset would create (fixAMMv1_2); the first two entries are free. */
function checkReserve({ view, account, priorBalance }: Withdrawal, asset: Asset): Result {
  if (isXrp(asset) || !view.rules.enabled('fixAMMv1_2')) return 'tesSUCCESS';
  if (view.read(lineKey(account, issuerOf(asset), currencyOf(asset)!)) !== undefined) return 'tesSUCCESS';
  const entry = view.read(accountKey(account));
  if (entry === undefined) return 'tecINTERNAL';
  const reserve = reserveForHolding(view, entry);
  const balance = entry.Balance!.drops;
  return (priorBalance > balance ? priorBalance : balance) < reserve
    ? 'tecINSUFFICIENT_RESERVE'
    : 'tesSUCCESS';
}

/** Withdraws the planned amounts. The caller updates the pool's entry. */
export function withdraw(withdrawal: Withdrawal, planned: ShareChange): Withdrawn | Result {
  const { view, amm, account, pool, tradingFee, all } = withdrawal;
  const change = all
    ? planned
    : adjustByLpTokens(view.rules, pool.amount, pool.lpTokens, planned, tradingFee, 'withdraw');
  const possible = checkWithdrawal(withdrawal, change);
  if (possible !== 'tesSUCCESS') return possible;
  for (const amount of [change.amount, change.amount2]) {
    if (amount === undefined) continue;
    const affordable = checkReserve(withdrawal, amount.asset);
    if (affordable !== 'tesSUCCESS') return affordable;
    const sent = accountSend(view, amm.Account!, account, amount, { waiveFee: true });
    if (sent !== 'tesSUCCESS') return sent;
  }
  const redeemed = redeemIou(view, account, change.tokens, change.tokens.asset);
  if (redeemed !== 'tesSUCCESS') return redeemed;
  return { ...change, lpTokens: pool.lpTokens.sub(change.tokens, view.rules.numbers) };
}

/** Withdraws both assets for `tokens`. An overflow is `tecINTERNAL`, as in rippled for this kind. */
export function withdrawEqually(withdrawal: Withdrawal, tokens: Amount): Withdrawn | Result {
  const { view, pool, all } = withdrawal;
  try {
    if (tokens.equals(pool.lpTokens))
      return withdraw({ ...withdrawal, all: true }, { amount: pool.amount, amount2: pool.amount2, tokens });
    const plan = planEqualWithdrawal(view.rules, pool, tokens, all);
    return typeof plan === 'string' ? plan : withdraw(withdrawal, plan);
  } catch (error) {
    if (error instanceof RangeError) return 'tecINTERNAL';
    throw error;
  }
}
