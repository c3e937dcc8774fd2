/**
 * Copies of known collections: NFTs that nobody asked for, offered for nothing to many accounts, that carry the name of a known
 * collection of another issuer or a picture of it.
 *
 *     ledgers: an issuer offers its own NFTs for nothing to 5 accounts ----.
 *     fetched metadata: name of the collection, hashes of pictures --------+-> suspected     (views/nfts/copies.ts)
 *
 * Only the first half follows from the ledgers: an account that this rule lists has given away NFTs, as honest issuers do, and
 * is not shown anywhere unless the second half holds, too. Even then it is suspected only: who mints a collection again under
 * another account, and gives the new ones to the owners of the old ones, does the same.
 */
import { DAY } from '../../ripple-time.ts';
import type { ScamRule } from '../rule.ts';

/** Owners of a known collection: as many as holders of a token that others are taken for (impersonation.ts). */
export const KNOWN_OWNERS = 20;
/**
 * Bits of 64 in which two pictures of one thing may differ. Krawetz takes up to 10 for "likely the same"; pictures of one
 * collection, which are often drawn from one template, are nearer to one another than photographs are.
 */
export const BITS_APART = 4;

export const NFT_COPIES: ScamRule = {
  number: 8,
  name: 'NFT copies',
  category: 'impersonation',
  isVerified: false,
  definition:
    'Offers own NFTs for nothing to 5 or more different accounts within 24 hours; and the name of their collection looks like that of an ' +
    `older one of another issuer with ${KNOWN_OWNERS} or more owners (UTS 39 skeleton), or the difference hash of a picture differs from one of its in ` +
    `${BITS_APART} of 64 bits at most`,
  source: 'https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html',
  accounts: 5,
  window: DAY,
};
