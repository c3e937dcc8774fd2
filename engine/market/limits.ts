/** Sizes of the market tables. Memory is committed only where rows are written (see engine/state/table.ts). */
import { STATE_LIMITS } from '../state/limits.ts';

export interface MarketLimits {
  readonly tokens: number;
  /** Accounts that ever traded. 8 bytes each. */
  readonly accounts: number;
  /** Ticks (one for each token of a trade) of 24 hours. Main network 2025: below 1 million. 57 bytes each. */
  readonly ticks: number;
  /** Rows (token, hour) of 30 days. Main network 2025: about 1 million. */
  readonly hours: number;
  /** Ledgers of 24 hours: about 22,000 at 3.9 s each. */
  readonly ledgers: number;
  /**
   * Rows (ledger, token) of 24 hours in which holders or lines changed, 16 bytes each. Main network 2025: below 200,000 (about
   * two new or emptied lines a second); 2^20 rows are twelve a second.
   */
  readonly holderChanges: number;
}

export const MARKET_LIMITS: MarketLimits = {
  tokens: STATE_LIMITS.tokens,
  accounts: STATE_LIMITS.accounts,
  ticks: 2 ** 21,
  hours: 2 ** 21,
  ledgers: 2 ** 16,
  holderChanges: 2 ** 20,
};

/**
 * Trades and liquidity events of pools in 24 hours, 28 bytes each (views/pool-day.ts). Main network 2025: below a
 * million.
 */
export const POOL_MOVES = 2 ** 21;
