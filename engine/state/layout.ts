/**
 * Which columns the blocks of a table have, by name: so that a store written with other columns can be read.
 *
 *     stored block = | layout id 4 | [row count 4, free list 4: block 0 only] | column | column | ...
 *
 * A layout's id follows from its columns (names, types, widths, order), so the same columns have the same id in every
 * store and version. The store keeps, for each table, the list of the layouts its blocks have ever had; blocks of
 * several layouts may be stored side by side, since a change of columns rewrites them one by one.
 *
 * A block of another layout is read by name: a column that is gone is dropped, a new one is zero (see Table.onAdded), a
 * number that became wider is widened. Any other change of a column's type is refused: give the column a new name.
 */

export type ColumnType = 'u8' | 'u16' | 'u32' | 'f64';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Values of a row. */
  readonly perRow: number;
}

/** See `Table.excludeFromDigest`. */
export interface Exclusion {
  readonly reason: string;
  /** undefined: all. */
  readonly rows: readonly number[] | undefined;
}

/** A column as the store lists it. */
export interface StoredColumn extends Column {
  /** Index of the last ledger before the column was kept; 0: it has been kept, or was derived, from the beginning. */
  readonly since: number;
}

export interface StoredLayout {
  readonly id: number;
  readonly columns: readonly StoredColumn[];
}

const TYPE_BYTES: Readonly<Record<ColumnType, number>> = { u8: 1, u16: 2, u32: 4, f64: 8 };

/** Every value of a type is one of the types behind it. */
const WIDENING: readonly ColumnType[] = ['u8', 'u16', 'u32', 'f64'];

/** The store was written with columns that this program cannot read. */
export class LayoutError extends Error {
  override readonly name = 'LayoutError';
}

/** Bytes of a row in a column. */
export function rowBytesOf({ type, perRow }: Column): number {
  return TYPE_BYTES[type] * perRow;
}

export function layoutIdOf(columns: readonly Column[]): number {
  return Bun.hash.crc32(columns.map(({ name, type, perRow }) => `${name} ${type} ${perRow}`).join('\n'));
}

/** Bytes of the layout's id, with which blocks and row images begin. */
export const LAYOUT_ID_BYTES = 4;

/** The layout of a block or a row image. */
export function layoutIn(bytes: Uint8Array): number {
  return (bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24)) >>> 0;
}

/** The name under which the store keeps a table's list of layouts. */
export function layoutsName(table: number): string {
  return `columns ${table}`;
}

/** How one column of a block is filled from a block of another layout. */
export interface ColumnCopy {
  /** Where the stored column begins, in bytes of a row before it; undefined: the stored block lacks it. */
  readonly at: number | undefined;
  /** Type of the stored column where it is narrower. */
  readonly widen: ColumnType | undefined;
}

/** @throws LayoutError when a column's type cannot be read as what it is now */
export function copyPlan(table: string, own: readonly Column[], stored: readonly Column[]): ColumnCopy[] {
  const places = new Map<string, { column: Column; at: number }>();
  let at = 0;
  for (const column of stored) {
    places.set(column.name, { column, at });
    at += rowBytesOf(column);
  }
  return own.map((column) => {
    const place = places.get(column.name);
    if (!place) return { at: undefined, widen: undefined };
    const before = place.column;
    if (before.type === column.type && before.perRow === column.perRow)
      return { at: place.at, widen: undefined };
    const wider = WIDENING.indexOf(before.type) < WIDENING.indexOf(column.type);
    if (wider && before.perRow === column.perRow) return { at: place.at, widen: before.type };
    throw new LayoutError(
      `table ${table}: column ${column.name} is stored as ${typeText(before)} and cannot be read as ${typeText(column)}. ` +
        'Run the program that wrote this store, or name another directory',
    );
  });
}

function typeText({ type, perRow }: Column): string {
  return perRow === 1 ? type : `${perRow} x ${type}`;
}

/** Bytes of a row in a layout. */
export function layoutRowBytes(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + rowBytesOf(column), 0);
}

export type Values = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Bytes as values of a type. The buffer must begin at a value. */
export function viewOf(type: ColumnType, buffer: ArrayBufferLike): Values {
  if (type === 'u8') return new Uint8Array(buffer);
  if (type === 'u16') return new Uint16Array(buffer);
  return type === 'u32' ? new Uint32Array(buffer) : new Float64Array(buffer);
}
