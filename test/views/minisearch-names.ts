/**
 * Search over token names by the full-text index minisearch: the independent way that views/search.ts is compared to.
 * Formulas, order and limits are those that readers have seen since the first version.
 */
import MiniSearch from 'minisearch';
import type { Searchable } from '../../views/search.ts';
import { ShortPrefixes } from '../../views/short-prefixes.ts';

const CHAIN_LIMIT = 5000;
const NAME_LIMIT = 200;
const WEIGHED_MAX = 10_000;
const WORD = /[^\s\p{P}]+/gu;

interface Weighed {
  readonly token: number;
  readonly rank: number;
}

const heaviest = (a: Weighed, b: Weighed): number => b.rank - a.rank || a.token - b.token;

function typosAllowed(term: string, _at: number, terms: readonly string[]): number | false {
  if (term.length < 4) return false;
  return term.length >= 7 && terms.length === 1 ? 2 : 1;
}

export class MinisearchNames {
  readonly #tokens: Searchable;
  readonly #index = new MiniSearch<{ id: number; name: string }>({
    fields: ['name'],
    searchOptions: { prefix: (term) => term.length > 3, fuzzy: typosAllowed },
  });
  readonly #prefixes = new ShortPrefixes();
  readonly #rows = new Map<string, number>();
  readonly #tokensOf: number[][] = [];
  #taken = 0;

  constructor(tokens: Searchable) {
    this.#tokens = tokens;
  }

  /** Takes in all tokens below the end. */
  extend(): void {
    for (; this.#taken < this.#tokens.end; this.#taken++)
      if (this.#tokens.isIndexed(this.#taken)) this.#take(this.#taken);
  }

  #take(token: number): void {
    const name = this.#tokens.name(token).toLowerCase();
    let row = this.#rows.get(name);
    if (row === undefined) {
      row = this.#rows.size;
      this.#rows.set(name, row);
      this.#tokensOf.push([]);
      if (name.length > 0) {
        this.#index.add({ id: row, name });
        this.#prefixes.add(row, name.match(WORD) ?? []);
      }
    }
    this.#tokensOf[row]!.unshift(token);
  }

  search(text: string, limit: number): number[] {
    const wanted = text.trim().toLowerCase();
    if (wanted.length === 0 || limit <= 0) return [];
    const exactRow = this.#rows.get(wanted);
    const exact = exactRow === undefined ? [] : this.#weighed(exactRow, 1);
    const close: Weighed[] = [];
    for (const [row, score] of this.#matching(wanted)) {
      if (close.length >= WEIGHED_MAX) break;
      if (row !== exactRow) close.push(...this.#weighed(row, score));
    }
    return [...exact.sort(heaviest), ...close.sort(heaviest)].slice(0, limit).map(({ token }) => token);
  }

  like(name: string): number[] {
    return this.#matching(name).map(([row]) => row);
  }

  #matching(text: string): (readonly [row: number, score: number])[] {
    const terms = text.match(WORD)?.slice(0, 3) ?? [];
    const found = this.#index.search(terms.join(' '));
    const short = terms.filter(({ length }) => length >= 2 && length <= 3);
    if (short.length === 0) return found.slice(0, NAME_LIMIT).map(({ id, score }) => [id, score]);
    const scores = new Map<number, number>(found.map(({ id, score }) => [id, score]));
    for (const term of new Set(short)) this.#prefixes.score(term, NAME_LIMIT, scores);
    return [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, NAME_LIMIT);
  }

  #weighed(row: number, score: number): Weighed[] {
    return this.#tokensOf[row]!.filter((token) => this.#tokens.isListed(token))
      .slice(0, CHAIN_LIMIT)
      .map((token) => ({ token, rank: score * (1 + this.#tokens.weight(token)) }));
  }
}
