/** Amounts: XRP is destroyed only by fees, nothing is negative, offers and escrows have amounts. */
import {
  type Amount,
  Amount as AmountValue,
  DROPS_MAX,
  MPT_MAX,
} from '../../../engine/codec/arithmetic/amount.ts';
import { isBadCurrency } from '../../../engine/codec/arithmetic/asset.ts';
import { Num } from '../../../engine/codec/arithmetic/number.ts';
import type { Entry } from '../../protocol/fields.ts';
import { type Checker, entryAfter, states } from './checker.ts';

/** XRP that an entry holds, in drops. */
function dropsIn(entry: Readonly<Entry>): bigint {
  switch (entry.LedgerEntryType) {
    case 'AccountRoot':
      return entry.Balance?.drops ?? 0n;
    case 'PayChannel':
      return (entry.Amount?.drops ?? 0n) - (entry.Balance?.drops ?? 0n);
    case 'Escrow':
      return entry.Amount?.isNative ? entry.Amount.drops : 0n;
    default:
      return 0n;
  }
}

const transactionFee: Checker = {
  name: 'TransactionFeeCheck',
  holds: ({ tx, fee }) => fee >= 0n && fee < DROPS_MAX && fee <= tx.Fee.drops,
};

const xrpNotCreated: Checker = {
  name: 'XRPNotCreated',
  holds({ changes, fee }) {
    let sum = 0n;
    for (const change of changes.all) {
      if (change.before) sum -= dropsIn(change.before);
      // An account's balance counts even if it is deleted: it must have been transferred.
      const left = change.after.LedgerEntryType === 'AccountRoot' ? change.after : entryAfter(change);
      if (left) sum += dropsIn(left);
    }
    return sum === -fee;
  },
};

const xrpBalances: Checker = {
  name: 'XRPBalanceChecks',
  holds: ({ changes }) =>
    changes
      .of('AccountRoot')
      .flatMap(states)
      .every(({ Balance }) => Balance?.isNative && Balance.drops >= 0n && Balance.drops <= DROPS_MAX),
};

const noBadOffers: Checker = {
  name: 'NoBadOffers',
  holds: ({ changes }) =>
    changes
      .of('Offer')
      .flatMap(states)
      .every(({ TakerPays: pays, TakerGets: gets }) => {
        if (pays === undefined || gets === undefined) return false;
        return pays.signum >= 0 && gets.signum >= 0 && !(pays.isNative && gets.isNative);
      }),
};

function goodEscrow(amount: Amount | undefined): boolean {
  if (amount === undefined || amount.signum <= 0) return false;
  if (amount.isNative) return amount.drops < DROPS_MAX;
  return amount.isMpt ? amount.mantissa <= MPT_MAX : !isBadCurrency(amount.asset);
}

const inRange = (value: bigint | undefined): boolean =>
  value === undefined || (value >= 0n && value <= MPT_MAX);

function goodHolding(entry: Readonly<Entry>): boolean {
  const { OutstandingAmount: outstanding, LockedAmount: locked, MPTAmount: held } = entry;
  if (![outstanding, locked, held].every(inRange)) return false;
  // What an issuance has locked is part of what is outstanding.
  return entry.LedgerEntryType !== 'MPTokenIssuance' || (locked ?? 0n) <= (outstanding ?? 0n);
}

const noZeroEscrow: Checker = {
  name: 'NoZeroEscrow',
  holds: ({ changes }) =>
    changes.of('Escrow').every((change) => states(change).every(({ Amount }) => goodEscrow(Amount))) &&
    [...changes.of('MPTokenIssuance'), ...changes.of('MPToken')]
      .flatMap((change) => entryAfter(change) ?? [])
      .every(goodHolding),
};

function canonicalAmount(amount: Amount): boolean {
  if (amount.isNative) return amount.drops >= -DROPS_MAX && amount.drops <= DROPS_MAX;
  return !amount.isMpt || inRange(amount.mantissa);
}

/** Whether XRP and MPT amounts within fields, at any depth, are in their range. */
function canonical(fields: Readonly<Record<string, unknown>>): boolean {
  for (const name in fields) {
    const value = fields[name];
    if (typeof value !== 'object' || value === null || value instanceof Num) continue;
    // Keys of a directory page and the like.
    if (Array.isArray(value) && typeof value[0] === 'string') continue;
    if (value instanceof AmountValue ? !canonicalAmount(value) : !canonical(value as typeof fields))
      return false;
  }
  return true;
}

const validAmounts: Checker = {
  name: 'ValidAmounts',
  holds: ({ changes, table }) =>
    !table.rules.enabled('fixCleanup3_2_0') ||
    changes.all.every((change) => canonical((entryAfter(change) ?? {}) as Record<string, unknown>)),
};

export const AMOUNT_CHECKERS: readonly Checker[] = [
  transactionFee,
  xrpNotCreated,
  xrpBalances,
  noBadOffers,
  noZeroEscrow,
  validAmounts,
];
