/**
 * The hundred largest balances of a token. Of small tokens they are found by a pass over the lines; of large ones, and of
 * all others above ASKED_LINES once somebody has asked for them, a set of candidates follows the ledgers, so that asking
 * costs nothing that grows with the token.
 *
 *     candidates    every line with a balance above `floor`, and some of those at it; at least a hundred
 *     a ledger      lines that it changed go in or out; those below the floor do not count
 *     too many      the largest KEPT stay, the smallest of these is the floor
 *     too few       a pass over all lines, again: of large tokens after four in five of the largest have left
 *
 * The answer is that of a pass, whatever happened before. Cost: 40 ns a line of a pass, 100 where the lines are in no
 * cache; 12 bytes a candidate.
 */

import { ROWS_A_STEP, type RowSteps, runToEnd } from '../event-loop.ts';
import { TokenBalances } from '../state/token-balances.ts';
import type { MarketState } from './state-view.ts';

/** How many balances are asked for: a record of the history has shares of a hundred, a row only those of ten. */
export const TOP = 100;
export const TOP_OF_ROWS = 10;
/** Candidates after a pass over a large token, and over another; there may be twice as many. */
const KEPT = 512;
const KEPT_OF_OTHERS = 128;
/** Tokens of more lines always have candidates: a pass over 8,000 lines takes 0.3 ms. */
export const FOLLOWED_LINES = 8_000;
/** Tokens of more lines have them from the first time that they are asked for. */
export const ASKED_LINES = 2 * KEPT_OF_OTHERS;

/** Lines and what each holds, in no order. */
class Candidates {
  /** No other line has more than this. */
  readonly floor: number;
  readonly #most: number;
  #lines: Uint32Array;
  #balances: Float64Array;
  #count: number;

  constructor(lines: Uint32Array, balances: Float64Array, floor: number, kept: number) {
    this.#lines = lines;
    this.#balances = balances;
    this.#count = lines.length;
    this.floor = floor;
    this.#most = 2 * kept;
  }

  get isTooFew(): boolean {
    return this.floor > 0 && this.#count < TOP;
  }

  get areTooMany(): boolean {
    return this.#count > this.#most;
  }

  /** A line holds this much now. */
  set(line: number, balance: number): void {
    const at = this.#placeOf(line);
    if (!(balance > 0 && balance >= this.floor)) {
      if (at < 0) return;
      this.#count--;
      this.#lines[at] = this.#lines[this.#count]!;
      this.#balances[at] = this.#balances[this.#count]!;
    } else if (at >= 0) this.#balances[at] = balance;
    else this.#add(line, balance);
  }

  offerTo(largest: Largest): void {
    for (let i = 0; i < this.#count; i++) largest.offer(this.#balances[i]!, this.#lines[i]!);
  }

  #placeOf(line: number): number {
    const at = this.#lines.indexOf(line);
    return at < this.#count ? at : -1;
  }

