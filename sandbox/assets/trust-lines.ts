/**
 * Trust lines: created, deleted, read from one side. A line belongs to both accounts; each side that is not in its
 * default state pays reserve for it (`lsfLowReserve`, `lsfHighReserve`), and a line without reserve is deleted.
 * Rules: rippled `RippleStateHelpers.cpp` (`trustCreate`, `trustDelete`, `updateTrustLine`, `deleteAMMTrustLine`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Asset, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_ONE, currencyOf, issued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { listOwned, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, withoutFlags } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { adjustOwnerCount } from './reserve.ts';

/** The flags of one side of a line. */
export interface SideFlags {
  readonly reserve: number;
  readonly auth: number;
  readonly noRipple: number;
  readonly freeze: number;
  readonly deepFreeze: number;
}

export const LOW_FLAGS: SideFlags = {
  reserve: Lsf.lsfLowReserve,
  auth: Lsf.lsfLowAuth,
  noRipple: Lsf.lsfLowNoRipple,
  freeze: Lsf.lsfLowFreeze,
  deepFreeze: Lsf.lsfLowDeepFreeze,
};

export const HIGH_FLAGS: SideFlags = {
  reserve: Lsf.lsfHighReserve,
  auth: Lsf.lsfHighAuth,
  noRipple: Lsf.lsfHighNoRipple,
  freeze: Lsf.lsfHighFreeze,
  deepFreeze: Lsf.lsfHighDeepFreeze,
};

/** The flags of `account`'s side in a line with `peer`. */
export const sideFlags = (account: AccountId, peer: AccountId): SideFlags =>
  account > peer ? HIGH_FLAGS : LOW_FLAGS;

export interface NewTrustLine {
  /** The account whose side is set, and which pays the reserve. */
  readonly setter: AccountId;
  readonly peer: AccountId;
  readonly currency: Hex;
  /** The setter's initial balance (by a payment). Default zero. */
  readonly balance?: Amount;
  /** The setter's limit for the peer. Default zero. */
  readonly limit?: Amount;
  readonly auth?: boolean;
  readonly noRipple?: boolean;
  readonly freeze?: boolean;
  readonly deepFreeze?: boolean;
  readonly qualityIn?: number;
  readonly qualityOut?: number;
}

/**
 * Creates a line, lists it with both accounts, counts it for the setter.
 * @returns `tecNO_TARGET` when the peer does not exist, `tecDIR_FULL`.
 */
export function trustCreate(view: ApplyView, line: NewTrustLine): Result {
  const { setter, peer, currency } = line;
  if (setter === peer) return 'tecINTERNAL';
  const high = setter > peer;
  const [lowAccount, highAccount] = high ? [peer, setter] : [setter, peer];
  const index = keylets.line(setter, peer, currency);
  const lowNode = listOwned(view, lowAccount, index);
  if (lowNode === undefined) return 'tecDIR_FULL';
  const highNode = listOwned(view, highAccount, index);
  if (highNode === undefined) return 'tecDIR_FULL';
  const setterEntry = view.peek(keylets.account(setter));
  if (!setterEntry) return 'tefINTERNAL';
  const peerEntry = view.read(keylets.account(peer));
  if (!peerEntry) return 'tecNO_TARGET';

  const limit = line.limit?.withAsset(issued(currency, setter)) ?? Amount.zero(issued(currency, setter));
  const peerLimit = Amount.zero(issued(currency, peer));
  const neutral = issued(currency, ACCOUNT_ONE);
  const balance = line.balance?.withAsset(neutral) ?? Amount.zero(neutral);
  const entry: Entry = {
    LedgerEntryType: 'RippleState',
    index,
    Flags: newLineFlags(line, high, hasAny(peerEntry.Flags, Lsf.lsfDefaultRipple)),
    LowNode: lowNode,
    HighNode: highNode,
    LowLimit: high ? peerLimit : limit,
    HighLimit: high ? limit : peerLimit,
    Balance: high ? balance.negate() : balance,
  };
  if (line.qualityIn) entry[high ? 'HighQualityIn' : 'LowQualityIn'] = line.qualityIn;
  if (line.qualityOut) entry[high ? 'HighQualityOut' : 'LowQualityOut'] = line.qualityOut;
  view.insert(entry);
  adjustOwnerCount(view, setterEntry, 1);
  view.creditHook(peer, setter, balance, Amount.zero(neutral));
  return 'tesSUCCESS';
}

