/**
 * LP tokens by the names of what their pool holds: `XRP/COR`, `cor xrp`, `COR LP`. Their own currency codes are hashes,
 * so they are not in the index of names; the pools are walked instead (30,000 in half a millisecond), comparing name
 * rows, which are numbers.
 */

import { sortDescending } from '../engine/metrics/sort-descending.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';

/** What is known of the names of tokens. */
export interface NameRows {
  /** The row of a token's name; undefined while it is not indexed. */
  row(token: number): number | undefined;
  /** The row of just this name (lower case); undefined when no token has it. */
  exact(name: string): number | undefined;
  /** Rows of names like this one. */
  like(name: string): readonly number[];
}

/** Words that ask for the LP token and name no asset. */
const LP_WORDS: ReadonlySet<string> = new Set(['lp', 'amm', 'pool', 'token']);
const WORD = /[^\s/:+&|,-]+/gu;

export interface LpTokens {
  readonly tokens: readonly number[];
  /** The query names a pair or asks for LP tokens: they go before tokens that only have one of the names. */
  readonly first: boolean;
}

const NOTHING: LpTokens = { tokens: [], first: false };

/** Whether a token of the pool has the name. */
type Named = (token: number) => boolean;

/**
 * Pools whose assets have the names of a query, by weight.
 * @param weight ranks equal matches.
 */
export function lpTokensNamed(
  { pools }: Pick<State, 'pools'>,
  names: NameRows,
  weight: (lpToken: number) => number,
  text: string,
): LpTokens {
  const words = text.toLowerCase().match(WORD) ?? [];
  const wanted = words.filter((word) => !LP_WORDS.has(word));
  const namesLp = wanted.length < words.length;
  if (wanted.length === 0 || wanted.length > 2) return NOTHING;
  const exact = wanted.every((name) => name === 'xrp' || names.exact(name) !== undefined);
  // XRP alone is in nearly every pool.
  if (wanted.length === 1 && ((wanted[0] === 'xrp' && !namesLp) || !(namesLp || exact))) return NOTHING;
  const [one, two] = wanted.map((name) => named(names, name)) as [Named, Named?];
  const found: number[] = [];
  for (let pool = 1; pool < pools.count; pool++) {
    if (!pools.exists(pool)) continue;
    const a = pools.asset1(pool);
    const b = pools.asset2(pool);
    const matches = two === undefined ? one(a) || one(b) : (one(a) && two(b)) || (one(b) && two(a));
    const token = pools.lpToken(pool);
    if (matches && token !== XRP) found.push(token);
  }
  const order = Uint32Array.from(found, (_, at) => at);
  sortDescending(order, Float64Array.from(found, weight));
  return { tokens: Array.from(order, (at) => found[at]!), first: namesLp || (two !== undefined && exact) };
}

function named(names: NameRows, name: string): Named {
  if (name === 'xrp') return (token) => token === XRP;
  const exact = names.exact(name);
  const rows = new Set(exact === undefined ? names.like(name) : [exact]);
  return (token) => {
    const row = token === XRP ? undefined : names.row(token);
    return row !== undefined && rows.has(row);
  };
}
