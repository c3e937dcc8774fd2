/**
 * Gini coefficient and Herfindahl-Hirschman index of many balances, kept current while single balances change.
 *
 *     descending:  [ block: 9 8 8 7 ][ 7 5 5 ][ 4 2 1 1 ]        each with count, sum, sum of squares, and
 *                                                                sum of (place in the block * balance)
 *
 * A balance is put into or taken out of its block, found by halves; the sums of a block that changed are computed again
 * when they are next read, so that no rounding error builds up. Reading adds the blocks:
 *
 *     sum over i of (2i - n - 1) * x_i  =  sum over blocks of (n - 1 - 2 * first place) * sum - 2 * sum(place * x)
 *
 * which is the numerator of gini.ts. Goals: a change costs what a block costs, whatever the number of holders. Non-goal:
 * who holds what (state/holder-ranking.ts). Cost: 16 bytes a balance at most, and 256 a token; of a million, 100 changes and a read 0.3 ms.
 */
import { giniOf } from './gini.ts';
import { hhiOf } from './hhi.ts';

/** Balances of a new block; at most twice as many. */
const BLOCK = 512;
/** Room for further balances in a block that is not full. */
const ROOM = 32;

class Block {
  values: Float64Array;
  count = 0;
  sum = 0;
  squares = 0;
  /** Sum of place times balance. */
  placed = 0;
  #isCurrent = false;

  constructor(values: Float64Array) {
    this.values = widened(values, values.length + ROOM);
    this.count = values.length;
  }

  get isFull(): boolean {
    return this.count === 2 * BLOCK;
  }

  /** Smallest balance. */
  get last(): number {
    return this.values[this.count - 1]!;
  }

  /** First place whose balance is not above `value`. */
  placeOf(value: number): number {
    const { values } = this;
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle]! > value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  insert(value: number): void {
    if (this.count === this.values.length)
      this.values = widened(this.values, Math.min(2 * BLOCK, 2 * this.count));
    const place = this.placeOf(value);
    this.values.copyWithin(place + 1, place, this.count);
    this.values[place] = value;
    this.count++;
    this.#isCurrent = false;
  }

  /** @returns false: it has no such balance */
  remove(value: number): boolean {
    const place = this.placeOf(value);
    if (place === this.count || this.values[place] !== value) return false;
    this.values.copyWithin(place, place + 1, this.count);
    this.count--;
    this.#isCurrent = false;
    return true;
  }

  /** Gives its second half to a new block. */
  split(): Block {
    const half = this.count >> 1;
    const rest = new Block(this.values.slice(half, this.count));
    this.count = half;
    this.#isCurrent = false;
    return rest;
  }

  /** Brings the sums up to date. */
  measure(): void {
    if (this.#isCurrent) return;
    const { values, count } = this;
    let sum = 0;
    let squares = 0;
    let placed = 0;
    for (let place = 0; place < count; place++) {
      const value = values[place]!;
      sum += value;
      squares += value * value;
      placed += place * value;
    }
    this.sum = sum;
    this.squares = squares;
    this.placed = placed;
    this.#isCurrent = true;
  }
}

function widened(values: Float64Array, length: number): Float64Array {
  const wider = new Float64Array(length);
  wider.set(values);
  return wider;
}

export class BalanceSpread {
  readonly #blocks: Block[] = [];
  #count: number;

  /** @param descending balances, each above zero, largest first */
  constructor(descending: Float64Array) {
    this.#count = descending.length;
    for (let from = 0; from < descending.length; from += BLOCK)
      this.#blocks.push(new Block(descending.subarray(from, from + BLOCK)));
  }

  /** How many balances. */
  get count(): number {
    return this.#count;
  }

  /** A balance above zero came. */
  add(balance: number): void {
    const blocks = this.#blocks;
    if (blocks.length === 0) blocks.push(new Block(new Float64Array(0)));
    const at = Math.min(this.#blockOf(balance), blocks.length - 1);
    const block = blocks[at]!;
    block.insert(balance);
    this.#count++;
    if (block.isFull) blocks.splice(at + 1, 0, block.split());
  }

  /** A balance went. @returns false: there was no such one */
  remove(balance: number): boolean {
    const blocks = this.#blocks;
    const at = this.#blockOf(balance);
    const block = blocks[at];
    if (!block?.remove(balance)) return false;
    this.#count--;
    if (block.count === 0) blocks.splice(at, 1);
    return true;
  }

  /** The first block whose smallest balance is not above this one. */
  #blockOf(balance: number): number {
    const blocks = this.#blocks;
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (blocks[middle]!.last > balance) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** As the kernels give them of all balances; undefined when there are none. */
  measure(): { readonly gini: number | undefined; readonly hhi: number | undefined } {
    const n = this.#count;
    let sum = 0;
    let squares = 0;
    let weighted = 0;
    let first = 0;
    for (const block of this.#blocks) {
      block.measure();
      sum += block.sum;
      squares += block.squares;
      weighted += (n - 1 - 2 * first) * block.sum - 2 * block.placed;
      first += block.count;
    }
    return { gini: giniOf(weighted, n, sum), hhi: hhiOf(squares, sum) };
  }
}
