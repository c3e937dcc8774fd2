/**
 * Checks of a transaction that only read the ledger: its sequence, who may sign it, its fee, the `preclaim` of its type.
 * Nothing before the signature check may claim a fee. Order and results as in rippled
 * `applySteps.cpp` (`invoke_preclaim`).
 */

import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { RULES } from '../transactions/index.ts';
import { checkBatchSigners } from './batch-checks.ts';
import { checkPermission } from './delegation.ts';
import type { ApplyOptions, ParsedTransaction } from './environment.ts';
import { checkFee } from './fees.ts';
import type { Rule } from './rule.ts';
import { checkSequence } from './sequence.ts';
import { checkSigning } from './signatures.ts';

function checkPrior(
  view: ReadView,
  tx: Readonly<TransactionFields>,
  hash: Hex,
  options: ApplyOptions,
): Result {
  const account = view.read(keylets.account(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  // An account that does not track its transactions is treated as if the last one were zero.
  const prior = account.AccountTxnID ?? HASH_ZERO;
  if (tx.AccountTxnID !== undefined && tx.AccountTxnID !== prior) return 'tefWRONG_PRIOR';
  if (tx.LastLedgerSequence !== undefined && view.header.index > tx.LastLedgerSequence)
    return 'tefMAX_LEDGER';
  return options.known?.(hash) ? 'tefALREADY' : 'tesSUCCESS';
}

function checkSign(view: ReadView, tx: Readonly<TransactionFields>, options: ApplyOptions): Result {
  // The signers of the outer transaction authorize inner ones.
  if (options.parentBatchId !== undefined) return 'tesSUCCESS';
  const simulated = options.simulate === true;
  const own = checkSigning(view, tx.Delegate ?? tx.Account, tx, { simulated });
  if (own !== 'tesSUCCESS' || tx.TransactionType !== 'Batch') return own;
  return checkBatchSigners(view, tx, simulated);
}

function checked(
  view: ReadView,
  { fields: tx, hash }: ParsedTransaction,
  rule: Rule,
  options: ApplyOptions,
): Result {
  const steps: (() => Result)[] = [
    () => checkSequence(view, tx),
    () => checkPrior(view, tx, hash, options),
    () => checkPermission(view, tx, rule),
    () => checkSign(view, tx, options),
    () => checkFee(view, tx, rule, options),
    () => rule.preclaim?.(view, tx) ?? 'tesSUCCESS',
  ];
  for (const step of steps) {
    const result = step();
    if (result !== 'tesSUCCESS') return result;
  }
  return 'tesSUCCESS';
}

/** `tesSUCCESS` when the transaction may be applied; `tec` when it will fail but can pay. Never throws. */
export function preclaim(view: ReadView, transaction: ParsedTransaction, options: ApplyOptions): Result {
  const rule = RULES.get(transaction.fields.TransactionType);
  if (rule === undefined) return 'temDISABLED';
  try {
    return checked(view, transaction, rule, options);
  } catch {
    return 'tefEXCEPTION';
  }
}