function newLineFlags(line: NewTrustLine, high: boolean, peerRipples: boolean): number {
  const own = high ? HIGH_FLAGS : LOW_FLAGS;
  let flags = own.reserve;
  if (line.auth) flags |= own.auth;
  if (line.noRipple) flags |= own.noRipple;
  if (line.freeze) flags |= own.freeze;
  if (line.deepFreeze) flags |= own.deepFreeze;
  // The peer has not consented: its side gets the peer's defaults.
  if (!peerRipples) flags |= (high ? LOW_FLAGS : HIGH_FLAGS).noRipple;
  return flags >>> 0;
}

/** Deletes a line from both directories and the ledger. The caller updates the owner counts. */
export function trustDelete(view: ApplyView, line: Entry, low: AccountId, high: AccountId): Result {
  if (!unlistOwned(view, low, line.LowNode, line.index)) return 'tefBAD_LEDGER';
  if (!unlistOwned(view, high, line.HighNode, line.index)) return 'tefBAD_LEDGER';
  view.erase(line.index);
  return 'tesSUCCESS';
}

/** The account's balance on its line with the asset's issuer, zero without one; no freeze, no hooks. */
export function lineBalance(view: ReadView, account: AccountId, asset: Asset): Amount {
  const issuer = issuerOf(asset);
  const line = view.read(keylets.line(account, issuer, currencyOf(asset)!));
  if (!line) return Amount.zero(asset);
  return (account > issuer ? line.Balance!.negate() : line.Balance!).withAsset(asset);
}

/**
 * Checks whether the sender's side of a line returns to its default by sending: its balance went from above zero to
 * zero or below, nothing else is set. Then its reserve is released.
 * @param before,after the balance from the sender's side.
 * @returns whether the line must be deleted: the balance is zero and the other side has no reserve either.
 */
export function updateTrustLine(
  view: ApplyView,
  line: Entry,
  sender: AccountId,
  peer: AccountId,
  before: Amount,
  after: Amount,
): boolean {
  if (before.signum <= 0 || after.signum > 0) return false;
  const high = sender > peer;
  const own = high ? HIGH_FLAGS : LOW_FLAGS;
  if (!hasAny(line.Flags, own.reserve) || hasAny(line.Flags, own.freeze)) return false;
  const limit = high ? line.HighLimit! : line.LowLimit!;
  const qualities = high
    ? (line.HighQualityIn ?? 0) | (line.HighQualityOut ?? 0)
    : (line.LowQualityIn ?? 0) | (line.LowQualityOut ?? 0);
  if (!limit.isZero || qualities !== 0) return false;
  const account = view.read(keylets.account(sender));
  if (!account || hasAny(line.Flags, own.noRipple) === hasAny(account.Flags, Lsf.lsfDefaultRipple))
    return false;
  adjustOwnerCount(view, view.peek(keylets.account(sender))!, -1);
  line.Flags = withoutFlags(line.Flags, own.reserve);
  return after.isZero && !hasAny(line.Flags, (high ? LOW_FLAGS : HIGH_FLAGS).reserve);
}

/**
 * Deletes the line between a pool and a holder when the pool is deleted.
 * @param pool the pool's account, if the line must be of this one.
 * @returns `terNO_AMM` when it is not a pool's (or another's), `tecINTERNAL` when both are pools.
 */
export function deleteAmmTrustLine(view: ApplyView, line: Entry | undefined, pool?: AccountId): Result {
  if (line?.LedgerEntryType !== 'RippleState') return 'tecINTERNAL';
  const low = issuerOf(line.LowLimit!.asset);
  const high = issuerOf(line.HighLimit!.asset);
  const lowEntry = view.read(keylets.account(low));
  const highEntry = view.read(keylets.account(high));
  if (!lowEntry || !highEntry) return 'tecINTERNAL';
  const poolIsLow = lowEntry.AMMID !== undefined;
  const poolIsHigh = highEntry.AMMID !== undefined;
  if (poolIsLow && poolIsHigh) return 'tecINTERNAL';
  if (!poolIsLow && !poolIsHigh) return 'terNO_AMM';
  if (pool !== undefined && low !== pool && high !== pool) return 'terNO_AMM';
  const paid = hasAny(line.Flags, poolIsLow ? Lsf.lsfHighReserve : Lsf.lsfLowReserve);
  const result = trustDelete(view, line, low, high);
  if (result !== 'tesSUCCESS') return result;
  if (!paid) return 'tecINTERNAL';
  adjustOwnerCount(view, view.peek(keylets.account(poolIsLow ? high : low))!, -1);
  return 'tesSUCCESS';
}
