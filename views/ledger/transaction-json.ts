/**
 * A transaction in the form of a node's `tx` command (API version 2): tx_json, meta, hash, ledger. It has a node's
 * spelling, and the members that nodes add and that are not on the ledger (engine/codec/synthetic.ts).
 */
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { type JsonObject, type Reader, ReaderError } from '../../engine/codec/json.ts';
import { nodeSpelling } from '../../engine/codec/node-spelling.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { ctidOf, recordsDelivered, syntheticMeta, withDeliverMax } from '../../engine/codec/synthetic.ts';
import type { Engine } from '../../engine/engine.ts';
import { isoTime } from './ledger-json.ts';

/** The fields that can be read; fields newer than our definitions are omitted. */
export function readable(bytes: Uint8Array, reader: Reader): JsonObject {
  try {
    return reader.decode(bytes);
  } catch (error) {
    if (error instanceof ReaderError) return error.partial;
    throw error;
  }
}

/** As in an expanded list of a ledger's transactions. @param tx index in the ledger, in apply order. */
export function transactionJson(packed: PackedLedger, tx: number, reader: Reader) {
  const tx_json = nodeSpelling(readable(packed.tx(tx), reader), reader.definitions);
  const meta = nodeSpelling(readable(packed.meta(tx), reader), reader.definitions);
  Object.assign(meta, syntheticMeta(tx_json, meta, recordsDelivered(packed.ledgerIndex, packed.closeTime)));
  return { tx_json: withDeliverMax(tx_json, 2), meta, hash: hexOf(transactionHash(packed.tx(tx))) };
}

/**
 * A single transaction, with its position.
 * @param tx index in the ledger, in apply order.
 * @param networkId of the ledger's network. If it is undefined (not known), only a transaction that names its network
 * has a `ctid`.
 */
export function placedTransactionJson(
  packed: PackedLedger,
  tx: number,
  { reader, networkId }: Pick<Engine, 'reader' | 'networkId'>,
) {
  const { tx_json, meta, hash } = transactionJson(packed, tx, reader);
  const { ledgerIndex, closeTime } = packed;
  const network = typeof tx_json.NetworkID === 'number' ? tx_json.NetworkID : networkId;
  const ctid =
    network === undefined ? undefined : ctidOf(ledgerIndex, Number(meta.TransactionIndex), network);
  const place = { ...(ctid !== undefined && { ctid }), date: closeTime, ledger_index: ledgerIndex };
  return {
    tx_json: { ...tx_json, ...place },
    meta,
    hash,
    ...place,
    ledger_hash: hexOf(packed.hash),
    close_time_iso: isoTime(closeTime),
    validated: true,
  };
}
