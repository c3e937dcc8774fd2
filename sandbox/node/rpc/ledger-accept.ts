/** `ledger_accept`: closes the open ledger in a network without a timer (rippled `LedgerAccept.cpp`). */
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';

export const ledgerAccept: Command = {
  name: 'ledger_accept',
  admin: true,
  run(_params, { network, node }) {
    if (!node.manual) throw new RpcError('notStandAlone');
    network.close();
    return { ledger_current_index: network.open.index };
  },
};
