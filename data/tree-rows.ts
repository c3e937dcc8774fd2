/**
 * The rows of one tree of LMDB's file, read with ordinary reads: what a start reads millions of rows with.
 *
 *     seek: root -> branch -> leaf            branches are read once and kept
 *     leaf, leaf, ...                         a read each; a long value with many bytes ahead (file-window.ts)
 *
 * Goal: a row costs a fraction of what it costs through LMDB's map and its cursor, which takes a fault for each new page
 * and makes several objects for each row (6 us a block of 64 trust lines; here 1 us). Non-goals: seeing what is written
 * meanwhile, checks of whole trees (pages.ts): a page that is not what the one above it says ends the walk with an error.
 *
 * The caller keeps a read transaction open at the moment at which the file was opened, so that no page of it is written over.
 */
import { corrupt } from './errors.ts';
import { type Child, childrenOf, type LooseRow, rowsOfLeaf } from './page-format.ts';
import type { PageFile, Tree } from './pages.ts';

/** Deeper than any tree of a file that can be addressed. */
const DEPTH_MAX = 16;

/** @param value bytes that are valid during the call only. Return false to stop. */
export type StoredRowVisitor = (key: Buffer, value: Buffer) => boolean;

/** The same of a row in its page. */
type PlacedRowVisitor = (page: Buffer, row: LooseRow) => boolean;

export class TreeRows {
  readonly #file: PageFile;
  readonly #tree: Tree;
  readonly #branches = new Map<number, readonly Child[]>();

  constructor(file: PageFile, tree: Tree) {
    this.#file = file;
    this.#tree = tree;
  }

  /** Visits the rows from `first` to `last`, both included, ascending. @throws StoreError corrupt */
  visit(first: Uint8Array, last: Uint8Array, visit: StoredRowVisitor): void {
    this.#walk(first, last, (page, row) => visit(row.key, this.#value(page, row)));
  }

  /** The keys from `first` to `last`, both included, ascending. @throws StoreError corrupt */
  keys(first: Uint8Array, last: Uint8Array): Buffer[] {
    const keys: Buffer[] = [];
    this.#walk(first, last, (_, { key }) => {
      keys.push(Buffer.from(key));
      return true;
    });
    return keys;
  }

  #walk(first: Uint8Array, last: Uint8Array, visit: PlacedRowVisitor): void {
    if (this.#tree.root !== undefined) this.#below(this.#tree.root, 1, first, last, visit);
  }

  /** @returns false to stop */
  #below(
    number: number,
    depth: number,
    first: Uint8Array,
    last: Uint8Array,
    visit: PlacedRowVisitor,
  ): boolean {
    if (depth === this.#tree.depth) return this.#leaf(number, first, last, visit);
    const children = this.#children(number, depth);
    for (let i = lastNotAfter(children, first); i < children.length; i++) {
      const { key, page } = children[i]!;
      if (i > 0 && Buffer.compare(key, last) > 0) return false;
      if (!this.#below(page, depth + 1, first, last, visit)) return false;
    }
    return true;
  }

  #leaf(number: number, first: Uint8Array, last: Uint8Array, visit: PlacedRowVisitor): boolean {
    const page = this.#file.readLeaf(this.#inFile(number));
    const rows = rowsOfLeaf(page, number);
    if (rows.length === 0) throw this.#damaged(number);
    const isWhole = Buffer.compare(rows.at(-1)!.key, last) <= 0;
    let at = 0;
    while (at < rows.length && Buffer.compare(rows[at]!.key, first) < 0) at++;
    for (; at < rows.length; at++) {
      const row = rows[at]!;
      if (!isWhole && Buffer.compare(row.key, last) > 0) return false;
      if (!visit(page, row)) return false;
    }
    return true;
  }

  #value(page: Buffer, { at, length, first }: LooseRow): Buffer {
    if (first === 0) return page.subarray(at, at + length);
    const { lastPage, pageBytes } = this.#file;
    if (!(first >= 2 && first + length / pageBytes <= lastPage + 1)) throw this.#damaged(first);
    return this.#file.longValue(first, length);
  }

  #children(number: number, depth: number): readonly Child[] {
    const known = this.#branches.get(number);
    if (known) return known;
    const children = depth < DEPTH_MAX ? childrenOf(this.#branch(number), number) : [];
    if (children.length === 0) throw this.#damaged(number);
    this.#branches.set(number, children);
    return children;
  }

  /** Its keys are kept. */
  #branch(number: number): Buffer {
    return this.#file.readPage(this.#inFile(number), Buffer.alloc(this.#file.pageBytes));
  }

  #inFile(number: number): number {
    if (!(number >= 2 && number <= this.#file.lastPage)) throw this.#damaged(number);
    return number;
  }

  #damaged(number: number): Error {
    return corrupt(this.#file.dir, `table '${this.#tree.name}': page ${number} is not what it should be`);
  }
}

/** Index of the last child that may have keys before this one, or it. */
function lastNotAfter(children: readonly Child[], key: Uint8Array): number {
  let low = 0;
  let high = children.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (Buffer.compare(children[middle]!.key, key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}
