/**
 * A transaction as a node's `tx` command shows it (API version 2): tx_json, meta, hash, ledger. The metadata gets
 * the members that nodes add to it and that are not in the ledger: `delivered_amount`, `nftoken_id`.
 */
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { type JsonObject, type Reader, ReaderError } from '../../engine/codec/json.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { mintedTokenId } from './minted-token.ts';

/** Before this ledger, payments did not record what arrived (rippled: `isDeliveredAmountSupported`). */
const DELIVERED_FROM_LEDGER = 4_594_095;

const delivering = new Set(['Payment', 'CheckCash', 'AccountDelete']);

/** What could be read; fields newer than our definitions are left out. */
export function readable(bytes: Uint8Array, reader: Reader): JsonObject {
  try {
    return reader.decode(bytes);
  } catch (error) {
    if (error instanceof ReaderError) return error.partial;
    throw error;
  }
}

/** @param tx place in the ledger, in apply order. */
export function transactionJson(packed: PackedLedger, tx: number, reader: Reader) {
  const tx_json = readable(packed.tx(tx), reader);
  const meta = readable(packed.meta(tx), reader);
  const type = String(tx_json.TransactionType);
  if (delivering.has(type) && meta.TransactionResult === 'tesSUCCESS') {
    const whole = packed.ledgerIndex >= DELIVERED_FROM_LEDGER ? tx_json.Amount : 'unavailable';
    const delivered = meta.DeliveredAmount ?? whole;
    if (delivered !== undefined) meta.delivered_amount = delivered;
  }
  const token = mintedTokenId(type, meta);
  if (token !== undefined) meta.nftoken_id = token;
  return { tx_json, meta, hash: hexOf(transactionHash(packed.tx(tx))) };
}
