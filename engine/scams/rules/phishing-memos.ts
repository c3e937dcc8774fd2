/** Phishing memos: messages to accounts that lure to a web site. */
import { type Changes, Tx } from '../../codec/changes.ts';
import { DAY } from '../../ripple-time.ts';
import { lures } from '../lures.ts';
import type { ScamRule, ScamTransaction } from '../rule.ts';

/** Who pays as much for a message has another reason for the payment. */
const MESSAGE_DROPS = 1_000_000;

export const PHISHING_MEMOS: ScamRule = {
  number: 2,
  name: 'phishing memos',
  category: 'phishing',
  isVerified: true,
  definition:
    'Transactions whose memo has a web address and words that lure there (claim, reward, airdrop, verify your ...), worth ' +
    'below 1 XRP or nothing, to 5 or more different accounts within 24 hours',
  source: 'https://help.xaman.app/app/learning-more-about-xaman/spam-on-the-xrp-ledger',
  accounts: 5,
  window: DAY,
};

/** Where the account is that it lures; 0: it does not. */
export function luredAt({ row, memo, worth }: ScamTransaction, changes: Changes): number {
  const destinationAt = changes.tx(row, Tx.destinationAt);
  if (destinationAt === 0 || memo() === '') return 0;
  const amountAt = changes.tx(row, Tx.deliveredAt) || changes.tx(row, Tx.amountAt);
  if (amountAt !== 0 && worth(amountAt) >= MESSAGE_DROPS) return 0;
  return lures(memo()) ? destinationAt : 0;
}
