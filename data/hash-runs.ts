/**
 * Sorted runs: where transactions and ledger entries are found by their hashes.
 *
 *     key    | family 1 | run 4 | first hash of the chunk 16 |
 *     value  | first 16 bytes of a hash | ledger 4, transaction 2 | ... ascending, ROWS_PER_CHUNK of them | checksum 4 |
 *
 *     meta 'runs'  (family 1, level 1, state 1, run 4) ...       oldest rows first
 *
 * Hashes are random, so in a tree each of a ledger's 500 new rows is written with a page of 4 KB, and that is 2 MB a ledger.
 * Here rows are written in order, some hundred thousand at once; RUNS_PER_LEVEL runs of a level become one of the next. So
 * a row is written once a level, 22 bytes each time, and there are few levels: a year of the main network has three.
 *
 * 16 bytes of a hash are enough: two equal ones among 10^12 by chance are less likely than a defect of the machine's memory
 * in that time, and making two costs 2^64 hashes.
 *
 * Rows whose ledger is no longer stored (pruning.ts) are left out whenever a run is written, and a run is written again
 * when half of its rows are such: so at most half of what is stored is of no use, and it costs one more write of each row.
 * Which run that is shows in its first chunk: hashes are random, so a chunk is a fair sample.
 *
 * A run counts once its entry in the catalog says so; what a crash leaves of an unfinished one is removed. Stores from
 * before keep the rows they have in their tables, which are read after the runs.
 *
 * Cost of a lookup: a chunk of 16 KB for each run, about 10 us; some 40 runs at most.
 */
import { readU32 } from '../engine/codec/bytes.ts';
import type { FamilyId } from '../engine/families.ts';
import { CHECKSUM_BYTES, seal } from './checksum.ts';
import { type Environment, put } from './environment.ts';
import { Family, HASH_KEY_BYTES, key, LOCATION_BYTES, MetaKey } from './keys.ts';
import { merged } from './merged.ts';
import { readMeta, writeMeta } from './meta.ts';
import { removedParts } from './row-log.ts';

export const RUN_ROW_BYTES = HASH_KEY_BYTES + LOCATION_BYTES;
/** Fill four pages of their own, with LMDB's head and the checksum. */
export const ROWS_PER_CHUNK = 743;
export const RUNS_PER_LEVEL = 16;
const ENTRY_BYTES = 7;
/** Share of rows without a stored ledger at which a run is written again. */
const STALE_SHARE = 0.5;
/** A run is looked at again after this many more ledgers were pruned. */
const LEDGERS_PER_LOOK = 256;

export const RunState = { complete: 0, building: 1, garbage: 2 } as const;

export interface Run {
  readonly family: FamilyId;
  readonly level: number;
  state: number;
  readonly id: number;
}

/** A row of a run: 16 bytes of a hash, and a location. Valid until the next one. */
export type RunRow = readonly [hash: Uint8Array, location: Uint8Array];

export function readCatalog(bytes: Uint8Array | undefined): Run[] {
  const runs: Run[] = [];
  for (let at = 0; bytes && at < bytes.length; at += ENTRY_BYTES)
    runs.push({
      family: bytes[at] as FamilyId,
      level: bytes[at + 1]!,
      state: bytes[at + 2]!,
      id: readU32(bytes, at + 3),
    });
  return runs;
}

function writeCatalog(runs: readonly Run[]): Buffer {
  const bytes = Buffer.alloc(runs.length * ENTRY_BYTES);
  for (const [i, { family, level, state, id }] of runs.entries()) {
    bytes.set([family, level, state], i * ENTRY_BYTES);
    bytes.writeUInt32BE(id, i * ENTRY_BYTES + 3);
  }
  return bytes;
}

/** First and last key of a run's chunks up to a hash, both included. */
export function runBounds(family: FamilyId, run: number, hash?: Uint8Array): [Buffer, Buffer] {
  const prefix = key([1, 4], [family, run]);
  const last = hash ? hash.subarray(0, HASH_KEY_BYTES) : Buffer.alloc(HASH_KEY_BYTES, 0xff);
  return [prefix, Buffer.concat([prefix, last])];
}

