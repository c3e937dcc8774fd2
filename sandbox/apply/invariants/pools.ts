/** Pools: LP tokens are backed by both balances, and only pool transactions change them. (fixAMMv1_3) */

import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { ammHolds, type PoolHoldings } from '../../assets/amm.ts';
import { initialLpTokens, withinRelativeDistance } from '../../assets/amm-shares.ts';
import type { Entry } from '../../protocol/fields.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import { type Checker, entryAfter, type TransactionEffect } from './checker.ts';

/** How far LP tokens and the pool's geometric mean may differ by rounding. */
const DISTANCE = { mantissa: 1n, exponent: -11 } as const;

/** The change of the one pool that a transaction concerns. */
interface PoolChange {
  /** The pool's entry after the transaction; undefined when it was not changed or was deleted. */
  readonly amm: Readonly<Entry> | undefined;
  readonly tokensBefore: Amount | undefined;
  readonly tokensAfter: Amount | undefined;
  readonly balancesChanged: boolean;
}

function poolChange({ changes }: TransactionEffect): PoolChange {
  const pools = changes.of('AMM');
  const [kept] = pools.filter(({ action }) => action !== 'erase');
  const balancesChanged = changes.all.some((change) => {
    const entry = entryAfter(change);
    if (entry?.LedgerEntryType === 'RippleState') return hasAny(entry.Flags, Lsf.lsfAMMNode);
    return entry?.LedgerEntryType === 'AccountRoot' && entry.AMMID !== undefined;
  });
  return {
    amm: kept?.after,
    tokensBefore: kept?.before?.LPTokenBalance,
    tokensAfter: kept?.after.LPTokenBalance,
    balancesChanged,
  };
}

function holdings({ table }: TransactionEffect, amm: Readonly<Entry>): PoolHoldings | undefined {
  const held = ammHolds(table, amm, undefined, undefined, { freeze: 'ignore', auth: 'ignore' });
  return typeof held === 'string' ? undefined : held;
}

/** All three above zero; or all zero, where the last liquidity provider may have left. */
function goodBalances({ amount, amount2 }: PoolHoldings, tokens: Amount, mayBeEmpty: boolean): boolean {
  const signs = [amount, amount2, tokens].map((held) => held.signum);
  return signs.every((sign) => sign > 0) || (mayBeEmpty && signs.every((sign) => sign === 0));
}

/** LP tokens are at most the geometric mean of the balances, up to rounding. */
function backed(done: TransactionEffect, amm: Readonly<Entry>, mayBeEmpty: boolean): boolean {
  const held = holdings(done, amm);
  const tokens = amm.LPTokenBalance as Amount;
  if (held === undefined || !goodBalances(held, tokens, mayBeEmpty)) return false;
  const { numbers } = done.table.rules;
  const mean = numbers.sqrt(numbers.mul(numbers.of(held.amount), numbers.of(held.amount2)));
  const lpTokens = numbers.of(tokens);
  if (numbers.compare(mean, lpTokens) >= 0) return true;
  return (
    !tokens.isZero &&
    withinRelativeDistance(numbers, mean, lpTokens, numbers.normal(DISTANCE.mantissa, DISTANCE.exponent))
  );
}

function created(done: TransactionEffect, amm: Readonly<Entry> | undefined): boolean {
  if (amm === undefined) return false;
  const held = holdings(done, amm);
  const tokens = amm.LPTokenBalance as Amount;
  if (held === undefined || !goodBalances(held, tokens, false)) return false;
  return initialLpTokens(done.table.rules, held.amount, held.amount2, tokens.asset).equals(tokens);
}

/** The rule of each type that concerns pools, or may trade with them. */
const BY_TYPE: Readonly<Record<string, (done: TransactionEffect, change: PoolChange) => boolean>> = {
  AMMCreate: (done, { amm }) => created(done, amm),
  AMMDeposit: (done, { amm }) => amm !== undefined && backed(done, amm, false),
  AMMWithdraw: (done, { amm }) => amm === undefined || backed(done, amm, true),
  AMMClawback: (done, { amm }) => amm === undefined || backed(done, amm, true),
  AMMBid: (_done, { balancesChanged, tokensBefore: before, tokensAfter: after }) =>
    !balancesChanged && (!before || !after || (after.compare(before) <= 0 && after.signum > 0)),
  AMMVote: (_done, { balancesChanged, tokensBefore: before, tokensAfter: after }) =>
    !balancesChanged && (before === after || (before !== undefined && after?.equals(before) === true)),
  AMMDelete: (_done, { amm }) => amm === undefined,
  // Swaps change a pool's balances, never its entry.
  CheckCash: (_done, { amm }) => amm === undefined,
  OfferCreate: (_done, { amm }) => amm === undefined,
  Payment: (_done, { amm }) => amm === undefined,
};

const validAmm: Checker = {
  name: 'ValidAMM',
  holds(done) {
    if (done.result !== 'tesSUCCESS' && done.result !== 'tecINCOMPLETE') return true;
    const rule = BY_TYPE[done.tx.TransactionType];
    if (rule === undefined || !done.table.rules.enabled('fixAMMv1_3')) return true;
    return rule(done, poolChange(done));
  },
};

export const POOL_CHECKERS: readonly Checker[] = [validAmm];
