/** What a transaction changed, read from its metadata: balances, exactly, and entries of the ledger. */
import { minus, negated, xrpOfDrops } from './decimal.ts';
import { type AssetJson, type ChangedEntry, changedEntries, type Fields, type Meta } from './json.ts';

export interface BalanceChange {
  readonly account: string;
  readonly asset: AssetJson;
  /** Decimal text with every digit; XRP in XRP. */
  readonly change: string;
}

/** Of everyone who held something before or after, in the order of the metadata. Fees are part of the change of XRP. */
export function balanceChanges(meta: Meta): BalanceChange[] {
  return changedEntries(meta)
    .flatMap((entry) => changeOf(entry) ?? [])
    .filter(({ change }) => change !== '0');
}

function changeOf(entry: ChangedEntry): BalanceChange | undefined {
  switch (entry.type) {
    case 'AccountRoot':
      return xrpChange(entry);
    case 'RippleState':
      return lineChange(entry);
    case 'MPToken':
      return mptChange(entry);
    default:
      return undefined;
  }
}

/** Value of a field before and after; 0 where the entry was not there. */
function beforeAndAfter(
  { action, fields, previous }: ChangedEntry,
  read: (of: Fields) => string | undefined,
) {
  const last = read(fields) ?? '0';
  const before = action === 'created' ? '0' : (read(previous) ?? last);
  // What was removed keeps its last value in its fields: XRP of a deleted account has gone to another one before.
  return { before, after: last };
}

function xrpChange(entry: ChangedEntry): BalanceChange | undefined {
  if (typeof entry.fields.Account !== 'string') return undefined;
  const { before, after } = beforeAndAfter(entry, ({ Balance }) => Balance);
  return {
    account: entry.fields.Account,
    asset: { currency: 'XRP' },
    change: xrpOfDrops(minus(after, before)),
  };
}

/** A line holds one balance, positive where its low account holds what the high one issued. */
function lineChange(entry: ChangedEntry): BalanceChange | undefined {
  const { fields } = entry;
  const { before, after } = beforeAndAfter(entry, ({ Balance }) => Balance?.value);
  const [low, high] = [fields.LowLimit?.issuer, fields.HighLimit?.issuer];
  if (!low || !high) return undefined;
  const isLow = !(isZero(after) ? before : after).startsWith('-');
  const change = minus(after, before);
  const { currency } = fields.Balance;
  return isLow
    ? { account: low, asset: { currency, issuer: high }, change }
    : { account: high, asset: { currency, issuer: low }, change: negated(change) };
}

const isZero = (value: string) => /^-?0*\.?0*(e.*)?$/i.test(value);

function mptChange(entry: ChangedEntry): BalanceChange | undefined {
  const { Account: account, MPTokenIssuanceID: mpt_issuance_id } = entry.fields;
  if (!account || !mpt_issuance_id) return undefined;
  const { before, after } = beforeAndAfter(entry, ({ MPTAmount }) => MPTAmount);
  // An amount of zero is no field: what the first payment changed is not among the previous ones.
  const isFirst = entry.action === 'changed' && Object.keys(entry.previous).length === 0;
  return { account, asset: { mpt_issuance_id }, change: isFirst ? after : minus(after, before) };
}
