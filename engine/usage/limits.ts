/** Sizes of the tables of usage. Memory is committed only where rows are written (see engine/state/table.ts). */
export interface UsageLimits {
  /** Pairs of a platform and an account that signed through it, 24 bytes with the index; further ones are not counted. */
  readonly accounts: number;
  /** Accounts by id, as in engine/state/limits.ts; 4 bytes each. */
  readonly signers: number;
  /** Rows (hour, platform, token) of 30 days, 44 bytes each. The main network's named platforms need below 500,000. */
  readonly tokens: number;
}

export const USAGE_LIMITS: UsageLimits = { accounts: 2 ** 22, signers: 2 ** 25, tokens: 2 ** 21 };
