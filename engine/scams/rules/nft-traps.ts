/**
 * Zero-price sell traps: owners sign an offer that sells their NFT to one account for nothing, on a site that shows it as
 * something else; that account takes it at once. One such offer is a gift to a friend, so only who takes from many owners is
 * suspected, and nobody is put on the blocklist for it: services that keep NFTs for others do the same. Marketplaces ask their
 * sellers for such offers, too, and match them with offers to buy: the owner gets what the buyer pays, less the broker's fee. So
 * a broker is suspected only where that fee is most of the price (it may be all but a drop).
 */
import {
  amountKind,
  amountRawOffset,
  compareDecimal,
  mulDecimal,
  rawDecimal,
  subDecimal,
} from '../../codec/amount.ts';
import { readU32 } from '../../codec/bytes.ts';
import { type Changes, EntryType, NftOfferNode, Node, NodeAction, Tx } from '../../codec/changes.ts';
import { brokerFeeOf } from '../../nfts/sale-parts.ts';
import { DAY } from '../../ripple-time.ts';
import type { ScamRule, ScamTransaction } from '../rule.ts';

/** lsfSellNFToken */
const SELL = 1;
const HALF = { m: 5n, e: -1 };

export const NFT_TRAPS: ScamRule = {
  number: 5,
  name: 'NFT sell trap',
  category: 'other',
  isVerified: false,
  definition:
    'Takes NFTs for nothing, or sells them and keeps more than half of the price, by offers for nothing that only it may take, from 5 or more ' +
    'different owners within 24 hours',
  source:
    'https://aped.ai/news/xaman-founder-and-xrp-ledger-dev-warn-of-fake-nft-passes-scam-designed-to-drain-xrp-wallets',
  accounts: 5,
  window: DAY,
};

/** Whether the owner of an NFT gets nothing, or the smaller part, where its offer to sell for nothing was taken. */
export function leavesLittle({ bytes, row }: ScamTransaction, changes: Changes): boolean {
  const first = changes.tx(row, Tx.firstNode);
  for (let node = first; node < first + changes.tx(row, Tx.nodes); node++) {
    if (!isTakenBid(bytes, changes, node)) continue;
    const priceAt = changes.node(node, NftOfferNode.amountAt);
    const fee = brokerFeeOf({ bytes }, changes, row, 0);
    if (fee === undefined || priceAt === 0) return false;
    const kind = amountKind(bytes[priceAt]!);
    const raw = priceAt + amountRawOffset(kind);
    const price = rawDecimal(kind, readU32(bytes, raw), readU32(bytes, raw + 4));
    const left = subDecimal(price, rawDecimal(kind, fee.hi, fee.lo));
    return compareDecimal(left, mulDecimal(price, HALF)) < 0;
  }
  return true;
}

/** An offer to buy that the transaction ended. */
function isTakenBid(bytes: Uint8Array, changes: Changes, node: number): boolean {
  if (changes.node(node, Node.entryType) !== EntryType.NFTokenOffer) return false;
  if (changes.node(node, Node.action) !== NodeAction.deleted) return false;
  const flagsAt = changes.node(node, NftOfferNode.flagsAt);
  return flagsAt === 0 || (readU32(bytes, flagsAt) & SELL) === 0;
}
