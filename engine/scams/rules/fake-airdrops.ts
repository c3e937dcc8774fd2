/**
 * Fake airdrops: NFTs that nobody asked for, offered for nothing to many accounts, whose content is a web page that lures.
 * NFTs of projects name a file (ipfs:, data:, a .json of their own site): those are not found.
 */
import { amountKind, amountRawOffset, isZero } from '../../codec/amount.ts';
import { readU32 } from '../../codec/bytes.ts';
import { type Changes, NftOfferNode } from '../../codec/changes.ts';
import { DAY } from '../../ripple-time.ts';
import { lures } from '../lures.ts';
import type { ScamRule } from '../rule.ts';

export const FAKE_AIRDROPS: ScamRule = {
  number: 4,
  name: 'fake airdrop',
  category: 'fake_airdrop',
  isVerified: true,
  definition:
    'NFTs whose URI is a web address with words that lure (claim, reward, airdrop, free XRP, voucher ...) are offered for nothing to ' +
    '5 or more different accounts within 24 hours',
  source:
    'https://aped.ai/news/xaman-founder-and-xrp-ledger-dev-warn-of-fake-nft-passes-scam-designed-to-drain-xrp-wallets',
  accounts: 5,
  window: DAY,
};

/** Files that NFTs of projects name. */
const FILE = /\.(?:json|png|jpe?g|gif|webp|svg|mp4|webm)(?:[?#]|$)/i;

/** Whether a URI is a web page that lures. */
export function isLure(uri: string): boolean {
  return /^https?:\/\//i.test(uri) && !FILE.test(uri) && lures(uri);
}

/** Whether an offer's node asks for nothing. */
export function asksNothing(bytes: Uint8Array, changes: Changes, node: number): boolean {
  const at = changes.node(node, NftOfferNode.amountAt);
  if (at === 0) return true;
  const kind = amountKind(bytes[at]!);
  const raw = at + amountRawOffset(kind);
  return isZero(kind, readU32(bytes, raw), readU32(bytes, raw + 4));
}
