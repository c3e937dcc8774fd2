/** Sizes of the tables of flows. Memory is committed only where rows are written (see engine/state/table.ts). */
import { STATE_LIMITS } from '../state/limits.ts';

export interface FlowLimits {
  readonly tokens: number;
  /**
   * Changes of balances of lines and holdings in 24 hours, 49 bytes each. Recorded ledgers of the main network change 107 a
   * 100 transactions: of those every 4 s, 2.3 million a day (113 MB).
   */
  readonly balanceChanges: number;
}

export const FLOW_LIMITS: FlowLimits = { tokens: STATE_LIMITS.tokens, balanceChanges: 2 ** 22 };
