/**
 * How relevant names are to the words of a text: those that have a word, one that begins with it, or one like it.
 *
 * Goals: the relevance and order of minisearch (https://github.com/lucaong/minisearch; its formulas are named below) in
 * columns: less time a query, and no stall of the garbage collector for its millions of objects. Non-goals: removing names, more than one
 * field, other ways to combine words than adding up.
 *
 *     name row --words--> term tree: word number --chain--> postings (name row, how often), oldest first
 *
 *     relevance of a word = kind of match x rarity x occurrences, by BM25+
 *     relevance of a name = sum over the wanted words x number of wanted words that it matches
 *
 * Cost: 10 bytes a posting, 19 a name, beside the tree; a query is as long as its matches and the part of the tree that is
 * walked for wrong letters.
 */

import { growTo } from '../engine/columns.ts';
import { Best } from './best.ts';
import { TermTree } from './term-tree.ts';

/** A wanted word, and what matches it beside the word itself. */
export interface WantedWord {
  readonly text: string;
  /** Also words that begin with it. */
  readonly isPrefix: boolean;
  /** Also words with so many wrong letters. */
  readonly typos: 0 | 1 | 2;
}

/** minisearch: weight of a word that only begins so, and of one with wrong letters; an equal word has 1. */
const PREFIX_WEIGHT = 0.375;
const LIKE_WEIGHT = 0.45;
/** minisearch: how fast the weight of a prefix falls with the number of letters that follow. */
const PREFIX_FALL = 0.3;
/** minisearch: BM25+, saturation of repeated words, influence of the length of a name, least relevance of a match. */
const K = 1.2;
const B = 0.7;
const D = 0.5;
/** minisearch: words of names are what stands between these. */
const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;

export class NameRelevance {
  readonly #tree = new TermTree();
  /** Of a word: its oldest and newest posting (plus one), and their number. */
  #oldest = new Uint32Array(1 << 10);
  #newest = new Uint32Array(1 << 10);
  #postingsOf = new Uint32Array(1 << 10);
  /** Postings: name, occurrences, and the next posting of the word (plus one). */
  #row = new Uint32Array(1 << 10);
  #occurrences = new Uint16Array(1 << 10);
  #next = new Uint32Array(1 << 10);
  #postings = 0;
  /** Different words of each name; a name has a thousand letters at most. */
  #words = new Uint16Array(1 << 10);
  #names = 0;
  #averageWords = 0;
  /** The query in work: relevance of each name for one word and for all, and the wanted words that it matches, as bits. */
  #one = new Float64Array(1 << 10);
  #all = new Float64Array(1 << 10);
  #matches = new Uint8Array(1 << 10);

  /** @param name in lower case */
  add(row: number, name: string): void {
    this.#growRows(row + 1);
    const words = name.split(BETWEEN_WORDS);
    const different = new Set(words).size;
    this.#words[row] = different;
    this.#averageWords = (this.#averageWords * this.#names + different) / (this.#names + 1);
    this.#names++;
    for (const word of words) if (word !== '') this.#post(this.#tree.intern(word), row);
  }

