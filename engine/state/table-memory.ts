/**
 * The memory of a table: its header, columns and indexes as shared buffers by name, which other threads attach to.
 *
 *     main thread                      postMessage                another thread
 *     Table --- describe() ---> { name, buffers by name } ---> Table.attach(...)     the same bytes, read only
 *
 *     header    sequence | row count | first free row | generation      (see sequence-lock.ts for the first)
 *
 * Columns lie on growable buffers: threads that attached see them grow. An index is a buffer of fixed size (a growable one
 * costs 1.4 times as much for each look-up) and is replaced when it is full. The generation counts the replacements:
 * a thread that attached to an older one needs a new description.
 */
import { useHugePages } from './huge-pages.ts';
import { SequenceLock } from './sequence-lock.ts';

/** What another thread needs to read a table in place. Structured clone shares the buffers. */
export interface TableDescription {
  readonly id: number;
  readonly name: string;
  readonly capacity: number;
  readonly generation: number;
  readonly buffers: Readonly<Record<string, SharedArrayBuffer>>;
}

/** What the table has to know of rows that another thread has loaded. */
export interface LoadedRows {
  /** One more than the highest block of which rows came. */
  readonly blocks: number;
  /** By block: 1, the log has newer rows of it. */
  readonly logged: Uint8Array;
  /** How many rows these are. */
  readonly images: number;
}

export interface ColumnBuffer {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  /** The same; undefined: a row is no number of whole words. */
  readonly words: Uint32Array | undefined;
  readonly rowBytes: number;
}

const HEADER = 'header';
const Header = { sequence: 0, count: 1, freeHead: 2, generation: 3 } as const;
const HEADER_BYTES = 16;

/** An index was replaced since the description was made. */
export class OutdatedDescriptionError extends Error {
  override readonly name = 'OutdatedDescriptionError';
}

export class TableMemory {
  readonly lock: SequenceLock;
  readonly #attached: TableDescription | undefined;
  readonly #header: Uint32Array;
  readonly #buffers: Record<string, SharedArrayBuffer> = {};
  readonly #columns: ColumnBuffer[] = [];
  /** Rows that fit into the columns. */
  #rows: number;

  constructor(rows: number, attached?: TableDescription) {
    this.#rows = rows;
    this.#attached = attached;
    const header = this.#take(HEADER, () => new SharedArrayBuffer(HEADER_BYTES));
    this.#header = new Uint32Array(header);
    this.lock = new SequenceLock(header);
    if (!attached) this.#header[Header.count] = 1;
  }

  get isAttached(): boolean {
    return this.#attached !== undefined;
  }

  /** Rows ever used, row 0 and freed ones included. */
  get count(): number {
    return this.#header[Header.count]!;
  }

  set count(rows: number) {
    this.#header[Header.count] = rows;
  }

  get freeHead(): number {
    return this.#header[Header.freeHead]!;
  }

