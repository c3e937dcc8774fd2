/**
 * Zero-price sell traps: owners sign an offer that sells their NFT to one account for nothing, on a site that shows it as
 * something else; that account takes it at once. One such offer is a gift to a friend, so only who takes from many owners is
 * suspected, and nobody is put on the blocklist for it: services that keep NFTs for others do the same.
 */
import { DAY } from '../../ripple-time.ts';
import type { ScamRule } from '../rule.ts';

export const NFT_TRAPS: ScamRule = {
  number: 5,
  name: 'NFT sell trap',
  category: 'other',
  isVerified: false,
  definition:
    'Takes NFTs for nothing, by offers that only it may take, from 5 or more different owners within 24 hours',
  source:
    'https://aped.ai/news/xaman-founder-and-xrp-ledger-dev-warn-of-fake-nft-passes-scam-designed-to-drain-xrp-wallets',
  accounts: 5,
  window: DAY,
};
