/**
 * The simplest implementation of the storage interface (engine/store.ts), in memory: for tests of the parts above it, and
 * as the reference for tests of the real store. It does not compress and is not fast.
 *
 * Every table is a map from a text key, whose order is the order of the rows, to the row's bytes.
 */

import { Packr, Unpackr } from 'msgpackr';
import type { RowSteps } from '../engine/event-loop.ts';
import { FAMILIES, type FamilyName, type RecordFamily } from '../engine/families.ts';
import { BLOCK_ROWS } from '../engine/state/dirty-rows.ts';
import type { Batch, Cursor, Position, RecordVisitor, Store, Walk } from '../engine/store.ts';

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false });

/** Fixed-width hexadecimal: sorts as the number does. */
const fixed = (n: number, digits: number): string => n.toString(16).padStart(digits, '0');
const positionKey = (p: Position): string => fixed(p.ledger, 8) + fixed(p.tx, 4) + fixed(p.entry, 4);
const positionOf = (key: string, at = 0): Position => ({
  ledger: Number.parseInt(key.slice(at, at + 8), 16),
  tx: Number.parseInt(key.slice(at + 8, at + 12), 16),
  entry: Number.parseInt(key.slice(at + 12, at + 16), 16),
});
const hexOf = (bytes: Uint8Array, at = 0): string => Buffer.from(bytes.subarray(at, at + 32)).toString('hex');

/** Number of the first keys for which `isBefore` holds: it does for none after one for which it does not. */
function countWhere(sorted: readonly string[], isBefore: (key: string) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows of one kind in key order; sorted when they are read. */
class Table {
  readonly rows = new Map<string, Uint8Array>();
  private sorted: string[] | undefined = [];

  set(key: string, value: Uint8Array): void {
    if (!this.rows.has(key)) this.sorted = undefined;
    this.rows.set(key, value);
  }

  /** Visits the keys from `first` to `last` (inclusive). */
  walk(
    first: string,
    last: string,
    walk: Walk<unknown>,
    visit: (key: string, value: Uint8Array) => boolean | undefined,
  ): void {
    this.sorted ??= [...this.rows.keys()].sort();
    const { sorted } = this;
    const from = countWhere(sorted, (key) => key < first);
    const to = countWhere(sorted, (key) => key <= last);
    const count = Math.min(to - from, walk.limit ?? sorted.length);
    for (let i = 0; i < count; i++) {
      const key = sorted[walk.reverse ? to - 1 - i : from + i]!;
      if (visit(key, this.rows.get(key)!) === false) return;
    }
  }
}

const NAMES = Object.keys(FAMILIES) as FamilyName[];

const EMPTY = new Uint8Array(0);

class MemoryBatch implements Batch {
  size = 0;
  committed = false;
  readonly rows: { table: FamilyName; key: string; value: Uint8Array }[] = [];
  /** Row images in order, by table and block; a block written whole has no image. */
  readonly images: { table: number; block: number; row?: number; image?: Uint8Array }[] = [];

  private put(table: FamilyName, key: string, value: Uint8Array): void {
    if (this.committed) throw new Error('this batch has been committed');
    this.rows.push({ table, key, value: value.slice() });
    this.size += key.length + value.length;
  }

  ledger(index: number, closeTime: number, packed: Uint8Array): void {
    this.put('ledgers', fixed(index, 8), packed);
    this.put('closeTimes', fixed(closeTime, 8) + fixed(index, 8), EMPTY);
  }

  transaction(bytes: Uint8Array, at: number, ledger: number, tx: number): void {
    this.put('transactions', hexOf(bytes, at), Buffer.from(positionKey({ ledger, tx, entry: 0 })));
  }

  entry(bytes: Uint8Array, at: number, ledger: number, tx: number): void {
    this.put('entries', hexOf(bytes, at), Buffer.from(positionKey({ ledger, tx, entry: 0 })));
  }

  trade(
    position: Position,
    record: Uint8Array,
    tokens: readonly [number, number],
    accounts: readonly [number, number],
  ): void {
    const key = positionKey(position);
    this.put('trades', key, record);
    for (const token of new Set(tokens)) this.put('tokenTrades', fixed(token, 8) + key, EMPTY);
    for (const account of new Set(accounts)) this.put('accountTrades', fixed(account, 8) + key, EMPTY);
  }

  candle(level: number, token: number, bucket: number, record: Uint8Array): void {
    this.put('candles', fixed(level, 2) + fixed(token, 8) + fixed(bucket, 8), record);
  }

  accountTransaction(account: number, ledger: number, tx: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value * 256);
    this.record('accountTransactions', [account, ledger, tx], bytes);
  }

  record(family: RecordFamily, key: readonly number[], value: Uint8Array): void {
    this.put(family, FAMILIES[family].key.map((width, i) => fixed(key[i]!, width * 2)).join(''), value);
  }

  block(table: number, block: number, bytes: Uint8Array): void {
    this.put('blocks', fixed(table, 4) + fixed(block, 8), bytes);
    this.images.push({ table, block });
  }

  row(table: number, row: number, image: Uint8Array): void {
    if (this.committed) throw new Error('this batch has been committed');
    this.images.push({ table, block: Math.floor(row / BLOCK_ROWS), row, image: image.slice() });
    this.size += image.length;
  }

  /** Images go when their block is written: there is no log to shorten. */
  checkpoint(): void {}

  text(kind: number, id: number, value: string): void {
    this.put('texts', fixed(kind, 2) + fixed(id, 8), Buffer.from(value, 'utf8'));
  }

  value(name: string, value: unknown): void {
    this.put('values', name, packr.pack(value));
  }
}