  set freeHead(row: number) {
    this.#header[Header.freeHead] = row;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Bytes of the rows there is room for, over all columns. */
  get columnBytes(): number {
    return this.#columns.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  }

  column(name: string, rowBytes: number, capacity: number): ColumnBuffer {
    const options = { maxByteLength: capacity * rowBytes };
    const buffer = this.#take(name, () => new SharedArrayBuffer(this.#rows * rowBytes, options));
    const column = { buffer, bytes: new Uint8Array(buffer), words: wordsOfRows(buffer, rowBytes), rowBytes };
    this.#columns.push(column);
    return column;
  }

  /** A buffer beside the columns, empty at first, which its owner grows. */
  growable(name: string, maxByteLength: number): SharedArrayBuffer {
    return this.#take(name, () => new SharedArrayBuffer(0, { maxByteLength }));
  }

  /** The buffer of that name that was attached to; undefined in the thread that writes. */
  attached(name: string): SharedArrayBuffer | undefined {
    return this.#attached && this.#take(name, () => new SharedArrayBuffer(0));
  }

  /** Puts a buffer in the place of another of that name, or shares a first one. */
  replace(name: string, buffer: SharedArrayBuffer): void {
    this.#buffers[name] = buffer;
    this.#header[Header.generation]!++;
  }

  /** @param used rows from the start that are, or are about to be, filled */
  grow(rows: number, used: number): void {
    this.#rows = rows;
    for (const { buffer, bytes, rowBytes } of this.#columns) {
      buffer.grow(rows * rowBytes);
      useHugePages(bytes, used * rowBytes);
    }
  }

  describe(id: number, name: string, capacity: number): TableDescription {
    return {
      id,
      name,
      capacity,
      generation: this.#header[Header.generation]!,
      buffers: { ...this.#buffers },
    };
  }

  /** In a thread that attached: checks that its description is still valid. @throws OutdatedDescriptionError */
  ensureCurrent(): void {
    if (this.#attached && this.#attached.generation !== this.#header[Header.generation])
      throw new OutdatedDescriptionError(`an index of table ${this.#attached.name} was replaced`);
  }

  #take(name: string, make: () => SharedArrayBuffer): SharedArrayBuffer {
    if (this.#buffers[name]) throw new Error(`two buffers ${name} in a table`);
    const buffer = this.#attached ? this.#attached.buffers[name] : make();
    if (!buffer) throw new Error(`table ${this.#attached!.name} has no buffer ${name}`);
    this.#buffers[name] = buffer;
    return buffer;
  }
}

/** See ColumnBuffer. */
export const wordsOfRows = (buffer: SharedArrayBuffer, rowBytes: number): Uint32Array | undefined =>
  rowBytes % 4 === 0 ? new Uint32Array(buffer) : undefined;

/** Consecutive rows as they are stored: the slices of the columns one after another. */
interface StoredRows {
  readonly first: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
  /** Bytes before the slice of the first column. */
  readonly head: number;
  /** Nothing was ever written to these rows of the table. */
  readonly isUntouched: boolean;
}

/**
 * Natively and without views, of columns or of bytes that are a buffer already: they cost twice as much as what is copied. Zeros
 * are not copied to untouched rows: memory that is touched for the first time costs more than all else, and many columns are
 * zero in most rows.
 */
export function copyRows(
  columns: readonly ColumnBuffer[],
  { first, rows, bytes, head, isUntouched }: StoredRows,
): void {
  const from = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = head;
  for (const { bytes: target, rowBytes } of columns) {
    const end = at + rowBytes * rows;
    if (!isUntouched || !isZero(from, at, end)) from.copy(target, first * rowBytes, at, end);
    at = end;
  }
}

/** A loop: a million rows may come by themselves at a start, and views of each column cost five times that. */
export function copyRow(
  columns: readonly ColumnBuffer[],
  row: number,
  bytes: Uint8Array,
  head: number,
): void {
  let from = head;
  for (const { bytes: target, rowBytes } of columns)
    for (let at = row * rowBytes, end = at + rowBytes; at < end; at++) target[at] = bytes[from++]!;
}

const ZEROS = new Uint8Array(4096);

/** Mostly decided by the first byte. */
function isZero(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] !== 0 || to - from > ZEROS.length) return false;
  return bytes.compare(ZEROS, 0, to - from, from, to) === 0;
}

/** A copy with those rows zeroed. */
export function withoutRows(bytes: Uint8Array, rowBytes: number, rows: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  for (const row of rows) copy.fill(0, row * rowBytes, (row + 1) * rowBytes);
  // Trailing zeros are absent, whichever row they are of.
  let end = copy.length;
  while (end > 0 && copy[end - 1] === 0) end--;
  return copy.subarray(0, end);
}

/** A loop: columns are a few bytes or words wide, and a native fill costs ten times that. */
export function zeroRow({ bytes, words, rowBytes }: ColumnBuffer, row: number): void {
  if (words) for (let at = (row * rowBytes) >>> 2, end = at + (rowBytes >>> 2); at < end; at++) words[at] = 0;
  else for (let at = row * rowBytes, end = at + rowBytes; at < end; at++) bytes[at] = 0;
}

/** Little-endian. A DataView for each row image took a fifth of the time of handing over what changed. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
