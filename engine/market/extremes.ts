/**
 * Highest and lowest price in a sliding window, exact, for every token at once.
 *
 * For each token two queues of ring rows, oldest first: prices falling (its front is the highest of the window) and
 * prices rising (its front is the lowest). A new price removes from the back what it makes irrelevant; a row that
 * leaves the window is removed from the front if it is there. Every row enters and leaves each queue at most once.
 *
 *     token -> front, back (row + 1; 0 = empty)        row -> newer, older (row + 1; 0 = end)
 */
import type { Table } from '../state/table.ts';
import type { Columns } from './columns.ts';

class Queue {
  readonly #front: Uint32Array;
  readonly #back: Uint32Array;
  readonly #newer: Uint32Array;
  readonly #older: Uint32Array;
  readonly #prices: Float64Array;
  /** 1: the highest is in front; -1: the lowest. */
  readonly #direction: 1 | -1;

  constructor(columns: Columns, rows: Table, prices: Float64Array, direction: 1 | -1) {
    this.#front = columns.u32();
    this.#back = columns.u32();
    const name = direction === 1 ? 'Highest' : 'Lowest';
    this.#newer = rows.derivedU32(`newer${name}`);
    this.#older = rows.derivedU32(`older${name}`);
    this.#prices = prices;
    this.#direction = direction;
  }

  push(token: number, row: number): void {
    const price = this.#prices[row]! * this.#direction;
    let last = this.#back[token]!;
    while (last !== 0 && this.#prices[last - 1]! * this.#direction <= price) last = this.#older[last - 1]!;
    this.#older[row] = last;
    this.#newer[row] = 0;
    if (last === 0) this.#front[token] = row + 1;
    else this.#newer[last - 1] = row + 1;
    this.#back[token] = row + 1;
  }

  leave(token: number, row: number): void {
    if (this.#front[token] !== row + 1) return;
    const next = this.#newer[row]!;
    this.#front[token] = next;
    if (next === 0) this.#back[token] = 0;
    else this.#older[next - 1] = 0;
  }

  best(token: number): number | undefined {
    const row = this.#front[token] ?? 0;
    return row === 0 ? undefined : this.#prices[row - 1]!;
  }

  clear(): void {
    this.#front.fill(0);
    this.#back.fill(0);
  }
}

export class Extremes {
  readonly #highest: Queue;
  readonly #lowest: Queue;

  /** @param prices column of `ring`, whose rows are pushed. */
  constructor(columns: Columns, ring: Table, prices: Float64Array) {
    this.#highest = new Queue(columns, ring, prices, 1);
    this.#lowest = new Queue(columns, ring, prices, -1);
  }

  push(token: number, row: number): void {
    this.#highest.push(token, row);
    this.#lowest.push(token, row);
  }

  /** A row leaves the window. Rows leave in the order in which they were pushed. */
  leave(token: number, row: number): void {
    this.#highest.leave(token, row);
    this.#lowest.leave(token, row);
  }

  max(token: number): number | undefined {
    return this.#highest.best(token);
  }

  min(token: number): number | undefined {
    return this.#lowest.best(token);
  }

  clear(): void {
    this.#highest.clear();
    this.#lowest.clear();
  }
}
