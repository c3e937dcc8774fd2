/**
 * Typo-tolerant search over token names.
 *
 * Goals: exact tickers first, then what is close and large; a new token is found from the ledger that brought it;
 * no query and no update holds the thread for more than a few milliseconds. Non-goal: full-text search of
 * descriptions.
 *
 *   names (distinct, lower case)  --name-relevance.ts-->  name row  --chain-->  tokens of that name
 *
 * Only distinct names are indexed: on the ledger thousands of tokens share a name. Tokens of one name hang on a chain of
 * dense ids. Cost: a few microseconds a new name, under a millisecond a query over 100,000 names; the first index is
 * built in slices, letting other work run in between.
 */

import { growTo } from '../engine/columns.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { Best } from './best.ts';
import { type Found, NameRelevance } from './name-relevance.ts';
import { PREFIX_MAX, PREFIX_MIN, ShortPrefixes } from './short-prefixes.ts';

/** What the search needs to know about tokens. */
export interface Searchable {
  /** Exclusive bound of the token ids. */
  readonly end: number;
  name(id: number): string;
  /** Whether the token can ever be among results; a token's answer never changes. */
  isIndexed(id: number): boolean;
  /** Whether it is offered now. */
  isListed(id: number): boolean;
  /** How large or active a token is; ranks equal matches. Not negative. */
  weight(id: number): number;
  /** A single letter finds the names that begin with it, too, the heaviest first. */
  readonly byLetter?: true;
}

/** Names added before other work may run: about 2 ms. */
const SLICE = 500;
/** Tokens of one name that are weighed for a result; the chain is newest first. */
const CHAIN_LIMIT = 5000;
/** Name rows taken from the index per query. */
const NAME_LIMIT = 200;

/** Tokens of other names that are weighed for a query. */
const WEIGHED_MAX = 10_000;
/** The same for a single letter, with which thousands of names begin: some 5 ms. */
const WEIGHED_OF_LETTER_MAX = 20_000;
/** Relevance of a name that begins with the letter; that of a word of one letter is several times as much. */
const LETTER_SCORE = 1;
/** Words of a query that are searched for. */
const TERMS_MAX = 3;
const WORD = /[^\s\p{P}]+/gu;

/** Letters that may be wrong. A second wrong one is expensive to search for, so only in a single word. */
function typosAllowed(term: string, terms: number): 0 | 1 | 2 {
  if (term.length < 4) return 0;
  return term.length >= 7 && terms === 1 ? 2 : 1;
}

/** A whole character of a name, which may take two code units. */
const firstLetter = (name: string): string => String.fromCodePoint(name.codePointAt(0) ?? 0);

export class TokenSearch {
  readonly #tokens: Searchable;
  readonly #relevance = new NameRelevance();
  readonly #prefixes = new ShortPrefixes();
  readonly #rows = new Map<string, number>();
  /** Name rows by the first letter, where that finds them. */
  readonly #byLetter = new Map<string, number[]>();
  /** First token of a name row, and the next token of the same name; 0 = none (native XRP is not listed). */
  #heads = new Uint32Array(1024);
  #next = new Uint32Array(1024);
  /** Name row of each token plus one; 0 = not indexed. */
  #rowOf = new Uint32Array(1024);
  #taken = 0;

  constructor(tokens: Searchable) {
    this.#tokens = tokens;
  }

