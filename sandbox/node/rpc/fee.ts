/** `fee`: the cost of getting into the open ledger, and how full it is (rippled `TxQ::doRPC`). */
import type { JsonObject } from '../../../engine/codec/json.ts';
import { BASE_LEVEL } from '../../apply/fee-metrics.ts';
import type { Command } from './command.ts';
import { feeLevels } from './load.ts';

export const fee: Command = {
  name: 'fee',
  run(_params, { network }): JsonObject {
    const { queue, open } = network;
    const { base } = open.view.fees;
    const levels = feeLevels(network);
    const drops = (level: bigint) => String((level * base) / BASE_LEVEL);
    return {
      current_ledger_size: String(open.count),
      current_queue_size: String(queue.size),
      drops: {
        base_fee: drops(levels.reference),
        median_fee: drops(levels.median),
        minimum_fee: drops(levels.minimum),
        open_ledger_fee: String(network.openLedgerCost),
      },
      expected_ledger_size: String(queue.metrics.expected),
      ledger_current_index: open.index,
      levels: {
        median_level: String(levels.median),
        minimum_level: String(levels.minimum),
        open_ledger_level: String(levels.open),
        reference_level: String(levels.reference),
      },
      max_queue_size: String(queue.metrics.queueSize),
    };
  },
};
