/**
 * A fixed-width table: typed-array columns on shared memory, with a fixed capacity, dirty blocks and a free list.
 *
 *              column a (u32)   column b (20 bytes)   column c (u8)
 *     row 0    reserved: id 0 means "none" (tokens: XRP)
 *     row 1    ....             ....................  .
 *     ...                                                       <- count: rows ever used
 *     [ block 0: rows 0..63 ][ block 1: rows 64..127 ] ...
 *
 * The columns lie on growable SharedArrayBuffers: address space for the whole capacity is reserved at once, so
 * views stay valid while the table grows, but only the rows in use are counted by the garbage collector. (With
 * fixed buffers of 6 GB capacity, 1 GB of garbage piled up before a collection: the collector takes capacity for
 * live heap. Growable ones: 0.1 GB. Their price: a random access costs about 1.4 times that of a fixed view.)
 *
 * Goal: millions of rows that no garbage collector walks, that worker threads read in place, and of which only
 * what a ledger touched is written to the store. Non-goals: transactions, variable width, finding rows (see
 * row-index.ts). A block's bytes are the slices of its columns one after another, in the order the columns were
 * declared, in the byte order of the machine (little-endian on every platform Bun runs on). Block 0 begins with
 * two more words, the row count and the head of the free list, so that a restored table hands out the same ids
 * as one that never stopped.
 *
 * Cost: adding, removing and touching a row are O(1); draining is O(dirty blocks).
 */

/** Rows of a block: small enough that one changed row writes a few KB, large enough to keep the block list short. */
export const BLOCK_ROWS = 64;

const HEAD_BYTES = 8;

/** Rows that a new table makes room for, and the most it adds at once. */
const FIRST_ROWS = 1024;
const GROW_ROWS_MAX = 2 ** 20;

/** A table has no free row left. Raise its limit (engine/state/limits.ts). */
export class TableFullError extends Error {
  override readonly name = 'TableFullError';
}

interface Column {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly rowBytes: number;
}

export class Table {
  readonly id: number;
  readonly name: string;
  readonly capacity: number;
  /** Rows ever used, row 0 and freed ones included: ids are below it. */
  count = 1;

  readonly #columns: Column[] = [];
  readonly #derived: Column[] = [];
  #rows: number;
  readonly #dirty: Uint8Array;
  #dirtyBlocks: number[] = [];
  #link: Uint32Array | undefined;
  #freeHead = 0;
  #rowBytes = 0;

  constructor(id: number, name: string, capacity: number) {
    this.id = id;
    this.name = name;
    this.capacity = Math.ceil(capacity / BLOCK_ROWS) * BLOCK_ROWS;
    this.#rows = Math.min(FIRST_ROWS, this.capacity);
    this.#dirty = new Uint8Array(this.capacity / BLOCK_ROWS);
  }

  /** Declares a column. Columns are declared once, at construction, always in the same order. */
  u8(perRow = 1): Uint8Array {
    return this.#column(perRow, this.#columns).bytes;
  }

