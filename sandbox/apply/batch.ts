/**
 * Applying the inner transactions of a Batch, in one of four ways:
 *
 *     all or nothing   the first failure undoes all
 *     only one         until one succeeds
 *     until failure    until one fails (its fee-less failure is recorded)
 *     independent      all, whatever their results are
 *
 * Rules: rippled `apply.cpp` (`applyBatchTransactions`).
 */
import { EntryTable } from '../ledger/tables.ts';
import { hasAny, Tf } from '../protocol/flags.ts';
import { innerFields } from './batch-checks.ts';
import type { AppliedTransaction, ApplyOptions, Outcome, ParsedTransaction } from './environment.ts';
import { transactionOfFields } from './transaction.ts';

type Apply = (view: EntryTable, transaction: ParsedTransaction, options: ApplyOptions) => Outcome;

/**
 * Applies them one after the other.
 * @param first index of the first one in the ledger. @param apply how one transaction is applied.
 * @returns those that became part of the ledger, in order.
 */
export function applyInner(
  view: EntryTable,
  batch: ParsedTransaction,
  first: number,
  options: ApplyOptions,
  apply: Apply,
): AppliedTransaction[] {
  const { Flags: flags } = batch.fields;
  const whole = new EntryTable(view);
  const applied: AppliedTransaction[] = [];
  for (const fields of innerFields(batch.fields)) {
    const transaction = transactionOfFields(fields);
    const { known, networkId } = options;
    const outcome = apply(whole, transaction, {
      networkId,
      ...(known && { known }),
      parentBatchId: batch.hash,
      index: first + applied.length,
    });
    if (outcome.applied) applied.push({ transaction, outcome });
    if (outcome.result === 'tesSUCCESS') {
      if (hasAny(flags, Tf.tfOnlyOne)) break;
    } else {
      if (hasAny(flags, Tf.tfAllOrNothing)) return [];
      if (hasAny(flags, Tf.tfUntilFailure)) break;
    }
  }
  if (applied.length > 0) whole.applyTo(view);
  return applied;
}
