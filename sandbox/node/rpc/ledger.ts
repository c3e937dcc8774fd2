/**
 * `ledger`: header, transactions, state and queue of a ledger (rippled `LedgerHandler.cpp`, `LedgerToJson.cpp`).
 *
 * Without a ledger in the request it shows the newest closed and the open one, as rippled does. `accounts` and `full`
 * give the whole state: for admins, and only while it is small; `ledger_data` has it in pages.
 */

import { HASH_ZERO } from '../../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import type { Queued } from '../../apply/queue.ts';
import type { ReadView } from '../../ledger/view.ts';
import { encodeEntry, toJson } from '../../protocol/encode.ts';
import type { EntryType, TransactionFields } from '../../protocol/fields.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import { ownerFunds } from '../owner-funds.ts';
import type { ApiVersion } from '../session.ts';
import { entryJson } from './account-choice.ts';
import type { Command, CommandContext } from './command.ts';
import { entryTypeParam } from './entry-types.ts';
import { RpcError } from './errors.ts';
import { headerJson, isoTime } from './header-json.ts';
import { closedLedger, closedMembers, wantedLedger } from './ledger-choice.ts';
import { booleanParam } from './params.ts';
import { metadataJson, transactionJson } from './transaction-json.ts';

/** Maximum number of state entries in one answer: about 4 MB. */
const ENTRIES_MAX = 8_000;

interface LedgerOptions {
  readonly accounts: boolean;
  readonly transactions: boolean;
  readonly expand: boolean;
  readonly binary: boolean;
  readonly ownerFunds: boolean;
  readonly queue: boolean;
  readonly type: EntryType | undefined;
  readonly apiVersion: ApiVersion;
}

function optionsOf(params: JsonObject, { admin, apiVersion }: CommandContext): LedgerOptions {
  const full = booleanParam(params, 'full');
  const accounts = booleanParam(params, 'accounts') || full;
  if (accounts && !admin) throw new RpcError('noPermission');
  return {
    accounts,
    transactions: booleanParam(params, 'transactions') || full,
    expand: booleanParam(params, 'expand') || full,
    binary: booleanParam(params, 'binary'),
    ownerFunds: booleanParam(params, 'owner_funds'),
    queue: booleanParam(params, 'queue'),
    type: entryTypeParam(params.type),
    apiVersion,
  };
}

/** A ledger as this command reads it: closed, with or without its state, or open. */
interface LedgerSubject {
  readonly record?: LedgerRecord;
  readonly view?: ReadView | undefined;
}

/** The state's entries, or their keys. @throws RpcError tooBusy when there are too many, lgrNotFound without a state */
function stateJson(view: ReadView | undefined, { expand, binary, type }: LedgerOptions): Json[] {
  if (view === undefined) throw new RpcError('lgrNotFound', 'ledgerNotFound');
  const state: Json[] = [];
  let key = view.successor(HASH_ZERO);
  for (let seen = 0; key !== undefined; key = view.successor(key), seen++) {
    if (seen >= ENTRIES_MAX)
      throw new RpcError('tooBusy', `More than ${ENTRIES_MAX} entries: use ledger_data.`);
    const entry = view.read(key)!;
    if (type !== undefined && type !== entry.LedgerEntryType) continue;
    if (!expand) state.push(key);
    else if (binary) state.push({ hash: key, tx_blob: hexOf(encodeEntry(entry)) });
    else state.push(entryJson(entry));
  }
  return state;
}

/** A transaction's own part of the answer, which is all of it in version 1. */
const body = (fields: Readonly<TransactionFields>, hash: string, apiVersion: ApiVersion): JsonObject =>
  apiVersion === 1 ? { ...transactionJson(fields, 1), hash } : { tx_json: transactionJson(fields, 2), hash };

/** In the order of their hashes, as in the tree. */
function closedTransactions(
  record: LedgerRecord,
  view: ReadView | undefined,
  options: LedgerOptions,
): Json[] {
  const { apiVersion, binary, expand } = options;
  const sorted = [...record.transactions].sort((a, b) => (a.hashText < b.hashText ? -1 : 1));
  if (!expand) return sorted.map(({ hashText }) => hashText);
  return sorted.map((transaction): Json => {
    const { hashText: hash, blob, meta, fields } = transaction;
    if (binary)
      return apiVersion === 1
        ? { tx_blob: hexOf(blob), meta: hexOf(meta) }
        : { tx_blob: hexOf(blob), meta_blob: hexOf(meta), hash };
    const funds = options.ownerFunds && view ? ownerFunds(view, fields) : {};
    if (apiVersion === 1) return { ...body(fields, hash, 1), metaData: metadataJson(transaction), ...funds };
    return {
      ...body(fields, hash, 2),
      meta: metadataJson(transaction),
      ...funds,
      close_time_iso: isoTime(record.closeTime),
      ledger_hash: record.hash,
      ledger_index: record.index,
      validated: true,
    };
  });
}

