/** Tables in and out of the store. */
import type { Batch, Store } from '../store.ts';
import { layoutsName, type StoredLayout } from './layout.ts';
import type { Table } from './table.ts';

/** What tables are restored from. */
export type TableReads = Pick<Store, 'blocks' | 'rows' | 'value'>;

/** What tables are handed over to. */
export type TableBatch = Pick<Batch, 'block' | 'row' | 'value'>;

/**
 * Loads every block, and over them the rows that changed since they were written.
 * @throws LayoutError when the store has columns that cannot be read as what they are now
 */
export function restoreTables(store: TableReads, tables: readonly Table[]): void {
  const byId = new Map(tables.map((table) => [table.id, table]));
  for (const table of tables) {
    const layouts = store.value(layoutsName(table.id));
    if (layouts !== undefined) table.loadLayouts(layouts as readonly StoredLayout[]);
    store.blocks(table.id, (block, bytes) => table.loadBlock(block, bytes));
  }
  store.rows((table, row, image) => byId.get(table)?.loadRow(row, image));
}

/**
 * Hands over what changed since the last call, and, with the first of it, the list of the tables' columns.
 * @param ledger index of the newest ledger the store had when it was opened; 0: it was empty
 */
export function persistTables(batch: TableBatch, tables: readonly Table[], ledger: number): void {
  for (const table of tables) {
    const layouts = table.layoutsToStore(ledger);
    if (layouts) batch.value(layoutsName(table.id), layouts);
    table.drainDirty({
      row: (row, image) => batch.row(table.id, row, image),
      block: (block, bytes) => batch.block(table.id, block, bytes),
    });
  }
}
