/** `server_info` in rippled's shape, as far as a network of one node has something to tell. */

import { completeLedgers } from '../messages.ts';
import type { Command } from './command.ts';

/** The version of rippled whose behaviour this node follows; clients read it to know what they may send. */
export const BUILD_VERSION = '3.1.0';
const DROPS_PER_XRP = 1_000_000;

export const serverInfo: Command = {
  name: 'server_info',
  run(_params, { network }) {
    const ledger = network.validated;
    const { base, reserve, increment } = ledger.view().fees;
    return {
      info: {
        build_version: BUILD_VERSION,
        complete_ledgers: completeLedgers(network),
        network_id: network.networkId,
        server_state: 'full',
        peers: 0,
        load_factor: Number(network.openLedgerCost) / Number(base),
        validated_ledger: {
          age: Math.max(0, network.time - ledger.closeTime),
          base_fee_xrp: Number(base) / DROPS_PER_XRP,
          hash: ledger.hash,
          reserve_base_xrp: Number(reserve) / DROPS_PER_XRP,
          reserve_inc_xrp: Number(increment) / DROPS_PER_XRP,
          seq: ledger.index,
        },
        validation_quorum: 0,
      },
    };
  },
};
