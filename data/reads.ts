/**
 * All reads of a store, on one thread's environment.
 *
 * They run in a read transaction that stays open until `refresh()`, instead of the one that lmdb renews at every
 * iteration of the event loop: all reads see exactly the state of `cursor`, for as long as the owner wants. An open
 * snapshot only prevents LMDB from reusing the pages freed since, which are those of a few batches.
 *
 * Every row passed to a visitor is a copy that lmdb makes of the memory map. Walks are synchronous: nothing
 * else happens on this thread between two rows.
 */

import type { Transaction } from 'lmdb';
import { Unpackr } from 'msgpackr';
import { readU32 } from '../engine/codec/bytes.ts';
import type { RowSteps } from '../engine/event-loop.ts';
import { FAMILIES, type FamilyId, type RecordFamily } from '../engine/families.ts';
import { BLOCK_ROWS } from '../engine/state/dirty-rows.ts';
import type { Cursor, Position, RecordVisitor, Walk } from '../engine/store.ts';
import { BlockRows } from './block-rows.ts';
import { LEDGER_SEALED, unseal } from './checksum.ts';
import type { Environment, Table } from './environment.ts';
import { corrupt, StoreError } from './errors.ts';
import { findInChunk, type Run, RunState, readCatalog, runBounds } from './hash-runs.ts';
import type { LoggedRows } from './history-merge.ts';
import {
  Family,
  key,
  MetaKey,
  POSITION_BYTES,
  positionKey,
  readCursor,
  readLocation,
  readPosition,
  recordBounds,
} from './keys.ts';
import { merged } from './merged.ts';
import { readMeta } from './meta.ts';
import { oldestKept } from './pruning.ts';
import { readRanges } from './ranges.ts';
import { RecentRows } from './recent-rows.ts';
import type { StoreMoment } from './restore-rows.ts';
import {
  batchOfPart,
  type ImageVisitor,
  LogKind,
  NEWEST_BATCH,
  NewestImages,
  newestFirst,
  partBounds,
  readLogState,
  unpackPart,
  unpackStored,
} from './row-log.ts';
import { firstTrades } from './trade-pruning.ts';
import type { Written } from './write.ts';

const unpackr = new Unpackr({ useRecords: false });
const U32_MAX = 0xffffffff;
const NO_PREFIX = Buffer.alloc(0);
/** Batches of the row log that are read in one step; one of a live ledger has a few hundred images, 1 us each. */
const BATCHES_A_STEP = 16;

type Row = readonly [key: Uint8Array, value: Uint8Array];

/** Rows of a generation of the log. */
interface Recent {
  readonly generation: number;
  readonly rows: RecentRows;
  /** What it is made of, where it was read here. */
  readonly parts?: readonly LogPart[];
}

interface LogPart {
  readonly batch: number;
  readonly bytes: Uint8Array;
}