  #add(line: number, balance: number): void {
    if (this.#count === this.#lines.length) {
      const length = Math.max(TOP, 2 * this.#count);
      const [lines, balances] = [new Uint32Array(length), new Float64Array(length)];
      lines.set(this.#lines);
      balances.set(this.#balances);
      this.#lines = lines;
      this.#balances = balances;
    }
    this.#lines[this.#count] = line;
    this.#balances[this.#count++] = balance;
  }
}

export class LargestHolders {
  readonly #state: MarketState;
  readonly #followed = new Map<number, Candidates>();
  readonly #top = new Largest(TOP);
  readonly #topOfRows = new Largest(TOP_OF_ROWS);
  readonly #kept = new Largest(KEPT);
  readonly #keptOfOthers = new Largest(KEPT_OF_OTHERS);

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
      candidates.set(line, lines.heldNow(line, token));
    }
    for (const token of changed.holders) runToEnd(this.#reviewing(token));
  }

  /** Begins again with all tokens, of the state as it is, in steps; it must not change meanwhile. */
  *rebuilding(): RowSteps {
    this.#followed.clear();
    const { tokens, lines } = this.#state;
    for (let token = 1; token < tokens.count; token++) {
      if (lines.lineCount(token) > FOLLOWED_LINES) yield* this.#reviewing(token);
      if (token % ROWS_A_STEP === 0) yield 0;
    }
  }

  /** The hundred largest balances of a token, largest first. */
  of(token: number): Float64Array {
    return this.#largest(token, this.#top);
  }

  /** The first ten of these: most lines are not compared with more than one balance. */
  ofRow(token: number): Float64Array {
    return this.#largest(token, this.#topOfRows);
  }

  #largest(token: number, top: Largest): Float64Array {
    const candidates = this.#followed.get(token) ?? this.#follow(token);
    top.clear();
    if (!candidates) runToEnd(this.#passing(token, top));
    else candidates.offerTo(top);
    return top.sorted();
  }

  /** Lines that `of` looks at, had the token never been asked for. */
  workOf(token: number): number {
    const lines = this.#state.lines.lineCount(token);
    return lines > FOLLOWED_LINES ? 2 * KEPT : lines;
  }

  /** From now on follows a token that is asked for; undefined: it is too small. */
  #follow(token: number): Candidates | undefined {
    if (this.#state.lines.lineCount(token) <= ASKED_LINES) return undefined;
    const kept = this.#keptOf(token);
    runToEnd(this.#passing(token, kept));
    const candidates = kept.candidates();
    this.#followed.set(token, candidates);
    return candidates;
  }

  /** Empty. */
  #keptOf(token: number): Largest {
    const kept = this.#state.lines.lineCount(token) > FOLLOWED_LINES ? this.#kept : this.#keptOfOthers;
    kept.clear();
    return kept;
  }

  /** Follows a token that has become large, or lost its candidates; no longer one that is small. */
  *#reviewing(token: number): RowSteps {
    const lines = this.#state.lines.lineCount(token);
    const candidates = this.#followed.get(token);
    if (lines <= (candidates ? ASKED_LINES : FOLLOWED_LINES)) {
      this.#followed.delete(token);
      return;
    }
    if (candidates && !candidates.isTooFew && !candidates.areTooMany) return;
    const kept = this.#keptOf(token);
    if (candidates?.areTooMany) candidates.offerTo(kept);
    else yield* this.#passing(token, kept);
    this.#followed.set(token, kept.candidates());
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

/** Most lines are smaller than the smallest that is kept, which one column shows. */
function offerAll(balances: TokenBalances, list: Uint32Array, from: number, to: number, into: Largest): void {
  let least = leastSize(balances, into);
  for (let i = from; i < to; i++) {
    const line = list[i]!;
    if (balances.sizeOf(line) < least) continue;
    const balance = balances.of(line);
    if (balance > 0 && into.offer(balance, line)) least = leastSize(balances, into);
  }
}

/** Lines of a smaller size are not among the largest. */
function leastSize(balances: TokenBalances, of: Largest): number {
  return of.isFull ? balances.sizeOf(of.smallest) : 0;
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

  get isFull(): boolean {
    return this.#count === this.#size;
  }

  /** Line of the smallest of those that are kept, when it is full. */
  get smallest(): number {
    return this.#lines[0]!;
  }

  /** @returns whether it is kept */
  offer(balance: number, line: number): boolean {
    const balances = this.#balances;
    if (this.#count < this.#size) {
      let i = this.#count++;
      for (; i > 0 && balances[(i - 1) >> 1]! > balance; i = (i - 1) >> 1) this.#move((i - 1) >> 1, i);
      this.#put(i, balance, line);
      return true;
    }
    if (balance <= balances[0]!) return false;
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
    return true;
  }

  /** Largest first. */
  sorted(): Float64Array {
    return this.#balances.slice(0, this.#count).sort().reverse();
  }

  /** Where all there are have been kept, every line from zero on is a candidate. */
  candidates(): Candidates {
    const [lines, balances] = [this.#lines.slice(0, this.#count), this.#balances.slice(0, this.#count)];
    return new Candidates(lines, balances, this.#count < this.#size ? 0 : balances[0]!, this.#size);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#balances[from]!, this.#lines[from]!);
  }

  #put(at: number, balance: number, line: number): void {
    this.#balances[at] = balance;
    this.#lines[at] = line;
  }
}
