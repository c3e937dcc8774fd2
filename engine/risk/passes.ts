/** Days (close time / DAY) of the passes over all tokens that have ended (risk.ts), ascending: a row each. */
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** One a day at most: 90 years. */
const PASSES_MAX = 2 ** 15;

export class Passes {
  readonly table: Table;
  readonly #days: Uint32Array;

  constructor(attached?: TableDescription) {
    this.table = attached ? Table.attach(attached) : new Table(TableId.riskPasses, 'passes', PASSES_MAX);
    this.#days = this.table.u32('day');
  }

  add(day: number): void {
    this.#days[this.table.add()] = day;
  }

  /** Day of the first pass; 0: none has ended. */
  get first(): number {
    return this.table.count > 1 ? this.#days[1]! : 0;
  }

  /** Day of the last pass; 0: none has ended. */
  get last(): number {
    const { count } = this.table;
    return count > 1 ? this.#days[count - 1]! : 0;
  }

  /** Day of the last pass on a day or before it; 0: none. */
  lastUntil(day: number): number {
    let [low, high] = [1, this.table.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#days[middle]! <= day) low = middle + 1;
      else high = middle;
    }
    return low > 1 ? this.#days[low - 1]! : 0;
  }
}