/** {@link Store} in memory. Batches become visible in a later microtask, in the order of the calls of `commit`. */
export class MemoryStore implements Store {
  cursor: Cursor | undefined;
  /** Number of commits so far. */
  commits = 0;
  /** Set to make the next commit fail with it, storing nothing. */
  failNext: Error | undefined;
  private closed = false;
  private readonly tables = Object.fromEntries(NAMES.map((name) => [name, new Table()])) as Record<
    FamilyName,
    Table
  >;
  /** Row images newer than their blocks: by table and block, then by row. */
  private readonly images = new Map<string, Map<number, Uint8Array>>();
  private last: Promise<void> = Promise.resolve();

  batch(): Batch {
    return new MemoryBatch();
  }

  commit(batch: Batch, cursor: Cursor): Promise<void> {
    if (!(batch instanceof MemoryBatch)) return Promise.reject(new Error('a batch of another store'));
    if (this.closed) return Promise.reject(new Error('the store is closed'));
    if (batch.committed) return Promise.reject(new Error('this batch has been committed'));
    batch.committed = true;
    const copy = { index: cursor.index, hash: cursor.hash.slice(), closeTime: cursor.closeTime };
    const done = this.last.then(() => {
      if (this.failNext) {
        const failure = this.failNext;
        this.failNext = undefined;
        throw failure;
      }
      for (const { table, key, value } of batch.rows) this.tables[table].set(key, value);
      // A block replaces images of its batch, too, whatever their order.
      for (const image of batch.images) if (image.image) this.keepImage(image);
      for (const image of batch.images) if (!image.image) this.keepImage(image);
      this.cursor = copy;
      this.commits++;
    });
    this.last = done.catch(() => {});
    return done;
  }

  blocks(table: number, visit: (block: number, bytes: Uint8Array) => unknown, from = 0): void {
    const prefix = fixed(table, 4);
    const first = `${prefix}${fixed(from, 8)}`;
    this.tables.blocks.walk(
      first,
      `${prefix}ffffffff`,
      {},
      (key, bytes) => visit(Number.parseInt(key.slice(4), 16), bytes) !== false,
    );
  }

  lastBlock(table: number): number | undefined {
    let last: number | undefined;
    this.blocks(table, (block) => {
      last = block;
    });
    return last;
  }

  private keepImage({ table, block, row, image }: MemoryBatch['images'][number]): void {
    const key = fixed(table, 4) + fixed(block, 8);
    if (row === undefined || !image) {
      this.images.delete(key);
      return;
    }
    const rows = this.images.get(key) ?? new Map<number, Uint8Array>();
    this.images.set(key, rows.set(row, image));
  }

  *rows(visit: (table: number, row: number, image: Uint8Array) => void): RowSteps {
    for (const [key, rows] of this.images) {
      for (const [row, image] of rows) visit(Number.parseInt(key.slice(0, 4), 16), row, image);
      yield 0;
    }
  }

  value(name: string): unknown {
    const bytes = this.tables.values.rows.get(name);
    return bytes && unpackr.unpack(bytes);
  }

