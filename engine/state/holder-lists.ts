/**
 * For each token the ids of its trust lines or holdings, in no particular order: one block of shared memory a token (see
 * list-arena.ts), with the place of each line kept beside the line, so that adding and removing are O(1). 4 to 8 bytes a
 * membership. What readers in other threads need lies in two columns of the table of tokens:
 *
 *     blocks    start of the token's block / 4, times 32, + its order; 0: none
 *     counts    lines in it
 */
import type { RowSteps } from '../event-loop.ts';
import { inSteps } from './index-fill.ts';
import { ListArena } from './list-arena.ts';
import type { Table } from './table.ts';

const EMPTY = new Uint32Array(0);
const ORDER_BITS = 5;
const ORDER_MASK = 2 ** ORDER_BITS - 1;
/** Words of lists for each line there may be: a line may be in two lists, and a block half empty. */
const WORDS_A_LINE = 4;

export class HolderLists {
  readonly #arena: ListArena;
  readonly #words: Uint32Array;
  readonly #blocks: Uint32Array;
  readonly #counts: Uint32Array;

  constructor(tokens: Table, lines: Table) {
    this.#arena = new ListArena(lines.growable('holder lists', lines.capacity * WORDS_A_LINE * 4));
    this.#words = this.#arena.words;
    this.#blocks = tokens.derivedU32('holderBlocks');
    this.#counts = tokens.derivedU32('lineCounts');
  }

  clear(): void {
    this.#arena.clear();
    this.#blocks.fill(0);
    this.#counts.fill(0);
  }

  count(token: number): number {
    return this.#counts[token] ?? 0;
  }

  /** A view: valid until the next change. */
  list(token: number): Uint32Array {
    const block = this.#blocks[token] ?? 0;
    if (block === 0) return EMPTY;
    const start = (block >>> ORDER_BITS) * 4;
    return this.#words.subarray(start, start + this.#counts[token]!);
  }

  /** Makes room for so many lines of each token, of which none has any yet: adding them moves nothing. In steps. */
  *reserving(sizes: Uint32Array): RowSteps {
    yield* inSteps(sizes.length, (from, to) => {
      for (let token = from; token < to; token++) if (sizes[token]! > 0) this.#take(token, sizes[token]!);
    });
  }

  /** @returns the place of the line in the list. */
  add(token: number, line: number): number {
    const count = this.#counts[token]!;
    const block = this.#blocks[token]!;
    let start = (block >>> ORDER_BITS) * 4;
    if (block === 0 || count === 2 ** (block & ORDER_MASK)) start = this.#move(token, block, count);
    this.#words[start + count] = line;
    this.#counts[token] = count + 1;
    return count;
  }

  /** Takes out the line at a place. @returns the line that is there now (its place changed), 0 for none. */
  remove(token: number, place: number): number {
    const block = this.#blocks[token]!;
    const start = (block >>> ORDER_BITS) * 4;
    const last = this.#counts[token]! - 1;
    const moved = place === last ? 0 : this.#words[start + last]!;
    if (moved !== 0) this.#words[start + place] = moved;
    this.#counts[token] = last;
    if (last === 0) {
      this.#arena.release(start, block & ORDER_MASK);
      this.#blocks[token] = 0;
    }
    return moved;
  }

  /** Memory of all lists. */
  get byteLength(): number {
    return this.#arena.byteLength;
  }

  /** Moves a token's list to a block with room for one more. @returns its start. */
  #move(token: number, block: number, count: number): number {
    const start = this.#take(token, count + 1);
    if (block !== 0) {
      const before = (block >>> ORDER_BITS) * 4;
      this.#words.copyWithin(start, before, before + count);
      this.#arena.release(before, block & ORDER_MASK);
    }
    return start;
  }

  /** Gives a token a new block. @returns its start. */
  #take(token: number, lines: number): number {
    const order = ListArena.orderFor(lines);
    const start = this.#arena.take(order);
    this.#blocks[token] = ((start / 4) * 2 ** ORDER_BITS + order) >>> 0;
    return start;
  }
}
