/** What a transaction changed, read from its metadata: balances, exactly, and entries of the ledger. */
import { minus, negated, shifted, xrpOfDrops } from './decimal.ts';
import {
  type AmountJson,
  type AssetJson,
  type ChangedEntry,
  changedEntries,
  type Fields,
  isAmount,
  isAsset,
  isDecimal,
  isMpt,
  type Meta,
} from './json.ts';

export interface BalanceChange {
  readonly account: string;
  readonly asset: AssetJson;
  /** Decimal text with every digit; XRP in XRP. */
  readonly change: string;
}

const XRP: AssetJson = { currency: 'XRP' };

/** Of everyone who held something before or after, in the order of the metadata. Fees are part of the change of XRP. */
export function balanceChanges(meta: Meta): BalanceChange[] {
  const entries = changedEntries(meta);
  return entries.flatMap((entry) => changeOf(entry, entries) ?? []).filter(({ change }) => change !== '0');
}

function changeOf(entry: ChangedEntry, entries: readonly ChangedEntry[]): BalanceChange | undefined {
  switch (entry.type) {
    case 'AccountRoot':
      return xrpChange(entry);
    case 'RippleState':
      return lineChange(entry);
    case 'MPToken':
      return mptChange(entry, entries);
    default:
      return undefined;
  }
}

/** Value of a field before and after; 0 where the entry was not there, and where it has no number in that field. */
function beforeAndAfter({ action, fields, previous }: ChangedEntry, read: (of: Fields) => unknown) {
  const number = (of: Fields) => {
    const value = read(of);
    return isDecimal(value) ? value : undefined;
  };
  const last = number(fields) ?? '0';
  const before = action === 'created' ? '0' : (number(previous) ?? last);
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
  const currency = fields.Balance?.currency;
  if (typeof low !== 'string' || typeof high !== 'string' || typeof currency !== 'string') return undefined;
  const isLow = !(isZero(after) ? before : after).startsWith('-');
  const change = minus(after, before);
  return isLow
    ? { account: low, asset: { currency, issuer: high }, change }
    : { account: high, asset: { currency, issuer: low }, change: negated(change) };
}

const isZero = (value: string) => /^-?0*\.?0*(e.*)?$/i.test(value);

function mptChange(entry: ChangedEntry, entries: readonly ChangedEntry[]): BalanceChange | undefined {
  const { Account: account, MPTokenIssuanceID: mpt_issuance_id, MPTAmount: after = '0' } = entry.fields;
  const before = mptBefore(entry, entries);
  if (typeof account !== 'string' || typeof mpt_issuance_id !== 'string') return undefined;
  if (!isDecimal(after) || !isDecimal(before)) return undefined;
  return { account, asset: { mpt_issuance_id }, change: minus(after, before) };
}

/**
 * Units of an MPToken before the transaction. An amount of zero is no field: it is not among the previous ones either, where it grew.
 * @param entries all that the transaction changed
 */
export function mptBefore(entry: ChangedEntry, entries: readonly ChangedEntry[]): string {
  const { action, fields, previous } = entry;
  if (action === 'created') return '0';
  if (previous.MPTAmount !== undefined) return previous.MPTAmount;
  const grew = Object.keys(previous).length === 0 || isReturned(entry, entries);
  return grew ? '0' : (fields.MPTAmount ?? '0');
}

/** Whether what an escrow had locked of the holding is in its amount again, rather than with the one that it was for. */
function isReturned({ fields, previous }: ChangedEntry, entries: readonly ChangedEntry[]): boolean {
  if (previous.LockedAmount === undefined) return false;
  const escrow = entries.find(({ type, action }) => type === 'Escrow' && action === 'removed')?.fields;
  if (!escrow || escrow.Account !== fields.Account) return false;
  if (escrow.Destination === escrow.Account) return true;
  const isPaid = ({ type, fields: { Account, MPTokenIssuanceID }, previous: before }: ChangedEntry) =>
    type === 'MPToken'
      ? Account === escrow.Destination && MPTokenIssuanceID === fields.MPTokenIssuanceID
      : type === 'MPTokenIssuance' && before.OutstandingAmount !== undefined;
  return !entries.some(isPaid);
}

