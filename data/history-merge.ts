/**
 * History rows on their way into their tables: the writer's side.
 *
 *     small batch   rows -> the log (row-log.ts), and the current generation, in memory
 *                   and its sorted pieces (sorted-pieces.ts)
 *     generation    full: frozen, and merged with the next batches family by family, some rows with each
 *                   merged: its part of the log is no longer needed
 *     large batch   everything pending is merged, and its own rows with it; nothing goes into the log
 *
 * Goal: what a ledger adds lies at many places of large tables (candles of each token, trades of each account), and each
 * place costs a page of 4 KB, one row or many. A generation brings many rows to each, in key order. Hashes have no
 * places that would be met again: they become sorted runs (hash-runs.ts).
 *
 * Until it is merged the main thread finds a row in the generation's memory, which it shares (recent-rows.ts). A merge that
 * a crash interrupts begins again with the log: rows are put twice with the same value. Bounds: generations of
 * GENERATION_BYTES and GENERATION_BATCHES; the merge of one ends within SHARE of the next.
 *
 * Everything happens within the transaction of a batch. When that fails, what is here is ahead of the file: make a new
 * one, which reads the log.
 */
import { readU32 } from '../engine/codec/bytes.ts';
import type { FamilyId } from '../engine/families.ts';
import { seal } from './checksum.ts';
import { ROW_HEADER_BYTES } from './chunks.ts';
import { type Environment, put } from './environment.ts';
import { HashRuns, ROWS_PER_CHUNK, type RunBuild, type RunRow } from './hash-runs.ts';
import { FAMILY_NAMES, Family, HASH_KEY_BYTES, LOCATION_BYTES, MetaKey } from './keys.ts';
import { readMeta } from './meta.ts';
import { GENERATION_BYTES, LOGGED_BYTES_MAX } from './recent-rows.ts';
import {
  batchOfPart,
  LogKind,
  NEWEST_BATCH,
  packRows,
  partBounds,
  readLogState,
  removedParts,
  unpackStored,
} from './row-log.ts';
import { eachRow, type Rows } from './sort.ts';
import { SortedPieces } from './sorted-pieces.ts';

export interface HistoryLimits {
  readonly generationBytes: number;
  /** Batches of a generation: each is a row of the log that a start reads. */
  readonly generationBatches: number;
  /** A batch with more bytes is merged at once. */
  readonly loggedBytes: number;
  readonly runsPerLevel: number;
}

export const HISTORY_LIMITS: HistoryLimits = {
  generationBytes: GENERATION_BYTES,
  generationBatches: 1024,
  loggedBytes: LOGGED_BYTES_MAX,
  runsPerLevel: 16,
};

/** Share of a generation in which the one before it is merged. */
const SHARE = 0.5;
/** Chunks of runs merged for each chunk of new hashes: a row is merged once a level. */
const MERGED_CHUNKS = 3;
/** Rows that a batch sorts: more than it can bring without being merged at once, and about 5 ms. */
const SORTED_ROWS = 32_768;

/** Rows that were logged, in memory that the main thread reads. */
export interface LoggedRows {
  readonly generation: number;
  readonly buffer: SharedArrayBuffer;
  readonly batch: number;
  readonly from: number;
  readonly to: number;
}

interface Generation {
  readonly id: number;
  readonly buffer: SharedArrayBuffer;
  /** The buffer as rows. */
  readonly chunk: { readonly bytes: Uint8Array; readonly view: DataView; used: number };
  readonly pieces: SortedPieces;
  readonly spans: LoggedRows[];
  last: number;
}

export class History {
  /** History rows up to this batch are in their tables. */
  done: number;
  readonly #environment: Environment;
  readonly #limits: HistoryLimits;
  readonly #runs: HashRuns;
  /** Oldest first; all but the last one are frozen. */
  readonly #generations: Generation[] = [];
  #merge: Merge | undefined;
  #newest: number;

