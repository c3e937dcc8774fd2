/** Checks one kind of change that no transaction may make. */
import type { Change } from '../../ledger/tables.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry, EntryType, TransactionFields } from '../../protocol/fields.ts';
import type { Result } from '../../protocol/results.ts';

const NONE: readonly Change[] = [];

/** The changed entries, and those of each type. */
export class Changes {
  readonly all: readonly Change[];
  readonly #byType = new Map<EntryType, Change[]>();

  constructor(all: readonly Change[]) {
    this.all = all;
    for (const change of all) {
      const type = change.after.LedgerEntryType;
      const others = this.#byType.get(type);
      if (others) others.push(change);
      else this.#byType.set(type, [change]);
    }
  }

  of(type: EntryType): readonly Change[] {
    return this.#byType.get(type) ?? NONE;
  }
}

/** What a transaction did, as input of a checker. */
export interface TransactionEffect {
  readonly changes: Changes;
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
  holds(done: TransactionEffect): boolean;
}

/** The entry after the transaction; undefined when it was erased. */
export const entryAfter = ({ action, after }: Change): Readonly<Entry> | undefined =>
  action === 'erase' ? undefined : after;

/** The existing states of an entry, before and after. */
export const states = ({ before, after }: Change): Readonly<Entry>[] => (before ? [before, after] : [after]);

/** Outstanding units of an issuance, a vault's shares included. */
export const outstanding = (issuance: Readonly<Entry> | undefined): bigint =>
  issuance?.OutstandingAmount ?? 0n;
