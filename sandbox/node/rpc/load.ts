/** How far a fee must be above the base to get into the open ledger, in rippled's units of load. */
import type { JsonObject } from '../../../engine/codec/json.ts';
import { BASE_LEVEL } from '../../apply/fee-metrics.ts';
import type { Network } from '../network.ts';

/** rippled's unit of load and of fee levels alike is 256. */
const LOAD_BASE = Number(BASE_LEVEL);

/** Fee levels: 256 for exactly the base fee. */
export interface FeeLevels {
  readonly reference: bigint;
  readonly minimum: bigint;
  readonly median: bigint;
  readonly open: bigint;
}

export const feeLevels = ({ queue, open }: Network): FeeLevels => ({
  reference: BASE_LEVEL,
  minimum: queue.minimumLevel,
  median: queue.metrics.multiplier,
  open: queue.requiredLevel(open),
});

/** The machine itself is never reported as busy: all load is that of the fees. */
export function loadMembers(network: Network): JsonObject {
  const { open, minimum, reference } = feeLevels(network);
  return {
    load_base: LOAD_BASE,
    load_factor: Number(open),
    load_factor_fee_escalation: Number(open),
    load_factor_fee_queue: Number(minimum),
    load_factor_fee_reference: Number(reference),
    load_factor_server: LOAD_BASE,
  };
}
