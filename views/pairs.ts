/**
 * What a token is traded against: pairs that traded in the last 24 hours, that have open offers, or a pool.
 * The traded ones are gathered from the ring of ticks: a trade between two tokens is two rows there, the second marked so
 * and right after the first; a trade with XRP is one. One pass over the ring, about 5 ms a million rows.
 */

import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import { TickFlag } from '../engine/market/ticks.ts';
import type { Windows } from '../engine/market/windows.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import { assetObject, tokenKey } from './identity.ts';
import { pairHash } from './pair-hash.ts';

interface Traded {
  /** Token units. */
  own: number;
  other: number;
  drops: number;
  count: number;
}

const nothing = (): Traded => ({ own: 0, other: 0, drops: 0, count: 0 });

export interface PairRow {
  readonly pair: string;
  readonly curr1: Record<string, unknown>;
  readonly curr2: Record<string, unknown>;
  /** Trades of the last 24 hours. */
  readonly count: number;
  /** XRP. */
  readonly volume: number;
  readonly id: number;
}

/** Most traded first. `curr1` is the token itself; `value` is what was traded of each in 24 hours. */
export function pairsOf(
  state: State,
  windows: Windows,
  token: number,
  limit: number,
): { readonly pairs: PairRow[]; readonly truncated: boolean } {
  const found = traded(windows, token);
  for (const other of withOffersOrPool(state, token)) if (!found.has(other)) found.set(other, nothing());
  const ordered = [...found].sort(([a, x], [b, y]) => y.drops - x.drops || y.count - x.count || a - b);
  const own = tokenKey(state, token);
  const pairs = ordered.slice(0, limit).map(([other, sums], i) => ({
    pair: pairHash(own, tokenKey(state, other)),
    curr1: { ...assetObject(state, token), value: sums.own },
    curr2: { ...assetObject(state, other), value: sums.other },
    count: sums.count,
    volume: sums.drops / DROPS_PER_XRP,
    id: i + 1,
  }));
  return { pairs, truncated: ordered.length > limit };
}

function traded({ ticks }: Windows, token: number): Map<number, Traded> {
  const found = new Map<number, Traded>();
  const add = (other: number, own: number, amount: number, drops: number) => {
    const sums = found.get(other) ?? nothing();
    sums.own += own;
    sums.other += amount;
    sums.drops += drops;
    sums.count++;
    found.set(other, sums);
  };
  for (let sequence = ticks.tail; sequence < ticks.head; sequence++) {
    const row = ticks.row(sequence);
    const flags = ticks.flags[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) continue;
    const drops = ticks.drops[row]!;
    const amount = ticks.amount[row]!;
    const ticked = ticks.token[row]!;
    if (flags & TickFlag.xrpLeg) {
      if (ticked === token) add(XRP, amount, drops / DROPS_PER_XRP, drops);
      else if (token === XRP) add(ticked, drops / DROPS_PER_XRP, amount, drops);
    } else if (flags & TickFlag.second && sequence > ticks.tail) {
      const before = ticks.row(sequence - 1);
      const first = ticks.token[before]!;
      if (ticked === token) add(first, amount, ticks.amount[before]!, drops);
      else if (first === token) add(ticked, ticks.amount[before]!, amount, drops);
    }
  }
  return found;
}

/** Tokens that have open offers or a pool with `token`. */
function withOffersOrPool(state: State, token: number): Set<number> {
  const { books, pools } = state;
  const others = new Set<number>();
  for (let book = 1; book < books.bookCount; book++) {
    const pays = books.bookPays(book);
    const gets = books.bookGets(book);
    if (pays !== token && gets !== token) continue;
    if (books.bookDomain(book) === 0 && books.size(book) > 0) others.add(pays === token ? gets : pays);
  }
  for (let pool = 1; pool < pools.count; pool++) {
    const first = pools.assets1[pool]!;
    const second = pools.assets2[pool]!;
    if ((first === token || second === token) && pools.exists(pool))
      others.add(first === token ? second : first);
  }
  others.delete(token);
  return others;
}
