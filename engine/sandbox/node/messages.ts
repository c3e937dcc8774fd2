/** The messages of the node's streams, in rippled's shapes. */
import type { JsonObject } from '../../codec/json.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from './network.ts';

/** Ledgers that commands can be asked about, as `complete_ledgers` tells them. */
export function completeLedgers(network: Network): string {
  const range = network.ledgers.range();
  return range ? `${range.first}-${range.last}` : 'empty';
}

/** What a subscription to `ledger` answers at once, and, with a type, what it says at each closed ledger. */
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