  /** Takes in up to `limit` new names. Returns true when every token is in. */
  advance(limit = SLICE): boolean {
    const { end } = this.#tokens;
    if (end > this.#next.length) {
      this.#next = growTo(this.#next, end * 2);
      this.#rowOf = growTo(this.#rowOf, end * 2);
    }
    let added = 0;
    while (this.#taken < end && added < limit) {
      const token = this.#taken++;
      if (!this.#tokens.isIndexed(token)) continue;
      if (this.#take(token)) added++;
    }
    return this.#taken >= end;
  }

  /** Takes in everything, in slices, letting other work run in between. */
  async complete(): Promise<void> {
    while (!this.advance()) await yieldToLoop();
  }

  /** True when the name was new to the index. */
  #take(token: number): boolean {
    const name = this.#tokens.name(token).toLowerCase();
    let row = this.#rows.get(name);
    const isNew = row === undefined;
    if (row === undefined) {
      row = this.#rows.size;
      this.#rows.set(name, row);
      this.#heads = growTo(this.#heads, row + 1);
      if (name.length > 0) {
        this.#relevance.add(row, name);
        this.#prefixes.add(row, name.match(WORD) ?? []);
        if (this.#tokens.byLetter) this.#addLetter(row, firstLetter(name));
      }
    }
    this.#next[token] = this.#heads[row]!;
    this.#heads[row] = token;
    this.#rowOf[token] = row + 1;
    return isNew;
  }

  #addLetter(row: number, letter: string): void {
    const rows = this.#byLetter.get(letter);
    if (rows) rows.push(row);
    else this.#byLetter.set(letter, [row]);
  }

  /**
   * Tokens that match, best first: exact name by weight, then relevance times weight.
   * @param limit most results wanted.
   */
  search(text: string, limit: number): number[] {
    const wanted = text.trim().toLowerCase();
    if (wanted.length === 0 || limit <= 0) return [];
    const exactRow = this.#rows.get(wanted);
    const exact = new Best(limit);
    if (exactRow !== undefined) this.#weigh(exactRow, 1, exact);
    const close = new Best(limit);
    const matching = this.#matching(wanted);
    let weighed = 0;
    for (const [row, score] of matching) {
      if (weighed >= WEIGHED_MAX) break;
      if (row !== exactRow) weighed += this.#weigh(row, score, close);
    }
    const beginning = this.#byLetter.get(wanted);
    if (beginning) {
      const others = new Set(matching.map(([row]) => row)).add(exactRow ?? -1);
      this.#weighAll(beginning, others, close);
    }
    return [...exact.ids, ...close.ids].slice(0, limit);
  }

  /** The row of a token's name; undefined while it is not indexed. */
  row(token: number): number | undefined {
    const row = this.#rowOf[token];
    return row === undefined || row === 0 ? undefined : row - 1;
  }

  /** The row of just this name (lower case); undefined when no token has it. */
  exact(name: string): number | undefined {
    return this.#rows.get(name);
  }

  /** Rows of names like this one. */
  like(name: string): number[] {
    return this.#matching(name).map(([row]) => row);
  }

  /** Rows of names that match a text in lower case, and their relevance: the most relevant. */
  #matching(text: string): Found[] {
    const terms = text.match(WORD)?.slice(0, TERMS_MAX) ?? [];
    const wanted = terms.map((term) => ({
      text: term,
      isPrefix: term.length > PREFIX_MAX,
      typos: typosAllowed(term, terms.length),
    }));
    const short = new Set(terms.filter(({ length }) => length >= PREFIX_MIN && length <= PREFIX_MAX));
    if (short.size === 0) return this.#relevance.find(wanted, NAME_LIMIT);
    return this.#relevance.find(wanted, NAME_LIMIT, (scores) => {
      for (const term of short) this.#prefixes.score(term, NAME_LIMIT, scores);
    });
  }

  /** Offers the tokens of names with one letter in common. @param done names that were weighed before */
  #weighAll(rows: readonly number[], done: ReadonlySet<number>, best: Best): void {
    let weighed = 0;
    for (const row of rows) {
      if (weighed >= WEIGHED_OF_LETTER_MAX) return;
      if (!done.has(row)) weighed += Math.max(1, this.#weigh(row, LETTER_SCORE, best));
    }
  }

  /** Offers the tokens of a name. @returns how many */
  #weigh(row: number, score: number, best: Best): number {
    let seen = 0;
    for (let token = this.#heads[row]!; token !== 0 && seen < CHAIN_LIMIT; token = this.#next[token]!) {
      if (!this.#tokens.isListed(token)) continue;
      // One more than the weight, so that relevance still orders tokens without any activity.
      best.offer(token, score * (1 + this.#tokens.weight(token)));
      seen++;
    }
    return seen;
  }
}
