/** The few scalars of the traders that must survive a restart, one row each, as those of the market (market/meta.ts). */
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** Row numbers; never change or reuse one. */
export const TraderScalar = {
  hourHead: 1,
  hourTail: 2,
  hoursLeftEarly: 3,
  dayHead: 4,
  dayTail: 5,
  daysLeftEarly: 6,
  /** Day (close time / 86400) of row 1 of the days of the market; 0: no ledger has been applied. */
  firstDay: 7,
  /** Close time of the ledger from which on all trades were counted, Ripple epoch seconds. */
  since: 8,
  /** The same of the hours. */
  firstHour: 9,
  rotationHead: 10,
  rotationTail: 11,
  rotationsLeftEarly: 12,
} as const;

export class TraderScalars {
  readonly table: Table;
  readonly #values: Float64Array;

  constructor(attached?: TableDescription) {
    this.table = attached ? Table.attach(attached) : new Table(TableId.traderScalars, 'traders', 64);
    this.#values = this.table.f64('values');
    if (!attached)
      this.table.excludeFromDigest(
        'values',
        'a store of an earlier version whose oldest trades were removed counts from a later ledger on',
        [TraderScalar.since],
      );
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
