/**
 * Words by their beginnings, and words like another one, without an object a word.
 *
 * Goals: every word that begins with a text, and every word within a number of wrong letters of it, among 100,000 words
 * in about a millisecond; a new word in microseconds. Non-goals: removing words (names never change), scores (these are
 * name-relevance.ts's).
 *
 *     tether, ten, tree          edge   letters           children, in the order they came
 *                                  1    t                 2 5
 *     A radix tree: an edge        2    e                 3 4
 *     carries the letters          3    ther   -> word 0
 *     that its children share.     4    n      -> word 1
 *                                  5    ree    -> word 2
 *
 * The children of an edge are a list through two of its numbers. A word ends with an edge without
 * letters (left out above). The order of the children, and so that of what is found, is that of minisearch
 * (https://github.com/lucaong/minisearch): an edge that is split goes behind its siblings, and words with a prefix are
 * visited backwards.
 *
 * Wrong letters are counted by a machine whose states are places in the wanted text, as bits: bit i of `none`, `one` and `two` says
 * that the path is that text up to place `row - most + i` with so many wrong letters at most. A place further from the
 * diagonal than `most` would need more of them, so five bits are enough (Wu and Manber, Fast text searching allowing
 * errors, 1992). A subtree without states is left.
 *
 *     wanted: kate             path c: right      the same place + 1, same bit (a letter of `match`)
 *     path:   ca...                    changed    the same place + 1, same bit
 *                                      inserted   the same place, so the bit below
 *                                      left out   one place more, so the bit above
 *
 * Cost: 32 bytes an edge, 2 bytes a letter; a word makes at most three edges.
 */

import { growTo } from '../engine/columns.ts';

const ROOT = 0;
const NONE = 0;
/** Fields of an edge: where its letters are, and their number; none: it ends a word. */
const START = 0;
const LENGTH = 1;
/** Its children and siblings: edges, times FIELDS. */
const FIRST = 2;
const LAST = 3;
const NEXT = 4;
const PREVIOUS = 5;
/** The word that it ends. */
const WORD = 6;
/** Its first letter; END where it ends a word. */
const LETTER = 7;
const FIELDS = 8;
const END = 0x10000;

export class TermTree {
  #letters = new Uint16Array(1 << 12);
  #lettersUsed = 0;
  /** Eight numbers an edge, which is half a cache line: see the fields below. */
  #edges = new Uint32Array(FIELDS << 10);
  #used = FIELDS;
  #wordLengths = new Uint16Array(1 << 10);
  #words = 0;

  /** Words so far; each is the number that the tree had before it. */
  get size(): number {
    return this.#words;
  }

  /** UTF-16 units of a word. */
  length(word: number): number {
    return this.#wordLengths[word]!;
  }

  /** The number of a word, which is put in where it is new. @param text not empty */
  intern(text: string): number {
    const edge = this.#path(text);
    const end = this.#child(edge, END);
    if (end !== NONE) return this.#edges[end + WORD]!;
    const added = this.#addEdge(edge, 0, 0);
    this.#wordLengths = growTo(this.#wordLengths, this.#words + 1);
    this.#edges[added + WORD] = this.#words;
    this.#wordLengths[this.#words] = text.length;
    return this.#words++;
  }

  /** The number of a word; undefined where it is not known. */
  find(text: string): number | undefined {
    let edge = ROOT;
    for (let at = 0; at < text.length; ) {
      edge = this.#child(edge, text.charCodeAt(at));
      if (edge === NONE || this.#common(edge, text, at) < this.#edges[edge + LENGTH]!) return undefined;
      at += this.#edges[edge + LENGTH]!;
    }
    const end = this.#child(edge, END);
    return end === NONE ? undefined : this.#edges[end + WORD];
  }

  /** Visits the words that begin with a text, or are it. @param prefix not empty */
  visitPrefixed(prefix: string, visit: (word: number) => void): void {
    let edge = ROOT;
    for (let at = 0; at < prefix.length; ) {
      edge = this.#child(edge, prefix.charCodeAt(at));
      if (edge === NONE) return;
      const common = this.#common(edge, prefix, at);
      at += common;
      if (common < this.#edges[edge + LENGTH]! && at < prefix.length) return;
    }
    this.#visitBackwards(edge, visit);
  }

  #visitBackwards(edge: number, visit: (word: number) => void): void {
    for (let child = this.#edges[edge + LAST]!; child !== NONE; child = this.#edges[child + PREVIOUS]!) {
      if (this.#edges[child + LENGTH] === 0) visit(this.#edges[child + WORD]!);
      else this.#visitBackwards(child, visit);
    }
  }

  /** Visits the words that become `text` by at most `most` inserted, left out or changed letters. */
  visitLike(text: string, most: 1 | 2, visit: (word: number, distance: number) => void): void {
    const search = new LikeSearch(text, most, visit);
    const valid = search.valid[0]!;
    const none = 1 << most;
    const one = none | ((none << 1) & valid);
    this.#visitLike(ROOT, 0, none, one, one | ((one << 1) & valid), search);
  }

  /** @param row letters of the path so far; the states there: see above */
  #visitLike(edge: number, row: number, none: number, one: number, two: number, search: LikeSearch): void {
    const { most, valid, wanted } = search;
    const edges = this.#edges;
    const letters = this.#letters;
    const bits = 2 * most;
    for (let child = edges[edge + FIRST]!; child !== NONE; child = edges[child + NEXT]!) {
      const length = edges[child + LENGTH]!;
      if (length === 0) {
        const end = search.end[row]!;
        if (none & end) search.visit(edges[child + WORD]!, 0);
        else if (one & end) search.visit(edges[child + WORD]!, 1);
        else if (most === 2 && two & end) search.visit(edges[child + WORD]!, 2);
        continue;
      }
      let [row0, row1, row2] = [none, one, two];
      let letter = edges[child + LETTER]!;
      const start = edges[child + START]!;
      for (let at = 0; ; ) {
        const here = row + at;
        let match = 0;
        for (let bit = 0; bit <= bits; bit++) if (wanted[here + bit] === letter) match |= 1 << bit;
        const mask = valid[here + 1]!;
        const next0 = row0 & match & mask;
        const next1 = ((row1 & match) | row0 | (row0 >> 1) | (next0 << 1)) & mask;
        row2 = ((row2 & match) | row1 | (row1 >> 1) | (next1 << 1)) & mask;
        row0 = next0;
        row1 = next1;
        if ((most === 2 ? row2 : row1) === 0) break;
        if (++at === length) {
          this.#visitLike(child, row + length, row0, row1, row2, search);
          break;
        }
        letter = letters[start + at]!;
      }
    }
  }

  /** The edge at the end of a text, made where it is missing. */
  #path(text: string): number {
    let edge = ROOT;
    for (let at = 0; at < text.length; ) {
      const child = this.#child(edge, text.charCodeAt(at));
      if (child === NONE) return this.#addEdge(edge, this.#addLetters(text, at), text.length - at);
      const common = this.#common(child, text, at);
      edge = common === this.#edges[child + LENGTH]! ? child : this.#split(edge, child, common);
      at += common;
    }
    return edge;
  }

