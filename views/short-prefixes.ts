/**
 * Names by the first two and three letters of their words, for short search words.
 *
 * Goal: `do` is the beginning of thousands of names; scoring all of them as a full-text index does costs 5 us a name. Only
 * the shortest NAMES_MAX are of interest, and finding these is one pass over numbers. Non-goal: longer words and wrong
 * letters, which few names match (name-relevance.ts).
 *
 *     "do" -> rows of names with a word that begins so      score = relevance of a prefix in minisearch, for a word that
 *                                                           one name has (https://github.com/lucaong/minisearch)
 */

/** Letters of a prefix that is kept. */
export const PREFIX_MIN = 2;
export const PREFIX_MAX = 3;
/** minisearch: weight of a prefix match, and how fast it falls with the number of letters that follow. */
const PREFIX_WEIGHT = 0.375;
const FALL = 0.3;
/** minisearch: BM25+ of a word that occurs once in a name of average length, but for its rarity (k 1.2, delta 0.5). */
const TERM_SCORE = 1.5;
/** Longer words count as so long. */
const LENGTH_MAX = 63;

export class ShortPrefixes {
  readonly #rows = new Map<string, number[]>();
  /** Length of the word, beside each row. */
  readonly #lengths = new Map<string, number[]>();
  #names = 0;

  /** Takes in the words of a name, in lower case. */
  add(row: number, words: readonly string[]): void {
    this.#names++;
    for (const word of new Set(words))
      for (let length = PREFIX_MIN; length <= PREFIX_MAX && length < word.length; length++)
        this.#put(word.slice(0, length), row, word.length);
  }

  #put(prefix: string, row: number, length: number): void {
    const rows = this.#rows.get(prefix);
    if (rows) {
      rows.push(row);
      this.#lengths.get(prefix)!.push(Math.min(length, LENGTH_MAX));
      return;
    }
    this.#rows.set(prefix, [row]);
    this.#lengths.set(prefix, [Math.min(length, LENGTH_MAX)]);
  }

  /** Adds to `scores` the relevance of names with a word that begins with the prefix and goes on: the shortest first. */
  score(prefix: string, limit: number, scores: Map<number, number>): void {
    const rows = this.#rows.get(prefix);
    if (!rows) return;
    const lengths = this.#lengths.get(prefix)!;
    const wanted = longestWanted(lengths, limit);
    const { longest } = wanted;
    let { left } = wanted;
    const rarity = Math.log(1 + (this.#names - 0.5) / 1.5);
    for (let i = 0; i < rows.length; i++) {
      const length = lengths[i]!;
      if (length > longest || (length === longest && left-- <= 0)) continue;
      const fall = prefix.length / (prefix.length + FALL * (length - prefix.length));
      const row = rows[i]!;
      scores.set(row, (scores.get(row) ?? 0) + PREFIX_WEIGHT * fall * TERM_SCORE * rarity);
    }
  }
}

/** The length up to which words are taken, so that `limit` are, and how many of just that length. */
function longestWanted(lengths: readonly number[], limit: number): { longest: number; left: number } {
  const counts = new Uint32Array(LENGTH_MAX + 1);
  for (let i = 0; i < lengths.length; i++) counts[lengths[i]!]!++;
  let sum = 0;
  for (let length = 0; length <= LENGTH_MAX; length++) {
    if (sum + counts[length]! >= limit) return { longest: length, left: limit - sum };
    sum += counts[length]!;
  }
  return { longest: LENGTH_MAX, left: limit };
}