  /** @param before the one that this one replaces: the main thread knows its generations by their numbers */
  constructor(environment: Environment, limits: HistoryLimits, before?: History) {
    this.#newest = before?.newest ?? 0;
    this.#environment = environment;
    this.#limits = limits;
    this.#runs = new HashRuns(environment, limits.runsPerLevel);
    this.done = readLogState(readMeta(environment, MetaKey.log)).historyDone;
    const [start, end] = partBounds(LogKind.history, this.done + 1, NEWEST_BATCH);
    for (const { key, value } of environment.families[Family.log]!.getRange({
      start,
      end,
      inclusiveEnd: true,
    })) {
      const bytes = unpackStored(key, value, environment.dir);
      this.#append(batchOfPart(key), [{ bytes, view: viewOf(bytes), used: bytes.length }]);
    }
  }

  /** Number of the newest generation. */
  get newest(): number {
    return this.#newest;
  }

  /** Hashes of ledgers before this one are left out of runs from now on; 0: none is. */
  set oldest(index: number) {
    this.#runs.oldest = index;
  }

  /** Close time of a ledger whose history is not merged. Cost: walks all that is not merged. */
  closeTimeOf(index: number): number | undefined {
    const chunks = this.#generations.map(({ chunk }) => chunk);
    let found: number | undefined;
    eachRow(chunks, (family, chunk, at) => {
      if (family !== Family.closeTimes) return;
      const key = at + ROW_HEADER_BYTES;
      const { bytes } = chunks[chunk]!;
      if (readU32(bytes, key + 4) === index) found = readU32(bytes, key);
    });
    return found;
  }

  /** Runs have rows that are to be left out, as far as is known. */
  get hasStale(): boolean {
    return this.#runs.hasStale;
  }

  /** Goes on with the runs between batches. */
  stepRuns(chunks: number): void {
    this.#runs.step(chunks);
  }

  /** What is logged and not merged, oldest first. */
  get pending(): readonly LoggedRows[] {
    return this.#generations.flatMap(({ spans }) => spans);
  }

