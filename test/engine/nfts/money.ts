/** What a sale moved, by the balances in its metadata as the reference codec reads them: the oracle of prices and their parts. */
import { AssetKind, dropsOf } from '../../../engine/codec/amount.ts';
import { accountText } from '../../../engine/codec/base58.ts';
import type { NftAmount, NftEventReader } from '../../../engine/nfts/event-record.ts';
import type { Nfts } from '../../../engine/nfts/nfts.ts';

type Json = Record<string, unknown>;

/** By how many drops each account's balance grew, without the network's fee. */
export function balanceChanges(tx: Json, meta: { readonly AffectedNodes?: unknown }): Record<string, number> {
  const changes: Record<string, number> = {};
  const add = (account: string, drops: number): void => {
    changes[account] = (changes[account] ?? 0) + drops;
  };
  for (const node of meta.AffectedNodes as Json[]) {
    const { LedgerEntryType, FinalFields, PreviousFields } = Object.values(node)[0] as Json;
    const after = (FinalFields ?? {}) as Json;
    const before = (PreviousFields ?? {}) as Json;
    if (LedgerEntryType === 'AccountRoot' && before.Balance !== undefined)
      add(String(after.Account), Number(after.Balance) - Number(before.Balance));
  }
  add(String(tx.Account), Number(tx.Fee));
  return withoutZeros(changes);
}

/** The same by a recorded sale for XRP: the buyer pays the price; of it the broker, the issuer and the seller get their parts. */
export function movedBy(nfts: Nfts, sale: NftEventReader): Record<string, number> {
  const changes: Record<string, number> = {};
  const drops = (amount: NftAmount | undefined) => (amount ? Number(dropsOf(amount.hi, amount.lo)) : 0);
  const add = (key: Uint8Array, amount: number): void => {
    const address = accountText(key);
    changes[address] = (changes[address] ?? 0) + amount;
  };
  const [price, fee, royalty] = [drops(sale.price), drops(sale.brokerFee), drops(sale.royalty)];
  const { parties, collections } = nfts;
  add(parties.key(sale.to), -price);
  add(parties.key(sale.from), price - fee - royalty);
  if (sale.broker !== 0) add(parties.key(sale.broker), fee);
  add(collections.key(sale.collection).subarray(0, 20), royalty);
  return withoutZeros(changes);
}

export const isForXrp = (nfts: Nfts, { price }: NftEventReader): boolean =>
  price !== undefined && nfts.assets.kind(price.asset) === AssetKind.xrp;

function withoutZeros(changes: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(changes).filter(([, drops]) => drops !== 0));
}
