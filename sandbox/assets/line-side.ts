/** A trust line from the side of one of its two accounts. */
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, currencyOf, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny } from '../protocol/flags.ts';
import { type SideFlags, sideFlags } from './trust-lines.ts';

export interface LineSide {
  readonly peer: AccountId;
  readonly currency: Hex;
  /** Positive: the peer owes it to the account. */
  readonly balance: Amount;
  /** The account's limit for the peer, and the peer's for the account. */
  readonly limit: Amount;
  readonly limitPeer: Amount;
  /** In billionths; 0 where none is set. */
  readonly qualityIn: number;
  readonly qualityOut: number;
  /** Which of `flags` are the account's, and which the peer's. */
  readonly own: SideFlags;
  readonly others: SideFlags;
  readonly flags: number;
}

/** The line from the side of `account`; undefined when the account is not one of its two. */
export function lineSide(entry: Readonly<Entry>, account: AccountId): LineSide | undefined {
  if (entry.LedgerEntryType !== 'RippleState') return undefined;
  const low = entry.LowLimit!;
  const high = entry.HighLimit!;
  const isLow = low.issuer === account;
  if (!isLow && high.issuer !== account) return undefined;
  const peer = isLow ? high.issuer : low.issuer;
  return {
    peer,
    currency: currencyOf(low.asset)!,
    balance: isLow ? entry.Balance! : entry.Balance!.negate(),
    limit: isLow ? low : high,
    limitPeer: isLow ? high : low,
    qualityIn: (isLow ? entry.LowQualityIn : entry.HighQualityIn) ?? 0,
    qualityOut: (isLow ? entry.LowQualityOut : entry.HighQualityOut) ?? 0,
    own: sideFlags(account, peer),
    others: sideFlags(peer, account),
    flags: entry.Flags ?? 0,
  };
}

/** Whether the account has set no-ripple. */
export const noRipple = ({ flags, own }: LineSide): boolean => hasAny(flags, own.noRipple);

/** Whether the peer has set it. */
export const noRippleOfPeer = ({ flags, others }: LineSide): boolean => hasAny(flags, others.noRipple);
