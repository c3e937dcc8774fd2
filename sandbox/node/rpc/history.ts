/**
 * Pages of transactions from the store's indices: what `account_tx` and `nft_history` have in common.
 *
 *     marker   {ledger, seq}: the transaction that the next page begins with, as rippled has it
 */
import { hexOf } from '../../../engine/codec/bytes.ts';
import { isJsonObject, type JsonObject } from '../../../engine/codec/values.ts';
import type { Location, TransactionQuery } from '../../ledger/store.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { ApiVersion } from '../session.ts';
import { RpcError } from './errors.ts';
import { isU32, U32_MAX } from './params.ts';
import { metadataJson, placedTransactionJson, placeMembers } from './transaction-json.ts';

export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

export interface HistoryWanted extends LedgerRange {
  readonly forward: boolean;
  readonly limit: number;
  /** Where the page begins. */
  readonly from?: Location;
}

export interface Placed {
  readonly ledger: LedgerRecord;
  readonly transaction: ClosedTransaction;
}

export interface HistoryPage {
  readonly found: readonly Placed[];
  /** Members of the answer: the marker, when there is more. */
  readonly more: JsonObject;
}

/** The parameter `marker`. @throws RpcError invalidParams */
export function historyMarker({ marker }: JsonObject): Location | undefined {
  if (marker === undefined) return undefined;
  const ledger = isJsonObject(marker) ? marker.ledger : undefined;
  const position = isJsonObject(marker) ? marker.seq : undefined;
  if (isU32(ledger) && isU32(position)) return { ledger, position };
  throw new RpcError(
    'invalidParams',
    'invalid marker. Provide ledger index via ledger field, and transaction sequence number via seq field',
  );
}

/** The store continues after a transaction; a marker names the next one. */
function queryOf({ first, last, forward, limit, from }: HistoryWanted): TransactionQuery {
  const query = { first, last, forward, limit: limit + 1 };
  if (from === undefined) return query;
  const { ledger, position } = from;
  if (!forward)
    return position === U32_MAX
      ? { ...query, last: Math.min(last, ledger) }
      : { ...query, after: { ledger, position: position + 1 } };
  return position === 0
    ? { ...query, first: Math.max(first, ledger) }
    : { ...query, after: { ledger, position: position - 1 } };
}

/** A page of the transactions that `look` finds in the index. */
export function historyPage(
  { ledgers }: Network,
  wanted: HistoryWanted,
  look: (query: TransactionQuery) => readonly Location[],
): HistoryPage {
  const locations = look(queryOf(wanted));
  const found = locations.slice(0, wanted.limit).flatMap((location) => ledgers.resolve(location) ?? []);
  const next = locations[wanted.limit];
  return {
    found,
    more: next === undefined ? {} : { marker: { ledger: next.ledger, seq: next.position } },
  };
}

/** A transaction of a page. */
export function historyRow(
  { ledger, transaction }: Placed,
  apiVersion: ApiVersion,
  networkId: number,
): JsonObject {
  const tx = placedTransactionJson(ledger, transaction, apiVersion, networkId);
  const meta = metadataJson(transaction);
  return apiVersion === 1
    ? { meta, tx, validated: true }
    : { ...placeMembers(ledger, transaction), meta, tx_json: tx, validated: true };
}

/** A transaction of a page asked for in binary. */
export const historyBlob = ({ ledger, transaction }: Placed, apiVersion: ApiVersion): JsonObject => ({
  [apiVersion === 1 ? 'meta' : 'meta_blob']: hexOf(transaction.meta),
  ledger_index: ledger.index,
  tx_blob: hexOf(transaction.blob),
  validated: true,
});
