/**
 * The figures of a vault must match the transfers: of the asset between the vault's account and the depositor or
 * receiver, of the shares between their holder and the outstanding amount. Issued currencies keep 16 digits on each line,
 * so amounts are compared in the digits that both sides have. Rules: rippled `VaultInvariant.cpp`.
 */
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  isIssued,
  isMpt,
  issuerOf,
  isXrp,
} from '../../../engine/codec/arithmetic/asset.ts';
import { type Rounding, toInt64 } from '../../../engine/codec/arithmetic/decimal.ts';
import { NUM_ZERO, type Num } from '../../../engine/codec/arithmetic/number.ts';
import type { Entry } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { entryAfter, outstanding, type TransactionEffect } from './checker.ts';

/** What an account received (negative: what it gave). */
interface Moved {
  readonly by: Num;
  /** Exponent of the last digit of the balance: the coarser one of before and after. */
  readonly exponent: number;
}

/** How a vault changed. */
export interface VaultChange {
  readonly done: TransactionEffect;
  readonly before: Readonly<Entry>;
  readonly after: Readonly<Entry>;
}

function balanceOf(entry: Readonly<Entry>, account: AccountId, asset: Asset): Amount {
  if (isMpt(asset)) return Amount.mpt(asset, entry.MPTAmount ?? 0n);
  const balance = entry.Balance as Amount;
  return isIssued(asset) && account > issuerOf(asset) ? balance.negate() : balance;
}

/** What an account received of an asset; undefined when its holding was not changed. */
function movedTo({ changes, table }: TransactionEffect, account: AccountId, asset: Asset): Moved | undefined {
  const key = keylets.holding(account, asset);
  const change = changes.all.find((other) => other.key === key);
  if (change === undefined) return undefined;
  const { numbers } = table.rules;
  const [before, after] = [change.before, entryAfter(change)].map(
    (entry) => entry && balanceOf(entry, account, asset),
  );
  const value = (balance: Amount | undefined): Num => (balance ? numbers.of(balance) : NUM_ZERO);
  const exponents = [before, after].flatMap((balance) => (balance ? [balance.exponent] : []));
  return { by: numbers.sub(value(after), value(before)), exponent: Math.max(...exponents) };
}

/** The same for the account of the transaction, without its fee. */
function movedToSender(done: TransactionEffect, asset: Asset): Moved | undefined {
  const { tx, fee, table } = done;
  const moved = movedTo(done, tx.Account, asset);
  const payer = tx.Delegate ?? tx.Account;
  if (moved === undefined || !isXrp(asset) || payer !== tx.Account) return moved;
  const by = table.rules.numbers.add(moved.by, table.rules.numbers.of(fee));
  return by.isZero ? undefined : { ...moved, by };
}

/** A holding exists even if its line is too coarse to show the small amount received. */
function unmoved({ table }: TransactionEffect, account: AccountId, asset: Asset): Moved | undefined {
  const entry = isIssued(asset) ? table.read(keylets.holding(account, asset)) : undefined;
  return entry && { by: NUM_ZERO, exponent: balanceOf(entry, account, asset).exponent };
}

/** A number as an amount, of an issued currency rounded to multiples of 10^exponent. */
function rounded(asset: Asset, value: Num, exponent: number, mode: Rounding = 'nearest'): Amount {
  const amount = Amount.fromNum(asset, value, mode);
  if (!isIssued(asset) || amount.exponent >= exponent) return amount;
  const whole = toInt64({ mantissa: amount.mantissa, exponent: amount.exponent - exponent }, mode);
  return Amount.issued(asset, whole, exponent);
}

/** A figure of a vault; absent ones are zero. */
export const num = (value: Num | undefined): Num => value ?? NUM_ZERO;

/** The exponent of a vault's figures: that of its total after the transaction. */
const exponentOf = ({ after }: VaultChange): number =>
  Amount.fromNum(after.Asset as Asset, num(after.AssetsTotal)).exponent;

/** What the vault's own account received, in the vault's digits; undefined when total and available do not agree. */
function vaultGot(change: VaultChange, moved: Moved): Amount | undefined {
  const { done, before, after } = change;
  const asset = after.Asset as Asset;
  const exponent = exponentOf(change);
  const got = rounded(asset, moved.by, exponent);
  const agree = (['AssetsTotal', 'AssetsAvailable'] as const).every((name) =>
    rounded(asset, done.table.rules.numbers.sub(num(after[name]), num(before[name])), exponent).equals(got),
  );
  return agree ? got : undefined;
}

