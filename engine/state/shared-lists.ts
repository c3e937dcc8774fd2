/**
 * A list of 32-bit numbers for each of many ids (the lines of a token, the offers of a book), on shared memory: one block
 * of an arena a list (see list-arena.ts). What readers in other threads need are two words of the id:
 *
 *     block    start of the list's block / 4, times 32, + its order; 0: none
 *     count    numbers in it
 *
 * Cost: 4 to 8 bytes a number, 8 an id; adding at the end and taking out are O(1), at a place a memory move.
 */
import type { RowSteps } from '../event-loop.ts';
import { inSteps } from './index-fill.ts';
import { ListArena } from './list-arena.ts';

const EMPTY = new Uint32Array(0);
const ORDER_BITS = 5;
const ORDER_MASK = 2 ** ORDER_BITS - 1;

/** Where the two words of an id are: in a column each, or together. */
export interface ListColumns {
  readonly blocks: Uint32Array;
  readonly counts: Uint32Array;
}

/** Words for each item there may be: one may be in two lists (a line, an offer), and a block half empty. */
const WORDS_AN_ITEM = 4;

export class SharedLists {
  readonly #arena: ListArena;
  readonly #words: Uint32Array;
  readonly #blocks: Uint32Array;
  readonly #counts: Uint32Array;

  /** @param buffer growable, for the blocks of all lists. */
  constructor(buffer: SharedArrayBuffer, { blocks, counts }: ListColumns) {
    this.#arena = new ListArena(buffer);
    this.#words = this.#arena.words;
    this.#blocks = blocks;
    this.#counts = counts;
  }

  /** Bytes that the buffer may need for that many items. */
  static bytesFor(items: number): number {
    return items * WORDS_AN_ITEM * 4;
  }

  /** Empties all lists. */
  clear(): void {
    this.#arena.clear();
    this.#blocks.fill(0);
    this.#counts.fill(0);
  }

  count(id: number): number {
    return this.#counts[id] ?? 0;
  }

  /** A view: valid until the next change. */
  list(id: number): Uint32Array {
    const block = this.#blocks[id] ?? 0;
    if (block === 0) return EMPTY;
    const start = (block >>> ORDER_BITS) * 4;
    return this.#words.subarray(start, start + this.#counts[id]!);
  }

  /** The number at a place below the list's count: without a view, for searches. */
  at(id: number, place: number): number {
    return this.#words[(this.#blocks[id]! >>> ORDER_BITS) * 4 + place]!;
  }

  /** Makes room for so many numbers of each id, of which none has any yet: appending them moves nothing. In steps. */
  *reserving(sizes: Uint32Array): RowSteps {
    yield* inSteps(sizes.length, (from, to) => {
      for (let id = from; id < to; id++) if (sizes[id]! > 0) this.#take(id, sizes[id]!);
    });
  }

  /**
   * What has been reserved, to be filled by the caller: each list from its start on, with as many numbers as were asked for.
   * They count as full from now on.
   */
  reserved(sizes: Uint32Array): { readonly words: Uint32Array; readonly starts: Uint32Array } {
    this.#counts.set(sizes);
    const starts = new Uint32Array(sizes.length);
    for (let id = 0; id < sizes.length; id++) starts[id] = (this.#blocks[id]! >>> ORDER_BITS) * 4;
    return { words: new Uint32Array(this.#words.buffer, 0, this.#words.length), starts };
  }

  /** @returns the place of the number in the list. */
  append(id: number, value: number): number {
    const start = this.#roomed(id);
    const count = this.#counts[id]!;
    this.#words[start + count] = value;
    this.#counts[id] = count + 1;
    return count;
  }

  /** Puts a number at a place; those from there on move up. */
  insert(id: number, place: number, value: number): void {
    const start = this.#roomed(id);
    const count = this.#counts[id]!;
    this.#words.copyWithin(start + place + 1, start + place, start + count);
    this.#words[start + place] = value;
    this.#counts[id] = count + 1;
  }

  /** Takes out the number at a place; those behind it move down. */
  removeAt(id: number, place: number): void {
    const start = (this.#blocks[id]! >>> ORDER_BITS) * 4;
    this.#words.copyWithin(start + place, start + place + 1, start + this.#counts[id]!);
    this.#shorten(id);
  }

  /** Takes out the number at a place; the last moves there. @returns the one that moved, 0 for none */
  replaceByLast(id: number, place: number): number {
    const start = (this.#blocks[id]! >>> ORDER_BITS) * 4;
    const last = this.#counts[id]! - 1;
    const moved = place === last ? 0 : this.#words[start + last]!;
    if (moved !== 0) this.#words[start + place] = moved;
    this.#shorten(id);
    return moved;
  }

  /** Memory of all lists. */
  get byteLength(): number {
    return this.#arena.byteLength;
  }

  #shorten(id: number): void {
    const count = this.#counts[id]! - 1;
    this.#counts[id] = count;
    if (count > 0) return;
    const block = this.#blocks[id]!;
    this.#arena.release((block >>> ORDER_BITS) * 4, block & ORDER_MASK);
    this.#blocks[id] = 0;
  }

  /** Makes room for one more. @returns the start of the list */
  #roomed(id: number): number {
    const block = this.#blocks[id]!;
    const before = (block >>> ORDER_BITS) * 4;
    const count = this.#counts[id]!;
    if (block !== 0 && count < 2 ** (block & ORDER_MASK)) return before;
    const start = this.#take(id, count + 1);
    if (block !== 0) {
      this.#words.copyWithin(start, before, before + count);
      this.#arena.release(before, block & ORDER_MASK);
    }
    return start;
  }

  /** Gives a list a new block. @returns its start */
  #take(id: number, size: number): number {
    const order = ListArena.orderFor(size);
    const start = this.#arena.take(order);
    this.#blocks[id] = ((start / 4) * 2 ** ORDER_BITS + order) >>> 0;
    return start;
  }
}
