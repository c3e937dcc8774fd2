/** A trust line as one of its two accounts sees it. */
import type { Amount } from '../protocol/amount.ts';
import { type AccountId, currencyOf, type Hex } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny } from '../protocol/flags.ts';
import { type SideFlags, sideFlags } from './trust-lines.ts';

export interface LineSide {
  readonly peer: AccountId;
  readonly currency: Hex;
  /** Above zero: the peer owes it to the account. */
  readonly balance: Amount;
  /** What the account trusts the peer for, and the peer the account. */
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

/** The line seen by `account`; undefined when the entry is none of its lines. */
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

/** The account has set no-ripple. */
export const noRipple = ({ flags, own }: LineSide): boolean => hasAny(flags, own.noRipple);

/** The peer has set it. */
export const noRippleOfPeer = ({ flags, others }: LineSide): boolean => hasAny(flags, others.noRipple);
