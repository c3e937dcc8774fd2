/**
 * Applying one transaction to a ledger.
 *
 *     preflight   from the transaction alone          tem, tel
 *     preclaim    by reading the ledger               ter, tef, tec
 *     apply       charges fee and sequence, then applies the type's rule, in a view of its own
 *     clean-up    a failure (tec) undoes all but the fee and the removal of dead entries that it found
 *     invariants  conditions for every transaction; a violation leaves only the fee
 *     metadata    the changes, threaded, handed to the ledger
 *
 * Nothing here throws: an exception in a rule gives `tefEXCEPTION`, and the ledger is unchanged.
 *
 * Non-goals: the order of transactions (the open ledger, the queue and the close decide), and storing ledgers.
 * Rules: rippled `Transactor::operator()`, `apply.cpp`, `applySteps.cpp`.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { writeMetadata } from '../ledger/metadata.ts';
import { EntryTable } from '../ledger/tables.ts';
import { unthreaded } from '../ledger/threading.ts';
import type { Fields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { isTec, type Result, resultCode } from '../protocol/results.ts';
import { RULES } from '../transactions/index.ts';
import { applyInner } from './batch.ts';
import { collectRemoved, hasCleanUp, removeAgain } from './clean-up.ts';
import type { ApplyOptions, Outcome, ParsedTransaction } from './environment.ts';
import { takeFee } from './fees.ts';
import { brokenInvariant } from './invariants/index.ts';
import { preclaim } from './preclaim.ts';
import { preflight } from './preflight.ts';
import type { ApplyContext, Rule } from './rule.ts';
import { consumeSequence } from './sequence.ts';

/** Maximum number of entries a transaction may change; more would make its metadata too large. */
const CHANGED_ENTRIES_MAX = 5200;

const refused = (result: Result): Outcome => ({ result, applied: false, fee: 0n });

/** One transaction while it is applied. */
class Applying {
  readonly #table: EntryTable;
  readonly #transaction: ParsedTransaction;
  readonly #rule: Rule;
  readonly #options: ApplyOptions;
  #delivered: Amount | undefined;
  #fee = 0n;

  constructor(view: EntryTable, transaction: ParsedTransaction, rule: Rule, options: ApplyOptions) {
    this.#table = new EntryTable(view);
    this.#transaction = transaction;
    this.#rule = rule;
    this.#options = options;
  }