/** What a deposit put into a pool, or a withdrawal took from it, in the order in which the transaction names the pool's assets. */
export function poolAmounts({ Asset, Asset2 }: Fields, meta: Meta): AmountJson[] {
  const all = balanceChanges(meta);
  const pool = poolIn(meta, all);
  return [Asset, Asset2].flatMap((asset) => (pool ? (sizeOf(all, pool, asset) ?? []) : []));
}

/** By how much an account has more or less of an asset, without a sign. undefined: it has as much as before */
function sizeOf(changes: readonly BalanceChange[], account: unknown, asset: unknown): AmountJson | undefined {
  const found = changes.find((one) => one.account === account && isAsset(asset) && isSame(one.asset, asset));
  return found && amountOf(found.asset, found.change.replace('-', ''));
}

/** What went into a vault, or came out of it. undefined: the metadata does not show it */
export function vaultAmount(meta: Meta): AmountJson | undefined {
  const { Account, Asset = XRP } = changedEntries(meta).find(({ type }) => type === 'Vault')?.fields ?? {};
  return sizeOf(balanceChanges(meta), Account, Asset);
}

/** What left the cover of a loan broker, which is of a token. undefined: the metadata does not show it */
function coverTaken(meta: Meta): AmountJson | undefined {
  const broker = changedEntries(meta).find(({ type }) => type === 'LoanBroker')?.fields.Account;
  const all = balanceChanges(meta);
  const token = all.find(({ account, asset }) => account === broker && !isSame(asset, XRP))?.asset;
  return token && sizeOf(all, broker, token);
}

/** What its sender paid of what they offered to pay, the fee apart. undefined: the metadata does not show it */
export function paidBySender({ Account, Amount, Delegate, Fee }: Fields, meta: Meta): AmountJson | undefined {
  if (!isAmount(Amount)) return undefined;
  const paid = sizeOf(balanceChanges(meta), Account, typeof Amount === 'string' ? XRP : Amount);
  if (typeof paid !== 'string' || Delegate !== undefined) return paid;
  const drops = isDecimal(Fee) ? minus(paid, Fee) : '0';
  return drops === '0' ? undefined : drops;
}

/** First byte of the currency of a pool's shares (XLS-30), which the pool issues. */
const SHARES = /^03[0-9A-F]{38}$/;

/** The account of the pool: very small amounts leave its own entry as it was. */
function poolIn(meta: Meta, changes: readonly BalanceChange[]): unknown {
  const entry = changedEntries(meta).find(({ type }) => type === 'AMM');
  if (entry) return entry.fields.Account;
  const shares = changes.find(({ asset }) => !isMpt(asset) && SHARES.test(asset.currency))?.asset;
  return shares && !isMpt(shares) ? shares.issuer : undefined;
}

function isSame(a: AssetJson, b: AssetJson): boolean {
  if (isMpt(a) || isMpt(b)) return isMpt(a) && isMpt(b) && a.mpt_issuance_id === b.mpt_issuance_id;
  return a.currency === b.currency && a.issuer === b.issuer;
}

/** @param value decimal text; XRP in XRP */
function amountOf(asset: AssetJson, value: string): AmountJson {
  if (isMpt(asset)) return { ...asset, value };
  const { currency, issuer } = asset;
  return issuer === undefined ? shifted(value, -6) : { currency, issuer, value };
}

/** Of payments that may deliver less than they ask for. */
const DELIVERS_IN_PART = 0x20000;

/**
 * What a payment, a cashed check or a deleted account delivered. Nodes do not know it of payments of before 2014: all that was asked
 * for, but for those that may deliver less. undefined: it is not known
 */
export function deliveredBy(tx: Fields, { delivered_amount: delivered }: Meta): AmountJson | undefined {
  if (delivered !== 'unavailable') return isAmount(delivered) ? delivered : undefined;
  const asked = tx.DeliverMax ?? tx.Amount;
  return tx.Flags & DELIVERS_IN_PART || !isAmount(asked) ? undefined : asked;
}