  text(kind: number, id: number): string | undefined {
    const bytes = this.tables.texts.rows.get(fixed(kind, 2) + fixed(id, 8));
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  ledger(index: number): Uint8Array | undefined {
    return this.tables.ledgers.rows.get(fixed(index, 8))?.slice();
  }

  ledgerRanges(): readonly (readonly [number, number])[] {
    const ranges: [number, number][] = [];
    this.tables.ledgers.walk('', 'g', {}, (key) => {
      const index = Number.parseInt(key, 16);
      const open = ranges.at(-1);
      if (open && open[1] + 1 === index) open[1] = index;
      else ranges.push([index, index]);
      return true;
    });
    return ranges;
  }

  ledgerAt(closeTime: number): { index: number; closeTime: number } | undefined {
    let found: { index: number; closeTime: number } | undefined;
    this.tables.closeTimes.walk('', `${fixed(closeTime, 8)}ffffffff`, { reverse: true, limit: 1 }, (key) => {
      found = { index: Number.parseInt(key.slice(8), 16), closeTime: Number.parseInt(key.slice(0, 8), 16) };
      return true;
    });
    return found;
  }

  firstLedger(): { index: number; closeTime: number } | undefined {
    let found: { index: number; closeTime: number } | undefined;
    this.tables.closeTimes.walk('', 'g', { limit: 1 }, (key) => {
      found = { index: Number.parseInt(key.slice(8), 16), closeTime: Number.parseInt(key.slice(0, 8), 16) };
      return true;
    });
    return found;
  }

  transaction(hash: Uint8Array): Position | undefined {
    const bytes = this.tables.transactions.rows.get(hexOf(hash));
    return bytes && positionOf(Buffer.from(bytes).toString());
  }

  entry(index: Uint8Array): Position | undefined {
    const bytes = this.tables.entries.rows.get(hexOf(index));
    return bytes && positionOf(Buffer.from(bytes).toString());
  }

  trades(walk: Walk<Position>, visit: (position: Position, record: Uint8Array) => boolean | undefined): void {
    const first = walk.from ? positionKey(walk.from) : '';
    const last = walk.to ? positionKey(walk.to) : 'g';
    this.tables.trades.walk(first, last, walk, (key, record) => visit(positionOf(key), record));
  }

  tokenTrades(
    token: number,
    walk: Walk<Position>,
    visit: (position: Position, record: Uint8Array) => boolean | undefined,
  ): void {
    this.indexed('tokenTrades', token, walk, visit);
  }

  accountTrades(
    account: number,
    walk: Walk<Position>,
    visit: (position: Position, record: Uint8Array) => boolean | undefined,
  ): void {
    this.indexed('accountTrades', account, walk, visit);
  }

  private indexed(
    name: 'tokenTrades' | 'accountTrades',
    id: number,
    walk: Walk<Position>,
    visit: (position: Position, record: Uint8Array) => boolean | undefined,
  ): void {
    const first = fixed(id, 8) + (walk.from ? positionKey(walk.from) : '');
    const last = fixed(id, 8) + (walk.to ? positionKey(walk.to) : 'g');
    this.tables[name].walk(first, last, walk, (key) =>
      visit(positionOf(key, 8), this.tables.trades.rows.get(key.slice(8))!),
    );
  }

  candles(
    level: number,
    token: number,
    walk: Walk<number>,
    visit: (bucket: number, record: Uint8Array) => boolean | undefined,
  ): void {
    this.records('candles', [level, token], walk, visit);
  }

  records(family: RecordFamily, prefix: readonly number[], walk: Walk<number>, visit: RecordVisitor): void {
    const widths = FAMILIES[family].key;
    const start = prefix.map((number, i) => fixed(number, widths[i]! * 2)).join('');
    const digits = widths[prefix.length]! * 2;
    const first = start + (walk.from === undefined ? '' : fixed(walk.from, digits));
    const last = `${start}${walk.to === undefined ? '' : fixed(walk.to, digits)}g`;
    this.tables[family].walk(first, last, walk, (key, value) =>
      visit(Number.parseInt(key.slice(-widths.at(-1)! * 2), 16), value, Uint8Array.fromHex(key)),
    );
  }

  async close(): Promise<void> {
    await this.last;
    this.closed = true;
  }
}
