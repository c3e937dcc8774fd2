/** One kind of thing that no transaction may do. */
import type { Change } from '../../ledger/tables.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry, EntryType, TransactionFields } from '../../protocol/fields.ts';
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
  /** As rippled names it. */
  readonly name: string;
  holds(done: Done): boolean;
}

/** The changes of entries of one type. */
export const changesOf = (changes: readonly Change[], type: EntryType): Change[] =>
  changes.filter(({ after }) => after.LedgerEntryType === type);

/** The entry after the transaction; undefined when it was erased. */
export const remains = ({ action, after }: Change): Readonly<Entry> | undefined =>
  action === 'erase' ? undefined : after;

/** Both states of an entry that there are. */
export const states = ({ before, after }: Change): Readonly<Entry>[] => (before ? [before, after] : [after]);
