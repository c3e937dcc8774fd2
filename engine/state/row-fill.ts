/**
 * Fills rows of a table whose columns lie in another thread (restore-thread.ts): blocks and row images of the table's present
 * layout. Those of an older one are for the table itself, which knows its layouts.
 */
import { BLOCK_ROWS } from './dirty-rows.ts';
import { LAYOUT_ID_BYTES, LayoutError, layoutIn, rowBytesOf } from './layout.ts';
import type { Table } from './table.ts';
import { type ColumnBuffer, copyRow, copyRows, type LoadedRows, wordsOfRows } from './table-memory.ts';

/** Rows of a table, those behind its first block to below `rows`: the others are not touched. */
export interface RowsToLoad {
  readonly table: number;
  readonly rows: number;
  readonly layout: number;
  readonly columns: readonly { readonly buffer: SharedArrayBuffer; readonly rowBytes: number }[];
}

export const isOf = ({ rows }: RowsToLoad, row: number): boolean => row >= BLOCK_ROWS && row < rows;

/** All rows of a table that there is room for, behind its first block. */
export function rowsToLoad(table: Table): RowsToLoad {
  const { buffers } = table.describe();
  const columns = table.columns.map((column) => ({
    buffer: buffers[column.name]!,
    rowBytes: rowBytesOf(column),
  }));
  const { buffer, rowBytes } = columns[0]!;
  return { table: table.id, rows: buffer.byteLength / rowBytes, layout: table.layout, columns };
}

/** Of a thread that failed. */
export function clearRows({ columns, rows }: RowsToLoad): void {
  for (const { buffer, rowBytes } of columns)
    new Uint8Array(buffer, 0, rows * rowBytes).fill(0, BLOCK_ROWS * rowBytes);
}

export class RowFill {
  readonly #task: RowsToLoad;
  readonly #columns: readonly ColumnBuffer[];
  readonly #rowBytes: number;
  /** By block: 1, the log has newer rows of it. */
  readonly #logged: Uint8Array;
  #blocks = 1;
  #images = 0;

  constructor(task: RowsToLoad) {
    this.#task = task;
    this.#columns = task.columns.map(({ buffer, rowBytes }) => ({
      buffer,
      rowBytes,
      bytes: new Uint8Array(buffer),
      words: wordsOfRows(buffer, rowBytes),
    }));
    this.#logged = new Uint8Array(Math.ceil(task.rows / BLOCK_ROWS));
    this.#rowBytes = task.columns.reduce((sum, { rowBytes }) => sum + rowBytes, 0);
  }

  /** @throws LayoutError, RangeError */
  block(block: number, bytes: Uint8Array): void {
    const first = block * BLOCK_ROWS;
    this.#check(first, BLOCK_ROWS, bytes);
    copyRows(this.#columns, { first, rows: BLOCK_ROWS, bytes, head: LAYOUT_ID_BYTES, isUntouched: true });
    this.#blocks = Math.max(this.#blocks, block + 1);
  }

  /** Takes a row of the log; after the blocks. Rows that are not of the task are left. @throws LayoutError, RangeError */
  row(row: number, image: Uint8Array): void {
    if (!isOf(this.#task, row)) return;
    this.#check(row, 1, image);
    copyRow(this.#columns, row, image, LAYOUT_ID_BYTES);
    const block = Math.floor(row / BLOCK_ROWS);
    this.#logged[block] = 1;
    this.#blocks = Math.max(this.#blocks, block + 1);
    this.#images++;
  }

  get loaded(): LoadedRows {
    return { blocks: this.#blocks, logged: this.#logged, images: this.#images };
  }

  #check(first: number, rows: number, bytes: Uint8Array): void {
    const { table, layout } = this.#task;
    const id = layoutIn(bytes);
    if (id !== layout) throw new LayoutError(`table ${table}: row ${first} has another layout (${id})`);
    if (
      !isOf(this.#task, first) ||
      first + rows > this.#task.rows ||
      bytes.length !== LAYOUT_ID_BYTES + rows * this.#rowBytes
    )
      throw new RangeError(`table ${table}: ${bytes.length} bytes for row ${first} do not fit`);
  }
}