const bytesOf = (parts: readonly LogPart[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes.length, 0);

function* rowsOf(
  { rows, places }: { readonly rows: RecentRows; readonly places: readonly number[] },
  reverse: boolean,
): Generator<Row> {
  for (let i = 0; i < places.length; i++) {
    const at = places[reverse ? places.length - 1 - i : i]!;
    yield [rows.key(at), rows.value(at)];
  }
}

const byKey = ([a]: Row, [b]: Row): number => Buffer.compare(a, b);
const byKeyBackwards = ([a]: Row, [b]: Row): number => Buffer.compare(b, a);

function listOf(parts: readonly LogPart[]): Recent {
  const all = new Uint8Array(bytesOf(parts));
  const rows = new RecentRows(all.buffer);
  let used = 0;
  const own = parts.map(({ batch, bytes }) => {
    const [from, to] = [used, used + bytes.length];
    all.set(bytes, from);
    rows.add(batch, from, to);
    used = to;
    return { batch, bytes: all.subarray(from, to) };
  });
  return { generation: 0, rows, parts: own };
}

/** Return false to stop. */
type PositionVisitor = (position: Position, record: Uint8Array) => boolean | undefined;

export class Reads {
  readonly environment: Environment;
  #cursor: Cursor | undefined;
  #snapshot: Transaction | undefined;

  /** History rows that are in the log only; the newest last. */
  #recent: Recent[] = [];
  #runs: readonly Run[] = [];
  /** Locations in ledgers before this one are not shown: the ledgers were pruned. */
  #oldest = 0;
  /** Trades of ledgers before this one are not shown: they are pruned, in steps. */
  #firstTrades = 0;
  readonly #ownLog: boolean;
  /** null: the file is not at the snapshot's moment; undefined: not asked for yet. */
  #blockRows: BlockRows | null | undefined;

  /** @param pending what the writer has in memory of the log; without it, the log is read here */
  constructor(environment: Environment, pending?: readonly LoggedRows[]) {
    this.environment = environment;
    this.#ownLog = pending === undefined;
    for (const logged of pending ?? []) this.#take(logged);
    this.refresh();
  }

  /** Moves to the newest durable state. @param written by the writer of this process, with this batch */
  refresh(written?: Written): void {
    const { root } = this.environment;
    this.#closeBlockRows();
    root.resetReadTxn();
    const before = this.#snapshot;
    this.#snapshot = root.useReadTransaction();
    before?.done();
    const bytes = readMeta(this.environment, MetaKey.cursor, this.#in);
    this.#cursor = bytes && readCursor(bytes);
    this.#runs = readCatalog(readMeta(this.environment, MetaKey.runs, this.#in));
    this.#oldest = oldestKept(this.environment, this.#in);
    this.#firstTrades = firstTrades(this.environment, this.#in);
    if (written?.logged) this.#take(written.logged);
    const { historyDone } = readLogState(readMeta(this.environment, MetaKey.log, this.#in));
    this.#recent = this.#recent.filter(({ rows }) => rows.last > historyDone);
    if (this.#ownLog) this.#readLog(historyDone);
  }

  #take({ generation, buffer, batch, from, to }: LoggedRows): void {
    let recent = this.#recent.at(-1);
    if (recent?.generation !== generation) {
      recent = { generation, rows: new RecentRows(buffer) };
      this.#recent.push(recent);
    }
    recent.rows.add(batch, from, to);
  }

  /**
   * Takes in the batches that came since the last time. They join the newest lists that are not twice as large: there are
   * only as many lists as their sizes have powers of two, and a row is taken in that often at most.
   */
  #readLog(historyDone: number): void {
    const known = Math.max(historyDone, this.#recent.at(-1)?.rows.last ?? 0);
    const [start, end] = partBounds(LogKind.history, known + 1, NEWEST_BATCH);
    let parts: LogPart[] = [];
    const log = this.#table(Family.log);
    for (const { key: at, value } of log.getRange({ start, end, inclusiveEnd: true, ...this.#in }))
      parts.push({ batch: batchOfPart(at), bytes: unpackStored(at, value, this.environment.dir) });
    if (parts.length === 0) return;
    for (let last = this.#recent.at(-1); last?.parts; last = this.#recent.at(-1)) {
      if (bytesOf(last.parts) > 2 * bytesOf(parts)) break;
      parts = [...last.parts.filter(({ batch }) => batch > historyDone), ...parts];
      this.#recent.pop();
    }
    this.#recent.push(listOf(parts));
  }

  /** Ends the snapshot; every later read throws. */
  end(): void {
    this.#closeBlockRows();
    this.#snapshot?.done();
    this.#snapshot = undefined;
  }

  #closeBlockRows(): void {
    this.#blockRows?.close();
    this.#blockRows = undefined;
  }

  get #in(): { transaction: Transaction } {
    if (!this.#snapshot) {
      throw new StoreError('closed', `${this.environment.dir}: the store is closed`);
    }
    return { transaction: this.#snapshot };
  }

  get cursor(): Cursor | undefined {
    return this.#cursor;
  }

  #table(family: FamilyId): Table {
    return this.environment.families[family]!;
  }

  #get(family: FamilyId, at: Uint8Array): Uint8Array | undefined {
    for (let i = this.#recent.length - 1; i >= 0; i--) {
      const value = this.#recent[i]!.rows.find(family, at);
      if (value) return value;
    }
    return this.#stored(family, at);
  }

  #stored(family: FamilyId, at: Uint8Array): Uint8Array | undefined {
    const stored = this.#table(family).getBinary(at, this.#in);
    return stored && unseal(family, at, stored, this.environment.dir);
  }

  /** What another thread needs to read the file as it is now, while nothing is written. undefined: nothing ever was */
  get moment(): StoreMoment | undefined {
    const log = this.environment.meta.getBinary(MetaKey.log, this.#in);
    return log && { dir: this.environment.dir, log: Uint8Array.from(log) };
  }

  blocks(table: number, visit: (block: number, bytes: Uint8Array) => unknown, from = 0): void {
    const { meta, dir } = this.environment;
    const { transaction } = this.#in;
    if (this.#blockRows === undefined)
      this.#blockRows = BlockRows.open(dir, meta.getBinary(MetaKey.log, { transaction })) ?? null;
    if (this.#blockRows) {
      this.#blockRows.visit(table, from, (at, stored) => {
        return visit(readU32(at, 2), unseal(Family.blocks, at, stored, dir)) !== false;
      });
      return;
    }
    const [first, last] = [key([2, 4], [table, from]), key([2, 4], [table, U32_MAX])];
    this.#walk(Family.blocks, first, last, {}, (at, bytes) => visit(readU32(at, 2), bytes) !== false);
  }

  lastBlock(table: number): number | undefined {
    const [start, end] = [key([2, 4], [table, U32_MAX]), key([2, 4], [table, 0])];
    const last = this.#table(Family.blocks).getKeys({
      start,
      end,
      inclusiveEnd: true,
      reverse: true,
      limit: 1,
      ...this.#in,
    });
    for (const at of last) return readU32(at, 2);
    return undefined;
  }

  *rows(visit: ImageVisitor): RowSteps {
    const { rowsDone, newest } = readLogState(readMeta(this.environment, MetaKey.log, this.#in));
    const images = new NewestImages(BLOCK_ROWS, visit);
    for (let last = newest; last > rowsDone; last -= BATCHES_A_STEP) {
      const first = Math.max(rowsDone + 1, last - BATCHES_A_STEP + 1);
      // An iterator of LMDB must not be kept over a step: other work may run in between.
      for (const keys of this.#partKeys(first, last))
        yield* images.batch(keys.length, (part) => this.#part(keys[part]!));
      yield 0;
    }
  }

  /** Keys of the parts of each of some batches, the newest batch first. */
  #partKeys(first: number, last: number): readonly (readonly Uint8Array[])[] {
    const [start, end] = partBounds(LogKind.rows, first, last);
    return newestFirst(this.#table(Family.log).getKeys({ start, end, inclusiveEnd: true, ...this.#in }));
  }

  #part(at: Uint8Array): Buffer {
    return unpackPart(at, this.#stored(Family.log, at)!, this.environment.dir);
  }

  value(name: string): unknown {
    const bytes = this.#get(Family.values, Buffer.from(name, 'utf8'));
    return bytes && unpackr.unpack(bytes);
  }

  text(kind: number, id: number): string | undefined {
    const bytes = this.#get(Family.texts, key([1, 4], [kind, id]));
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }

  /** A packed ledger. @throws StoreError corrupt when the stored bytes do not unpack to the stored length. */
  ledger(index: number): Uint8Array | undefined {
    const stored = this.#get(Family.ledgers, key([4], [index]));
    if (!stored) return undefined;
    const length = (readU32(stored, 0) & ~LEDGER_SEALED) >>> 0;
    let packed: Uint8Array;
    try {
      packed = Bun.zstdDecompressSync(stored.subarray(4));
    } catch (error) {
      throw corrupt(this.environment.dir, `ledger ${index} does not unpack`, error);
    }
    if (packed.length !== length) throw corrupt(this.environment.dir, `ledger ${index} has a wrong length`);
    return packed;
  }

  ledgerRanges(): readonly (readonly [number, number])[] {
    return readRanges(readMeta(this.environment, MetaKey.ranges, this.#in));
  }

  ledgerAt(closeTime: number): { index: number; closeTime: number } | undefined {
    return this.#closeTime(closeTime, true);
  }

  firstLedger(): { index: number; closeTime: number } | undefined {
    return this.#closeTime(U32_MAX, false);
  }

  #closeTime(to: number, reverse: boolean): { index: number; closeTime: number } | undefined {
    let found: { index: number; closeTime: number } | undefined;
    const [first, last] = [key([4, 4], [0, 0]), key([4, 4], [to, U32_MAX])];
    this.#walk(Family.closeTimes, first, last, { reverse, limit: 1 }, (at) => {
      found = { index: readU32(at, 4), closeTime: readU32(at, 0) };
      return false;
    });
    return found;
  }

  transaction(hash: Uint8Array): Position | undefined {
    return this.#stillStored(this.#location(Family.transactions, hash));
  }

  entry(index: Uint8Array): Position | undefined {
    return this.#stillStored(this.#location(Family.entries, index));
  }

  #stillStored(position: Position | undefined): Position | undefined {
    return position && position.ledger >= this.#oldest ? position : undefined;
  }

  /** The newest row of a hash: in the log, in a run, in the table of older stores. */
  #location(family: FamilyId, hash: Uint8Array): Position | undefined {
    for (let i = this.#recent.length - 1; i >= 0; i--) {
      const found = this.#recent[i]!.rows.find(family, hash);
      if (found) return readLocation(found);
    }
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const run = this.#runs[i]!;
      if (run.family !== family || run.state !== RunState.complete) continue;
      const found = this.#inRun(run, hash);
      if (found) return readLocation(found);
    }
    const bytes = this.#stored(family, hash);
    return bytes && readLocation(bytes);
  }

  #inRun({ family, id }: Run, hash: Uint8Array): Uint8Array | undefined {
    const [first, last] = runBounds(family, id, hash);
    let found: Uint8Array | undefined;
    this.#walk(Family.runs, first, last, { reverse: true, limit: 1 }, (_, chunk) => {
      found = findInChunk(chunk, hash);
      return false;
    });
    return found;
  }

  trades(walk: Walk<Position>, visit: PositionVisitor): void {
    const first = positionKey(NO_PREFIX, this.#fromKept(walk.from), false);
    const last = positionKey(NO_PREFIX, walk.to, true);
    this.#walk(Family.trades, first, last, walk, (at, record) => visit(readPosition(at, 0), record));
  }

  tokenTrades(token: number, walk: Walk<Position>, visit: PositionVisitor): void {
    this.#indexed(Family.tokenTrades, token, walk, visit);
  }

  accountTrades(account: number, walk: Walk<Position>, visit: PositionVisitor): void {
    this.#indexed(Family.accountTrades, account, walk, visit);
  }

  #indexed(family: FamilyId, id: number, walk: Walk<Position>, visit: PositionVisitor): void {
    const prefix = key([4], [id]);
    const first = positionKey(prefix, this.#fromKept(walk.from), false);
    const last = positionKey(prefix, walk.to, true);
    this.#walk(family, first, last, walk, (at) => {
      const record = this.#get(Family.trades, at.subarray(4, 4 + POSITION_BYTES));
      if (!record) throw corrupt(this.environment.dir, 'an index names a trade that is not stored');
      return visit(readPosition(at, 4), record);
    });
  }

  /** Where a walk of trades begins. */
  #fromKept(from: Position | undefined): Position | undefined {
    if ((from?.ledger ?? 0) >= this.#firstTrades) return from;
    return { ledger: this.#firstTrades, tx: 0, entry: 0 };
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
    const { id, key: widths } = FAMILIES[family];
    const [first, last] = recordBounds(widths, prefix, walk);
    const width = widths.at(-1)!;
    const kept = id === Family.trades ? positionKey(NO_PREFIX, this.#fromKept(undefined), false) : first;
    this.#walk(id, Buffer.compare(kept, first) > 0 ? kept : first, last, walk, (at, value) =>
      visit(Buffer.prototype.readUIntBE.call(at, at.length - width, width), value, at),
    );
  }

  /** Walks the keys from `first` to `last`, both included; backwards with `reverse`. */
  #walk(
    family: FamilyId,
    first: Buffer,
    last: Buffer,
    { reverse = false, limit }: Walk<unknown>,
    visit: (key: Uint8Array, value: Uint8Array) => boolean | undefined,
  ): void {
    if (limit !== undefined && limit <= 0) return;
    const order = Buffer.compare(first, last);
    if (order > 0) return;
    if (order === 0) {
      // One key, as of the current candle of a token: a look-up takes a fifth of the time of a cursor.
      const value = this.#get(family, first);
      if (value) visit(first, value);
      return;
    }
    const recent = this.#recent.map(({ rows }) => ({ rows, places: rows.range(family, first, last) }));
    const over = recent.filter(({ places }) => places.length > 0);
    const rows = this.#table(family).getRange({
      start: reverse ? last : first,
      end: reverse ? first : last,
      inclusiveEnd: true,
      reverse,
      ...(limit === undefined ? {} : { limit }),
      ...this.#in,
    });
    const { dir } = this.environment;
    const stored = (function* (): Generator<Row> {
      for (const { key: at, value } of rows) yield [at, unseal(family, at, value, dir)];
    })();
    const sources = [stored, ...over.map((source) => rowsOf(source, reverse))];
    let left = limit ?? Number.POSITIVE_INFINITY;
    for (const [at, value] of over.length === 0 ? stored : merged(sources, reverse ? byKeyBackwards : byKey))
      if (visit(at, value) === false || --left === 0) return;
  }
}
