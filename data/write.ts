/**
 * Makes batches durable, one after another: what the writer thread does with its messages.
 *
 *     one transaction:  rows into their trees, ledgers, row images into the log, some pruning, the log's state, the cursor
 *     between batches:  a backlog of pruning, in transactions of their own
 */

import { readU32 } from '../engine/codec/bytes.ts';
import type { CheckpointStep } from './batch.ts';
import { CHECKSUM_BYTES, LEDGER_SEALED, seal } from './checksum.ts';
import { dataFile, type Environment, put } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import { HISTORY_LIMITS, History, type HistoryLimits, type LoggedRows } from './history-merge.ts';
import { CURSOR_BYTES, FAMILY_NAMES, Family, key, MetaKey, readCursor } from './keys.ts';
import { readMeta, writeMeta } from './meta.ts';
import { type KeptParts, oldestKept, Pruning, type StepLimits } from './pruning.ts';
import { addToRanges, readRanges, writeRanges } from './ranges.ts';
import {
  LogKind,
  type LogState,
  packParts,
  partBounds,
  readLogState,
  removedParts,
  writeLogState,
} from './row-log.ts';
import { type FamilyRows, type Rows, sortRows } from './sort.ts';
import { TradePruning } from './trade-pruning.ts';

/** Ledgers that a batch prunes, for each one that it brings: more than one, so that no backlog grows. */
const PRUNED_PER_LEDGER = 2;
/** Bounds of a transaction between batches: a batch that comes meanwhile waits for it. */
const STEP = { ledgers: 512, ms: 8, chunks: 32 } as const;

/** Level 1: a packed ledger shrinks to about half, at several hundred MB/s. */
const ZSTD = { level: 1 } as const;

/** What one batch cost the writer. */
export interface WriteCost {
  /** Milliseconds spent on sorting, on compressing, and on the transaction with its sync. */
  readonly sortMs: number;
  readonly compressMs: number;
  readonly transactionMs: number;
  /** Bytes of keys and values put since the writer started, by family id; merges and checkpoints included. */
  readonly putBytes: readonly number[];
}

/** What became of a batch. */
export interface Written {
  readonly cost: WriteCost;
  /** Its history rows, where they are not in their tables yet. */
  readonly logged: LoggedRows | undefined;
  /** History rows up to this batch are in their tables. */
  readonly historyDone: number;
}

/** What one batch hands over. */
export interface BatchRows {
  /** Packed ledgers by index. */
  readonly ledgers: ReadonlyMap<number, SharedArrayBuffer>;
  /** Rows for the trees. */
  readonly rows: Rows;
  /** Rows of history, for the log. */
  readonly history: Rows;
  /** Images of rows of tables, for the log. */
  readonly images: Rows;
  readonly checkpoints: readonly CheckpointStep[];
  /** Its 40 bytes. */
  readonly cursor: Uint8Array;
}

export class BatchWriter {
  readonly #environment: Environment;
  /** The 40 bytes stored last; undefined: nothing yet. */
  #cursor: Uint8Array | undefined;
  #log: LogState;
  /** Batch at which the running checkpoint began. */
  #frozenAt: number | undefined;

  readonly #limits: HistoryLimits;
  readonly #pruning: Pruning;
  readonly #trades: TradePruning;
  #history: History;
  #hasBacklog: boolean;

  constructor(environment: Environment, limits: Partial<HistoryLimits> = {}, keep: KeptParts = {}) {
    this.#environment = environment;
    this.#pruning = new Pruning(environment, keep.ledgers);
    this.#trades = new TradePruning(environment, keep.tradesSeconds);
    // Whether the store has more than that shows the first step.
    this.#hasBacklog = keep.ledgers !== undefined || keep.tradesSeconds !== undefined;
    this.#limits = { ...HISTORY_LIMITS, ...limits };
    this.#history = this.#newHistory();
    this.#cursor = readMeta(environment, MetaKey.cursor);
    this.#log = readLogState(readMeta(environment, MetaKey.log));
  }

