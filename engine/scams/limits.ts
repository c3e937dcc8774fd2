/** Sizes of the tables of scams. Memory is committed only where rows are written (see engine/state/table.ts). */
export interface ScamLimits {
  /** Accounts that are suspected or listed, 190 bytes each. When all rows are in use further ones are not followed. */
  readonly actors: number;
  /** Pairs of such an account and one that it acted on, 22 bytes each. When all are in use further ones are not counted. */
  readonly pairs: number;
  /** Regular keys that were given within a day, 160 bytes each. Further ones are not followed. */
  readonly grants: number;
  /** Tokens by id, as in engine/state/limits.ts; 14 bytes each. */
  readonly tokens: number;
}

export const SCAM_LIMITS: ScamLimits = { actors: 2 ** 18, pairs: 2 ** 21, grants: 2 ** 14, tokens: 2 ** 22 };