  u16(): Uint16Array {
    return new Uint16Array(this.#column(2, this.#columns).buffer);
  }

  u32(): Uint32Array {
    return new Uint32Array(this.#column(4, this.#columns).buffer);
  }

  f64(): Float64Array {
    return new Float64Array(this.#column(8, this.#columns).buffer);
  }

  /** A column that is not part of the blocks: its owner derives it from the others after a restore. */
  derivedU32(): Uint32Array {
    return new Uint32Array(this.#column(4, this.#derived).buffer);
  }

  /** The column that holds the free list's links in freed rows. Tables without one never free a row. */
  linkThrough(column: Uint32Array): void {
    this.#link = column;
  }

  /** Bytes of a row over all columns. */
  get rowBytes(): number {
    return this.#rowBytes;
  }

  /**
   * A zeroed row: the one freed last, else a new one.
   * @throws TableFullError
   */
  add(): number {
    const free = this.#freeHead;
    if (free !== 0) {
      this.#freeHead = this.#link![free]!;
      this.#link![free] = 0;
      this.touch(free);
      this.touch(0);
      return free;
    }
    const row = this.count;
    this.reserve(row + 1);
    this.count = row + 1;
    this.touch(row);
    this.touch(0);
    return row;
  }

  /** Makes room for that many rows. @throws TableFullError */
  reserve(rows: number): void {
    if (rows <= this.#rows) return;
    if (rows > this.capacity) {
      throw new TableFullError(`table ${this.name} is full (${this.capacity} rows): raise its limit`);
    }
    const step = Math.min(this.#rows, GROW_ROWS_MAX);
    this.#rows = Math.min(
      this.capacity,
      Math.max(this.#rows + step, Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS),
    );
    for (const column of [...this.#columns, ...this.#derived])
      column.buffer.grow(this.#rows * column.rowBytes);
  }

  /** Zeroes a row and puts it on the free list. */
  remove(row: number): void {
    if (!this.#link) throw new Error(`table ${this.name} has no free list`);
    for (const column of this.#columns) zeroRow(column, row);
    for (const column of this.#derived) zeroRow(column, row);
    this.#link[row] = this.#freeHead;
    this.#freeHead = row;
    this.touch(row);
    this.touch(0);
  }

  /** Marks a row as changed since the last drain. */
  touch(row: number): void {
    const block = Math.floor(row / BLOCK_ROWS);
    if (this.#dirty[block] === 0) {
      this.#dirty[block] = 1;
      this.#dirtyBlocks.push(block);
    }
  }

  /** Visits every changed block, ascending, and forgets that it changed. `bytes` is valid during the call only. */
  drainDirty(visit: (block: number, bytes: Uint8Array) => void): void {
    if (this.#dirtyBlocks.length === 0) return;
    const blocks = this.#dirtyBlocks.sort((a, b) => a - b);
    this.#dirtyBlocks = [];
    for (const block of blocks) {
      this.#dirty[block] = 0;
      visit(block, this.blockBytes(block));
    }
  }

  blockBytes(block: number): Uint8Array {
    const head = block === 0 ? HEAD_BYTES : 0;
    const out = new Uint8Array(head + this.#rowBytes * BLOCK_ROWS);
    if (block === 0) {
      const view = new DataView(out.buffer);
      view.setUint32(0, this.count, true);
      view.setUint32(4, this.#freeHead, true);
    }
    let at = head;
    for (const { bytes, rowBytes } of this.#columns) {
      const size = rowBytes * BLOCK_ROWS;
      out.set(bytes.subarray(block * size, (block + 1) * size), at);
      at += size;
    }
    return out;
  }

  /** @throws RangeError when the block does not fit the table (another layout, or beyond the capacity). */
  loadBlock(block: number, bytes: Uint8Array): void {
    const head = block === 0 ? HEAD_BYTES : 0;
    if (bytes.length !== head + this.#rowBytes * BLOCK_ROWS || (block + 1) * BLOCK_ROWS > this.capacity) {
      throw new RangeError(`table ${this.name}: block ${block} of ${bytes.length} bytes does not fit`);
    }
    if (block === 0) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.count = view.getUint32(0, true);
      this.#freeHead = view.getUint32(4, true);
    }
    this.reserve((block + 1) * BLOCK_ROWS);
    let at = head;
    for (const column of this.#columns) {
      const size = column.rowBytes * BLOCK_ROWS;
      column.bytes.set(bytes.subarray(at, at + size), block * size);
      at += size;
    }
  }

  #column(rowBytes: number, into: Column[]): Column {
    const options = { maxByteLength: this.capacity * rowBytes };
    const buffer = new SharedArrayBuffer(this.#rows * rowBytes, options);
    const column = { buffer, bytes: new Uint8Array(buffer), rowBytes };
    into.push(column);
    if (into === this.#columns) this.#rowBytes += rowBytes;
    return column;
  }
}

/** A loop: columns are a few bytes wide, and a native fill costs ten times that. */
function zeroRow({ bytes, rowBytes }: Column, row: number): void {
  for (let at = row * rowBytes, end = at + rowBytes; at < end; at++) bytes[at] = 0;
}
