/**
 * A domain: one part of what follows from the ledgers (hot state, the market, ...), with its tables and the data derived
 * from them. The engine calls the domains of its list in order; a domain may read those before it.
 *
 *     ledger -> first.applyLedger -> second.applyLedger -> ... -> listeners (events of all) -> each settling
 *     batch closed -> each persist -> store -> each durable
 *     start -> tables of all -> each restoring -> fills of added columns -> each rebuilding
 *
 * All its data follows from the ledgers: same bytes in, same state out. Their close times are its only clock.
 */
import type { Changes } from './codec/changes.ts';
import type { PackedLedger } from './codec/packed.ts';
import type { Counters } from './counters.ts';
import type { RowSteps } from './event-loop.ts';
import { smallPages } from './state/huge-pages.ts';
import type { RestoreThread } from './state/restore-thread.ts';
import { restoringTables, type TableReads } from './state/stored-tables.ts';
import type { Table } from './state/table.ts';
import type { Batch, Store } from './store.ts';

export interface Domain<Name extends string = string, Events = unknown> {
  readonly name: Name;
  /** Every table, for persistence, migration and the digest. */
  readonly tables: readonly Table[];
  /** What the last ledger changed, for listeners; valid until the next one. */
  readonly events: Events;
  /** Bytes of columns in use; indexes and sums come on top. */
  readonly memoryBytes: number;

  /**
   * Applies one proved ledger and puts its records into the batch.
   * @throws TableFullError; the domain is then unusable, since only a part of the ledger was applied.
   */
  applyLedger(packed: PackedLedger, changes: Changes, batch: Batch): void;
  /**
   * The rest of what follows from the ledger that was applied last, which its listeners do not wait for: in steps of a few
   * milliseconds, before the next ledger and in the same batch. Events and other domains are as they were for them.
   */
  settling?(packed: PackedLedger, changes: Changes, batch: Batch): RowSteps;
  /** Adds the figures of the last ledger to the engine's counters. */
  count?(counters: Counters): void;
  /** Applies a page of a snapshot of all ledger entries. Only domains with it have data while a snapshot is incomplete. */
  applyEntries?(page: Uint8Array, changes: Changes): void;
  /**
   * The snapshot is complete: domains with `applyEntries` are at its ledger. In steps of a few milliseconds.
   * @param closeTime of that ledger
   */
  snapshotTaken?(closeTime: number): RowSteps;
  /** Ledgers are missing before the next one: nothing from before them may be shown as current. */
  gap(): void;

  /**
   * Puts what changed since the last call into the batch.
   * @param openedAt index of the newest ledger the store had when it was opened; 0: it was empty
   */
  persist(batch: Batch, openedAt: number): void;
  /** Everything up to this ledger is durable: reads may take it from the store. */
  durable?(ledgerIndex: number): void;
  /** Derives what is not in the tables, which have been loaded, in steps of a few milliseconds. @param thread does a part of it */
  restoring(store: Store, thread?: RestoreThread): RowSteps;
  /** Derives everything that is not in tables, in such steps; called again after columns were filled. */
  rebuilding(): RowSteps;
  /** Equal for equal ledgers, whatever the number of workers or restarts between them; hexadecimal. */
  digest(): string;
}

/** The events of domains by the names of these. */
export type EventsOf<D extends Domain> = { readonly [K in D as K['name']]: K['events'] };

/** Loads what is durable of some domains, in steps. All tables at once: the row log, which has rows of each, is read once. */
export function* restoringDomains<S extends TableReads>(
  store: S,
  domains: readonly (Pick<Domain, 'tables'> & {
    restoring(store: NoInfer<S>, thread?: RestoreThread): RowSteps;
  })[],
  thread?: RestoreThread,
): RowSteps {
  const endSmallPages = smallPages.want();
  try {
    yield* restoringTables(
      store,
      domains.flatMap(({ tables }) => tables),
      thread,
    );
    for (const domain of domains) yield* domain.restoring(store, thread);
  } finally {
    endSmallPages();
  }
}

/** The tables of some domains, in their order. */
export function tablesOf(domains: readonly Pick<Domain, 'tables'>[]): readonly Table[] {
  return domains.flatMap(({ tables }) => tables);
}

/** Bytes of columns in use over some tables. */
export function columnBytes(tables: readonly Table[]): number {
  return tables.reduce((sum, table) => sum + table.reservedBytes, 0);
}
