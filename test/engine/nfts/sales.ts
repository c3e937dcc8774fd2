/** Sales by their transactions, as the reference codec reads them: the oracle of collections' sales, volumes and charts. */
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';

type Json = Record<string, unknown>;

export interface SeenSale {
  /** NFTokenID. */
  readonly nft: string;
  /** 0: not for XRP. */
  readonly drops: number;
  /** r-addresses. */
  readonly buyer: string;
  readonly seller: string;
  /** Close time. */
  readonly time: number;
}

/** The sales of a ledger. */
export function salesOf(packed: PackedLedger): SeenSale[] {
  const found: SeenSale[] = [];
  for (let i = 0; i < packed.count; i++) {
    const tx = decode(hexOf(packed.tx(i))) as Json;
    const meta = decode(hexOf(packed.meta(i))) as Json;
    const sale = saleOf(tx, meta);
    if (sale) found.push({ ...sale, time: packed.closeTime });
  }
  return found;
}

/** From the offers that the transaction deleted. */
function saleOf(tx: Json, meta: Json): Omit<SeenSale, 'time'> | undefined {
  if (tx.TransactionType !== 'NFTokenAcceptOffer' || meta.TransactionResult !== 'tesSUCCESS')
    return undefined;
  const offers = (meta.AffectedNodes as Json[])
    .map(({ DeletedNode }) => DeletedNode as Json | undefined)
    .filter((node) => node?.LedgerEntryType === 'NFTokenOffer')
    .map((node) => node!.FinalFields as Json);
  const buy = offers.find(({ Flags }) => Flags === 0);
  const sell = offers.find(({ Flags }) => Flags === 1);
  const taken = (buy ?? sell)!;
  const isXrp = typeof taken.Amount === 'string';
  const value = isXrp ? Number(taken.Amount) : Number((taken.Amount as Json).value);
  if (!(value > 0)) return undefined;
  return {
    nft: String(taken.NFTokenID),
    drops: isXrp ? value : 0,
    buyer: String(buy?.Owner ?? tx.Account),
    seller: String(sell?.Owner ?? tx.Account),
  };
}
