/** Accounts that public lists of scams have: what readers need of them. outside/scam-lists.ts reads them. */
import type { ScamCategory } from '../engine/scams/rule.ts';

export interface ListedAccount {
  /** Name of the list: its host, or its file. */
  readonly list: string;
  readonly category: ScamCategory;
  /** Unix ms: when it was first read there since the start. */
  readonly since: number;
}

export interface ScamLists {
  /** Grows when accounts change. */
  readonly version: number;
  /** r-addresses. */
  accounts(): Iterable<string>;
  of(account: string): readonly ListedAccount[];
}

/** None is configured. */
export const NO_SCAM_LISTS: ScamLists = { version: 0, accounts: () => [], of: () => [] };
