/** The few numbers of the observations that must survive a restart, one row each, as those of the flows (flows/scalars.ts). */
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** Row numbers; never change or reuse one. Days are close times / DAY. */
export const RiskScalar = {
  /** Sequence of the next observation. */
  head: 1,
  /** Day of the pass that runs, or ran last; 0: none did. */
  passDay: 2,
  /** Token that the pass measures next; 0: it has ended. */
  next: 3,
  /** What that pass has counted so far; see TokenCounts. */
  tokens: 4,
  inactive: 5,
  collapsed: 6,
} as const;

export class RiskScalars {
  readonly table: Table;
  readonly #values: Float64Array;

  constructor(attached?: TableDescription) {
    this.table = attached ? Table.attach(attached) : new Table(TableId.riskScalars, 'risk', 64);
    this.#values = this.table.f64('values');
  }

  get(scalar: number): number {
    return this.#values[scalar]!;
  }

  set(scalar: number, value: number): void {
    if (this.#values[scalar] === value) return;
    this.#values[scalar] = value;
    this.table.markDirty(scalar);
  }
}
