/**
 * Who holds how much of a token, largest first.
 *
 *   lines:    Uint32Array   line ids by balance, largest first (ties: smaller line id first)
 *   balances: Float64Array  the same order
 *   rankOf:   line id -> rank, built when first asked for
 *
 * Built when asked for, kept until the token's lines change: a token that nobody looks at costs nothing. Building
 * costs one pass over its lines and a radix sort, about 20 ms for 100,000 holders. Balances rank as floats; what is
 * shown is read exactly from the line.
 */
import type { State } from '../state/state.ts';
import { gini, hhi, topShare } from './concentration.ts';
import { sortDescending } from './sorted-order.ts';

export interface Ranking {
  readonly lines: Uint32Array;
  readonly balances: Float64Array;
  /** Sum of all balances above zero, as a float. */
  readonly sum: number;
  /** Lines that the issuer froze, with or without balance. */
  readonly frozen: number;
}

export interface Concentration {
  readonly gini: number | undefined;
  readonly hhi: number | undefined;
  readonly top10: number | undefined;
}

/** Rankings kept; the one longest unused goes first. */
const KEPT = 256;
/**
 * Concentration figures of a token with n lines are computed anew at most once in n / LINES_A_LEDGER ledgers:
 * that bounds the work of a row that is asked for at every ledger.
 */
const LINES_A_LEDGER = 1000;

export class HolderRankings {
  readonly #state: State;
  readonly #kept = new Map<number, Ranking>();
  readonly #ranks = new WeakMap<Ranking, Map<number, number>>();
  readonly #figures = new Map<number, { readonly ledger: number; readonly value: Concentration }>();
  readonly #stale = new Set<number>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The token's lines changed. */
  touch(token: number): void {
    this.#kept.delete(token);
    if (this.#figures.has(token)) this.#stale.add(token);
  }

  drop(): void {
    this.#kept.clear();
    this.#figures.clear();
    this.#stale.clear();
  }

  of(token: number): Ranking {
    let ranking = this.#kept.get(token);
    if (ranking) this.#kept.delete(token);
    else ranking = ranked(this.#state, token);
    this.#kept.set(token, ranking);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value as number);
    return ranking;
  }

  /** Rank of a line, 1 = largest; undefined for a line without balance. */
  rank(token: number, line: number): number | undefined {
    const ranking = this.of(token);
    let ranks = this.#ranks.get(ranking);
    if (!ranks) {
      ranks = new Map();
      for (let i = 0; i < ranking.lines.length; i++) ranks.set(ranking.lines[i]!, i + 1);
      this.#ranks.set(ranking, ranks);
    }
    return ranks.get(line);
  }

  /** Gini, HHI and share of the ten largest. @param ledger index of the newest ledger. */
  concentration(token: number, ledger: number): Concentration {
    const known = this.#figures.get(token);
    const patience = Math.floor(this.#state.lines.lineCount(token) / LINES_A_LEDGER);
    if (known && (!this.#stale.has(token) || ledger < known.ledger + patience)) return known.value;
    const { balances } = this.of(token);
    const value = { gini: gini(balances), hhi: hhi(balances), top10: topShare(balances, 10) };
    this.#figures.set(token, { ledger, value });
    this.#stale.delete(token);
    return value;
  }
}

function ranked(state: State, token: number): Ranking {
  const { lines } = state;
  const size = lines.lineCount(token);
  const ids = new Uint32Array(size);
  const keys = new Float64Array(size);
  let count = 0;
  let sum = 0;
  let frozen = 0;
  for (const line of lines.holders(token)) {
    if (lines.frozenByIssuer(line, token)) frozen++;
    const balance = lines.balanceNumber(line, token);
    if (!(balance > 0) || count >= size) continue;
    ids[count] = line;
    keys[count++] = balance;
    sum += balance;
  }
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) rows[i] = i;
  sortDescending(rows, keys);
  const ordered = new Uint32Array(count);
  const balances = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    ordered[i] = ids[rows[i]!]!;
    balances[i] = keys[rows[i]!]!;
  }
  sortTies(ordered, balances);
  return { lines: ordered, balances, sum, frozen };
}

/** Lines of equal balance by id: the order in which the state lists them is no promise. */
function sortTies(lines: Uint32Array, balances: Float64Array): void {
  for (let start = 0; start < lines.length; ) {
    let stop = start + 1;
    while (stop < lines.length && balances[stop] === balances[start]) stop++;
    if (stop - start > 1) lines.subarray(start, stop).sort();
    start = stop;
  }
}
