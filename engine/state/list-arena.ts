/**
 * Blocks of 32-bit words in one growable shared buffer, of 4, 8, 16, ... words each: memory for lists that grow, read in
 * place by other threads. A buddy allocator:
 *
 *     |  4 free  |  4 used  |       8 used        |              16 free                 | ...
 *        `-------------- a block and its buddy, both free, become one of twice the size
 *
 * Goals: no object per list (there are hundreds of thousands), memory that lists no longer need is used again by lists
 * of any size. Non-goal: returning memory to the system. A free block holds the links of its size's list in its first two words.
 *
 * Cost: taking and releasing a block are O(log size). A block is at least half full when lists double, 72 % on average.
 */

import { useHugePages } from './huge-pages.ts';

/** Words of the smallest block: 2 ** MIN_ORDER. */
const MIN_ORDER = 2;
const UNIT = 2 ** MIN_ORDER;
const ORDERS = 32;
/** The buffer grows by half, and by this many words at most. */
const GROW_WORDS_MAX = 2 ** 20;
const GROW_WORDS_MIN = 1024;

/** The buffer cannot grow any further. */
export class ArenaFullError extends Error {
  override readonly name = 'ArenaFullError';
}

export class ListArena {
  /** All blocks. Stays valid while the arena grows. */
  readonly words: Uint32Array;
  readonly #buffer: SharedArrayBuffer;
  /** By block start / UNIT: order + 1 of the free block that begins there, 0: none does. */
  #freeOrders = new Uint8Array(GROW_WORDS_MIN / UNIT);
  /** By order: start of the first free block; 0: there is none (the first unit is never used). */
  readonly #heads = new Uint32Array(ORDERS);
  /** Words below it belong to blocks. */
  #end = UNIT;

  /** @param buffer growable, of 32-bit words; in a thread that only reads, the writer's. */
  constructor(buffer: SharedArrayBuffer) {
    this.#buffer = buffer;
    this.words = new Uint32Array(buffer);
  }

  /** Order of the smallest block for that many words. */
  static orderFor(words: number): number {
    return Math.max(MIN_ORDER, 32 - Math.clz32(words - 1));
  }

  /** Bytes of memory: blocks, and the table of free ones. */
  get byteLength(): number {
    return this.#end * 4 + this.#freeOrders.byteLength;
  }

  /** Releases all blocks. */
  clear(): void {
    this.#heads.fill(0);
    this.#freeOrders.fill(0);
    this.#end = UNIT;
  }

  /** Takes a block of 2 ** order words. @returns its first word, a multiple of 4 @throws ArenaFullError */
  take(order: number): number {
    let found = order;
    while (found < ORDERS && this.#heads[found] === 0) found++;
    if (found === ORDERS) return this.#extend(order);
    const start = this.#heads[found]!;
    this.#unlink(start, found);
    while (found > order) {
      found--;
      this.#link(start + 2 ** found, found);
    }
    return start;
  }

  /** Returns a block. */
  release(start: number, order: number): void {
    let at = start;
    let size = order;
    for (;;) {
      const buddy = (at ^ (2 ** size)) >>> 0;
      if (buddy + 2 ** size > this.#end || this.#freeOrders[buddy / UNIT] !== size + 1) break;
      this.#unlink(buddy, size);
      at = Math.min(at, buddy);
      size++;
    }
    this.#link(at, size);
  }

  /** A block behind all others. Blocks begin at multiples of their size: what is left out before it becomes free. */
  #extend(order: number): number {
    const size = 2 ** order;
    const start = Math.ceil(this.#end / size) * size;
    this.#reserve(start + size);
    while (this.#end < start) {
      const gap = this.#end;
      const gapOrder = 31 - Math.clz32(gap & -gap);
      this.#end += 2 ** gapOrder;
      this.release(gap, gapOrder);
    }
    this.#end = start + size;
    return start;
  }

  #reserve(words: number): void {
    const have = this.words.length;
    if (words > have) {
      const most = this.#buffer.maxByteLength / 4;
      if (words > most) throw new ArenaFullError(`the lists need more than ${most} words`);
      const step = Math.max(GROW_WORDS_MIN, Math.min(have >> 1, GROW_WORDS_MAX));
      this.#buffer.grow(Math.min(most, Math.max(words, have + step)) * 4);
      useHugePages(new Uint8Array(this.#buffer), this.#end * 4);
    }
    if (words / UNIT <= this.#freeOrders.length) return;
    const larger = new Uint8Array(Math.max(words / UNIT, this.#freeOrders.length * 1.5));
    larger.set(this.#freeOrders);
    this.#freeOrders = larger;
  }

  #link(start: number, order: number): void {
    const { words } = this;
    const next = this.#heads[order]!;
    words[start] = next;
    words[start + 1] = 0;
    if (next !== 0) words[next + 1] = start;
    this.#heads[order] = start;
    this.#freeOrders[start / UNIT] = order + 1;
  }

  #unlink(start: number, order: number): void {
    const { words } = this;
    const next = words[start]!;
    const before = words[start + 1]!;
    if (before === 0) this.#heads[order] = next;
    else words[before] = next;
    if (next !== 0) words[next + 1] = before;
    this.#freeOrders[start / UNIT] = 0;
  }
}
