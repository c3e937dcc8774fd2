/**
 * Transactions and their metadata as JSON, with what rippled adds to them:
 *
 *     DeliverMax          a Payment's Amount: beside it in API version 1, in its place in version 2
 *     delivered_amount    what a payment, cashed check or deleted account delivered (`DeliveredAmount.cpp`)
 *     nftoken_id(s), offer_id, mpt_issuance_id       what metadata only tells between its lines (`NFTokenID.cpp`, ...)
 *     ctid                ledger, position and network in one text (XLS-37)
 */
import type { JsonObject } from '../../../codec/json.ts';
import { affectedNodes, mintedIn } from '../../ledger/indexing.ts';
import type { Location } from '../../ledger/store.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import type { Hex } from '../../protocol/asset.ts';
import { toJson } from '../../protocol/encode.ts';
import type { Fields, TransactionFields } from '../../protocol/fields.ts';
import { mptId } from '../../protocol/keylets.ts';
import { type Result, resultCode, resultMessage } from '../../protocol/results.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { ApiVersion } from './command.ts';
import { isoTime } from './header-json.ts';

/** A transaction's own fields as JSON, with `DeliverMax`. */
export function transactionJson(fields: Readonly<TransactionFields>, apiVersion: ApiVersion): JsonObject {
  const json: JsonObject = toJson(fields, 'node');
  if (fields.TransactionType === 'Payment' && json.Amount !== undefined) {
    json.DeliverMax = json.Amount;
    if (apiVersion > 1) delete json.Amount;
  }
  return json;
}

/** What became of a transaction, in code, number and words. */
export const resultMembers = (result: Result): JsonObject => ({
  engine_result: result,
  engine_result_code: resultCode(result),
  engine_result_message: resultMessage(result),
});

const DELIVERING: ReadonlySet<string> = new Set(['Payment', 'CheckCash', 'AccountDelete']);

/** Ids of the NFTs whose offers a transaction ended, each once. */
function nftsOfEndedOffers(meta: Readonly<Fields>): Hex[] {
  const found = new Set<Hex>();
  for (const { kind, type, fields } of affectedNodes(meta))
    if (kind === 'DeletedNode' && type === 'NFTokenOffer' && fields.NFTokenID) found.add(fields.NFTokenID);
  return [...found].sort();
}

function createdKey(meta: Readonly<Fields>, wanted: string): Hex | undefined {
  for (const { kind, type, key } of affectedNodes(meta))
    if (kind === 'CreatedNode' && type === wanted) return key;
  return undefined;
}

/** Ids that metadata does not name. */
function ids(tx: Readonly<TransactionFields>, meta: Readonly<Fields>): JsonObject {
  const found: JsonObject = {};
  const set = (name: string, value: Hex | undefined): void => {
    if (value !== undefined) found[name] = value;
  };
  switch (tx.TransactionType) {
    case 'NFTokenMint':
      set('nftoken_id', mintedIn(meta));
      if (tx.Amount !== undefined) set('offer_id', createdKey(meta, 'NFTokenOffer'));
      break;
    case 'NFTokenAcceptOffer':
      set('nftoken_id', nftsOfEndedOffers(meta)[0]);
      break;
    case 'NFTokenCancelOffer':
      found.nftoken_ids = nftsOfEndedOffers(meta);
      break;
    case 'NFTokenCreateOffer':
      set('offer_id', createdKey(meta, 'NFTokenOffer'));
      break;
    case 'MPTokenIssuanceCreate':
      for (const { kind, type, fields } of affectedNodes(meta))
        if (kind === 'CreatedNode' && type === 'MPTokenIssuance')
          set('mpt_issuance_id', mptId(fields.Sequence ?? 0, fields.Issuer!));
      break;
  }
  return found;
}

/** Metadata as JSON with what rippled adds. */
export function metadataJson({
  fields,
  metaFields,
}: Pick<ClosedTransaction, 'fields' | 'metaFields'>): JsonObject {
  const json: JsonObject = toJson(metaFields, 'node');
  if (metaFields.TransactionResult !== 0) return json;
  if (DELIVERING.has(fields.TransactionType)) {
    const delivered = json.DeliveredAmount ?? toJson(fields, 'node').Amount;
    if (delivered !== undefined) json.delivered_amount = delivered;
  }
  return { ...json, ...ids(fields, metaFields) };
}

const CTID_LEDGER_MAX = 0x0fffffff;
const CTID_PART_MAX = 0xffff;

/** Undefined when one of the numbers does not fit. */
export function ctidOf(ledger: number, position: number, networkId: number): string | undefined {
  if (ledger > CTID_LEDGER_MAX || position > CTID_PART_MAX || networkId > CTID_PART_MAX) return undefined;
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0');
  return `C${hex(ledger, 7)}${hex(position, 4)}${hex(networkId, 4)}`;
}

/** What a CTID names; undefined when it is none. */
export function readCtid(text: string): (Location & { readonly networkId: number }) | undefined {
  if (!/^C[0-9A-F]{15}$/i.test(text)) return undefined;
  const part = (from: number, to: number): number => Number.parseInt(text.slice(from, to), 16);
  return { ledger: part(1, 8), position: part(8, 12), networkId: part(12, 16) };
}

/** A transaction of a closed ledger with where and when it was applied, as `tx` and `account_tx` tell it. */
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

/** Beside the transaction in API version 2. */
export const placeMembers = (ledger: LedgerRecord, { hashText }: ClosedTransaction): JsonObject => ({
  close_time_iso: isoTime(ledger.closeTime),
  hash: hashText,
  ledger_hash: ledger.hash,
  ledger_index: ledger.index,
});
