/**
 * Phishing memos: messages to accounts that lure to a web site.
 *
 * An issuer that airdrops its token says so in the same words, and names its site. Three facts of the ledger tell it from who
 * spams: it sends its own token, which reaches only accounts that asked for it by a trust line; the site is that of its own
 * domain; and the memo orders nobody to claim, verify or connect anything.
 */
import { type Changes, Tx } from '../../codec/changes.ts';
import { DAY } from '../../ripple-time.ts';
import { isOwnNews, lures } from '../lures.ts';
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
    'below 1 XRP or nothing, to 5 or more different accounts within 24 hours; not those with which an issuer sends its own token ' +
    'to its holders, and names no site but that of its own domain and nothing to do there (claim, verify your ...)',
  source: 'https://help.xaman.app/app/learning-more-about-xaman/spam-on-the-xrp-ledger',
  accounts: 5,
  window: DAY,
};

/** Where the account is that it lures; 0: it does not. */
export function luredAt(transaction: ScamTransaction, changes: Changes): number {
  const { row, memo, worth } = transaction;
  const destinationAt = changes.tx(row, Tx.destinationAt);
  if (destinationAt === 0 || memo() === '') return 0;
  const amountAt = changes.tx(row, Tx.deliveredAt) || changes.tx(row, Tx.amountAt);
  if (amountAt !== 0 && worth(amountAt) >= MESSAGE_DROPS) return 0;
  return lures(memo()) && !isAirdrop(transaction, amountAt) ? destinationAt : 0;
}

/** An issuer gives its token to who holds it. @param amountAt 0: it gives nothing */
function isAirdrop({ memo, isOwn, domain }: ScamTransaction, amountAt: number): boolean {
  return amountAt !== 0 && isOwn(amountAt) && isOwnNews(memo(), domain() ?? '');
}