  /**
   * Takes the history rows of a batch, and goes on with merging.
   * @returns where they are in memory; undefined: all rows are in their tables
   */
  write(batch: number, rows: Rows): LoggedRows | undefined {
    const bytes = rows.reduce((sum, { used }) => sum + used, 0);
    let logged: LoggedRows | undefined;
    let parts = 0;
    if (bytes > this.#limits.loggedBytes) this.#mergeAll(batch, rows);
    else if (bytes > 0) {
      for (const { key, value } of packRows(batch, rows)) put(this.#environment, Family.log, key, value);
      parts = rows.length;
      logged = this.#append(batch, rows);
    }
    this.#sort();
    const part = Math.max(bytes / this.#limits.generationBytes, 1 / this.#limits.generationBatches) / SHARE;
    this.#step(part);
    const chunks = Math.ceil((bytes / ROWS_PER_CHUNK / HASH_KEY_BYTES) * MERGED_CHUNKS);
    this.#runs.step(Math.max(1, Math.min(chunks, 64)));
    this.#removeDone(removedParts(parts));
    return logged;
  }

  #append(batch: number, rows: Rows): LoggedRows {
    const size = rows.reduce((sum, { used }) => sum + used, 0);
    const { generationBytes, generationBatches } = this.#limits;
    let current = this.#generations.at(-1);
    const isFull = (at: Generation): boolean =>
      at.chunk.used + size > at.chunk.bytes.length || at.spans.length >= generationBatches;
    if (!current || isFull(current)) {
      current?.pieces.end();
      current = newGeneration(++this.#newest, Math.max(generationBytes, size));
      this.#generations.push(current);
    }
    const { chunk, pieces, id, buffer } = current;
    const from = chunk.used;
    for (const { bytes, used } of rows) {
      chunk.bytes.set(bytes.subarray(0, used), chunk.used);
      chunk.used += used;
    }
    pieces.add(chunk, from, chunk.used);
    current.last = batch;
    const logged = { generation: id, buffer, batch, from, to: chunk.used };
    current.spans.push(logged);
    return logged;
  }

  /** Goes on with sorting, oldest rows first. */
  #sort(): void {
    let left = SORTED_ROWS;
    for (const { pieces } of this.#generations) if (left > 0) left -= pieces.sortSome(left);
  }

  /** @param part of a generation to merge */
  #step(part: number): void {
    const oldest = this.#generations[0];
    if (this.#generations.length < 2 || !oldest?.pieces.isSorted) return;
    this.#merge ??= new Merge(this.#environment, this.#runs, oldest.pieces, oldest.chunk.used);
    if (!this.#merge.step(part)) return;
    this.#merge = undefined;
    this.done = oldest.last;
    this.#generations.shift();
  }

  #mergeAll(batch: number, rows: Rows): void {
    this.#merge?.step(1);
    if (this.#merge) this.#generations.shift();
    this.#merge = undefined;
    for (const { pieces } of this.#generations.splice(0)) this.#mergeAtOnce(pieces);
    const pieces = new SortedPieces();
    for (const chunk of rows) pieces.add(chunk, 0, chunk.used);
    this.#mergeAtOnce(pieces);
    this.done = batch;
  }

  #mergeAtOnce(pieces: SortedPieces): void {
    pieces.end();
    pieces.sortSome(Number.POSITIVE_INFINITY);
    new Merge(this.#environment, this.#runs, pieces, 0).step(1);
  }

  #removeDone(limit: number): void {
    const log = this.#environment.families[Family.log]!;
    const [start, end] = partBounds(LogKind.history, 0, this.done);
    const keys = [...log.getKeys({ start, end, inclusiveEnd: true, limit })];
    for (const key of keys) log.removeSync(key);
  }
}

/** The rows of a family that are being put. */
interface FamilyWalk {
  readonly family: FamilyId;
  readonly rows: Iterator<[Uint8Array, Uint8Array]>;
}

/** Puts rows into their tables and runs, family by family in key order. */
class Merge {
  readonly #environment: Environment;
  readonly #runs: HashRuns;
  readonly #pieces: SortedPieces;
  readonly #families: FamilyId[] = FAMILY_NAMES.map((_, family) => family as FamilyId);
  readonly #bytes: number;
  #current: FamilyWalk | undefined;
  #build: RunBuild | undefined;

  /** @param pieces all of them sorted. @param bytes of the rows */
  constructor(environment: Environment, runs: HashRuns, pieces: SortedPieces, bytes: number) {
    this.#environment = environment;
    this.#runs = runs;
    this.#pieces = pieces;
    this.#bytes = bytes;
  }

  /** @param part 1: to the end. @returns whether all rows are merged */
  step(part: number): boolean {
    let left = part >= 1 ? Number.POSITIVE_INFINITY : Math.ceil(this.#bytes * part);
    while (left > 0) {
      if (this.#build) {
        if (this.#build.step(1)) {
          this.#runs.complete(this.#build);
          this.#build = undefined;
        }
        left -= ROWS_PER_CHUNK * (HASH_KEY_BYTES + LOCATION_BYTES);
        continue;
      }
      const taken = this.#current ? this.#put(this.#current) : undefined;
      if (taken !== undefined) {
        left -= taken;
        continue;
      }
      if (!this.#nextFamily()) return true;
    }
    return false;
  }

  /** @returns bytes of the row; undefined: there is none left */
  #put({ family, rows }: FamilyWalk): number | undefined {
    const next = rows.next();
    if (next.done) return undefined;
    const [key, value] = next.value;
    seal(family, key, value);
    put(this.#environment, family, key, value);
    return key.length + value.length;
  }

  /** @returns false: there is none left */
  #nextFamily(): boolean {
    for (;;) {
      const family = this.#families.shift();
      if (family === undefined) return false;
      const rows = this.#pieces.rows(family);
      if (!rows) continue;
      const isHashed = family === Family.transactions || family === Family.entries;
      this.#current = isHashed ? undefined : { family, rows };
      if (isHashed) this.#build = this.#runs.build(family, runRows(rows));
      return true;
    }
  }
}

function* runRows(rows: Iterator<[Uint8Array, Uint8Array]>): Generator<RunRow> {
  for (let next = rows.next(); !next.done; next = rows.next())
    yield [next.value[0], next.value[1].subarray(0, LOCATION_BYTES)];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function newGeneration(id: number, size: number): Generation {
  const buffer = new SharedArrayBuffer(size);
  const bytes = new Uint8Array(buffer);
  const chunk = { bytes, view: viewOf(bytes), used: 0 };
  return { id, buffer, chunk, pieces: new SortedPieces(), spans: [], last: 0 };
}
