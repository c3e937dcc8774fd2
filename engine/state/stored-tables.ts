/** Tables in and out of the store. */
import type { Batch, Store } from '../store.ts';
import { layoutsName, type StoredLayout } from './layout.ts';
import type { Table } from './table.ts';

/**
 * Loads every block.
 * @throws LayoutError when the store has columns that cannot be read as what they are now
 */
export function restoreTables(store: Pick<Store, 'blocks' | 'value'>, tables: readonly Table[]): void {
  for (const table of tables) {
    const layouts = store.value(layoutsName(table.id));
    if (layouts !== undefined) table.loadLayouts(layouts as readonly StoredLayout[]);
    store.blocks(table.id, (block, bytes) => table.loadBlock(block, bytes));
  }
}

/**
 * Hands over the blocks that changed since the last call, and, with the first of them, the list of their columns.
 * @param ledger index of the newest ledger the store had when it was opened; 0: it was empty
 */
export function persistTables(
  batch: Pick<Batch, 'block' | 'value'>,
  tables: readonly Table[],
  ledger: number,
): void {
  for (const table of tables) {
    const layouts = table.layoutsToStore(ledger);
    if (layouts) batch.value(layoutsName(table.id), layouts);
    table.drainDirty((block, bytes) => batch.block(table.id, block, bytes));
  }
}
