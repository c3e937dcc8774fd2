/** `tx_reduce_relay`: counters of the relay between peers (rippled `TxReduceRelay.cpp`). There are no peers here. */
import type { Command } from './command.ts';

const COUNTED = ['tx', 'have_txs', 'get_ledger', 'ledger_data', 'transactions'];

export const txReduceRelay: Command = {
  name: 'tx_reduce_relay',
  run: () => ({
    ...Object.fromEntries(
      COUNTED.flatMap((name) => [`txr_${name}_cnt`, `txr_${name}_sz`].map((key) => [key, '0'])),
    ),
    txr_missing_tx_freq: '0',
    txr_not_enabled_cnt: '0',
    txr_selected_cnt: '0',
    txr_suppressed_cnt: '0',
  }),
};
