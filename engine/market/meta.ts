/**
 * The few scalars of the market part that must survive a restart: ring heads and tails, times of tasks that run once
 * an hour. One row each in a table of their own, so that they are restored with everything else.
 */
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';

/** Row numbers; never change or reuse one. */
export const Scalar = {
  closeTime: 1,
  ledgerIndex: 2,
  tickHead: 3,
  tickTail: 4,
  ticksLeftEarly: 5,
  hourHead: 6,
  hourTail: 7,
  hoursLeftEarly: 8,
  ledgerHead: 9,
  ledgerTail: 10,
  holdersHour: 11,
  snapshotHour: 12,
  anchorHour: 13,
  sentimentHour: 20,
  averageRsi: 21,
  sentiment: 22,
  changesHead: 14,
  changesTail: 15,
  changesLeftEarly: 16,
  /** Close time from which on every ledger was read; 0 = not known. */
  changesSince: 17,
} as const;

/** Why the digest leaves out the changes of a day; their sums are in it. */
export const CHANGES_SINCE_OPENED =
  'stores of earlier versions count changes of holders only since this version opened them';
/** ... and the hours of the last reviews; their results are in it. */
const REVIEWS_SINCE_OPENED =
  'stores of earlier versions have no last review before the first ledger of this version';

export class Meta {
  readonly table = new Table(TableId.meta, 'market', 64);
  readonly #values = this.table.f64('values');

  constructor() {
    const { changesHead, changesTail, changesLeftEarly, changesSince, anchorHour, sentimentHour } = Scalar;
    const changes = [changesHead, changesTail, changesLeftEarly, changesSince];
    this.table.excludeFromDigest('values', `${CHANGES_SINCE_OPENED}; ${REVIEWS_SINCE_OPENED}`, [
      anchorHour,
      ...changes,
      sentimentHour,
    ]);
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
