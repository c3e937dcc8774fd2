/**
 * LMDB's file as pages, read with ordinary reads.
 *
 * LMDB reads through a memory map and believes every byte: a damaged page number or length makes it read beside the file,
 * and the process dies by a signal. So what it will read is looked at here before: that every page is what its place
 * in the tree says, that every node lies within its page, keys ascend, and overflow pages are there.
 *
 *     page    | number 8 | transaction 8 | pad 2 | flags 2 | lower 2, upper 2 (overflow: pages 4) | places of nodes 2 ...
 *     branch  node: | child page 6 (4 and 2 bytes of it) | key length 2 | key |
 *     leaf    node: | value length 4 | flags 2 | key length 2 | key | value, or its place |
 *     place of a value on pages of its own: | first page 8 | transaction 8 | pages 8 |
 *     list of free pages, by transaction: | count 8 | a page, 0, or a negative count and its first page 8 | ...
 *     (lower, upper and the places of nodes count from behind the head)
 *     meta    pages 0 and 1 in turn: | magic 4 | version 4 | address 8 | map size 8 | free 48 | main 48 | last page 8 | transaction 8 |
 *
 * The format is that of lmdb 3 (data version 2), little-endian: dependencies/lmdb/libraries/liblmdb/mdb.c of the package.
 *
 * Cost: one read and about 5 us for a page of short rows; 2 us for a value on pages of its own, whose bytes are not read.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { corrupt, DATA_FILE } from './errors.ts';
import { FileWindow } from './file-window.ts';
import { HEAD_BYTES, NODE_BYTES, NodeFlag, PageFlag, PLACE_BYTES } from './page-format.ts';
import { type Key, PageRow } from './page-row.ts';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 0xffffffffffffffffn;
/** A tree of this depth would hold more pages than a file can have. */
const DEPTH_MAX = 16;
const TREE_BYTES = 48;

/** What LMDB stores of a tree. */
export interface Tree {
  readonly name: string;
  /** Keys are numbers in the machine's byte order, not bytes (the list of free pages). */
  readonly numbers: boolean;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** undefined: empty. */
  readonly root: number | undefined;
}

export interface TreeCheck {
  /** Whether to look at the heads of values on pages of their own, too: reading needs no more than that they are there. */
  readonly longValues: boolean;
  /** Whether to pass over a leaf page: by the bounds of its keys, the second of which is not in it. Asked in ascending order. */
  readonly skips?: ((low: Key | undefined, high: Key | undefined) => boolean) | undefined;
  /** Called for each row, ascending. */
  readonly visit?: ((row: PageRow) => void) | undefined;
}

export class PageFile {
  readonly dir: string;
  readonly pageBytes: number;
  /** Pages 0 .. lastPage are in use or free. */
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly free: Tree;
  readonly main: Tree;
  readonly #fd: number;
  /** One page for each depth: keys of the pages above bound those below. */
  readonly #buffers: Buffer[] = [];
  readonly #values: FileWindow;
  readonly #leaves: FileWindow;
  /** A bit for each page that has been seen in a tree. */
  readonly #seen: Uint8Array;

  private constructor(dir: string, fd: number, meta: Meta) {
    this.dir = dir;
    this.#fd = fd;
    this.#values = new FileWindow(fd);
    this.#leaves = new FileWindow(fd);
    this.pageBytes = meta.pageBytes;
    this.lastPage = meta.lastPage;
    this.transaction = meta.transaction;
    this.free = meta.free;
    this.main = meta.main;
    this.#seen = new Uint8Array((this.lastPage >> 3) + 1);
  }

