/** Parameters of a list of holders. */

export const HOLDER_SORTS = ['balance', 'holding', 'value', 'percent', 'change24h', 'pnl'] as const;

export interface HolderQuery {
  readonly offset: number;
  readonly limit: number;
  readonly ascending: boolean;
  /** Only frozen lines. */
  readonly frozen: boolean;
  /** Part of an address, at least three characters. */
  readonly search?: string | undefined;
  readonly minBalance?: number | undefined;
  readonly maxBalance?: number | undefined;
}

/** Least length of `search`; shorter ones do not filter. */
const SEARCH_MIN = 3;

/** The part of an address that is searched for; undefined: none is. */
export function searchOf({ search }: HolderQuery): string | undefined {
  return search !== undefined && search.length >= SEARCH_MIN ? search : undefined;
}
