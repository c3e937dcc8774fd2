/** `tx` and `transaction_entry`: one transaction (rippled `Tx.cpp`, `TransactionEntry.cpp`). */
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { ctidOf } from '../../../engine/codec/synthetic.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { Command, CommandContext } from './command.ts';
import { RpcError } from './errors.ts';
import { closedLedger, closedMembers, wantedLedger } from './ledger-choice.ts';
import { booleanParam, HASH, numberParam } from './params.ts';
import {
  metadataJson,
  placedTransactionJson,
  placeMembers,
  readCtid,
  transactionJson,
} from './transaction-json.ts';

/** Ledgers that `min_ledger` and `max_ledger` may span. */
const RANGE_MAX = 1000;

interface Found {
  readonly ledger: LedgerRecord;
  readonly transaction: ClosedTransaction;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function rangeOf(params: JsonObject): Range | undefined {
  const first = numberParam(params, 'min_ledger');
  const last = numberParam(params, 'max_ledger');
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined || last === undefined || last < first) throw new RpcError('invalidLgrRange');
  if (last - first > RANGE_MAX) throw new RpcError('excessiveLgrRange');
  return { first, last };
}

/** Hash of the requested transaction. Undefined for a CTID that names no transaction. */
function hashOf(params: JsonObject, network: Network): string | undefined {
  const { transaction: hash, ctid: id } = params;
  if ((hash === undefined) === (id === undefined)) throw new RpcError('invalidParams');
  if (id === undefined) {
    if (typeof hash !== 'string' || !HASH.test(hash)) throw new RpcError('notImpl');
    return hash.toUpperCase();
  }
  const named = typeof id === 'string' ? readCtid(id) : undefined;
  if (named === undefined) throw new RpcError('invalidParams');
  if (named.networkId !== network.networkId)
    throw new RpcError(
      'wrongNetwork',
      `Wrong network. You should submit this request to a node running on NetworkID: ${named.networkId}`,
    );
  return network.ledgers.resolve(named)?.transaction.hashText;
}

/** A transaction of a closed ledger: all in one object in version 1, separate from its result in version 2. */
function settled(
  { ledger, transaction }: Found,
  binary: boolean,
  { network, apiVersion }: CommandContext,
): JsonObject {
  const { hashText: hash, blob, meta, index } = transaction;
  const id = ctidOf(ledger.index, index, network.networkId);
  const ctidMember: JsonObject = id === undefined ? {} : { ctid: id };
  const placed = () => placedTransactionJson(ledger, transaction, apiVersion, network.networkId);
  if (apiVersion === 1)
    return {
      ...(binary
        ? {
            tx: hexOf(blob),
            hash,
            inLedger: ledger.index,
            ledger_index: ledger.index,
            date: ledger.closeTime,
          }
        : placed()),
      ...ctidMember,
      meta: binary ? hexOf(meta) : metadataJson(transaction),
      validated: true,
    };
  return {
    ...(binary
      ? { tx_blob: hexOf(blob), meta_blob: hexOf(meta) }
      : { tx_json: placed(), meta: metadataJson(transaction) }),
    ...ctidMember,
    ...placeMembers(ledger, transaction),
    validated: true,
  };
}

/** A transaction that is in no closed ledger yet. */
function waiting(
  { fields, blob, hash }: ParsedTransaction,
  binary: boolean,
  { apiVersion }: CommandContext,
): JsonObject {
  if (apiVersion === 1)
    return {
      ...(binary ? { tx: hexOf(blob), hash } : { ...transactionJson(fields, 1), hash }),
      validated: false,
    };
  return {
    ...(binary ? { tx_blob: hexOf(blob) } : { tx_json: transactionJson(fields, 2) }),
    hash,
    validated: false,
  };
}

export const tx: Command = {
  name: 'tx',
  run(params, context) {
    const { network } = context;
    const hash = hashOf(params, network);
    const range = rangeOf(params);
    const binary = booleanParam(params, 'binary');
    const found = hash === undefined ? undefined : network.ledgers.transaction(hash);
    if (found !== undefined) return settled(found, binary, context);
    const pending = hash === undefined ? undefined : network.pending(hash);
    if (pending !== undefined) return waiting(pending, binary, context);
    const has = network.ledgers.range();
    throw new RpcError(
      'txnNotFound',
      undefined,
      range && { searched_all: has !== undefined && has.first <= range.first && range.last <= has.last },
    );
  },
};

export const transactionEntry: Command = {
  name: 'transaction_entry',
  run(params, { network, apiVersion }) {
    const { tx_hash: hash } = params;
    if (hash === undefined) throw new RpcError('fieldNotFoundTransaction');
    if (typeof hash !== 'string' || !HASH.test(hash)) throw new RpcError('invalidParams');
    const wanted = wantedLedger(params);
    if (wanted === 'current') throw new RpcError('notYetImplemented');
    const ledger = closedLedger(network, wanted);
    const transaction = ledger.transactions.find(({ hashText }) => hashText === hash.toUpperCase());
    if (transaction === undefined) throw new RpcError('transactionNotFound');
    const { fields, hashText } = transaction;
    const meta = metadataJson(transaction);
    const tx_json = transactionJson(fields, apiVersion);
    if (apiVersion === 1)
      return { ...closedMembers(ledger), tx_json: { ...tx_json, hash: hashText }, metadata: meta };
    return { ...closedMembers(ledger), ...placeMembers(ledger, transaction), tx_json, meta };
  },
};