  /** The child that begins with a letter, or is the end of a word (END). */
  #child(edge: number, letter: number): number {
    const edges = this.#edges;
    let child = edges[edge + FIRST]!;
    while (child !== NONE && edges[child + LETTER] !== letter) child = edges[child + NEXT]!;
    return child;
  }

  /** Letters that an edge has in common with a text from `at`. */
  #common(edge: number, text: string, at: number): number {
    const start = this.#edges[edge + START]!;
    const most = Math.min(this.#edges[edge + LENGTH]!, text.length - at);
    let common = 0;
    while (common < most && this.#letters[start + common] === text.charCodeAt(at + common)) common++;
    return common;
  }

  /** Divides a child after some letters. @returns the edge that now carries these, behind its siblings */
  #split(parent: number, child: number, letters: number): number {
    const before = this.#edges[child + PREVIOUS]!;
    const after = this.#edges[child + NEXT]!;
    if (before === NONE) this.#edges[parent + FIRST] = after;
    else this.#edges[before + NEXT] = after;
    if (after === NONE) this.#edges[parent + LAST] = before;
    else this.#edges[after + PREVIOUS] = before;
    const upper = this.#addEdge(parent, this.#edges[child + START]!, letters);
    this.#edges[child + START]! += letters;
    this.#edges[child + LENGTH]! -= letters;
    this.#edges[child + LETTER] = this.#letters[this.#edges[child + START]!]!;
    this.#append(upper, child);
    return upper;
  }

  #addEdge(parent: number, start: number, length: number): number {
    const edge = this.#used;
    this.#used += FIELDS;
    this.#edges = growTo(this.#edges, this.#used);
    this.#edges[edge + START] = start;
    this.#edges[edge + LENGTH] = length;
    this.#edges[edge + LETTER] = length === 0 ? END : this.#letters[start]!;
    this.#append(parent, edge);
    return edge;
  }

  #append(parent: number, edge: number): void {
    const last = this.#edges[parent + LAST]!;
    if (last === NONE) this.#edges[parent + FIRST] = edge;
    else this.#edges[last + NEXT] = edge;
    this.#edges[edge + PREVIOUS] = last;
    this.#edges[edge + NEXT] = NONE;
    this.#edges[parent + LAST] = edge;
  }

  #addLetters(text: string, from: number): number {
    const start = this.#lettersUsed;
    this.#lettersUsed += text.length - from;
    this.#letters = growTo(this.#letters, this.#lettersUsed);
    for (let at = from; at < text.length; at++) this.#letters[start + at - from] = text.charCodeAt(at);
    return start;
  }
}

/** A text whose like is searched for. */
class LikeSearch {
  readonly most: 1 | 2;
  /** Its letters, after and before as many places that are none. */
  readonly wanted: Uint32Array;
  /** Bits of places within the text, and the bit of its end, by letters of the path. */
  readonly valid: Uint8Array;
  readonly end: Uint8Array;
  readonly visit: (word: number, distance: number) => void;

  constructor(text: string, most: 1 | 2, visit: (word: number, distance: number) => void) {
    this.most = most;
    this.visit = visit;
    const { length } = text;
    this.wanted = new Uint32Array(length + 3 * most + 1).fill(END);
    for (let at = 0; at < length; at++) this.wanted[most + at] = text.charCodeAt(at);
    // No longer path has a valid place.
    const rows = length + most + 2;
    this.valid = new Uint8Array(rows);
    this.end = new Uint8Array(rows);
    for (let row = 0; row < rows; row++) {
      const end = length - row + most;
      const highest = Math.min(end, 2 * most);
      if (highest >= 0) this.valid[row] = (2 << highest) - 1;
      if (end >= 0 && end <= 2 * most) this.end[row] = 1 << end;
    }
  }
}
