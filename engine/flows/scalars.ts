/** The few numbers of the flows that must survive a restart: ends of the ring, times. One row each, in a table of their own. */
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';

/** Row numbers; never change or reuse one. */
export const FlowScalar = {
  /** Close time of the newest ledger. */
  closeTime: 1,
  /** Index of the newest ledger. */
  ledgerIndex: 2,
  changesHead: 3,
  changesTail: 4,
  /** Close time from which on every ledger was read; 0 = none was. */
  changesSince: 5,
  /** Rows removed before they were a day old, because the ring was full. */
  changesLeftEarly: 6,
} as const;

export class FlowScalars {
  readonly table = new Table(TableId.flowScalars, 'flows', 64);
  readonly #values = this.table.f64('values');

  constructor(reason: string) {
    this.table.excludeFromDigest('values', reason);
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
