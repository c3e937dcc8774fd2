/**
 * The order in which a set of transactions is applied, and the passes over it.
 *
 * Order (rippled CanonicalTXSet.cpp): by account, the accounts shuffled by the hash of the set so that no account id has
 * an advantage; within an account by sequence, tickets after all sequences, then by hash.
 *
 * Passes (rippled BuildLedger.cpp): a retryable failure (`ter`, or `tec` while others may still help) is tried again, as
 * long as passes change anything; in the last ones a `tec` is final and claims its fee.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import type { NextLedger } from '../ledger/close.ts';
import { transactionSetHash } from '../ledger/transactions.ts';
import { isTef, isTel, isTem, type Result } from '../protocol/results.ts';
import { sequenceOf, usesTicket } from '../protocol/sequence.ts';
import type { ApplyOptions, Outcome, ParsedTransaction } from './environment.ts';
import { applyTransaction } from './transactor.ts';

/** Maximum number of passes over a set. */
const PASSES_MAX = 3;
/** Of these, passes in which a `tec` may be tried again. */
const RETRY_PASSES = 1;

/** Order of two transactions of an account: sequences first, then tickets, then by hash. */
export function compareInAccount(a: ParsedTransaction, b: ParsedTransaction): number {
  const ticket = Number(usesTicket(a.fields)) - Number(usesTicket(b.fields));
  if (ticket !== 0) return ticket;
  const sequence = sequenceOf(a.fields) - sequenceOf(b.fields);
  if (sequence !== 0) return sequence;
  return a.hash < b.hash ? -1 : Number(a.hash > b.hash);
}

/** The transactions in canonical order. @param salt the hash of the set, 64 hex digits */
export function canonicalOrder<T extends ParsedTransaction>(transactions: Iterable<T>, salt: Hex): T[] {
  const mask = BigInt(`0x${salt.slice(0, 40)}`);
  const ranks = new Map<AccountId, bigint>();
  const rank = (account: AccountId): bigint => {
    const known = ranks.get(account) ?? BigInt(`0x${account}`) ^ mask;
    ranks.set(account, known);
    return known;
  };
  return [...transactions].sort((a, b) => {
    if (a.fields.Account === b.fields.Account) return compareInAccount(a, b);
    return rank(a.fields.Account) < rank(b.fields.Account) ? -1 : 1;
  });
}

/** The hash of a set of transactions, which consensus agrees on and which salts the order. */
export const saltOf = (transactions: readonly ParsedTransaction[]): Hex =>
  hexOf(transactionSetHash(transactions.map(({ hash }) => hash)));

/** A transaction that was not applied. */
export interface LeftOut {
  readonly transaction: ParsedTransaction;
  readonly result: Result;
}

export interface SetOutcome {
  /** Can never be applied (`tef`, `tem`, `tel`). */
  readonly failed: readonly LeftOut[];
  /** May be applied in a later ledger. */
  readonly retry: readonly LeftOut[];
}

/** Adds an applied transaction to the next ledger, followed by a Batch's inner ones. */
function record(next: NextLedger, transaction: ParsedTransaction, outcome: Outcome): void {
  next.add({ ...transaction, meta: outcome.metadata ?? {} });
  for (const inner of outcome.inner ?? []) record(next, inner.transaction, inner.outcome);
}

/** Applies a set to the next ledger. Deterministic: the result depends on the set, not on its order. */
export function applySet(
  next: NextLedger,
  transactions: readonly ParsedTransaction[],
  options: ApplyOptions,
): SetOutcome {
  let waiting = canonicalOrder(transactions, saltOf(transactions));
  const failed: LeftOut[] = [];
  let retry: LeftOut[] = [];
  let again = true;
  for (let pass = 0; pass < PASSES_MAX && waiting.length > 0; pass++) {
    retry = [];
    let changes = 0;
    for (const transaction of waiting) {
      const outcome = applyTransaction(next.view, transaction, {
        ...options,
        retry: again,
        index: next.count,
      });
      const { result } = outcome;
      if (outcome.applied) {
        record(next, transaction, outcome);
        changes++;
      } else (isTef(result) || isTem(result) || isTel(result) ? failed : retry).push({ transaction, result });
    }
    waiting = retry.map(({ transaction }) => transaction);
    if (changes === 0 && !again) break;
    if (changes === 0 || pass >= RETRY_PASSES) again = false;
  }
  return { failed, retry };
}