  /**
   * @returns undefined when the file is empty or not there
   * @throws StoreError corrupt when its head is damaged, or it has been cut short
   */
  static open(dir: string): PageFile | undefined {
    let fd: number;
    try {
      fd = openSync(join(dir, DATA_FILE), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { size } = fstatSync(fd);
      if (size > 0) {
        const meta = readMeta(fd, dir);
        new PageFile(dir, fd, meta).#checkLength(size);
        return new PageFile(dir, fd, meta);
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** A page as it is in the file. @param into a page's bytes. @throws StoreError corrupt when the file ends before */
  readPage(number: number, into: Buffer): Buffer {
    this.#readAt(into, number * this.pageBytes);
    return into;
  }

  /** The same of a page among leaves that are read in their order. Valid until the next call. */
  readLeaf(number: number): Buffer {
    return this.#bytesAt(this.#leaves, number * this.pageBytes, this.pageBytes);
  }

  /** A value on pages of its own. Valid until the next call. @throws StoreError corrupt when the file ends before */
  longValue(first: number, length: number): Buffer {
    return this.#valueAt(first * this.pageBytes + HEAD_BYTES, length);
  }

  /** The trees by name, as the main tree lists them. @throws StoreError corrupt */
  trees(): Map<string, Tree> {
    const trees = new Map<string, Tree>();
    const visit = (row: PageRow): void => {
      const { flags, length } = row;
      // Names are C strings.
      const name = row.key.toString('utf8').replace(/\0$/, '');
      if (flags !== NodeFlag.tree || length !== TREE_BYTES)
        throw this.#damage(`the list of tables: '${name}' is no table`);
      trees.set(name, readTree(row.value(), 0, name));
    };
    this.check(this.main, { longValues: true, visit });
    return trees;
  }

  /**
   * Looks at every page of a tree.
   * @throws StoreError corrupt, with table and page
   */
  check(tree: Tree, { longValues, skips, visit }: TreeCheck): void {
    const counts = { branch: 0, leaf: 0, overflow: 0, entries: 0, skipped: 0 };
    if (tree.root === undefined) {
      if (tree.entries !== 0) throw this.#damage(`table '${tree.name}' has rows and no pages`);
      return;
    }
    if (tree.depth < 1 || tree.depth > DEPTH_MAX)
      throw this.#damage(`table '${tree.name}' has depth ${tree.depth}`);
    const walk = { tree, counts, longValues, skips, visit, row: new PageRow(this) };
    this.#page(walk, tree.root, 1, undefined, undefined);
    let stored = [tree.branchPages, tree.leafPages, tree.overflowPages, tree.entries];
    let found = [counts.branch, counts.leaf + counts.skipped, counts.overflow, counts.entries];
    // What lies on skipped pages is not known.
    if (counts.skipped > 0) [stored, found] = [stored.slice(0, 2), found.slice(0, 2)];
    if (found.some((count, i) => count !== stored[i]))
      throw this.#damage(
        `table '${tree.name}' has ${found.join('/')} pages and rows, not ${stored.join('/')}`,
      );
  }

  /**
   * Looks at the list of free pages: LMDB writes over those.
   * Call it last: what the trees looked at use must not be in it.
   */
  checkFree(): void {
    const visit = (row: PageRow): void => {
      const { length } = row;
      const bytes = row.value();
      const wrong = (): Error => this.#damage('the list of free pages is damaged');
      if (length < 8 || length % 8 !== 0) throw wrong();
      const count = Number(bytes.readBigInt64LE(0));
      if (count < 0 || count > length / 8 - 1) throw wrong();
      for (let i = 1; i <= count; i++) {
        const entry = Number(bytes.readBigInt64LE(i * 8));
        if (entry === 0) continue;
        if (entry < 0 && i === count) throw wrong();
        const first = entry > 0 ? entry : Number(bytes.readBigInt64LE(++i * 8));
        const pages = entry > 0 ? 1 : -entry;
        if (first < 2 || first + pages - 1 > this.lastPage) throw wrong();
        for (let page = first; page < first + pages; page++) this.#see(page, 'the list of free pages');
      }
    };
    this.check(this.free, { longValues: true, visit });
  }

  /** A page that was used and freed within one transaction is never written: at the end of the file it is not there. */
  #checkLength(size: number): void {
    const whole = (this.lastPage + 1) * this.pageBytes;
    if (whole <= size) return;
    this.checkFree();
    for (let page = Math.floor(size / this.pageBytes); page <= this.lastPage; page++)
      if (!(this.#seen[page >> 3]! & (1 << (page & 7))))
        throw this.#damage(`${DATA_FILE} has ${size} bytes and should have ${whole}: it was cut short`);
  }

  #page(walk: Walk, number: number, depth: number, low: Key | undefined, high: Key | undefined): void {
    const { tree, counts } = walk;
    const bytes = this.#read(tree, number, depth);
    const flags = bytes.readUInt16LE(18);
    const leaf = depth === tree.depth;
    const lower = bytes.readUInt16LE(20);
    const upper = HEAD_BYTES + bytes.readUInt16LE(22);
    const nodes = lower >> 1;
    if (flags !== (leaf ? PageFlag.leaf : PageFlag.branch))
      throw this.#at(tree, number, `is of another kind (${flags})`);
    if (lower & 1 || nodes < (leaf ? 1 : 2) || HEAD_BYTES + lower > upper || upper > this.pageBytes)
      throw this.#at(tree, number, 'has wrong bounds');
    if (leaf) {
      counts.leaf++;
      this.#leaf(walk, bytes, number, nodes, upper, low, high);
      return;
    }
    counts.branch++;
    this.#branch(walk, bytes, number, nodes, upper, depth, low, high);
  }

  #branch(
    walk: Walk,
    bytes: Buffer,
    number: number,
    nodes: number,
    upper: number,
    depth: number,
    low: Key | undefined,
    high: Key | undefined,
  ): void {
    const { tree } = walk;
    const keys: Key[] = [];
    const children: number[] = [];
    let used = 0;
    for (let i = 0; i < nodes; i++) {
      const at = this.#nodeAt(tree, bytes, number, i, upper);
      const length = bytes.readUInt16LE(at + 6);
      if (at + NODE_BYTES + length > this.pageBytes)
        throw this.#at(tree, number, 'has a key that runs past its end');
      used += even(NODE_BYTES + length);
      keys.push({ bytes, at: at + NODE_BYTES, length });
      children.push(bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32);
    }
    if (used !== this.pageBytes - upper) throw this.#at(tree, number, 'has nodes that overlap');
    // The first key of a branch says nothing: what is below the second one lies in the first child.
    for (let i = 1; i < nodes; i++) {
      const before = i === 1 ? low : keys[i - 1];
      if (before && compare(tree, before, keys[i]!) >= 0)
        throw this.#at(tree, number, 'has keys out of order');
    }
    if (high && compare(tree, keys[nodes - 1]!, high) >= 0)
      throw this.#at(tree, number, 'has keys out of order');
    const isAboveLeaves = depth + 1 === tree.depth;
    for (let i = 0; i < nodes; i++) {
      const [from, to] = [i === 0 ? low : keys[i], keys[i + 1] ?? high];
      if (isAboveLeaves && walk.skips?.(from, to)) walk.counts.skipped++;
      else this.#page(walk, children[i]!, depth + 1, from, to);
    }
  }

  #leaf(
    walk: Walk,
    bytes: Buffer,
    number: number,
    nodes: number,
    upper: number,
    low: Key | undefined,
    high: Key | undefined,
  ): void {
    const { tree, counts, visit, row } = walk;
    let used = 0;
    let before = low;
    for (let i = 0; i < nodes; i++) {
      const at = this.#nodeAt(tree, bytes, number, i, upper);
      const length = bytes.readUInt32LE(at);
      const flags = bytes.readUInt16LE(at + 4);
      const keyLength = bytes.readUInt16LE(at + 6);
      const big = flags === NodeFlag.big;
      if (flags !== 0 && !big && (flags !== NodeFlag.tree || tree !== this.main))
        throw this.#at(tree, number, `has a row of an unknown kind (${flags})`);
      const value = at + NODE_BYTES + keyLength;
      const size = NODE_BYTES + keyLength + (big ? PLACE_BYTES : length);
      if (at + size > this.pageBytes) throw this.#at(tree, number, 'has a row that runs past its end');
      used += even(size);
      const key = { bytes, at: at + NODE_BYTES, length: keyLength };
      const order = before ? compare(tree, before, key) : -1;
      // A key may equal the one that parts its page from the page before.
      if (order > 0 || (order === 0 && i > 0)) throw this.#at(tree, number, 'has keys out of order');
      before = key;
      const first = big ? this.#overflow(walk, bytes, number, value, length) : 0;
      counts.entries++;
      visit?.(row.become(key, flags, length, value, first));
    }
    if (high && before && compare(tree, before, high) >= 0)
      throw this.#at(tree, number, 'has keys out of order');
    if (used !== this.pageBytes - upper) throw this.#at(tree, number, 'has rows that overlap');
  }

  /** @returns the first page of a value that has pages of its own */
  #overflow(walk: Walk, bytes: Buffer, number: number, at: number, length: number): number {
    const { tree, counts, longValues, visit } = walk;
    const first = Number(bytes.readBigUInt64LE(at));
    const needed = Math.floor((HEAD_BYTES - 1 + length) / this.pageBytes) + 1;
    const pages = Number(bytes.readBigUInt64LE(at + 16));
    // A value that a transaction wrote twice keeps the pages that the first, longer one took. (LMDB's list of free pages is such.)
    if (pages < needed) throw this.#at(tree, number, 'has a value of a wrong length');
    if (!(first >= 2 && first + pages - 1 <= this.lastPage))
      throw this.#at(tree, number, 'names a page outside the file');
    for (let page = first; page < first + pages; page++) this.#see(page, `table '${tree.name}'`);
    counts.overflow += pages;
    if (!longValues) return first;
    // With the value behind it, where that will be asked for.
    const head = this.#valueAt(first * this.pageBytes, visit ? HEAD_BYTES + length : HEAD_BYTES);
    this.#checkHead(tree, head, first);
    if (head.readUInt16LE(18) !== PageFlag.overflow || head.readUInt32LE(20) !== pages)
      throw this.#at(tree, first, 'is not the long value it should be');
    return first;
  }