/** Whether a holder's shares changed by the same amount as the outstanding shares. */
function sharesMoved(change: VaultChange, holder: AccountId, sign: 1 | -1): boolean {
  const { done, after } = change;
  const share = after.ShareMPTID as Asset;
  const issuance = done.changes.all.find(({ key }) => key === keylets.mptIssuance(share));
  const moved = movedTo(done, holder, share);
  if (issuance === undefined || moved === undefined || moved.by.signum !== sign) return false;
  const issued = outstanding(entryAfter(issuance)) - outstanding(issuance.before);
  return Amount.fromNum(share, moved.by).mantissa === issued;
}

const isIssuer = (account: AccountId, asset: Asset): boolean => !isXrp(asset) && issuerOf(asset) === account;

/** A deposit: the vault received what the depositor gave, and the depositor received the shares. */
export function depositAddsUp(change: VaultChange): boolean {
  const { done, after } = change;
  const asset = after.Asset as Asset;
  const moved = movedTo(done, after.Account as AccountId, asset);
  const got = moved && vaultGot(change, moved);
  if (got === undefined || got.signum <= 0 || !sharesMoved(change, done.tx.Account, 1)) return false;
  // An issuer's deposit is newly issued.
  if (isIssuer(done.tx.Account, asset)) return true;
  const paid = movedToSender(done, asset);
  if (paid === undefined) return false;
  const { numbers } = done.table.rules;
  const exponent = Math.max(exponentOf(change), paid.exponent);
  const given = rounded(asset, paid.by, exponent);
  return given.signum < 0 && rounded(asset, numbers.of(got), exponent).equals(given.negate());
}

/** The receiver of a withdrawal: exactly one of sender and destination. */
function receiverGot(done: TransactionEffect, asset: Asset): Moved | undefined {
  const { Account: sender, Destination: destination } = done.tx;
  const own = movedToSender(done, asset);
  const other =
    destination === undefined || destination === sender ? undefined : movedTo(done, destination, asset);
  if (own !== undefined && other !== undefined) return undefined;
  return own ?? other ?? unmoved(done, destination ?? sender, asset);
}

/** Whether the receiver got what left the vault, except for what its own line is too coarse to hold. */
function receivedAll(change: VaultChange, left: Moved, lost: Amount): boolean {
  const { done, after } = change;
  const asset = after.Asset as Asset;
  const { numbers, enabled } = done.table.rules;
  const received = receiverGot(done, asset);
  if (received === undefined) return false;
  const exponent = Math.max(exponentOf(change), received.exponent);
  const got = rounded(asset, received.by, exponent);
  const coarse = isIssued(asset) && enabled('fixCleanup3_2_0');
  if (coarse ? got.signum < 0 : got.signum <= 0) return false;
  const gone = numbers.sub(left.by.negate(), received.by);
  if (coarse && rounded(asset, gone, received.exponent, 'down').isZero) return true;
  return rounded(asset, numbers.of(lost), exponent).negate().equals(got);
}

/** A withdrawal: the vault gave what the receiver got, and the sender gave the shares. */
export function withdrawalAddsUp(change: VaultChange): boolean {
  const { done, after } = change;
  const asset = after.Asset as Asset;
  const moved = movedTo(done, after.Account as AccountId, asset);
  const lost = moved && vaultGot(change, moved);
  if (moved === undefined || lost === undefined || lost.signum >= 0) return false;
  if (!sharesMoved(change, done.tx.Account, -1)) return false;
  const receiver = done.tx.Destination ?? done.tx.Account;
  return isIssuer(receiver, asset) || receivedAll(change, moved, lost);
}

const isEmpty = ({ AssetsTotal: total, AssetsAvailable: available }: Readonly<Entry>): boolean =>
  num(total).isZero && num(available).isZero;

/** A clawback: by the asset's issuer, or the owner of an empty vault; the holder gave the shares. */
export function clawbackAddsUp(change: VaultChange): boolean {
  const { done, before, after } = change;
  const asset = after.Asset as Asset;
  if (!isIssuer(done.tx.Account, asset) && !(isEmpty(before) && before.Owner === done.tx.Account))
    return false;
  if (!sharesMoved(change, done.tx.Holder as AccountId, -1)) return false;
  const moved = movedTo(done, after.Account as AccountId, asset);
  if (moved === undefined) return isEmpty(before);
  const lost = vaultGot(change, moved);
  return lost !== undefined && lost.signum < 0;
}

/** Settings: the vault's own balance is not changed. */
export const settingsMoveNothing = ({ done, after }: VaultChange): boolean =>
  movedTo(done, after.Account as AccountId, after.Asset as Asset) === undefined;
