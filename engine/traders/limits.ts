/** Sizes of the tables of traders. Memory is committed only where rows are written (see engine/state/table.ts). */
import { STATE_LIMITS } from '../state/limits.ts';

export interface TraderLimits {
  /** Pairs of an account and a token that it ever traded, or put into or took out of a pool; never reused. 96 bytes each. */
  readonly positions: number;
  /** Accounts with a position; never reused. */
  readonly traders: number;
  /** Rows (position, hour) of 25 hours. Main network 2025: below 400,000. */
  readonly hours: number;
  /** Rows (position, day) of 31 days. Main network 2025: about a million. */
  readonly days: number;
  /** Rows (trader, two tokens, hour) of 7 days. Main network 2025: below 300,000. */
  readonly rotations: number;
  /** Source tags. Making one up costs two fees, so later ones are counted together. */
  readonly sources: number;
  /** Pairs of a trader and a source tag; further ones are counted with the tag alone. */
  readonly traderSources: number;
  /** Days since the first ledger: 90 years. */
  readonly marketDays: number;
  /** Hours since then: 15 years. */
  readonly marketHours: number;
  /** Accounts, by their ids; 4 bytes each. */
  readonly accounts: number;
}

export const TRADER_LIMITS: TraderLimits = {
  positions: 12_000_000,
  traders: 2 ** 23,
  hours: 2 ** 20,
  days: 2 ** 22,
  rotations: 2 ** 20,
  sources: 2 ** 16,
  traderSources: 2 ** 22,
  marketDays: 2 ** 15,
  marketHours: 2 ** 17,
  accounts: STATE_LIMITS.accounts,
};