  #nodeAt(tree: Tree, bytes: Buffer, number: number, node: number, upper: number): number {
    const at = HEAD_BYTES + bytes.readUInt16LE(HEAD_BYTES + node * 2);
    if (at < upper || at & 1 || at + NODE_BYTES > this.pageBytes)
      throw this.#at(tree, number, 'has a row outside its bounds');
    return at;
  }

  #read(tree: Tree, number: number, depth: number): Buffer {
    if (!(number >= 2 && number <= this.lastPage))
      throw this.#damage(`table '${tree.name}' names page ${number}, which is outside the file`);
    this.#see(number, `table '${tree.name}'`);
    const bytes = depth === tree.depth ? this.readLeaf(number) : this.#readBranch(number, depth);
    this.#checkHead(tree, bytes, number);
    return bytes;
  }

  #readBranch(number: number, depth: number): Buffer {
    this.#buffers[depth] ??= Buffer.alloc(this.pageBytes);
    return this.readPage(number, this.#buffers[depth]);
  }

  #checkHead(tree: Tree, bytes: Buffer, number: number): void {
    if (bytes.readBigUInt64LE(0) !== BigInt(number)) throw this.#at(tree, number, 'is another page');
    if (bytes.readBigUInt64LE(8) > this.transaction) throw this.#at(tree, number, 'is of a later time');
    if (bytes.readUInt16LE(16) !== 0) throw this.#at(tree, number, 'has a damaged head');
  }

  #see(page: number, where: string): void {
    const bit = 1 << (page & 7);
    if (this.#seen[page >> 3]! & bit)
      throw this.#damage(`${where} has page ${page}, which is used elsewhere`);
    this.#seen[page >> 3]! |= bit;
  }

  #valueAt(at: number, length: number): Buffer {
    return this.#bytesAt(this.#values, at, length);
  }

  #bytesAt(window: FileWindow, at: number, length: number): Buffer {
    const bytes = window.read(at, length);
    if (bytes.length < length) throw this.#damage(`${DATA_FILE} ends before byte ${at + length}`);
    return bytes;
  }

  #readAt(into: Buffer, at: number): void {
    const isInFile = Number.isSafeInteger(at + into.length);
    if (!isInFile || readSync(this.#fd, into, 0, into.length, at) !== into.length)
      throw this.#damage(`${DATA_FILE} ends before byte ${at + into.length}`);
  }

  #at(tree: Tree, page: number, what: string): Error {
    return this.#damage(`table '${tree.name}': page ${page} ${what}`);
  }

  #damage(reason: string): Error {
    return corrupt(this.dir, reason);
  }
}

