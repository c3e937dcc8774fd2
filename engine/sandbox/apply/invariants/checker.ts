/** One kind of thing that no transaction may do. */

import type { Change } from '../../ledger/tables.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { TransactionFields } from '../../protocol/fields.ts';
import type { Result } from '../../protocol/results.ts';

/** What a transaction did, as a checker sees it. */
export interface Done {
  readonly changes: readonly Change[];
  /** The ledger with the changes. */
  readonly table: ReadView;
  readonly tx: Readonly<TransactionFields>;
  readonly result: Result;
  /** Charged, in drops. */
  readonly fee: bigint;
}

export interface Checker {
  readonly name: string;
  holds(done: Done): boolean;
}
