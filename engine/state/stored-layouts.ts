/** The layouts that a table has in the store (layout.ts), and what of its columns those lack. */
import type { StoreReads } from '../store.ts';
import { type Column, type ColumnCopy, copyPlan, layoutRowBytes, type StoredLayout } from './layout.ts';

/**
 * Fills a column or table that an older store lacks, for all rows, with what a run from the first ledger on would have
 * put there by now. State and market are restored when it runs, and are rebuilt after it. It runs again after a crash
 * before its outcome was stored.
 * It returns false where the store has only a part of that: the column is then kept since this opening alone.
 */
export type Fill = (store: StoreReads) => unknown;

/** A layout found in the store. */
export interface KnownLayout {
  readonly rowBytes: number;
  readonly copies: readonly ColumnCopy[];
}

/** What it must know of the table. */
interface TableColumns {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly layout: number;
}

export class StoredLayouts {
  readonly #table: TableColumns;
  #stored: readonly StoredLayout[] = [];
  /** How to read each. */
  readonly #known = new Map<number, KnownLayout>();
  readonly #fills = new Map<string, Fill>();
  #newFill: Fill | undefined;
  /** Columns that loaded rows lacked. */
  readonly #added = new Set<string>();
  /** Columns, or the table, that were filled in part, with the newest ledger of the store then. */
  readonly #partial = new Map<string, number>();

  constructor(table: TableColumns) {
    this.#table = table;
  }

  onAdded(column: string, fill: Fill): void {
    this.#fills.set(column, fill);
  }

  onNew(fill: Fill): void {
    this.#newFill = fill;
  }

  /** @throws LayoutError when a column cannot be read as what it is now */
  load(stored: readonly StoredLayout[]): void {
    this.#stored = stored;
    const { name, columns: own } = this.#table;
    for (const { id, columns } of stored)
      this.#known.set(id, { rowBytes: layoutRowBytes(columns), copies: copyPlan(name, own, columns) });
  }

  find(id: number): KnownLayout | undefined {
    return this.#known.get(id);
  }

  /** A row that was loaded has no such column. */
  lacks(column: string): void {
    this.#added.add(column);
  }

  /** As Table.layoutsToStore. */
  toStore(ledger: number): readonly StoredLayout[] | undefined {
    const { layout, columns: own } = this.#table;
    if (this.#stored.some(({ id }) => id === layout)) return undefined;
    const before = new Map(this.#stored.flatMap(({ columns }) => columns.map((c) => [c.name, c.since])));
    const filled = (name: string): boolean => {
      const known = this.#stored.length === 0 ? this.#newFill !== undefined : this.#fills.has(name);
      return known && this.#partlyUntil(name) === 0;
    };
    const columns = own.map((column) => ({
      ...column,
      since: before.get(column.name) ?? (filled(column.name) ? 0 : ledger),
    }));
    this.#stored = [...this.#stored, { id: layout, columns }];
    return this.#stored;
  }

  since(column: string): number {
    const stored = this.#stored.at(-1)?.columns.find(({ name }) => name === column);
    return stored?.since ?? this.#partlyUntil(column);
  }

  /** 0: it was filled as a whole, or not at all. */
  #partlyUntil(column: string): number {
    const { name } = this.#table;
    return this.#partial.get(name) ?? this.#partial.get(`${name}.${column}`) ?? 0;
  }

  /** Runs the fills that are due. @returns names of what was filled */
  fill(store: StoreReads): string[] {
    const { name: table } = this.#table;
    const due: [string, Fill | undefined][] =
      this.#stored.length === 0
        ? [[table, this.#newFill]]
        : [...this.#added].map((column) => [`${table}.${column}`, this.#fills.get(column)]);
    this.#added.clear();
    const filled: string[] = [];
    for (const [name, fill] of due) {
      if (!fill) continue;
      if (fill(store) === false) this.#partial.set(name, store.cursor?.index ?? 0);
      filled.push(name);
    }
    return filled;
  }
}
