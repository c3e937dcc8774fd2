/**
 * Dust spam: amounts of nothing to many accounts, for the memo that comes with them. Where the memo lures to a web site it is a
 * scam; where it does not, it may be an honest project that pays its holders next to nothing, as recorded ledgers show: suspected.
 */
import { readU32 } from '../../codec/bytes.ts';
import { type Changes, Tx } from '../../codec/changes.ts';
import { DAY } from '../../ripple-time.ts';
import type { ScamRule, ScamTransaction } from '../rule.ts';

/** Drops: a thousandth of an XRP, below every amount that a service refuses as too small. */
const DUST_DROPS = 1000;
const PAYMENT = 0;

export const DUST_SPAM: ScamRule = {
  number: 1,
  name: 'dust spam',
  category: 'dust_spam',
  isVerified: true,
  definition:
    'Payments of at most 0.001 XRP, each with a memo that lures to a web address, to 20 or more different accounts within 24 hours',
  source: 'https://help.xaman.app/app/learning-more-about-xaman/spam-on-the-xrp-ledger',
  accounts: 20,
  window: DAY,
};

export const DUST_MEMOS: ScamRule = {
  ...DUST_SPAM,
  number: 7,
  name: 'dust with memos',
  isVerified: false,
  definition:
    'Payments of at most 0.001 XRP, each with another memo, to 20 or more different accounts within 24 hours',
};

/** Where the account is that it sends dust to; 0: it does not. */
export function dustTo({ bytes, row, memo }: ScamTransaction, changes: Changes): number {
  const amountAt = changes.tx(row, Tx.amountAt);
  if (changes.tx(row, Tx.type) !== PAYMENT || amountAt === 0) return 0;
  const drops = xrpDrops(bytes, amountAt);
  if (drops === undefined || drops > DUST_DROPS || memo() === '') return 0;
  return changes.tx(row, Tx.destinationAt);
}

/** Drops of an Amount; undefined: it is not XRP. */
export function xrpDrops(bytes: Uint8Array, at: number): number | undefined {
  // The first bits: not XRP (issued), and MPT.
  if ((bytes[at]! & 0xa0) !== 0) return undefined;
  return (readU32(bytes, at) & 0x3fffffff) * 2 ** 32 + readU32(bytes, at + 4);
}
