/** The fee of a transaction: how much, who pays it, and charging it. Rules: rippled `Transactor::checkFee`, `payFee`, `reset`. */

import { Amount, DROPS_MAX } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import type { ApplyOptions } from './environment.ts';
import type { Rule } from './rule.ts';

/** The account that pays: the delegate who signs, else the sender. */
export const feePayer = (tx: Readonly<TransactionFields>): AccountId => tx.Delegate ?? tx.Account;

/** The fee of most types without load, in drops: one base fee, one more for every signer. */
export const usualFee = (view: ReadView, tx: Readonly<TransactionFields>): bigint =>
  view.fees.base * BigInt(1 + (tx.Signers?.length ?? 0));

/** Minimum fee without load, in drops: the usual one, or the type's own. */
export function baseFee(view: ReadView, tx: Readonly<TransactionFields>, rule: Rule): bigint {
  const usual = usualFee(view, tx);
  return rule.baseFee?.(view, tx, usual) ?? usual;
}

/** Whether the offered fee is enough and can be paid. */
export function checkFee(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  rule: Rule,
  options: ApplyOptions,
): Result {
  if (!tx.Fee.isNative) return 'temBAD_FEE';
  const paid = tx.Fee.drops;
  if (options.parentBatchId !== undefined) return paid === 0n ? 'tesSUCCESS' : 'temBAD_FEE';
  if (paid < 0n || paid > DROPS_MAX) return 'temBAD_FEE';
  if (view.open) {
    const base = baseFee(view, tx, rule);
    if (paid < (options.requiredFee?.(base) ?? base)) return 'telINSUF_FEE_P';
  }
  if (paid === 0n) return 'tesSUCCESS';
  const payer = view.read(keylets.account(feePayer(tx)));
  if (payer === undefined) return 'terNO_ACCOUNT';
  const balance = payer.Balance?.drops ?? 0n;
  if (balance >= paid) return 'tesSUCCESS';
  return balance > 0n && !view.open ? 'tecINSUFF_FEE' : 'terINSUF_FEE_B';
}

/**
 * Charges the fee to the account that pays it, at most `limit` drops (an account that cannot pay in full pays what it has).
 * @returns what was charged, undefined when there is no such account.
 */
export function takeFee(
  view: ApplyView,
  tx: Readonly<TransactionFields>,
  capped: boolean,
): bigint | undefined {
  const payer = view.peek(keylets.account(feePayer(tx)));
  if (payer === undefined) return undefined;
  const balance = payer.Balance?.drops ?? 0n;
  const asked = tx.Fee.drops;
  const taken = capped && asked > balance ? balance : asked;
  if (taken !== 0n) payer.Balance = Amount.drops(balance - taken);
  return taken;
}
