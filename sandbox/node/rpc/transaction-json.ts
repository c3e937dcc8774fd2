/** Transactions and their metadata as JSON, with what rippled adds to them (engine/codec/synthetic.ts). */
import type { JsonObject } from '../../../engine/codec/json.ts';
import { ctidOf, syntheticMeta, withDeliverMax } from '../../../engine/codec/synthetic.ts';
import type { Location } from '../../ledger/store.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import { toJson } from '../../protocol/encode.ts';
import type { Fields, TransactionFields } from '../../protocol/fields.ts';
import { type Result, resultCode, resultMessage } from '../../protocol/results.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { ApiVersion } from '../session.ts';
import { isoTime } from './header-json.ts';

/** A transaction's own fields as JSON, with `DeliverMax`. */
export function transactionJson(fields: Readonly<TransactionFields>, apiVersion: ApiVersion): JsonObject {
  return withDeliverMax(toJson(fields, 'node'), apiVersion);
}

/** The result of a transaction, as code, number and text. */
export const resultMembers = (result: Result): JsonObject => ({
  engine_result: result,
  engine_result_code: resultCode(result),
  engine_result_message: resultMessage(result),
});

/** Metadata as JSON with what rippled adds. */
export function metadataJson({
  fields: { TransactionType, Amount },
  metaFields,
}: Pick<ClosedTransaction, 'fields' | 'metaFields'>): JsonObject {
  const json: JsonObject = toJson(metaFields, 'node');
  // The network is younger than DeliveredAmount.
  const added = syntheticMeta(toJson({ TransactionType, Amount } as Fields, 'node'), json, true);
  return Object.assign(json, added);
}

/** The transaction that a CTID names; undefined when it is not a CTID. */
export function readCtid(text: string): (Location & { readonly networkId: number }) | undefined {
  if (!/^C[0-9A-F]{15}$/i.test(text)) return undefined;
  const part = (from: number, to: number): number => Number.parseInt(text.slice(from, to), 16);
  return { ledger: part(1, 8), position: part(8, 12), networkId: part(12, 16) };
}

/** A transaction of a closed ledger with its position and time, as `tx` and `account_tx` show it. */
export function placedTransactionJson(
  ledger: LedgerRecord,
  transaction: ClosedTransaction,
  apiVersion: ApiVersion,
  networkId: number,
): JsonObject {
  const { fields, hashText, index } = transaction;
  const json: JsonObject = {
    ...transactionJson(fields, apiVersion),
    date: ledger.closeTime,
    ledger_index: ledger.index,
  };
  if (apiVersion === 1) Object.assign(json, { hash: hashText, inLedger: ledger.index });
  const id = ctidOf(ledger.index, index, fields.NetworkID ?? networkId);
  return id === undefined ? json : { ...json, ctid: id };
}

/** The members beside the transaction in API version 2. */
export const placeMembers = (ledger: LedgerRecord, { hashText }: ClosedTransaction): JsonObject => ({
  close_time_iso: isoTime(ledger.closeTime),
  hash: hashText,
  ledger_hash: ledger.hash,
  ledger_index: ledger.index,
});