/** The location of a hash in a chunk. */
export function findInChunk(chunk: Uint8Array, hash: Uint8Array): Uint8Array | undefined {
  let low = 0;
  let high = chunk.length / RUN_ROW_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * RUN_ROW_BYTES;
    const order = compareHashes(chunk, at, hash, 0);
    if (order === 0) return chunk.subarray(at + HASH_KEY_BYTES, at + RUN_ROW_BYTES);
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

export function compareHashes(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  for (let i = 0; i < HASH_KEY_BYTES; i++) {
    const difference = a[atA + i]! - b[atB + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The writer's side: the catalog, and runs in the making. Everything within the transaction of a batch. */
export class HashRuns {
  readonly #environment: Environment;
  readonly #perLevel: number;
  #runs: Run[];
  #merge: RunMerge | undefined;
  #changed = false;
  /** Oldest ledger when a run was looked at for rows to leave out, by its id. */
  readonly #looked = new Map<number, number>();
  /** Rows of older ledgers are left out; 0: none is. */
  oldest = 0;

  /** What was unfinished when the process before ended is garbage. */
  constructor(environment: Environment, perLevel = RUNS_PER_LEVEL) {
    this.#environment = environment;
    this.#perLevel = perLevel;
    this.#runs = readCatalog(readMeta(environment, MetaKey.runs));
    for (const run of this.#runs) {
      if (run.state !== RunState.building) continue;
      run.state = RunState.garbage;
      this.#changed = true;
    }
  }

  /** Begins a run of the newest rows. @param rows ascending, each hash once */
  build(family: FamilyId, rows: Iterator<RunRow>): RunBuild {
    const run = this.#newRun(family, 0);
    this.#runs.push(run);
    return new RunBuild(this.#environment, run, rows, this);
  }

  /** The run has all its rows: it counts from this transaction on. */
  complete({ run, isEmpty }: RunBuild): void {
    run.state = isEmpty ? RunState.garbage : RunState.complete;
    this.#changed = true;
  }

  /** A run is being written again for what it is to leave out, or is to be looked at. */
  get hasStale(): boolean {
    return this.#merge?.from.length === 1 || this.#toLookAt() !== undefined;
  }

  #newRun(family: FamilyId, level: number): Run {
    this.#changed = true;
    const id = this.#runs.reduce((highest, run) => Math.max(highest, run.id), 0) + 1;
    return { family, level, state: RunState.building, id };
  }

  /** Goes on with merging runs and removing what was merged. @param chunks to read and write */
  step(chunks: number): void {
    this.#merge ??= this.#due() ?? this.#stale();
    if (this.#merge?.build.step(chunks)) {
      const { from, build } = this.#merge;
      this.complete(build);
      for (const old of from) old.state = RunState.garbage;
      this.#merge = undefined;
    }
    this.#removeGarbage(removedParts(chunks));
    if (!this.#changed) return;
    writeMeta(this.#environment, MetaKey.runs, writeCatalog(this.#runs));
    this.#changed = false;
  }

  /** Takes the oldest runs of a level that has enough of them. */
  #due(): RunMerge | undefined {
    for (const family of [Family.transactions, Family.entries]) {
      const complete = this.#runs.filter((run) => run.family === family && run.state === RunState.complete);
      for (const level of new Set(complete.map((run) => run.level))) {
        const from = complete.filter((run) => run.level === level).slice(0, this.#perLevel);
        if (from.length < this.#perLevel) continue;
        return this.#merged(from, level + 1);
      }
    }
    return undefined;
  }

  /** Takes a run of which most rows are to be left out. Looks at one run only: this is called with every batch. */
  #stale(): RunMerge | undefined {
    const run = this.#toLookAt();
    if (!run) return undefined;
    this.#looked.set(run.id, this.oldest);
    let [rows, old] = [0, 0];
    for (const [, location] of chunkRows(this.#chunkOf(run)?.value)) {
      rows++;
      if (readU32(location, 0) < this.oldest) old++;
    }
    return old >= rows * STALE_SHARE ? this.#merged([run], run.level) : undefined;
  }

  #toLookAt(): Run | undefined {
    if (this.oldest === 0) return undefined;
    return this.#runs.find(
      ({ id, state }) =>
        state === RunState.complete && (this.#looked.get(id) ?? 0) + LEDGERS_PER_LOOK <= this.oldest,
    );
  }

  /** @param from runs that follow one another */
  #merged(from: readonly Run[], level: number): RunMerge {
    const last = from.at(-1)!;
    const run = this.#newRun(last.family, level);
    // Behind the rows that it takes over and before newer ones.
    this.#runs.splice(this.#runs.indexOf(last) + 1, 0, run);
    const rows = merged(
      from.map((each) => this.#rowsOf(each)),
      byHash,
    );
    return { from, build: new RunBuild(this.#environment, run, rows, this) };
  }

  *#rowsOf(run: Run): Generator<RunRow> {
    // One chunk at a time: the walk goes over several transactions.
    for (let after: Uint8Array | undefined; ; ) {
      const next = this.#chunkOf(run, after);
      if (!next) return;
      yield* chunkRows(next.value);
      after = next.key;
    }
  }

  /** The first chunk of a run, or the first one after a key. */
  #chunkOf({ family, id }: Run, after?: Uint8Array) {
    const [start, end] = runBounds(family, id);
    const range = { start: after ?? start, end, inclusiveEnd: true, exclusiveStart: after !== undefined };
    return [...this.#environment.families[Family.runs]!.getRange({ ...range, limit: 1 })][0];
  }

  #removeGarbage(limit: number): void {
    const run = this.#runs.find(({ state }) => state === RunState.garbage);
    if (!run) return;
    const table = this.#environment.families[Family.runs]!;
    const [start, end] = runBounds(run.family, run.id);
    const keys = [...table.getKeys({ start, end, inclusiveEnd: true, limit })];
    for (const at of keys) table.removeSync(at);
    if (keys.length === limit) return;
    this.#runs = this.#runs.filter((each) => each !== run);
    this.#looked.delete(run.id);
    this.#changed = true;
  }
}

/** A run in the making and those whose rows it takes over. */
interface RunMerge {
  readonly from: readonly Run[];
  readonly build: RunBuild;
}

/** @param stored a chunk with its checksum; undefined: no rows */
function* chunkRows(stored: Uint8Array | undefined): Generator<RunRow> {
  const end = (stored?.length ?? 0) - CHECKSUM_BYTES;
  for (let at = 0; stored && at < end; at += RUN_ROW_BYTES)
    yield [
      stored.subarray(at, at + HASH_KEY_BYTES),
      stored.subarray(at + HASH_KEY_BYTES, at + RUN_ROW_BYTES),
    ];
}

/** A run in the making. */
export class RunBuild {
  readonly run: Run;
  readonly #environment: Environment;
  readonly #rows: Iterator<RunRow>;
  readonly #limits: { readonly oldest: number };
  #chunk = newChunk();
  #used = 0;
  #chunks = 0;

  /** @param limits rows of ledgers before the oldest one are left out */
  constructor(
    environment: Environment,
    run: Run,
    rows: Iterator<RunRow>,
    limits: { readonly oldest: number },
  ) {
    this.#environment = environment;
    this.run = run;
    this.#rows = rows;
    this.#limits = limits;
  }

  /** No row has been written. */
  get isEmpty(): boolean {
    return this.#chunks === 0;
  }

  /** Reads the rows of some chunks and writes those that are kept. @returns whether all rows are written */
  step(chunks: number): boolean {
    for (let left = chunks * ROWS_PER_CHUNK; left > 0; left--) {
      const next = this.#rows.next();
      if (next.done) {
        if (this.#used > 0) this.#write();
        return true;
      }
      const [hash, location] = next.value;
      if (readU32(location, 0) < this.#limits.oldest) continue;
      this.#chunk.set(hash, this.#used);
      this.#chunk.set(location, this.#used + HASH_KEY_BYTES);
      this.#used += RUN_ROW_BYTES;
      if (this.#used === ROWS_PER_CHUNK * RUN_ROW_BYTES) this.#write();
    }
    return false;
  }

  #write(): void {
    const at = Buffer.concat([
      key([1, 4], [this.run.family, this.run.id]),
      this.#chunk.subarray(0, HASH_KEY_BYTES),
    ]);
    const stored = this.#chunk.subarray(0, this.#used + CHECKSUM_BYTES);
    seal(Family.runs, at, stored);
    put(this.#environment, Family.runs, at, stored);
    this.#chunk = newChunk();
    this.#used = 0;
    this.#chunks++;
  }
}

function newChunk(): Buffer {
  return Buffer.alloc(ROWS_PER_CHUNK * RUN_ROW_BYTES + CHECKSUM_BYTES);
}

function byHash([a]: RunRow, [b]: RunRow): number {
  return compareHashes(a, 0, b, 0);
}
