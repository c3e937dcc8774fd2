/** The messages of the node's streams, in rippled's shapes (`NetworkOPs.cpp`: `pubLedger`, `transJson`, `pubServer`). */
import type { JsonObject } from '../../engine/codec/json.ts';
import { ctidOf } from '../../engine/codec/synthetic.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { ClosedTransaction } from '../ledger/transactions.ts';
import { RESULT_OF_CODE } from '../protocol/results.ts';
import type { Network, Proposed } from './network.ts';
import { ownerFunds } from './owner-funds.ts';
import { isoTime } from './rpc/header-json.ts';
import { loadMembers } from './rpc/load.ts';
import { metadataJson, resultMembers, transactionJson } from './rpc/transaction-json.ts';
import type { ApiVersion } from './session.ts';

/** The range of ledgers that commands can read, as `complete_ledgers` shows it. */
export function completeLedgers(network: Network): string {
  const range = network.ledgers.range();
  return range ? `${range.first}-${range.last}` : 'empty';
}

/** The answer to a subscription to `ledger`; with a type, the message at each closed ledger. */
export function ledgerMembers(network: Network, ledger: ClosedLedger): JsonObject {
  const { base, reserve, increment } = ledger.view().fees;
  return {
    fee_base: Number(base),
    ledger_hash: ledger.hash,
    ledger_index: ledger.index,
    ledger_time: ledger.closeTime,
    network_id: network.networkId,
    reserve_base: Number(reserve),
    reserve_inc: Number(increment),
    validated_ledgers: completeLedgers(network),
  };
}

export const ledgerClosedMessage = (network: Network, ledger: ClosedLedger): JsonObject => ({
  type: 'ledgerClosed',
  ...ledgerMembers(network, ledger),
  txn_count: ledger.transactions.length,
});

/** The phases of a round, in their order (rippled `ConsensusTypes.h`). */
export type ConsensusPhase = 'open' | 'establish' | 'accepted';

export const consensusMessage = (phase: ConsensusPhase): JsonObject => ({
  type: 'consensusPhase',
  consensus: phase,
});

/** The present cost of getting into the open ledger. */
export const serverStatusMessage = (network: Network): JsonObject => ({
  type: 'serverStatus',
  base_fee: Number(network.open.view.fees.base),
  ...loadMembers(network),
  server_status: 'full',
});

/** The transaction itself: with everything known of it in version 1, separate from its hash in version 2. */
const body = (json: JsonObject, hash: string, apiVersion: ApiVersion): JsonObject =>
  apiVersion === 1 ? { transaction: { ...json, hash } } : { tx_json: json, hash };

/** A transaction of a ledger that is validated. */
export function validatedMessage(
  network: Network,
  ledger: ClosedLedger,
  transaction: ClosedTransaction,
  apiVersion: ApiVersion,
): JsonObject {
  const { fields, metaFields, hashText, index } = transaction;
  const ctid = ctidOf(ledger.index, index, network.networkId);
  const result = RESULT_OF_CODE.get(metaFields.TransactionResult ?? 0) ?? 'tesSUCCESS';
  const json = {
    ...transactionJson(fields, apiVersion),
    date: ledger.closeTime,
    ...ownerFunds(ledger.view(), fields),
  };
  return {
    type: 'transaction',
    ...body(json, hashText, apiVersion),
    meta: metadataJson(transaction),
    ...(ctid === undefined ? {} : { ctid }),
    ledger_hash: ledger.hash,
    ledger_index: ledger.index,
    close_time_iso: isoTime(ledger.closeTime),
    status: 'closed',
    validated: true,
    ...resultMembers(result),
  };
}

/** A transaction in the open ledger. Its result may differ once the ledger is closed. */
export function proposedMessage(
  network: Network,
  { transaction: { fields, hash }, result, ledgerIndex }: Proposed,
  apiVersion: ApiVersion,
): JsonObject {
  const json = { ...transactionJson(fields, apiVersion), ...ownerFunds(network.open.view, fields) };
  return {
    type: 'transaction',
    ...body(json, hash, apiVersion),
    ledger_current_index: ledgerIndex,
    status: 'proposed',
    validated: false,
    ...resultMembers(result),
  };
}
