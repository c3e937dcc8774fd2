/**
 * A fixed-width table: typed-array columns on shared memory, with a fixed capacity, dirty rows and a free list.
 *
 *              column a (u32)   column b (20 bytes)   column c (u8)
 *     row 0    reserved: id 0 means "none" (tokens: XRP)
 *     row 1    ....             ....................  .
 *     ...                                                       <- count: rows ever used
 *     [ block 0: rows 0..63 ][ block 1: rows 64..127 ] ...
 *
 * The columns lie on growable SharedArrayBuffers: address space for the whole capacity is reserved at once, so
 * views stay valid while the table grows, but only the rows in use are counted by the garbage collector. (Of fixed
 * ones it takes all 6 GB for live heap. Their price: a random access costs about 1.4 times that of a fixed view.)
 *
 * Goal: millions of rows that no garbage collector walks, that worker threads read in place, and of which only
 * what a ledger changed is written to the store. Non-goals: transactions, variable width, finding rows (see
 * row-index.ts). A block's bytes are the id of its layout (layout.ts) and the slices of its columns one after another,
 * in the order the columns were declared, in the byte order of the machine (little-endian on every platform Bun runs
 * on). In block 0 two more words follow the id, the row count and the head of the free list, so that a restored table
 * assigns the same ids as one that was never restarted.
 *
 * Columns may be added, removed, moved and widened from one version to the next: blocks of older layouts are read by
 * name and written again (engine/upgrade.ts). A column that is added and must not be zero in older rows has a function that
 * derives it from the store (`onAdded`), and so has a new table (`onNew`).
 *
 * A changed row is handed over as an image of its own; its block is written by a checkpoint (checkpoint.ts).
 * Cost: adding, removing and changing a row are O(1); draining is O(dirty rows).
 */
import type { StoreReads } from '../store.ts';
import { BLOCK_ROWS, DirtyRows, type TableSink } from './dirty-rows.ts';
import {
  type Column,
  type Exclusion,
  LAYOUT_ID_BYTES as ID_BYTES,
  LayoutError,
  layoutIdOf,
  layoutIn,
  rowBytesOf,
  type StoredLayout,
  viewOf,
} from './layout.ts';
import { RowIndex } from './row-index.ts';
import type { SequenceLock } from './sequence-lock.ts';
import { type Fill, type KnownLayout, StoredLayouts } from './stored-layouts.ts';
import {
  type ColumnBuffer,
  copyRow,
  copyRows,
  type LoadedRows,
  putU32,
  type TableDescription,
  TableMemory,
  withoutRows,
  zeroRow,
} from './table-memory.ts';

/** Row count and free list, in block 0. */
const HEAD_BYTES = 8;

/** Rows that a new table makes room for, and the most it adds at once. */
const FIRST_ROWS = 1024;
const GROW_ROWS_MAX = 2 ** 20;

/** A table has no free row left. Raise its limit (engine/state/limits.ts). */
export class TableFullError extends Error {
  override readonly name = 'TableFullError';
}

export class Table {
  readonly id: number;
  readonly name: string;
  readonly capacity: number;
  readonly #memory: TableMemory;
  readonly #specs: Column[] = [];
  readonly #columns: ColumnBuffer[] = [];
  readonly #derived: ColumnBuffer[] = [];
  #layout: number | undefined;
  readonly #layouts = new StoredLayouts(this);
  readonly #excluded = new Map<string, Exclusion>();
  /** Blocks that the store has in an older form. */
  #outdated = new Set<number>();
  #loadedBlocks = 0;
  /** Rows that block 0 announced to a table without any: as long as there are as many, those behind the loaded blocks are untouched. */
  #announced = 0;
  readonly #dirty: DirtyRows;
  #link: Uint32Array | undefined;
  #rowBytes = 0;
  #image: Uint8Array | undefined;
  #images = 0;

  /** @param attached the memory of a table of another thread; see `attach`. */
  constructor(id: number, name: string, capacity: number, attached?: TableDescription) {
    this.id = id;
    this.name = name;
    this.capacity = Math.ceil(capacity / BLOCK_ROWS) * BLOCK_ROWS;
    this.#memory = new TableMemory(Math.min(FIRST_ROWS, this.capacity), attached);
    this.#dirty = new DirtyRows();
  }

  /**
   * The table of another thread, to be read in place: declare the same columns and indexes, read under its `lock`, write
   * nothing.
   */
  static attach(description: TableDescription): Table {
    const { id, name, capacity } = description;
    return new Table(id, name, capacity, description);
  }

  /** What another thread needs to attach. */
  describe(): TableDescription {
    return this.#memory.describe(this.id, this.name, this.capacity);
  }

  /** It is another thread's. */
  get isAttached(): boolean {
    return this.#memory.isAttached;
  }

