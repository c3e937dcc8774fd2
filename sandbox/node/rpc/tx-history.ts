/** `tx_history`: 20 transactions, after skipping a number of newer ones; API version 1 only (rippled `TxHistory.cpp`). */
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';
import { placedTransactionJson } from './transaction-json.ts';

const TRANSACTIONS = 20;
const START_MAX = 10_000;
/** Ledgers searched at most, so that the cost of a request is bounded. */
const LEDGERS_MAX = 1_000;

export const txHistory: Command = {
  name: 'tx_history',
  run({ start }, { network, apiVersion }) {
    if (apiVersion > 1) throw new RpcError('unknownCmd');
    const skipped = typeof start === 'string' && /^\d{1,10}$/.test(start) ? Number(start) : start;
    if (typeof skipped !== 'number' || !Number.isInteger(skipped) || skipped < 0)
      throw new RpcError('invalidParams');
    if (skipped > START_MAX) throw new RpcError('noPermission');
    const txs: JsonObject[] = [];
    const range = network.ledgers.range();
    let toSkip = skipped;
    const last = range?.last ?? 0;
    const first = Math.max(range?.first ?? 1, last - LEDGERS_MAX + 1);
    for (let index = last; index >= first && txs.length < TRANSACTIONS; index--) {
      const ledger = network.ledgers.byIndex(index);
      const transactions = ledger?.transactions ?? [];
      const left = Math.max(0, transactions.length - toSkip);
      toSkip -= transactions.length - left;
      for (let i = left - 1; i >= 0 && txs.length < TRANSACTIONS; i--)
        txs.push(placedTransactionJson(ledger!, transactions[i]!, apiVersion, network.networkId));
    }
    return { index: skipped, txs };
  },
};