  /**
   * Writes the rows and the cursor in one synchronous transaction.
   * @throws StoreError; nothing of the batch is stored then
   */
  write({ ledgers: packed, rows: chunks, history, images, checkpoints, cursor }: BatchRows): Written {
    const { root, families, dir } = this.#environment;
    const start = performance.now();
    const sorted = sortRows(chunks, FAMILY_NAMES.length);
    const sortedAt = performance.now();
    const ledgers = compressLedgers(packed);
    const log = this.#nextLog(checkpoints);
    const parts = this.#parts(log.state, sorted[Family.blocks], images);
    const compressedAt = performance.now();
    let logged: LoggedRows | undefined;
    let state = log.state;
    try {
      dataFile(this.#environment);
      root.transactionSync(() => {
        checkCursor(readMeta(this.#environment, MetaKey.cursor), this.#cursor, dir);
        this.#ledgers(ledgers);
        for (let family = 0; family < families.length; family++) {
          sorted[family]?.forEach((key, value) => {
            seal(family, key, value);
            put(this.#environment, family, key, value);
          });
        }
        for (const { key, value } of parts) put(this.#environment, Family.log, key, value);
        this.#removeDone(log.state, removedParts(parts.length));
        logged = this.#history.write(state.newest, history);
        this.#prune(cursor, { ledgers: PRUNED_PER_LEDGER * Math.max(1, ledgers.length) });
        state = { ...state, historyDone: this.#history.done };
        writeMeta(this.#environment, MetaKey.log, writeLogState(state));
        writeMeta(this.#environment, MetaKey.cursor, cursor);
      });
    } catch (error) {
      // It has gone on with what was not stored.
      this.#history = this.#newHistory(this.#history);
      throw storeError(error, dir);
    }
    this.#cursor = cursor;
    this.#log = state;
    this.#frozenAt = log.frozenAt;
    const cost = {
      sortMs: sortedAt - start,
      compressMs: compressedAt - sortedAt,
      transactionMs: performance.now() - compressedAt,
      putBytes: [...this.#environment.putBytes],
    };
    return { cost, logged, historyDone: state.historyDone };
  }

  /** Whether something is left to prune, as far as the last step saw. */
  get hasBacklog(): boolean {
    return this.#hasBacklog;
  }

  /**
   * Prunes some of a backlog, in a transaction of its own, bounded in time.
   * @returns whether something is left to prune
   * @throws StoreError; the next batch meets the same obstacle and reports it
   */
  pruneBacklog(): boolean {
    const cursor = this.#cursor;
    if (!cursor || !this.#hasBacklog) return false;
    const { root, dir } = this.#environment;
    const end = performance.now() + STEP.ms;
    try {
      root.transactionSync(() => {
        checkCursor(readMeta(this.#environment, MetaKey.cursor), cursor, dir);
        this.#history.stepRuns(STEP.chunks);
        this.#trades.step();
        this.#prune(cursor, { ledgers: STEP.ledgers, isOver: () => performance.now() > end });
      });
    } catch (error) {
      this.#history = this.#newHistory(this.#history);
      throw storeError(error, dir);
    }
    return this.#hasBacklog;
  }

  #prune(cursor: Uint8Array, limits: Omit<StepLimits, 'pendingCloseTime'>): void {
    const newest = readCursor(cursor);
    const pendingCloseTime = (index: number) => this.#history.closeTimeOf(index);
    const hasLedgers = this.#pruning.step(newest, { ...limits, pendingCloseTime });
    this.#history.oldest = oldestKept(this.#environment);
    const hasTrades = this.#trades.move(newest);
    this.#hasBacklog = hasLedgers || hasTrades || (this.#pruning.isOn && this.#history.hasStale);
  }

  #newHistory(before?: History): History {
    this.#trades.reset();
    const history = new History(this.#environment, this.#limits, before);
    history.oldest = oldestKept(this.#environment);
    return history;
  }

  /** History rows that are logged and not merged yet, oldest first. */
  get pending(): readonly LoggedRows[] {
    return this.#history.pending;
  }

  #ledgers(ledgers: readonly { key: Uint8Array; value: Uint8Array }[]): void {
    if (ledgers.length === 0) return;
    const ranges = readRanges(readMeta(this.#environment, MetaKey.ranges));
    for (const { key, value } of ledgers) {
      put(this.#environment, Family.ledgers, key, value);
      addToRanges(ranges, readU32(key, 0));
    }
    writeMeta(this.#environment, MetaKey.ranges, writeRanges(ranges));
  }

  /** The log's state with this batch. */
  #nextLog(checkpoints: readonly CheckpointStep[]): { state: LogState; frozenAt: number | undefined } {
    const newest = this.#log.newest + 1;
    const { historyDone } = this.#log;
    let { rowsDone } = this.#log;
    let frozenAt = this.#frozenAt;
    for (const step of checkpoints) {
      if (step === 'begin') frozenAt = newest;
      else {
        rowsDone = frozenAt ?? rowsDone;
        frozenAt = undefined;
      }
    }
    return { state: { newest, rowsDone, historyDone }, frozenAt };
  }

  #parts({ newest }: LogState, blocks: FamilyRows | undefined, images: Rows) {
    const written: [number, number][] = [];
    blocks?.forEach((key) => void written.push([(key[0]! << 8) | key[1]!, readU32(key, 2)]));
    return written.length + images.length === 0 ? [] : packParts(newest, written, images);
  }

  /** Removes some of the parts that a checkpoint has covered. */
  #removeDone({ rowsDone }: LogState, limit: number): void {
    const log = this.#environment.families[Family.log]!;
    const [start, end] = partBounds(LogKind.rows, 0, rowsDone);
    const keys = log.getKeys({ start, end, inclusiveEnd: true, limit });
    for (const key of [...keys]) log.removeSync(key);
  }
}

/** Rows of ledgers, ascending. A value: its raw length, which bounds what reading it back may unpack, the frame, its checksum. */
function compressLedgers(ledgers: BatchRows['ledgers']): { key: Uint8Array; value: Uint8Array }[] {
  return [...ledgers]
    .sort(([a], [b]) => a - b)
    .map(([index, packed]) => {
      const frame = Bun.zstdCompressSync(new Uint8Array(packed) as unknown as Uint8Array<ArrayBuffer>, ZSTD);
      const value = Buffer.allocUnsafe(4 + frame.length + CHECKSUM_BYTES);
      value.writeUInt32BE((packed.byteLength | LEDGER_SEALED) >>> 0, 0);
      value.set(frame, 4);
      const at = key([4], [index]);
      seal(Family.ledgers, at, value);
      return { key: at, value };
    });
}

/** Another process that wrote to the store in between would make history and state of two programs one mixture. */
function checkCursor(found: Uint8Array | undefined, expected: Uint8Array | undefined, dir: string): void {
  if (found === undefined && expected === undefined) return;
  if (found && expected && Buffer.compare(found.subarray(0, CURSOR_BYTES), expected) === 0) return;
  throw new StoreError(
    'locked',
    `${dir}: another process has written to this store. Let one process only write to a directory, then start again`,
  );
}
