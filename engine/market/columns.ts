/**
 * Columns by token id that are derived, not persisted: growable shared buffers, so that views stay valid while they
 * grow and the garbage collector counts only the rows in use (see engine/state/table.ts).
 */
const FIRST_ROWS = 1024;
const GROW_ROWS_MAX = 2 ** 18;

interface Column {
  readonly buffer: SharedArrayBuffer;
  readonly rowBytes: number;
}

export class Columns {
  readonly #columns: Column[] = [];
  /** Rows there may be. */
  readonly capacity: number;
  #rows: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#rows = Math.min(FIRST_ROWS, capacity);
  }

  u8(): Uint8Array {
    return new Uint8Array(this.#column(1));
  }

  u32(): Uint32Array {
    return new Uint32Array(this.#column(4));
  }

  /** @param perRow doubles of a row */
  f64(perRow = 1): Float64Array {
    return new Float64Array(this.#column(8 * perRow));
  }

  /** Makes room for that many rows. @throws RangeError above the capacity */
  reserve(rows: number): void {
    if (rows <= this.#rows) return;
    if (rows > this.capacity) throw new RangeError(`market columns: ${rows} tokens, limit ${this.capacity}`);
    const step = Math.min(this.#rows, GROW_ROWS_MAX);
    this.#rows = Math.min(this.capacity, Math.max(this.#rows + step, rows));
    for (const { buffer, rowBytes } of this.#columns) buffer.grow(this.#rows * rowBytes);
  }

  #column(rowBytes: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(this.#rows * rowBytes, { maxByteLength: this.capacity * rowBytes });
    this.#columns.push({ buffer, rowBytes });
    return buffer;
  }
}
