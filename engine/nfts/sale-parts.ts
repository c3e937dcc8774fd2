/**
 * The parts of a sale's price: what the broker keeps, and what the issuer gets.
 *
 * The broker's fee is in the transaction (NFTokenBrokerFee). A royalty in XRP is what the issuer's balance grew by, so it is
 * exact whatever the network's rules of rounding were; one in another asset is the transfer fee's share of the rest, rounded to
 * 16 digits (rippled `NFTokenAcceptOffer.cpp`: the broker is paid first, then the issuer, then the seller).
 */
import {
  AssetKind,
  amountKind,
  amountRawOffset,
  decimalRaw,
  dropsOf,
  mulDecimal,
  POSITIVE,
  rawDecimal,
  subDecimal,
  WORD,
} from '../codec/amount.ts';
import { readU32, sameBytes } from '../codec/bytes.ts';
import { AccountNode, type Changes, EntryType, Node, Tx } from '../codec/changes.ts';
import { SHIPPED } from '../codec/definitions.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { headerBytes, headerCode, skipValue } from '../codec/skip.ts';
import type { NftAmount } from './event-record.ts';

/** Field code of NFTokenBrokerFee: (type << 8) | nth. */
const BROKER_FEE = (6 << 8) | 19;
/** That of Delegate, who signs and pays the network's fee for the sender (XLS-75). */
const DELEGATE = (8 << 8) | 12;
/** A transfer fee is in 1/100,000: 10^-5. */
const FEE_EXPONENT = -5;

/** The broker's fee that a transaction names, in the asset of its price; undefined: none. */
export function brokerFeeOf(
  packed: Pick<PackedLedger, 'bytes'>,
  changes: Changes,
  tx: number,
  asset: number,
): NftAmount | undefined {
  const { bytes } = packed;
  const at = fieldAt(packed, changes, tx, BROKER_FEE);
  if (at === 0) return undefined;
  const raw = at + amountRawOffset(amountKind(bytes[at]!));
  return { asset, hi: readU32(bytes, raw), lo: readU32(bytes, raw + 4) };
}

/** Offset of the value of one of a transaction's own fields; 0: it has none. */
function fieldAt(
  { bytes }: Pick<PackedLedger, 'bytes'>,
  changes: Changes,
  tx: number,
  field: number,
): number {
  const end = changes.tx(tx, Tx.metaAt);
  for (let at = changes.tx(tx, Tx.txAt); at < end; ) {
    const code = headerCode(bytes, at, end);
    if (code < 0) return 0;
    at += headerBytes(bytes[at]!);
    if (code === field) return at;
    at = skipValue(SHIPPED.width, bytes, at, end, code >>> 8);
    if (at < 0) return 0;
  }
  return 0;
}

/** Price of a sale and its parts, in drops; 0 where it was for another asset. */
export interface SaleDrops {
  readonly volume: number;
  readonly royalty: number;
  readonly fee: number;
}

export interface SaleOfNft {
  readonly price: NftAmount;
  readonly kind: AssetKind;
  readonly brokerFee: NftAmount | undefined;
  /** In 1/100,000. */
  readonly transferFee: number;
  /** Offset of the issuer's 20 bytes. */
  readonly issuerAt: number;
}

/** What the issuer of an NFT got of a sale that it took no part in as buyer or seller; undefined: nothing. */
export function royaltyOf(
  packed: PackedLedger,
  changes: Changes,
  tx: number,
  sale: SaleOfNft,
): NftAmount | undefined {
  const { price, kind, transferFee } = sale;
  if (transferFee === 0) return undefined;
  if (kind === AssetKind.xrp) {
    const drops = royaltyDrops(packed, changes, tx, sale);
    if (drops <= 0) return undefined;
    return { asset: 0, hi: (POSITIVE | Math.floor(drops / WORD)) >>> 0, lo: drops >>> 0 };
  }
  const fee = sale.brokerFee;
  const paid = rawDecimal(kind, price.hi, price.lo);
  const rest = fee ? subDecimal(paid, rawDecimal(kind, fee.hi, fee.lo)) : paid;
  const [hi, lo] = decimalRaw(kind, mulDecimal(rest, { m: BigInt(transferFee), e: FEE_EXPONENT }));
  return { asset: price.asset, hi, lo };
}

/** An issuer that is the broker also got the broker's fee; one that signed, as broker or as its delegate, paid the network's. */
function royaltyDrops(packed: PackedLedger, changes: Changes, tx: number, sale: SaleOfNft): number {
  const { bytes } = packed;
  const isIssuer = (at: number) => at !== 0 && sameBytes(bytes, at, bytes, sale.issuerAt, 20);
  let drops = balanceChange(bytes, changes, tx, sale.issuerAt);
  const senderAt = changes.tx(tx, Tx.accountAt);
  const delegateAt = fieldAt(packed, changes, tx, DELEGATE);
  const feeAt = changes.tx(tx, Tx.feeAt);
  // An account stands behind its length, one byte.
  if (feeAt !== 0 && isIssuer(delegateAt === 0 ? senderAt : delegateAt + 1))
    drops += Number(dropsOf(readU32(bytes, feeAt), readU32(bytes, feeAt + 4)));
  if (sale.brokerFee && isIssuer(senderAt)) drops -= Number(dropsOf(sale.brokerFee.hi, sale.brokerFee.lo));
  return drops;
}

/** By how many drops the balance of an account grew in a transaction. @param account offset of its 20 bytes */
function balanceChange(bytes: Uint8Array, changes: Changes, tx: number, account: number): number {
  const first = changes.tx(tx, Tx.firstNode);
  const end = first + changes.tx(tx, Tx.nodes);
  for (let node = first; node < end; node++) {
    if (changes.node(node, Node.entryType) !== EntryType.AccountRoot) continue;
    const at = changes.node(node, AccountNode.accountAt);
    if (at === 0 || !sameBytes(bytes, at, bytes, account, 20)) continue;
    const before = changes.node(node, AccountNode.prevBalanceAt);
    const after = changes.node(node, AccountNode.balanceAt);
    if (before === 0 || after === 0) return 0;
    const drops = (offset: number) => Number(dropsOf(readU32(bytes, offset), readU32(bytes, offset + 4)));
    return drops(after) - drops(before);
  }
  return 0;
}
