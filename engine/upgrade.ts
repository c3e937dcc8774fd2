/**
 * Upgrades a store that was written with other columns to those of this program.
 *
 *     restore: blocks of any layout -> tables -> fills (added columns, new tables) -> rebuild
 *     upgrade: outdated blocks -> batches, each durable with the unchanged cursor
 *
 * The store is valid after every batch, so after a crash only the missing blocks are left: the next start reads them in
 * their old form, fills again and continues. Nothing may be applied while it runs.
 */
import type { Log } from './log.ts';
import type { Table } from './state/table.ts';
import type { Batch, Store } from './store.ts';

/** A batch is closed at this many bytes: bounds memory, and the work that a crash repeats. */
export const UPGRADE_BATCH_BYTES = 8 * 1024 * 1024;
const PROGRESS_EVERY_BATCHES = 8;

/** Fills columns and tables that the store lacks. @returns whether there were any: what follows from tables must be rebuilt */
export function fillTables(tables: readonly Table[], store: Store, log: Log): boolean {
  const filled = tables.flatMap((table) => table.fill(store));
  if (filled.length > 0) log.info({ filled }, 'missing figures have been derived from the store');
  return filled.length > 0;
}

export interface Rewrite {
  readonly tables: readonly Table[];
  readonly store: Store;
  /** Writes what changed since the tables were loaded, and the lists of their columns, to the first batch. */
  readonly persist: (batch: Batch) => void;
  readonly log: Log;
  /** Size at which a batch is closed. */
  readonly batchBytes: number;
  /** Share that is done, 0 to 1; after each batch. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Writes the blocks that the store has in an older form. @throws StoreError */
export async function rewriteOutdated(rewrite: Rewrite): Promise<void> {
  const { tables, store, persist, log, batchBytes, onProgress } = rewrite;
  const { cursor } = store;
  const total = tables.reduce((sum, table) => sum + table.outdated, 0);
  if (total === 0 || !cursor) return;
  for (let done = 0, batches = 1; done < total; batches++) {
    const batch = store.batch();
    if (batches === 1) persist(batch);
    for (const table of tables) {
      while (batch.size < batchBytes) {
        const next = table.takeOutdated();
        if (!next) break;
        batch.block(table.id, next.block, next.bytes);
        done++;
      }
    }
    await store.commit(batch, cursor);
    onProgress?.(done / total);
    if (done === total || batches % PROGRESS_EVERY_BATCHES === 0)
      log.info({ done, total }, 'writing the tables with the columns of this version');
  }
}
