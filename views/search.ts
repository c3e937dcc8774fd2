/**
 * Typo-tolerant search over token names.
 *
 * Goals: exact tickers first, then what is close and large; a new token is found from the ledger that brought it;
 * no query and no update holds the thread for more than a few milliseconds. Non-goal: full-text search of
 * descriptions.
 *
 *   names (distinct, lower case)  --minisearch-->  name row  --chain-->  tokens of that name
 *
 * Only distinct names are indexed: on the ledger thousands of tokens share a name, and an index of objects must stay
 * small. Tokens of one name hang on a chain of dense ids. Cost: about 25 us a new name, 2 ms a fuzzy query over
 * 50,000 names; the first index is built in slices, letting other work run in between.
 */

import MiniSearch from 'minisearch';
import { yieldToLoop } from '../engine/event-loop.ts';
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
}

/** Names added before other work may run: about 5 ms. */
const SLICE = 200;
/** Tokens of one name that are weighed for a result; the chain is newest first. */
const CHAIN_LIMIT = 5000;
/** Name rows taken from the index per query. */
const NAME_LIMIT = 200;

/** Tokens of other names that are weighed for a query. */
const WEIGHED_MAX = 10_000;
/** Words of a query that are searched for. */
const TERMS_MAX = 3;
const WORD = /[^\s\p{P}]+/gu;

/** Letters that may be wrong. A second wrong one is expensive to search for, so only in a single word. */
function typosAllowed(term: string, _at: number, terms: readonly string[]): number | false {
  if (term.length < 4) return false;
  return term.length >= 7 && terms.length === 1 ? 2 : 1;
}

interface NameRow {
  readonly id: number;
  readonly name: string;
}

export class TokenSearch {
  readonly #tokens: Searchable;
  readonly #index = new MiniSearch<NameRow>({
    fields: ['name'],
    searchOptions: { prefix: (term) => term.length > PREFIX_MAX, fuzzy: typosAllowed },
  });
  readonly #prefixes = new ShortPrefixes();
  readonly #rows = new Map<string, number>();
  readonly #names: string[] = [];
  /** First token of a name row, and the next token of the same name; 0 = none (native XRP is not listed). */
  readonly #heads: number[] = [];
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
      this.#next = grown(this.#next, end * 2);
      this.#rowOf = grown(this.#rowOf, end * 2);
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
      row = this.#names.length;
      this.#rows.set(name, row);
      this.#names.push(name);
      this.#heads.push(0);
      if (name.length > 0) {
        this.#index.add({ id: row, name });
        this.#prefixes.add(row, name.match(WORD) ?? []);
      }
    }
    this.#next[token] = this.#heads[row]!;
    this.#heads[row] = token;
    this.#rowOf[token] = row + 1;
    return isNew;
  }

  /**
   * Tokens that match, best first: exact name by weight, then relevance times weight.
   * @param limit most results wanted.
   */
  search(text: string, limit: number): number[] {
    const wanted = text.trim().toLowerCase();
    if (wanted.length === 0 || limit <= 0) return [];
    const exactRow = this.#rows.get(wanted);
    const exact: Weighed[] = [];
    if (exactRow !== undefined) this.#chain(exactRow, 1, exact);
    const close: Weighed[] = [];
    for (const [row, score] of this.#matching(wanted)) {
      if (close.length >= WEIGHED_MAX) break;
      if (row !== exactRow) this.#chain(row, score, close);
    }
    return [...exact.sort(heaviest), ...close.sort(heaviest)].slice(0, limit).map(({ token }) => token);
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
  #matching(text: string): (readonly [row: number, score: number])[] {
    const terms = text.match(WORD)?.slice(0, TERMS_MAX) ?? [];
    const found = this.#index.search(terms.join(' '));
    const short = terms.filter(({ length }) => length >= PREFIX_MIN && length <= PREFIX_MAX);
    if (short.length === 0) return found.slice(0, NAME_LIMIT).map(({ id, score }) => [id, score]);
    const scores = new Map<number, number>(found.map(({ id, score }) => [id, score]));
    for (const term of new Set(short)) this.#prefixes.score(term, NAME_LIMIT, scores);
    return [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, NAME_LIMIT);
  }

  #chain(row: number, score: number, into: Weighed[]): void {
    let seen = 0;
    for (let token = this.#heads[row]!; token !== 0 && seen < CHAIN_LIMIT; token = this.#next[token]!) {
      if (!this.#tokens.isListed(token)) continue;
      // One more than the weight, so that relevance still orders tokens without any activity.
      into.push({ token, rank: score * (1 + this.#tokens.weight(token)) });
      seen++;
    }
  }
}

function grown(column: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(column);
  return larger;
}

interface Weighed {
  readonly token: number;
  readonly rank: number;
}

function heaviest(a: Weighed, b: Weighed): number {
  return b.rank - a.rank || a.token - b.token;
}