interface Walk extends TreeCheck {
  readonly tree: Tree;
  readonly counts: { branch: number; leaf: number; overflow: number; entries: number; skipped: number };
  readonly row: PageRow;
}

const even = (size: number): number => (size + 1) & ~1;

/** As LMDB orders keys. */
function compare({ numbers }: Tree, a: Key, b: Key): number {
  if (numbers) {
    if (a.length !== 8 || b.length !== 8) return 1;
    return Number(a.bytes.readBigUInt64LE(a.at) - b.bytes.readBigUInt64LE(b.at));
  }
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = a.bytes[a.at + i]! - b.bytes[b.at + i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly free: Tree;
  readonly main: Tree;
}

/** The newer of the two meta pages. */
function readMeta(fd: number, dir: string): Meta {
  const first = Buffer.alloc(4096);
  const read = readSync(fd, first, 0, first.length, 0);
  if (read < first.length) throw corrupt(dir, `${DATA_FILE} ends inside its head`);
  const pageBytes = first.readUInt32LE(HEAD_BYTES + 24);
  if (first.readUInt32LE(HEAD_BYTES) !== MAGIC) throw corrupt(dir, `${DATA_FILE} is not an LMDB file`);
  if (pageBytes < 4096 || pageBytes > 65_536 || pageBytes & (pageBytes - 1))
    throw corrupt(dir, `pages of ${pageBytes} bytes`);
  const second = Buffer.alloc(4096);
  if (readSync(fd, second, 0, second.length, pageBytes) < second.length)
    throw corrupt(dir, `${DATA_FILE} ends inside its head`);
  for (const [number, page] of [first, second].entries()) checkMeta(page, number, pageBytes, dir);
  const [a, b] = [transactionOf(first), transactionOf(second)];
  // They are written in turn. A new file has two of number 0.
  if (a - b !== 1n && b - a !== 1n && (a !== 0n || b !== 0n))
    throw corrupt(dir, `the two heads of ${DATA_FILE} do not follow one another`);
  const newest = b > a ? second : first;
  const lastPage = Number(newest.readBigUInt64LE(HEAD_BYTES + 120));
  return {
    pageBytes,
    lastPage,
    transaction: transactionOf(newest),
    free: { ...readTree(newest, HEAD_BYTES + 24, 'free pages'), numbers: true },
    main: readTree(newest, HEAD_BYTES + 72, 'tables'),
  };
}

const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(HEAD_BYTES + 128);

function checkMeta(page: Buffer, number: number, pageBytes: number, dir: string): void {
  const transaction = transactionOf(page);
  const fit =
    page.readBigUInt64LE(0) === BigInt(number) &&
    page.readUInt16LE(18) === PageFlag.meta &&
    page.readUInt32LE(HEAD_BYTES) === MAGIC &&
    page.readUInt32LE(HEAD_BYTES + 4) === DATA_VERSION &&
    page.readBigUInt64LE(HEAD_BYTES + 8) === 0n &&
    page.readUInt32LE(HEAD_BYTES + 24) === pageBytes &&
    (transaction === 0n || (transaction & 1n) === BigInt(number));
  if (!fit) throw corrupt(dir, `head ${number} of ${DATA_FILE} is damaged`);
}

function readTree(bytes: Buffer, at: number, name: string): Tree {
  const count = (offset: number): number => Number(bytes.readBigUInt64LE(at + offset));
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    name,
    numbers: false,
    depth: bytes.readUInt16LE(at + 6),
    branchPages: count(8),
    leafPages: count(16),
    overflowPages: count(24),
    entries: count(32),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}
