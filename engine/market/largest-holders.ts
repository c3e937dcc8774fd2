/**
 * The hundred largest balances of a token. Of small tokens they are found by a pass over the lines; of large ones a set of
 * candidates follows the ledgers, so that asking costs nothing that grows with the token.
 *
 *     candidates    every line with a balance above `floor`, and some of those at it; at least a hundred
 *     a ledger      lines that it changed go in or out; those below the floor do not count
 *     too many      the largest KEPT stay, the smallest of these is the floor
 *     too few       a pass over all lines, again: after four in five of the largest have left
 *
 * The answer is that of a pass, whatever happened before. Cost: 40 ns a line of a pass; 50 bytes a candidate.
 */

import { ROWS_A_STEP, type RowSteps, runToEnd } from '../event-loop.ts';
import { TokenBalances } from '../state/token-balances.ts';
import type { MarketState } from './state-view.ts';

/** How many balances are asked for. */
export const TOP = 100;
/** Candidates after a pass. */
const KEPT = 512;
/** ... and the most there may be. */
const KEPT_MAX = 2 * KEPT;
/** Tokens of more lines have candidates: a pass over 8,000 lines takes 0.3 ms. */
export const FOLLOWED_LINES = 8_000;

interface Candidates {
  /** Balance by line. */
  readonly balances: Map<number, number>;
  /** No other line has more than this. */
  floor: number;
}

export class LargestHolders {
  readonly #state: MarketState;
  readonly #followed = new Map<number, Candidates>();
  readonly #top = new Largest(TOP);
  readonly #kept = new Largest(KEPT);

  constructor(state: MarketState) {
    this.#state = state;
  }

  /** A ledger was applied. */
  apply(): void {
    const { changed, lines } = this.#state;
    const pairs = changed.holderLines;
    for (let i = 0; i < pairs.length; i += 2) {
      const token = pairs[i]!;
      const candidates = this.#followed.get(token);
      if (!candidates) continue;
      const line = pairs[i + 1]!;
      const balance = lines.heldNow(line, token);
      if (balance > 0 && balance >= candidates.floor) candidates.balances.set(line, balance);
      else candidates.balances.delete(line);
    }
    for (const token of changed.holders) runToEnd(this.#reviewing(token));
  }

  /** Begins again with all tokens, of the state as it is, in steps; it must not change meanwhile. */
  *rebuilding(): RowSteps {
    this.#followed.clear();
    for (let token = 1; token < this.#state.tokens.count; token++) yield* this.#reviewing(token);
  }

  /** The largest balances of a token, largest first; a view, valid until the next call. */
  of(token: number): Float64Array {
    const candidates = this.#followed.get(token);
    const top = this.#top;
    top.clear();
    if (!candidates) runToEnd(this.#passing(token, top));
    else for (const [line, balance] of candidates.balances) top.offer(balance, line);
    return top.sorted();
  }

  /** Lines that `of` looks at. */
  workOf(token: number): number {
    const lines = this.#state.lines.lineCount(token);
    return lines > FOLLOWED_LINES ? KEPT_MAX : lines;
  }

  /** Follows a token that has become large, or lost its candidates; no longer one that is small. */
  *#reviewing(token: number): RowSteps {
    if (this.#state.lines.lineCount(token) <= FOLLOWED_LINES) {
      this.#followed.delete(token);
      return;
    }
    const candidates = this.#followed.get(token);
    if (!candidates || (candidates.floor > 0 && candidates.balances.size < TOP)) {
      this.#kept.clear();
      yield* this.#passing(token, this.#kept);
      this.#followed.set(token, this.#kept.candidates());
    } else if (candidates.balances.size > KEPT_MAX) {
      this.#kept.clear();
      for (const [line, balance] of candidates.balances) this.#kept.offer(balance, line);
      this.#followed.set(token, this.#kept.candidates());
    }
  }

  *#passing(token: number, into: Largest): RowSteps {
    const list = this.#state.lines.holders(token);
    const balances = new TokenBalances(this.#state, token);
    for (let from = 0; from < list.length; from += ROWS_A_STEP) {
      const to = Math.min(list.length, from + ROWS_A_STEP);
      offerAll(balances, list, from, to, into);
      yield to - from;
    }
  }
}

function offerAll(balances: TokenBalances, list: Uint32Array, from: number, to: number, into: Largest): void {
  for (let i = from; i < to; i++) {
    const line = list[i]!;
    const balance = balances.of(line);
    if (balance > 0) into.offer(balance, line);
  }
}

/** Keeps the largest of many numbers, and what each is of: a heap with the smallest of them on top. */
class Largest {
  readonly #size: number;
  readonly #balances: Float64Array;
  readonly #lines: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.#size = size;
    this.#balances = new Float64Array(size);
    this.#lines = new Uint32Array(size);
  }

  clear(): void {
    this.#count = 0;
  }

  offer(balance: number, line: number): void {
    const balances = this.#balances;
    if (this.#count < this.#size) {
      let i = this.#count++;
      for (; i > 0 && balances[(i - 1) >> 1]! > balance; i = (i - 1) >> 1) this.#move((i - 1) >> 1, i);
      this.#put(i, balance, line);
      return;
    }
    if (balance <= balances[0]!) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && balances[child + 1]! < balances[child]!) child++;
      if (balances[child]! >= balance) break;
      this.#move(child, i);
      i = child;
    }
    this.#put(i, balance, line);
  }

  /** Largest first. */
  sorted(): Float64Array {
    return this.#balances.slice(0, this.#count).sort().reverse();
  }

  /** Where all there are have been kept, every line from zero on is a candidate. */
  candidates(): Candidates {
    const balances = new Map<number, number>();
    for (let i = 0; i < this.#count; i++) balances.set(this.#lines[i]!, this.#balances[i]!);
    return { balances, floor: this.#count < this.#size ? 0 : this.#balances[0]! };
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#balances[from]!, this.#lines[from]!);
  }

  #put(at: number, balance: number, line: number): void {
    this.#balances[at] = balance;
    this.#lines[at] = line;
  }
}