  /** Rows are changed between `beginWrite` and `endWrite` only; other threads read under the lock. */
  get lock(): SequenceLock {
    return this.#memory.lock;
  }

  /** Call while reading what was attached. @throws OutdatedDescriptionError when an index has been replaced */
  ensureCurrent(): void {
    this.#memory.ensureCurrent();
  }

  /** Rows ever used, row 0 and freed ones included: ids are below it. */
  get count(): number {
    return this.#memory.count;
  }

  set count(rows: number) {
    this.#memory.count = rows;
  }

  /**
   * Declares a column. Columns are declared once, at construction.
   * @param name its name in the store: a column with another meaning needs another name
   * @param perRow values of a row
   */
  u8(name: string, perRow = 1): Uint8Array {
    return this.#column({ name, type: 'u8', perRow }).bytes;
  }

  u16(name: string): Uint16Array {
    return new Uint16Array(this.#column({ name, type: 'u16', perRow: 1 }).buffer);
  }

  u32(name: string): Uint32Array {
    return new Uint32Array(this.#column({ name, type: 'u32', perRow: 1 }).buffer);
  }

  f64(name: string): Float64Array {
    return new Float64Array(this.#column({ name, type: 'f64', perRow: 1 }).buffer);
  }

  /** A column that is not part of the blocks: its owner derives it from the others after a restore. */
  derivedU32(name: string): Uint32Array {
    const column = this.#memory.column(`derived ${name}`, 4, this.capacity);
    this.#derived.push(column);
    return new Uint32Array(column.buffer);
  }

  /** An index over its rows. @param hashOf hash of the key that a row holds now */
  index(name: string, hashOf: (row: number) => number): RowIndex {
    const key = `index ${name}`;
    return new RowIndex(hashOf, {
      slots: this.#memory.attached(key),
      onReplaced: (slots) => this.#memory.replace(key, slots),
    });
  }

  /** A shared buffer beside the columns that its owner grows. */
  growable(name: string, maxByteLength: number): SharedArrayBuffer {
    return this.#memory.growable(name, maxByteLength);
  }

  /** Registers how a column is derived from a store that lacks it. Without this it is zero in older rows. */
  onAdded(column: string, fill: Fill): void {
    if (!this.#specs.some(({ name }) => name === column))
      throw new Error(`table ${this.name} has no column ${column}`);
    this.#layouts.onAdded(column, fill);
  }

  /** Registers how the table is derived from a store that lacks it. Without this it begins empty. */
  onNew(fill: Fill): void {
    this.#layouts.onNew(fill);
  }

  /** The column that holds the free list's links in freed rows. Tables without one never free a row. */
  linkThrough(column: Uint32Array): void {
    this.#link = column;
  }

  /** Bytes of a row over all columns. */
  get rowBytes(): number {
    return this.#rowBytes;
  }

  /** Row count and first free row. */
  get head(): readonly [number, number] {
    return [this.count, this.#memory.freeHead];
  }

  /** The bytes of every column up to the last that is not zero, as they are in memory; without what was excluded. */
  *contents(): Generator<{ name: string; bytes: Uint8Array }> {
    for (const [i, { buffer, bytes, rowBytes }] of this.#columns.entries()) {
      const { name } = this.#specs[i]!;
      const excluded = this.#excluded.get(name);
      if (excluded && !excluded.rows) continue;
      const words = new Uint32Array(buffer);
      let end = words.length;
      while (end > 0 && words[end - 1] === 0) end--;
      const used = bytes.subarray(0, end * 4);
      yield { name, bytes: excluded?.rows ? withoutRows(used, rowBytes, excluded.rows) : used };
    }
  }

  /**
   * Leaves a column, or some of its rows, out of the digest: two stores that hold the same ledgers may differ there.
   * @param reason why they may, for readers of the declaration
   */
  excludeFromDigest(column: string, reason: string, rows?: readonly number[]): void {
    if (!this.#specs.some(({ name }) => name === column))
      throw new Error(`table ${this.name} has no column ${column}`);
    this.#excluded.set(column, { reason, rows });
  }

  /** What is left out of the digest, by column. */
  get excluded(): ReadonlyMap<string, Exclusion> {
    return this.#excluded;
  }

  /** Bytes of the rows there is room for, over all columns. */
  get reservedBytes(): number {
    return this.#memory.columnBytes;
  }

  get columns(): readonly Column[] {
    return this.#specs;
  }

  /** Id of the layout of its blocks. */
  get layout(): number {
    this.#layout ??= layoutIdOf(this.#specs);
    return this.#layout;
  }

  /**
   * A zeroed row: the one freed last, else a new one.
   * @throws TableFullError
   */
  add(): number {
    const memory = this.#memory;
    const free = memory.freeHead;
    if (free !== 0) {
      memory.freeHead = this.#link![free]!;
      this.#link![free] = 0;
      this.markDirty(free);
      this.markDirty(0);
      return free;
    }
    const row = memory.count;
    this.reserve(row + 1);
    memory.count = row + 1;
    this.markDirty(row);
    this.markDirty(0);
    return row;
  }

  /** Makes room for that many rows. @throws TableFullError */
  reserve(rows: number): void {
    const have = this.#memory.rows;
    if (rows <= have) return;
    if (rows > this.capacity) {
      throw new TableFullError(`table ${this.name} is full (${this.capacity} rows): raise its limit`);
    }
    const step = Math.min(have, GROW_ROWS_MAX);
    const wanted = Math.max(have + step, Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS);
    this.#memory.grow(Math.min(this.capacity, wanted), rows);
  }

  /** Zeroes a row and puts it on the free list. */
  remove(row: number): void {
    if (!this.#link) throw new Error(`table ${this.name} has no free list`);
    for (const column of this.#columns) zeroRow(column, row);
    for (const column of this.#derived) zeroRow(column, row);
    this.#link[row] = this.#memory.freeHead;
    this.#memory.freeHead = row;
    this.markDirty(row);
    this.markDirty(0);
  }

  /** Marks a row as changed since the last drain. */
  markDirty(row: number): void {
    this.#dirty.mark(row);
  }

  /** Hands over what changed since the last call; bytes are valid during the call only. */
  drainDirty(sink: TableSink): void {
    this.#dirty.drain({
      row: (row) => {
        this.#images++;
        sink.row(row, this.rowImage(row));
      },
      block: (block) => sink.block(block, this.blockBytes(block)),
    });
  }

  /** Row images that were drained or loaded since the last call. */
  takeImageCount(): number {
    const images = this.#images;
    this.#images = 0;
    return images;
  }

  /** Begins to write the blocks that only the row log has in their newest state. @returns how many they are */
  freezeBlocks(): number {
    return this.#dirty.freeze();
  }

  /** Frozen blocks that have not been written yet. */
  get frozenBlocks(): number {
    return this.#dirty.frozen;
  }

  /** The next frozen block, as it is now; undefined: all have been taken. */
  takeFrozen(): { block: number; bytes: Uint8Array } | undefined {
    const block = this.#dirty.takeFrozen();
    return block === undefined ? undefined : { block, bytes: this.blockBytes(block) };
  }

  /** @param first with the words of row 0. @returns where the columns begin */
  #writeHead(out: Uint8Array, first: boolean): number {
    putU32(out, 0, this.layout);
    if (!first) return ID_BYTES;
    putU32(out, ID_BYTES, this.#memory.count);
    putU32(out, ID_BYTES + 4, this.#memory.freeHead);
    return ID_BYTES + HEAD_BYTES;
  }

  /** A row as it is now. The same buffer at each call. */
  rowImage(row: number): Uint8Array {
    this.#image ??= new Uint8Array(ID_BYTES + HEAD_BYTES + this.#rowBytes);
    const out = this.#image;
    let to = this.#writeHead(out, row === 0);
    for (const { bytes, rowBytes } of this.#columns)
      for (let at = row * rowBytes, end = at + rowBytes; at < end; at++) out[to++] = bytes[at]!;
    return out.subarray(0, to);
  }

  blockBytes(block: number): Uint8Array {
    const out = new Uint8Array(ID_BYTES + (block === 0 ? HEAD_BYTES : 0) + this.#rowBytes * BLOCK_ROWS);
    let at = this.#writeHead(out, block === 0);
    for (const { bytes, rowBytes } of this.#columns) {
      const size = rowBytes * BLOCK_ROWS;
      out.set(bytes.subarray(block * size, (block + 1) * size), at);
      at += size;
    }
    return out;
  }

  /**
   * Takes over the list of layouts that the store keeps for the table; before its blocks.
   * @throws LayoutError when a column cannot be read as what it is now
   */
  loadLayouts(stored: readonly StoredLayout[]): void {
    this.#layouts.load(stored);
  }

  /**
   * The list of layouts that the store must keep from now on; undefined when it is the one loaded.
   * @param ledger index of the newest ledger the store had when it was opened; 0: it was empty
   */
  layoutsToStore(ledger: number): readonly StoredLayout[] | undefined {
    return this.#layouts.toStore(ledger);
  }

  /** Index of the last ledger before a column was kept; 0: it follows from all ledgers of the store. */
  since(column: string): number {
    return this.#layouts.since(column);
  }

  /**
   * @throws LayoutError when the block's layout is not among those loaded
   * @throws RangeError when the block does not fit its layout, or lies beyond the capacity
   */
  loadBlock(block: number, bytes: Uint8Array): void {
    const known = this.#layoutOf(bytes, block);
    this.#load(block * BLOCK_ROWS, BLOCK_ROWS, bytes, known);
    if (known) this.#outdated.add(block);
  }

  /**
   * Takes a row image that is newer than its block. After the blocks.
   * @throws as loadBlock
   */
  loadRow(row: number, image: Uint8Array): void {
    const block = Math.floor(row / BLOCK_ROWS);
    const known = this.#layoutOf(image, block);
    this.#load(row, 1, image, known);
    this.#dirty.log(block);
    this.#images++;
    if (known) this.#outdated.add(block);
  }

  /** @returns undefined: its own layout */
  #layoutOf(bytes: Uint8Array, block: number): KnownLayout | undefined {
    const id = layoutIn(bytes);
    if (id === this.layout && bytes.length >= ID_BYTES) return undefined;
    const known = this.#layouts.find(id);
    if (!known) throw new LayoutError(`table ${this.name}: block ${block} has an unknown layout (${id})`);
    return known;
  }

  /** Loads consecutive rows from their columns one after another; makes room for all that row 0 announces. */
  #load(first: number, rows: number, bytes: Uint8Array, known: KnownLayout | undefined): void {
    const { rowBytes } = known ?? this;
    const head = first === 0 ? ID_BYTES + HEAD_BYTES : ID_BYTES;
    if (bytes.length !== head + rowBytes * rows || first + rows > this.capacity)
      throw new RangeError(`table ${this.name}: ${bytes.length} bytes for row ${first} do not fit`);
    if (first === 0) {
      const isNew = this.count === 1 && this.#loadedBlocks === 0;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#memory.count = view.getUint32(ID_BYTES, true);
      this.#memory.freeHead = view.getUint32(ID_BYTES + 4, true);
      this.#announced = isNew ? this.count : 0;
      this.reserve(Math.min(this.count, this.capacity));
    }
    this.reserve(Math.ceil((first + rows) / BLOCK_ROWS) * BLOCK_ROWS);
    const isUntouched = first >= this.#loadedBlocks * BLOCK_ROWS && this.count === this.#announced;
    this.#loadedBlocks = Math.max(this.#loadedBlocks, Math.ceil((first + rows) / BLOCK_ROWS));
    if (known) this.#convertRows(first, rows, bytes.subarray(head), known);
    else if (rows > 1)
      copyRows(this.#columns, { first, rows, bytes, head, isUntouched: first > 0 && isUntouched });
    else copyRow(this.#columns, first, bytes, head);
  }

  /** How many blocks the store has in an older form: of another layout, or from before a fill. */
  get outdated(): number {
    return this.#outdated.size;
  }

  /** Runs the fills that are due. Once, after everything has been loaded. @returns names of what was filled */
  fill(store: StoreReads): string[] {
    const filled = this.#layouts.fill(store);
    // Blocks that have the column already may lie beside blocks that lack it: all are filled again, and all written.
    if (filled.length > 0)
      this.#outdated = new Set(Array.from({ length: this.#loadedBlocks }, (_, block) => block));
    return filled;
  }

  /** One of the blocks that the store has in an older form, as it is now; it no longer counts as outdated. */
  takeOutdated(): { block: number; bytes: Uint8Array } | undefined {
    const [block] = this.#outdated;
    if (block === undefined) return undefined;
    this.#outdated.delete(block);
    this.#dirty.written(block);
    return { block, bytes: this.blockBytes(block) };
  }

  /** Another thread has loaded rows (row-fill.ts). */
  loadedApart({ blocks, logged, images }: LoadedRows): void {
    this.#loadedBlocks = Math.max(this.#loadedBlocks, blocks);
    for (const [block, isLogged] of logged.entries()) if (isLogged === 1) this.#dirty.log(block);
    this.#images += images;
  }

  #convertRows(first: number, rows: number, bytes: Uint8Array, { copies }: KnownLayout): void {
    for (const [i, { at, widen }] of copies.entries()) {
      const spec = this.#specs[i]!;
      const { buffer, bytes: target, rowBytes } = this.#columns[i]!;
      if (at === undefined) {
        this.#layouts.lacks(spec.name);
        continue;
      }
      const from = at * rows;
      if (widen === undefined) {
        target.set(bytes.subarray(from, from + rowBytes * rows), first * rowBytes);
        continue;
      }
      const stored = viewOf(
        widen,
        new Uint8Array(bytes.subarray(from, from + rowBytesOf({ ...spec, type: widen }) * rows)).buffer,
      );
      viewOf(spec.type, buffer).set(stored, first * spec.perRow);
    }
  }

  #column(spec: Column): ColumnBuffer {
    if (this.#specs.some(({ name }) => name === spec.name))
      throw new Error(`table ${this.name} has two columns ${spec.name}`);
    this.#specs.push(spec);
    const column = this.#memory.column(spec.name, rowBytesOf(spec), this.capacity);
    this.#columns.push(column);
    this.#rowBytes += column.rowBytes;
    return column;
  }
}
