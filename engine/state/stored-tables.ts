/** Tables in and out of the store. */
import { type RowSteps, runToEnd } from '../event-loop.ts';
import type { Batch, Store } from '../store.ts';
import { BLOCK_ROWS } from './dirty-rows.ts';
import { layoutsName, type StoredLayout } from './layout.ts';
import { answerOf, type RestoreThread } from './restore-thread.ts';
import { clearRows, isOf, rowsToLoad } from './row-fill.ts';
import type { Table } from './table.ts';

/** What tables are restored from. */
export type TableReads = Pick<Store, 'blocks' | 'lastBlock' | 'rows' | 'value'>;

/** What tables are handed over to. */
export type TableBatch = Pick<Batch, 'block' | 'row' | 'value'>;

/** Blocks loaded in one step: some 2 ms. */
const BLOCKS_A_STEP = 256;

/**
 * Loads every block, and over them the rows that changed since they were written.
 * @param thread answers at once: the event loop, which would say that one has ended, does not turn. @throws LayoutError
 */
export function restoreTables(store: TableReads, tables: readonly Table[], thread?: RestoreThread): void {
  runToEnd(restoringTables(store, tables, thread));
}

/**
 * The same in steps. The first block of each table, which has its row count, is loaded before the others; it may be older
 * than they are, so room for all of them is made then, at once: of what grows, less lies on huge pages (huge-pages.ts).
 * @param thread loads the largest table meanwhile, where that is large
 * @throws LayoutError when the store has columns that cannot be read as what they are now
 */
export function* restoringTables(
  store: TableReads,
  tables: readonly Table[],
  thread?: RestoreThread,
): RowSteps {
  const byId = new Map(tables.map((table) => [table.id, table]));
  const rowsOf = ({ id }: Table): number => ((store.lastBlock(id) ?? -1) + 1) * BLOCK_ROWS;
  if (thread && tables.some((table) => rowsOf(table) >= thread.fromRows)) thread.start();
  for (const table of tables) {
    const layouts = store.value(layoutsName(table.id));
    if (layouts !== undefined) table.loadLayouts(layouts as readonly StoredLayout[]);
    loadBlocks(store, table, 0, 1);
    table.reserve(Math.min(table.capacity, rowsOf(table)));
    yield 0;
  }
  const apart = thread && partFor(thread, tables);
  for (const table of tables) if (table !== apart?.table) yield* loadingBlocks(store, table);
  yield* store.rows((table, row, image) => {
    if (!apart?.has(table, row)) byId.get(table)?.loadRow(row, image);
  });
  if (!apart) return;
  const loaded = yield* answerOf(apart.answer);
  if (loaded) {
    apart.table.loadedApart(loaded);
    yield apart.table.count;
    return;
  }
  apart.clear();
  yield* loadingBlocks(store, apart.table);
  yield* store.rows((table, row, image) => {
    if (apart.has(table, row)) apart.table.loadRow(row, image);
  });
}

/** What the thread loads: the rows of the largest table. undefined: none is large. */
function partFor(thread: RestoreThread, tables: readonly Table[]) {
  const bytesOf = ({ count, rowBytes }: Table): number => count * rowBytes;
  const [table] = tables.toSorted((a, b) => bytesOf(b) - bytesOf(a));
  if (!table || table.count < thread.fromRows) return undefined;
  const task = rowsToLoad(table);
  return {
    table,
    answer: thread.loadRows(task),
    clear: () => clearRows(task),
    has: (id: number, row: number): boolean => id === table.id && isOf(task, row),
  };
}

function* loadingBlocks(store: TableReads, table: Table): RowSteps {
  let from: number | undefined = 1;
  while (from !== undefined) {
    from = loadBlocks(store, table, from, BLOCKS_A_STEP);
    yield BLOCKS_A_STEP * BLOCK_ROWS;
  }
}

/** @returns where to go on; undefined: there are no further blocks */
function loadBlocks(
  store: Pick<Store, 'blocks'>,
  table: Table,
  from: number,
  most: number,
): number | undefined {
  let left = most;
  let next = from;
  store.blocks(
    table.id,
    (block, bytes) => {
      table.loadBlock(block, bytes);
      next = block + 1;
      return --left > 0;
    },
    from,
  );
  return left > 0 ? undefined : next;
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