  /** @param claimed result of `preclaim`: success, or a failure that pays its fee. */
  run(view: EntryTable, claimed: Result): Outcome {
    let result = claimed === 'tesSUCCESS' ? this.#apply() : claimed;
    if (this.#table.peekedCount > CHANGED_ENTRIES_MAX && this.#changed() > CHANGED_ENTRIES_MAX)
      result = 'tecOVERSIZE';
    if (isTec(result)) {
      if (this.#options.failHard || (this.#options.retry && !hasCleanUp(result))) return refused(result);
      result = this.#claimFee(result);
    }
    if (result !== 'tesSUCCESS' && !isTec(result)) return refused(result);
    result = this.#checkInvariants(result);
    if (result !== 'tesSUCCESS' && !isTec(result)) return refused(result);
    return this.#finish(view, result);
  }

  /** Fee and sequence, then the rule. */
  #apply(): Result {
    const { fields: tx, hash } = this.#transaction;
    const account = this.#table.peek(keylets.account(tx.Account));
    if (account === undefined) return 'tefINTERNAL';
    const priorBalance = account.Balance?.drops ?? 0n;
    const consumed = consumeSequence(this.#table, tx, account);
    if (consumed !== 'tesSUCCESS') return consumed;
    const fee = takeFee(this.#table, tx, false);
    if (fee === undefined) return 'tefINTERNAL';
    this.#fee = fee;
    if (account.AccountTxnID !== undefined) account.AccountTxnID = hash;
    const context: ApplyContext = {
      view: this.#table,
      tx,
      hash,
      account: tx.Account,
      priorBalance,
      deliver: (amount) => {
        this.#delivered = amount;
      },
    };
    return this.#rule.apply(context);
  }

  /** Undoes everything but the fee and the sequence number. An account that cannot pay in full pays what it has. */
  #reset(): Result {
    const { fields: tx } = this.#transaction;
    this.#table.discard();
    this.#delivered = undefined;
    const account = this.#table.peek(keylets.account(tx.Account));
    const fee = takeFee(this.#table, tx, true);
    if (account === undefined || fee === undefined) return 'tefINTERNAL';
    this.#fee = fee;
    return consumeSequence(this.#table, tx, account);
  }

  #claimFee(result: Result): Result {
    const removed = collectRemoved(this.#table, result);
    const reset = this.#reset();
    if (reset !== 'tesSUCCESS') return reset;
    removeAgain(this.#table, removed);
    return result;
  }

  #changed(): number {
    let count = 0;
    for (const _ of this.#table.changes()) count += 1;
    return count;
  }

  /** Ledgers before EnforceInvariants (2017) contain what the invariants forbid: negative balances, of 2013. */
  #checkInvariants(result: Result): Result {
    if (!this.#table.rules.enabled('EnforceInvariants')) return result;
    const broken = (of: Result): boolean =>
      brokenInvariant(this.#table, this.#transaction.fields, of, this.#fee) !== undefined;
    if (!broken(result)) return result;
    const reset = this.#reset();
    if (reset !== 'tesSUCCESS') return reset;
    return broken('tecINVARIANT_FAILED') ? 'tefINVARIANT_FAILED' : 'tecINVARIANT_FAILED';
  }

  /** Writes metadata, and hands the changes to the ledger unless it is a dry run. */
  #finish(view: EntryTable, result: Result): Outcome {
    const simulate = this.#options.simulate === true;
    let metadata: Fields | undefined;
    if (!view.open) this.#table.destroy(this.#fee);
    if (!view.open || simulate) {
      metadata = writeMetadata(this.#table, {
        hash: this.#transaction.hash,
        ledgerIndex: view.header.index,
        index: this.#options.index ?? 0,
        resultCode: resultCode(result),
        delivered: this.#delivered,
        parentBatchId: this.#options.parentBatchId,
      });
    }
    if (!simulate && view.open)
      for (const { action, after } of this.#table.changes()) if (action === 'insert') unthreaded(after);
    if (!simulate) this.#table.applyTo(view);
    const outcome: Outcome = { result, applied: !simulate, fee: this.#fee };
    return metadata === undefined ? outcome : { ...outcome, metadata };
  }
}

/**
 * Applies a transaction to a ledger's view: the view is changed only if the outcome has `applied`. An
 * applied Batch applies its inner transactions after itself (in closing ledgers; open ones charge only the fee).
 */
export function applyTransaction(
  view: EntryTable,
  transaction: ParsedTransaction,
  options: ApplyOptions,
): Outcome {
  const { fields: tx } = transaction;
  const checked = options.preflighted ? 'tesSUCCESS' : preflight(tx, view.rules, options);
  if (checked !== 'tesSUCCESS') return refused(checked);
  const claimed = preclaim(view, transaction, options);
  const rule = RULES.get(tx.TransactionType);
  const claims = claimed === 'tesSUCCESS' || (isTec(claimed) && !options.retry);
  if (rule === undefined || !claims) return refused(claimed);
  let outcome: Outcome;
  try {
    outcome = new Applying(view, transaction, rule, options).run(view, claimed);
  } catch {
    return refused('tefEXCEPTION');
  }
  if (tx.TransactionType !== 'Batch' || outcome.result !== 'tesSUCCESS' || !outcome.applied || view.open) {
    return outcome;
  }
  const first = (options.index ?? 0) + 1;
  return { ...outcome, inner: applyInner(view, transaction, first, options, applyTransaction) };
}
