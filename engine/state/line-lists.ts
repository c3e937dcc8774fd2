/**
 * What follows from the rows of lines at a restart: which token's list each side of a line is in, where in it, how many
 * lines of each token hold something, and the exact sums of what they hold.
 *
 *     rows      -> tokens of its sides, put where its places will be -> sizes of the lists, holders
 *     sizes     -> blocks of the lists, each once
 *     rows      -> the next place in each of its lists; what it holds, at the same place beside
 *     tokens    -> what is beside its list, added up
 *
 * Goal: millions of lines in a second: no look-up with more than a cache miss, nothing allocated by row, columns read through
 * views of fixed length. (Adding to sums by token in the order of rows took half of the time: a random slot of 30 MB a row.)
 * Loops are in methods of their own, which the generator calls: the locals of a generator are slow. Cost: 70 ns a line, and
 * until it is done 12 bytes.
 */
import type { RowSteps } from '../event-loop.ts';
import type { BulkSums } from './bulk-sums.ts';
import { fixedU16, fixedU32 } from './fixed-views.ts';
import { inSteps } from './index-fill.ts';
import { HIGH, HoldingFlag, isZeroIssued, LineFlag, LOW, SIGN } from './line-fields.ts';
import type { SharedLists } from './shared-lists.ts';
import { TokenPairs } from './token-pairs.ts';
import { TokenKind, type Tokens } from './tokens.ts';

/** Lines whose amounts are added up in one step, and how many a token counts as: some milliseconds. */
const SUMS_A_STEP = 2 ** 18;
const WORK_A_TOKEN = 128;
const FREEZES = LineFlag.lowFreeze | LineFlag.highFreeze;

/** Columns of the table of lines. */
export interface LineColumns {
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly codes: Uint32Array;
  readonly balancesHi: Uint32Array;
  readonly balancesLo: Uint32Array;
  readonly lowLimitsHi: Uint32Array;
  readonly lowLimitsLo: Uint32Array;
  readonly highLimitsHi: Uint32Array;
  readonly highLimitsLo: Uint32Array;
  readonly flags: Uint16Array;
  /** Place + 1 in the list that low, that high is in; 0: in none. */
  readonly lowPlaces: Uint32Array;
  readonly highPlaces: Uint32Array;
}

export interface LineListsParts {
  readonly columns: LineColumns;
  /** Rows, row 0 included. */
  readonly count: number;
  readonly tokens: Tokens;
  /** Empty. */
  readonly lists: SharedLists;
  /** Gets what lines hold. */
  readonly sums: BulkSums;
  /** A line that may be frozen, once it is in its lists. */
  readonly onFrozen: (row: number) => void;
}

export class LineLists {
  /** MPT holdings. */
  holdings = 0;
  /** By token: lines with a balance above zero. */
  readonly holders: Uint32Array;

  readonly #parts: LineListsParts;
  readonly #columns: LineColumns;
  readonly #pairs: TokenPairs;
  /** By token: length of its list. */
  readonly #sizes: Uint32Array;
  /** By token: where its next line goes. */
  #next: Uint32Array = new Uint32Array(0);
  #starts: Uint32Array = new Uint32Array(0);
  #words: Uint32Array = new Uint32Array(0);
  /** Raw amount that the line holds of the token whose list it is in, two words for each of `#words`. */
  #held: Uint32Array = new Uint32Array(0);

  constructor(parts: LineListsParts) {
    this.#parts = parts;
    const { columns, count, tokens } = parts;
    this.#columns = fixed(columns, count);
    this.#pairs = new TokenPairs(tokens);
    // Room for tokens that have to be made. What is not used takes no memory.
    this.#sizes = new Uint32Array(tokens.table.capacity);
    this.holders = new Uint32Array(tokens.table.capacity);
  }

