/**
 * What a token is traded against: pairs that traded in the last 24 hours, that have open offers, or a pool.
 * The traded ones are gathered from the ring of ticks: a trade between two tokens is two rows there, the second marked so
 * and right after the first; a trade with XRP is one. One pass over the ring, about 5 ms a million rows, and one over books
 * and pools; all in slices, since XRP is traded against tens of thousands.
 */

import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { CooperativeTask } from '../engine/event-loop.ts';
import { Columns } from '../engine/market/columns.ts';
import { ExactSums } from '../engine/market/exact-sum.ts';
import { TickFlag } from '../engine/market/ticks.ts';
import type { Windows } from '../engine/market/windows.ts';
import { sortingDescending } from '../engine/metrics/sort-descending.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import { assetObject, tokenKey } from './identity.ts';
import { pairHash } from './pair-hash.ts';

/** Trades added, books or pools read, and rows written in one slice: about 3 ms each at first, before the code is compiled. */
const TICKS_A_SLICE = 5000;
const ROWS_A_SLICE = 2000;
const PAIRS_A_SLICE = 50;
/** Tokens that may appear while pairs are gathered. */
const NEW_TOKENS_MAX = 2 ** 12;

interface Traded {
  /** Of its sums of amounts. */
  readonly row: number;
  drops: number;
  count: number;
}

/** What a token was traded against, by the other token. Sums are exact, as those of the rows of tokens. */
class TradedPairs {
  readonly found = new Map<number, Traded>();
  readonly #columns: Columns;
  readonly #own: ExactSums;
  readonly #other: ExactSums;

  constructor(capacity: number) {
    this.#columns = new Columns(capacity);
    this.#own = new ExactSums(this.#columns);
    this.#other = new ExactSums(this.#columns);
  }

  /** The sums with another token. */
  with(other: number): Traded {
    let sums = this.found.get(other);
    if (!sums) {
      sums = { row: this.found.size, drops: 0, count: 0 };
      this.#columns.reserve(sums.row + 1);
      this.found.set(other, sums);
    }
    return sums;
  }

  /** @param own, amount token units; of XRP 0: its sum is that of the drops */
  add(other: number, own: number, amount: number, drops: number): void {
    const sums = this.with(other);
    this.#own.add(sums.row, own, 1);
    this.#other.add(sums.row, amount, 1);
    sums.drops += drops;
    sums.count++;
  }

  /** What was traded of one of the two, in units of it. */
  amount(side: 'own' | 'other', token: number, { row, drops }: Traded): number {
    if (token === XRP) return drops / DROPS_PER_XRP;
    return (side === 'own' ? this.#own : this.#other).value(row);
  }
}

/** With what else rows show of a token. */
type PairSide = ReturnType<typeof assetObject> & { readonly value: number };

export interface PairRow {
  readonly pair: string;
  readonly curr1: PairSide;
  readonly curr2: PairSide;
  /** Trades of the last 24 hours. */
  readonly count: number;
  /** XRP. */
  readonly volume: number;
  readonly id: number;
}

export interface TokenPairs {
  readonly pairs: PairRow[];
  /** There are more. */
  readonly truncated: boolean;
}

/**
 * Most traded first. `curr1` is the token itself; `value` is what was traded of each in 24 hours.
 * @param textsOf what else rows show of a token
 */
export function* pairsOf(
  state: State,
  windows: Windows,
  token: number,
  limit: number,
  textsOf: (token: number) => Readonly<Record<string, unknown>>,
): CooperativeTask<TokenPairs> {
  const side = (one: number, value: number) => ({ ...assetObject(state, one), ...textsOf(one), value });
  const traded = new TradedPairs(state.tokens.count + NEW_TOKENS_MAX);
  yield* addTraded(windows, token, traded);
  yield* addOpen(state, token, traded);
  const { found } = traded;
  const ordered = yield* mostTraded(found);
  const own = tokenKey(state, token);
  const pairs: PairRow[] = [];
  for (const other of ordered.subarray(0, limit)) {
    if (pairs.length % PAIRS_A_SLICE === PAIRS_A_SLICE - 1) yield;
    const sums = found.get(other)!;
    pairs.push({
      pair: pairHash(own, tokenKey(state, other)),
      curr1: side(token, traded.amount('own', token, sums)),
      curr2: side(other, traded.amount('other', other, sums)),
      count: sums.count,
      volume: sums.drops / DROPS_PER_XRP,
      id: pairs.length + 1,
    });
  }
  return { pairs, truncated: ordered.length > limit };
}

/** The tokens by what was traded, by the number of trades, by id. */
function* mostTraded(found: ReadonlyMap<number, Traded>): CooperativeTask<Uint32Array> {
  const others = new Uint32Array(found.size);
  let count = 0;
  for (const other of found.keys()) {
    others[count++] = other;
    if (count % ROWS_A_SLICE === 0) yield;
  }
  others.sort();
  yield;
  const [drops, counts] = [new Float64Array(count), new Float64Array(count)];
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    if (place % ROWS_A_SLICE === ROWS_A_SLICE - 1) yield;
    const sums = found.get(others[place]!)!;
    drops[place] = sums.drops;
    counts[place] = sums.count;
    places[place] = place;
  }
  // Both sorts are stable.
  yield* sortingDescending(places, counts);
  yield* sortingDescending(places, drops);
  return places.map((place) => others[place]!);
}

function* addTraded({ ticks }: Windows, token: number, traded: TradedPairs): CooperativeTask<void> {
  const { head, tail } = ticks;
  for (let sequence = tail; sequence < head; sequence++) {
    if ((sequence - tail) % TICKS_A_SLICE === TICKS_A_SLICE - 1) yield;
    const row = ticks.row(sequence);
    const flags = ticks.flags[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw)) continue;
    const drops = ticks.drops[row]!;
    const amount = ticks.amount[row]!;
    const ticked = ticks.token[row]!;
    if (flags & TickFlag.xrpLeg) {
      if (ticked === token) traded.add(XRP, amount, 0, drops);
      else if (token === XRP) traded.add(ticked, 0, amount, drops);
    } else if (flags & TickFlag.second && sequence > tail) {
      const before = ticks.row(sequence - 1);
      const first = ticks.token[before]!;
      if (ticked === token) traded.add(first, amount, ticks.amount[before]!, drops);
      else if (first === token) traded.add(ticked, ticks.amount[before]!, amount, drops);
    }
  }
}

/** Adds the tokens that have open offers or a pool with `token`. */
function* addOpen(state: State, token: number, traded: TradedPairs): CooperativeTask<void> {
  const { books, pools } = state;
  const add = (other: number) => {
    if (other !== token) traded.with(other);
  };
  for (let book = 1; book < books.bookCount; book++) {
    if (book % ROWS_A_SLICE === 0) yield;
    const pays = books.bookPays(book);
    const gets = books.bookGets(book);
    if (pays !== token && gets !== token) continue;
    if (books.bookDomain(book) === 0 && books.size(book) > 0) add(pays === token ? gets : pays);
  }
  for (let pool = 1; pool < pools.count; pool++) {
    if (pool % ROWS_A_SLICE === 0) yield;
    const first = pools.assets1[pool]!;
    const second = pools.assets2[pool]!;
    if ((first === token || second === token) && pools.exists(pool)) add(first === token ? second : first);
  }
}
