/** What the commands that only Clio has share: validated ledgers only, pages of at most 100. */
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import { RpcError } from './errors.ts';
import { closedLedger } from './ledger-choice.ts';
import { HASH, isU32, u32Of } from './params.ts';

const LIMIT_USUAL = 50;
const LIMIT_MOST = 100;

/** The ledger that one of Clio's commands reads: by hash, by index, or the validated one. @throws RpcError */
export function clioLedger(network: Network, params: JsonObject): LedgerRecord {
  const { ledger_hash: hash, ledger_index: index } = params;
  if (hash !== undefined) {
    if (typeof hash !== 'string') throw new RpcError('invalidParams', 'ledger_hashNotString');
    if (!HASH.test(hash)) throw new RpcError('invalidParams', 'ledger_hashMalformed');
    return closedLedger(network, { hash: hash.toUpperCase() });
  }
  if (index === undefined || index === 'validated') return network.validated;
  const number = u32Of(index);
  if (number === undefined) throw new RpcError('invalidParams', 'ledgerIndexMalformed');
  return closedLedger(network, { index: number });
}

/** `limit`, at most 100. @throws RpcError when it is not a positive integer */
export function clioLimit({ limit }: JsonObject): number {
  if (limit === undefined) return LIMIT_USUAL;
  if (!isU32(limit) || limit < 1) throw new RpcError('invalidParams');
  return Math.min(limit, LIMIT_MOST);
}