  *building(): RowSteps {
    const { count, tokens, lists } = this.#parts;
    yield* inSteps(count, (from, to) => this.#count(from, to));
    const sizes = this.#sizes.subarray(0, tokens.count);
    yield* lists.reserving(sizes);
    const { words, starts } = lists.reserved(sizes);
    this.#words = words;
    this.#starts = starts;
    this.#next = starts.slice();
    this.#held = new Uint32Array(words.length * 2);
    yield* inSteps(count, (from, to) => this.#place(from, to));
    for (let token = 1; token < sizes.length; yield 0) token = this.#sum(token, sizes.length);
  }

  #count(from: number, to: number): void {
    const { lows, highs, codes, balancesHi, balancesLo, flags, lowPlaces, highPlaces } = this.#columns;
    const { lowLimitsHi, lowLimitsLo, highLimitsHi, highLimitsLo } = this.#columns;
    const sizes = this.#sizes;
    const { holders } = this;
    for (let row = from; row < to; row++) {
      const low = lows[row]!;
      if (low === 0) continue;
      const high = highs[row]!;
      const code = codes[row]!;
      const hi = balancesHi[row]!;
      const lo = balancesLo[row]!;
      if (high === 0) {
        lowPlaces[row] = code;
        sizes[code]!++;
        this.holdings++;
        if ((hi | lo) !== 0) holders[code]!++;
        continue;
      }
      const held = isZeroIssued(hi, lo) ? 0 : hi & SIGN ? LOW : HIGH;
      const trusts =
        (isZeroIssued(lowLimitsHi[row]!, lowLimitsLo[row]!) ? 0 : LOW) |
        (isZeroIssued(highLimitsHi[row]!, highLimitsLo[row]!) ? 0 : HIGH);
      const sides = held | trusts || flags[row]! & (LineFlag.lowReserve | LineFlag.highReserve);
      const ofLow = sides & LOW ? this.#tokenOf(high, code) : 0;
      const ofHigh = sides & HIGH ? this.#tokenOf(low, code) : 0;
      if (ofLow !== 0) {
        lowPlaces[row] = ofLow;
        sizes[ofLow]!++;
      }
      if (ofHigh !== 0) {
        highPlaces[row] = ofHigh;
        sizes[ofHigh]!++;
      }
      if (held !== 0) holders[held === LOW ? ofLow : ofHigh]!++;
    }
  }

  #tokenOf(issuer: number, code: number): number {
    return this.#pairs.of(issuer, code) || this.#parts.tokens.ofPair(issuer, code);
  }

  #place(from: number, to: number): void {
    const { highs, balancesHi, balancesLo, flags, lowPlaces, highPlaces } = this.#columns;
    const { onFrozen } = this.#parts;
    const held = this.#held;
    const next = this.#next;
    const starts = this.#starts;
    const words = this.#words;
    for (let row = from; row < to; row++) {
      const low = lowPlaces[row]!;
      const high = highPlaces[row]!;
      if ((low | high) === 0) continue;
      const hi = balancesHi[row]!;
      if (low !== 0) {
        const at = next[low]!++;
        words[at] = row;
        lowPlaces[row] = at - starts[low]! + 1;
        if (hi & SIGN) {
          held[at * 2] = hi;
          held[at * 2 + 1] = balancesLo[row]!;
        }
      }
      if (high !== 0) {
        const at = next[high]!++;
        words[at] = row;
        highPlaces[row] = at - starts[high]! + 1;
        if (!(hi & SIGN)) {
          held[at * 2] = hi;
          held[at * 2 + 1] = balancesLo[row]!;
        }
      }
      const bits = flags[row]!;
      if (bits & FREEZES || (bits & HoldingFlag.locked && highs[row] === 0)) onFrozen(row);
    }
  }

  /** Supplies of issued tokens; that of an MPT is in its issuance. @returns the token to go on with */
  #sum(from: number, end: number): number {
    const { tokens, sums } = this.#parts;
    const held = this.#held;
    let token = from;
    for (let work = 0; token < end && work < SUMS_A_STEP; token++) {
      work += this.#sizes[token]! + WORK_A_TOKEN;
      if (tokens.kinds[token] !== TokenKind.issued) continue;
      const start = this.#starts[token]!;
      for (let at = start * 2, end = (start + this.#sizes[token]!) * 2; at < end; at += 2)
        if (!isZeroIssued(held[at]!, held[at + 1]!)) sums.add(held[at]!, held[at + 1]!);
      sums.flush(token);
    }
    return token;
  }
}

function fixed(columns: LineColumns, count: number): LineColumns {
  const one = (column: Uint32Array): Uint32Array => fixedU32(column, count);
  return {
    lows: one(columns.lows),
    highs: one(columns.highs),
    codes: one(columns.codes),
    balancesHi: one(columns.balancesHi),
    balancesLo: one(columns.balancesLo),
    lowLimitsHi: one(columns.lowLimitsHi),
    lowLimitsLo: one(columns.lowLimitsLo),
    highLimitsHi: one(columns.highLimitsHi),
    highLimitsLo: one(columns.highLimitsLo),
    flags: fixedU16(columns.flags, count),
    lowPlaces: one(columns.lowPlaces),
    highPlaces: one(columns.highPlaces),
  };
}
