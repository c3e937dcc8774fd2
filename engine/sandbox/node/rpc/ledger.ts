/** `ledger`: header, transactions and state of a ledger (rippled `LedgerHandler`, `LedgerToJson`). */
import { hexOf } from '../../../codec/bytes.ts';
import type { Json, JsonObject } from '../../../codec/json.ts';
import { toJson } from '../../protocol/encode.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { Command, CommandContext } from './command.ts';
import { headerJson } from './header-json.ts';
import { closedLedger, closedMembers, wantedLedger } from './ledger-choice.ts';
import { booleanParam } from './params.ts';

export const ledger: Command = {
  name: 'ledger',
  run(params, context) {
    const { network } = context;
    const wanted = wantedLedger(params);
    if (
      wanted === 'current' ||
      (typeof wanted === 'object' && 'index' in wanted && wanted.index === network.open.index)
    )
      return openLedger(context);
    const record = closedLedger(network, wanted);
    const binary = booleanParam(params, 'binary');
    const body: JsonObject = binary
      ? { ledger_data: hexOf(record.headerBytes), closed: true }
      : headerJson(record, context.apiVersion);
    if (booleanParam(params, 'transactions'))
      body.transactions = transactionsJson(record, context, booleanParam(params, 'expand'), binary);
    return { ledger: body, ...closedMembers(record) };
  },
};

function openLedger({ network }: CommandContext): JsonObject {
  const { index, view } = network.open;
  return {
    ledger: { closed: false, ledger_index: String(index), parent_hash: view.header.parentHash },
    ledger_current_index: index,
    validated: false,
  };
}

function transactionsJson(
  record: LedgerRecord,
  { apiVersion }: CommandContext,
  expand: boolean,
  binary: boolean,
): Json[] {
  const metaName = apiVersion === 1 ? 'meta' : 'meta_blob';
  return record.transactions.map((transaction): Json => {
    const { hashText: hash, blob, meta } = transaction;
    if (!expand) return hash;
    if (binary)
      return { tx_blob: hexOf(blob), [metaName]: hexOf(meta), ...(apiVersion === 1 ? {} : { hash }) };
    return { ...toJson(transaction.fields, 'node'), hash, metaData: toJson(transaction.metaFields, 'node') };
  });
}