function openTransactions(
  transactions: readonly ParsedTransaction[],
  view: ReadView,
  options: LedgerOptions,
): Json[] {
  const { apiVersion, binary, expand } = options;
  if (!expand) return transactions.map(({ hash }) => hash);
  return transactions.map(({ fields, blob, hash }): Json => {
    if (binary) return apiVersion === 1 ? { tx_blob: hexOf(blob) } : { tx_blob: hexOf(blob), hash };
    const funds = options.ownerFunds ? ownerFunds(view, fields) : {};
    return { ...body(fields, hash, apiVersion), ...funds, ...(apiVersion === 1 ? {} : { validated: false }) };
  });
}

function queuedJson(
  { transaction, level, blocker, spends, retriesRemaining, lastResult }: Queued,
  options: LedgerOptions,
): Json {
  const { fields, blob, hash } = transaction;
  const { expand, binary, apiVersion } = options;
  const tx = binary ? { tx_blob: hexOf(blob) } : body(fields, hash, apiVersion);
  return {
    account: toJson({ Account: fields.Account }, 'node').Account!,
    auth_change: blocker,
    fee: String(fields.Fee.drops),
    fee_level: String(level),
    ...(fields.LastLedgerSequence === undefined ? {} : { LastLedgerSequence: fields.LastLedgerSequence }),
    ...(lastResult === undefined ? {} : { last_result: lastResult }),
    max_spend_drops: String(spends + fields.Fee.drops),
    preflight_result: 'tesSUCCESS',
    retries_remaining: retriesRemaining,
    tx: expand ? tx : hash,
  };
}

const queueJson = ({ queue }: Network, options: LedgerOptions): JsonObject =>
  queue.size === 0 ? {} : { queue_data: queue.all().map((queued) => queuedJson(queued, options)) };

/** The ledger itself. */
function ledgerJson(network: Network, { record, view }: LedgerSubject, options: LedgerOptions): JsonObject {
  const { binary, apiVersion } = options;
  const json: JsonObject = record
    ? binary
      ? { ledger_data: hexOf(record.headerBytes), closed: true }
      : headerJson(record, apiVersion)
    : openHeader(network, apiVersion);
  if (options.transactions)
    json.transactions = record
      ? closedTransactions(record, view, options)
      : openTransactions(network.open.transactions(), network.open.view, options);
  if (options.accounts) json.accountState = stateJson(view, options);
  return json;
}

const openHeader = ({ open }: Network, apiVersion: ApiVersion): JsonObject => ({
  closed: false,
  ledger_index: apiVersion === 1 ? String(open.index) : open.index,
  parent_hash: open.view.header.parentHash,
});

const stateOf = (network: Network, record: LedgerRecord): ReadView | undefined =>
  network.ledgers.recent(record.index)?.view();

/** The newest closed ledger and the open one. */
function both(network: Network, options: LedgerOptions): JsonObject {
  const { validated, open } = network;
  return {
    closed: { ledger: ledgerJson(network, { record: validated, view: validated.view() }, options) },
    open: { ledger: ledgerJson(network, { view: open.view }, options) },
  };
}

export const ledger: Command = {
  name: 'ledger',
  run(params, context) {
    const { network } = context;
    const options = optionsOf(params, context);
    if (['ledger', 'ledger_hash', 'ledger_index'].every((name) => params[name] === undefined))
      return both(network, options);
    const wanted = wantedLedger(params);
    const { open } = network;
    if (
      wanted === 'current' ||
      (typeof wanted === 'object' && 'index' in wanted && wanted.index === open.index)
    )
      return {
        ledger: ledgerJson(network, { view: open.view }, options),
        ...(options.queue ? queueJson(network, options) : {}),
        ledger_current_index: open.index,
        validated: false,
      };
    // Only an open ledger has a queue.
    if (options.queue) throw new RpcError('invalidParams');
    const record = closedLedger(network, wanted);
    return {
      ledger: ledgerJson(network, { record, view: stateOf(network, record) }, options),
      ...closedMembers(record),
    };
  },
};