  #post(word: number, row: number): void {
    this.#oldest = growTo(this.#oldest, word + 1);
    this.#newest = growTo(this.#newest, word + 1);
    this.#postingsOf = growTo(this.#postingsOf, word + 1);
    const newest = this.#newest[word]!;
    if (newest !== 0 && this.#row[newest - 1] === row) {
      this.#occurrences[newest - 1]!++;
      return;
    }
    const posting = this.#postings++;
    this.#row = growTo(this.#row, posting + 1);
    this.#occurrences = growTo(this.#occurrences, posting + 1);
    this.#next = growTo(this.#next, posting + 1);
    this.#row[posting] = row;
    this.#occurrences[posting] = 1;
    if (newest === 0) this.#oldest[word] = posting + 1;
    else this.#next[newest - 1] = posting + 1;
    this.#newest[word] = posting + 1;
    this.#postingsOf[word]!++;
  }

  #growRows(count: number): void {
    this.#words = growTo(this.#words, count);
    this.#one = growTo(this.#one, count);
    this.#all = growTo(this.#all, count);
    this.#matches = growTo(this.#matches, count);
  }

  /**
   * Relevance of the most relevant names by row, the most relevant first.
   * @param wanted at most eight different words
   * @param also adds names that are relevant for another reason; then the smaller row goes first among equals
   */
  find(wanted: readonly WantedWord[], limit: number, also?: (into: Map<number, number>) => void): Found[] {
    const hits: number[] = [];
    const different = [...new Set(wanted.map(({ text }) => text))];
    for (const word of wanted) this.#findOne(word, 1 << different.indexOf(word.text), hits);
    const found = also ? this.#withOthers(hits, limit, also) : this.#first(hits, limit);
    for (let i = 0; i < hits.length; i++) this.#matches[hits[i]!] = 0;
    return found;
  }

  #first(hits: readonly number[], limit: number): Found[] {
    const best = new Best(limit);
    for (let i = 0; i < hits.length; i++) best.offer(i, this.#relevance(hits[i]!));
    return Array.from(best.ids, (i, place) => [hits[i]!, best.keys[place]!]);
  }

  #withOthers(hits: readonly number[], limit: number, also: (into: Map<number, number>) => void): Found[] {
    const scores = new Map<number, number>();
    for (const row of hits) scores.set(row, this.#relevance(row));
    also(scores);
    const best = new Best(limit);
    for (const [row, score] of scores) best.offer(row, score);
    return Array.from(best.ids, (row, place) => [row, best.keys[place]!]);
  }

  #relevance(row: number): number {
    return this.#all[row]! * bitCount(this.#matches[row]!);
  }

  /** Adds what one wanted word finds to the relevance of names; names that no other one found go to `hits`. */
  #findOne({ text, isPrefix, typos }: WantedWord, bit: number, hits: number[]): void {
    const rows: number[] = [];
    const tree = this.#tree;
    const equal = tree.find(text);
    if (equal !== undefined) this.#score(equal, 1, rows);
    const begins = new Set<number>();
    if (isPrefix)
      tree.visitPrefixed(text, (word) => {
        const length = tree.length(word);
        if (word === equal) return;
        begins.add(word);
        this.#score(word, (PREFIX_WEIGHT * length) / (length + PREFIX_FALL * (length - text.length)), rows);
      });
    if (typos !== 0)
      tree.visitLike(text, typos, (word, distance) => {
        const length = tree.length(word);
        if (distance === 0 || begins.has(word)) return;
        this.#score(word, (LIKE_WEIGHT * length) / (length + distance), rows);
      });
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (this.#matches[row] === 0) {
        hits.push(row);
        this.#all[row] = this.#one[row]!;
      } else this.#all[row]! += this.#one[row]!;
      this.#matches[row]! |= bit;
      this.#one[row] = 0;
    }
  }

  /** Adds a word's BM25+ to its names; names without relevance so far go to `rows`. */
  #score(word: number, weight: number, rows: number[]): void {
    const matching = this.#postingsOf[word]!;
    const rarity = Math.log(1 + (this.#names - matching + 0.5) / (matching + 0.5));
    for (let at = this.#oldest[word]!; at !== 0; at = this.#next[at - 1]!) {
      const row = this.#row[at - 1]!;
      const occurrences = this.#occurrences[at - 1]!;
      const length = (B * this.#words[row]!) / this.#averageWords;
      const score = weight * (rarity * (D + (occurrences * (K + 1)) / (occurrences + K * (1 - B + length))));
      if (this.#one[row] === 0) rows.push(row);
      this.#one[row]! += score;
    }
  }
}

/** Row of a name, and its relevance. */
export type Found = readonly [row: number, relevance: number];

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