/** Of TrustSet: flags that end a freeze, and the one that ends rippling. */
const UNFREEZES = 0x200000 | 0x800000;
const SETS_NO_RIPPLE = 0x20000;
/** Freezes of the low end of a line, and of the high one. */
const LOW_FREEZES = 0x400000 | 0x2000000;
const HIGH_FREEZES = 0x800000 | 0x4000000;

/**
 * Whether a TrustSet ended a freeze by its sender. Its flags alone do not show it: wallets set them, with that against rippling, to
 * close a line on which the sender holds.
 */
export function isUnfreezing(tx: Fields, meta: Meta): boolean {
  const { Account: sender, Flags: flags = 0, LimitAmount: limit } = tx;
  if (!(flags & UNFREEZES)) return false;
  const isTheirs = ({ type, fields: { Balance: balance, LowLimit: low, HighLimit: high } }: ChangedEntry) =>
    type === 'RippleState' &&
    balance?.currency === limit?.currency &&
    [low?.issuer, high?.issuer].includes(sender) &&
    [low?.issuer, high?.issuer].includes(limit?.issuer);
  const line = changedEntries(meta).find(isTheirs);
  if (!line) return !(flags & SETS_NO_RIPPLE);
  const freezes = line.fields.LowLimit?.issuer === sender ? LOW_FREEZES : HIGH_FREEZES;
  return (line.previous.Flags & ~line.fields.Flags & freezes) !== 0;
}

/** Flag of AMMClawback. */
const CLAWS_BOTH = 1;

/**
 * What its sender took back: of a token that it issued, or of both of a pool. Where the metadata does not show it, what was asked
 * for: more than there is, often. None where it names no amount, or 0, which means all.
 */
export function clawedBack(tx: Fields, meta: Meta): readonly AmountJson[] {
  const taken = takenBack(tx, meta);
  const isNamed = isAmount(tx.Amount) && Number(amountText(tx.Amount)) !== 0;
  return taken.length > 0 || !isNamed ? taken : [tx.Amount];
}

const amountText = (amount: AmountJson): string => (typeof amount === 'string' ? amount : amount.value);

function takenBack(tx: Fields, meta: Meta): readonly AmountJson[] {
  const {
    Account: issuer,
    Amount: asked,
    Asset,
    Asset2,
    Flags: flags = 0,
    Holder: holder = asked?.issuer,
  } = tx;
  switch (tx.TransactionType) {
    case 'AMMClawback':
      return poolAmounts({ Asset, ...(flags & CLAWS_BOTH && { Asset2 }) }, meta);
    case 'VaultClawback':
      return [vaultAmount(meta) ?? []].flat();
    case 'LoanBrokerCoverClawback':
      return [coverTaken(meta) ?? []].flat();
    // What is confidential is no balance that the metadata shows; the amount that is taken is public.
    case 'ConfidentialMPTClawback':
      return [{ mpt_issuance_id: tx.MPTokenIssuanceID, value: tx.MPTAmount }].filter(isAmount);
  }
  if (!isAmount(asked) || typeof asked === 'string') return [];
  // Of a token of trust lines, the amount names the holder in place of the issuer.
  const named = isMpt(asked) ? asked : { ...asked, issuer };
  const change = balanceChanges(meta).find((one) => one.account === holder && isSame(one.asset, named));
  return [change?.change.startsWith('-') ? amountOf(change.asset, negated(change.change)) : named];
}

/** Fields of the entries of a type that a transaction removed. */
export const removedOf = (type: string, meta: Meta): Fields[] =>
  changedEntries(meta).flatMap((entry) =>
    entry.type === type && entry.action === 'removed' ? [entry.fields] : [],
  );

/** Drops that a claim took from a payment channel. undefined: the metadata does not show it */
export function claimedDrops({ Channel: channel }: Fields, meta: Meta): string | undefined {
  const entry = changedEntries(meta).find(({ type, index }) => type === 'PayChannel' && index === channel);
  const { fields, previous } = entry ?? {};
  return isDecimal(fields?.Balance) && isDecimal(previous?.Balance)
    ? minus(fields.Balance, previous.Balance)
    : undefined;
}
