/** The few numbers of usage that must survive a restart, one row each, as those of the flows (flows/scalars.ts). */
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';

/** Row numbers; never change or reuse one. */
export const UsageScalar = {
  /** Index of the newest ledger. */
  ledgerIndex: 1,
  /** Close time from which on every ledger was read; 0 = none was, or the network's first was. */
  since: 2,
  tokensHead: 3,
  tokensTail: 4,
  /** Rows of tokens removed before they were 30 days old, because the ring was full. */
  tokensLeftEarly: 5,
} as const;

export class UsageScalars {
  readonly table = new Table(TableId.usageScalars, 'usage', 64);
  readonly #values = this.table.f64('values');

  get(scalar: number): number {
    return this.#values[scalar]!;
  }

  set(scalar: number, value: number): void {
    if (this.#values[scalar] === value) return;
    this.#values[scalar] = value;
    this.table.markDirty(scalar);
  }
}
