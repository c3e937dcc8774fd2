/** The passes over all tokens that have ended (risk.ts), in the order of their days: a row each. */
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** One a day at most: 90 years. */
const PASSES_MAX = 2 ** 15;

/** Listed tokens, LP tokens not among them. */
export interface TokenCounts {
  readonly tokens: number;
  /** Those that are inactive (risk.ts). */
  readonly inactive: number;
  /** Those that collapsed since an observation that is not over. */
  readonly collapsed: number;
}

export class Passes {
  readonly table: Table;
  /** Close time / DAY. */
  readonly #days: Uint32Array;
  readonly #tokens: Uint32Array;
  readonly #inactive: Uint32Array;
  readonly #collapsed: Uint32Array;

  constructor(attached?: TableDescription) {
    this.table = attached ? Table.attach(attached) : new Table(TableId.riskPasses, 'passes', PASSES_MAX);
    this.#days = this.table.u32('day');
    this.#tokens = this.table.u32('tokens');
    this.#inactive = this.table.u32('inactive');
    this.#collapsed = this.table.u32('collapsed');
  }

  add(day: number, { tokens, inactive, collapsed }: TokenCounts): void {
    const row = this.table.add();
    this.#days[row] = day;
    this.#tokens[row] = tokens;
    this.#inactive[row] = inactive;
    this.#collapsed[row] = collapsed;
  }

  /** What the pass of a day counted; undefined: there was none, or it has not ended. */
  of(day: number): TokenCounts | undefined {
    const row = this.#rowUntil(day);
    if (row === 0 || this.#days[row] !== day) return undefined;
    const [tokens, inactive, collapsed] = [this.#tokens[row]!, this.#inactive[row]!, this.#collapsed[row]!];
    return { tokens, inactive, collapsed };
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
    const row = this.#rowUntil(day);
    return row === 0 ? 0 : this.#days[row]!;
  }

  /** 0: none. */
  #rowUntil(day: number): number {
    let [low, high] = [1, this.table.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#days[middle]! <= day) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
