/** `account_tx`: the transactions that affected an account, from the store's index (rippled `AccountTx.cpp`, Clio's `tx_type`). */
import type { JsonObject } from '../../../engine/codec/json.ts';
import { TRANSACTION_TYPE_CODE } from '../../protocol/field-table.ts';
import type { Network } from '../network.ts';
import type { ApiVersion } from '../session.ts';
import { looseBoolean } from './account-choice.ts';
import type { Command } from './command.ts';
import { invalidField, missingField, RpcError } from './errors.ts';
import { historyBlob, historyMarker, historyPage, historyRow, type LedgerRange } from './history.ts';
import { closedLedger, wantedLedger } from './ledger-choice.ts';
import { accountIdOf, LIMITS, limitParam } from './params.ts';

const ALL_LEDGERS = 0xffffffff;
const TYPE_BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  [...TRANSACTION_TYPE_CODE.keys()].map((name) => [name.toLowerCase(), name]),
);

/** A bound of the range; a negative value means no bound. @throws RpcError */
function bound(params: JsonObject, name: string, none: number): number {
  const value = params[name];
  if (value === undefined || value === null) return none;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number > ALL_LEDGERS)
    throw invalidField(name);
  return number < 0 ? none : number;
}

/** @throws RpcError */
function between(params: JsonObject, range: LedgerRange, apiVersion: ApiVersion): LedgerRange {
  const min = bound(params, 'ledger_index_min', 0);
  const max = bound(params, 'ledger_index_max', ALL_LEDGERS);
  if (apiVersion > 1) {
    const outside = (max > range.last && max !== ALL_LEDGERS) || (min < range.first && min !== 0);
    if (outside) throw new RpcError('lgrIdxMalformed');
  }
  const first = Math.max(min, range.first);
  const last = Math.min(max, range.last);
  if (last < first) throw new RpcError(apiVersion === 1 ? 'lgrIdxsInvalid' : 'invalidLgrRange');
  return { first, last };
}

/** The ledgers that are searched. @throws RpcError */
export function ledgersToSearch(params: JsonObject, network: Network, apiVersion: ApiVersion): LedgerRange {
  const range = network.ledgers.range();
  if (range === undefined) throw new RpcError(apiVersion === 1 ? 'lgrIdxsInvalid' : 'notReady');
  const bounded = params.ledger_index_min !== undefined || params.ledger_index_max !== undefined;
  const one = params.ledger_hash !== undefined || params.ledger_index !== undefined;
  if (bounded && one && apiVersion > 1) throw new RpcError('invalidParams', 'invalidParams');
  if (bounded) return between(params, range, apiVersion);
  if (!one) return range;
  const { ledger_hash, ledger_index } = params;
  const wanted = wantedLedger(
    ledger_hash !== undefined ? { ledger_hash } : ledger_index === '' ? {} : { ledger_index: ledger_index! },
  );
  if (wanted === 'current') throw new RpcError('lgrNotValidated');
  const { index } = closedLedger(network, wanted);
  if (index < range.first || index > range.last) throw new RpcError('lgrNotValidated');
  return { first: index, last: index };
}

/** @throws RpcError */
function typeParam({ tx_type: wanted }: JsonObject): string | undefined {
  if (wanted === undefined) return undefined;
  const type = typeof wanted === 'string' ? TYPE_BY_LOWER_CASE.get(wanted.toLowerCase()) : undefined;
  if (type === undefined) throw new RpcError('invalidParams', `Invalid field 'tx_type'.`);
  return type;
}

export const accountTx: Command = {
  name: 'account_tx',
  run(params, { network, apiVersion, admin }) {
    for (const name of ['binary', 'forward'])
      if (apiVersion > 1 && params[name] !== undefined && typeof params[name] !== 'boolean')
        throw invalidField(name);
    const limit = limitParam(params, LIMITS.accountTransactions, admin);
    const { account } = params;
    if (account === undefined) throw missingField('account');
    if (typeof account !== 'string') throw invalidField('account');
    const id = accountIdOf(account);
    if (id === undefined) throw new RpcError('actMalformed');
    const type = typeParam(params);
    const from = historyMarker(params);
    const range = ledgersToSearch(params, network, apiVersion);
    const forward = looseBoolean(params, 'forward');
    const wanted = { ...range, forward, limit, ...(from === undefined ? {} : { from }) };
    const { found, more } = historyPage(network, wanted, (query) =>
      network.ledgers.accountTransactions(id, query),
    );
    const binary = looseBoolean(params, 'binary');
    return {
      account,
      ledger_index_max: range.last,
      ledger_index_min: range.first,
      limit,
      transactions: found
        .filter(({ transaction }) => type === undefined || transaction.fields.TransactionType === type)
        .map((row) =>
          binary ? historyBlob(row, apiVersion) : historyRow(row, apiVersion, network.networkId),
        ),
      validated: true,
      ...more,
    };
  },
};
