/**
 * Durable storage of one network on LMDB: what engine/store.ts asks for.
 *
 * The main thread gathers rows into batches and reads; a writer thread sorts, compresses and commits. Reads see a
 * batch from the moment its commit has resolved, never before, and see it entirely.
 */
import { mkdirSync } from 'node:fs';
import type { Batch, Cursor, Store } from '../engine/store.ts';
import { PackedBatch } from './batch.ts';
import { Checker } from './checker.ts';
import { ChunkPool } from './chunks.ts';
import { freeBytes } from './disk.ts';
import { type EnvironmentOptions, hasStore, openEnvironment } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import type { HistoryLimits } from './history-merge.ts';
import { MetaKey, readCursor } from './keys.ts';
import { type Lock, lock } from './lock.ts';
import { backupTo, removeUnfinishedCompaction, type StoreStats, statsOf } from './maintenance.ts';
import { readMeta } from './meta.ts';
import { checkMigrated, networkOf } from './migrations.ts';
import type { KeptParts } from './pruning.ts';
import { Reads } from './reads.ts';
import { fileSizes, type StoreSpace } from './space.ts';
import { Writer } from './writer.ts';

export interface StoreOptions extends Omit<EnvironmentOptions, 'readOnly'> {
  /** Directory of this network's store; made when absent. */
  readonly dir: string;
  /** What identifies the network, e.g. its network id. A store refuses to be opened for another one. */
  readonly network: string | number;
  /** When history is merged into its tables; what is read does not depend on it. */
  readonly history?: Partial<HistoryLimits>;
  /** What is kept; undefined: all. */
  readonly keep?: KeptParts | undefined;
}

type Started = Awaited<ReturnType<typeof Writer.start>>;

/** {@link Store} on LMDB. */
export class LmdbStore extends Reads implements Store {
  /** Titles of the layout changes made when the store was opened. */
  readonly migrated: readonly string[];
  readonly #writer: Writer;
  readonly #lock: Lock;
  readonly #pool = new ChunkPool();
  readonly #checker: Checker;
  #closing: Promise<void> | undefined;

  /** Use {@link openStore}. */
  constructor(environment: Reads['environment'], { writer, migrated, pending }: Started, held: Lock) {
    super(environment, pending);
    this.#writer = writer;
    this.#lock = held;
    this.migrated = migrated;
    this.#checker = new Checker(environment.dir);
    writer.hold(this.#checker.enough);
  }

  /** Resolves when the whole store has been looked over. @throws StoreError corrupt */
  get checked(): Promise<void> {
    return this.#checker.done;
  }

  /** The same, but a large store is opened while its history is still being looked over. @throws StoreError corrupt */
  get checkedEnough(): Promise<void> {
    return this.#checker.enough;
  }

  batch(): Batch {
    return new PackedBatch(this.#pool);
  }

  /**
   * Resolves when batch and cursor are on disk. Order of calls = order of commits. A batch that failed may be
   * handed in again; those that stood behind it have failed as well.
   * @throws StoreError
   */
  commit(batch: Batch, cursor: Cursor): Promise<void> {
    if (this.#closing) return Promise.reject(this.#closed());
    if (!(batch instanceof PackedBatch) || batch.pool !== this.#pool) {
      return Promise.reject(new StoreError('bad-batch', 'a batch of another store'));
    }
    return this.#writer.write(batch, cursor);
  }

  /**
   * Begins to remove what is not kept, without waiting for a batch: a source may have no further ledgers, or be away.
   * Call it when nothing of what was stored is still to be read for a first time.
   */
  prune(): void {
    this.#writer.prune();
  }

  /** Copies the store as of now into `target` (absent or empty) while it is in use. @throws StoreError */
  async backup(target: string): Promise<void> {
    if (this.#closing) throw this.#closed();
    await backupTo(this.environment, target);
  }

  /** Sizes, for /metrics. */
  stats(): StoreStats {
    if (this.#closing) throw this.#closed();
    return statsOf(this.environment, { ...this.#writer.totals, waitingBytes: this.#writer.waitingBytes });
  }

  /** What it takes of the disk. */
  space(): StoreSpace {
    if (this.#closing) throw this.#closed();
    const free = freeBytes(this.environment.dir);
    return {
      ...fileSizes(this.environment),
      diskFreeBytes: Number.isFinite(free) ? free : undefined,
      writtenBytes: this.#writer.writtenBytes,
    };
  }

  /** Frees reader slots of processes that have died. @returns how many */
  readerCheck(): number {
    return this.environment.root.readerCheck();
  }

  /** Writes what has been handed in, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await this.#checker.stop();
    this.end();
    await this.environment.root.close();
    this.#lock.release();
  }

  #closed(): StoreError {
    return new StoreError('closed', `${this.environment.dir}: the store is closed`);
  }
}

/**
 * How far a store reaches, without migrating or creating anything.
 * @returns undefined when there is no store, or nothing in it
 * @throws StoreError corrupt, io
 */
export async function storedCursor(dir: string): Promise<Cursor | undefined> {
  if (!hasStore(dir)) return undefined;
  const environment = openEnvironment(dir, { readOnly: true });
  try {
    const bytes = readMeta(environment, MetaKey.cursor);
    return bytes && readCursor(bytes);
  } finally {
    await environment.root.close();
  }
}

/**
 * Opens a store for reading and writing, creating it where there is none.
 * @throws StoreError locked, read-only, corrupt, newer-schema, other-network, disk-full, io
 */
export async function openStore(options: StoreOptions): Promise<LmdbStore> {
  const { dir, mapSize } = options;
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw storeError(error, dir);
  }
  const held = lock(dir);
  const size = mapSize ? { mapSize } : {};
  let store: LmdbStore | undefined;
  try {
    removeUnfinishedCompaction(dir);
    // The writer goes first: it creates and migrates what is then opened for reading here.
    const history = options.history ? { history: options.history } : {};
    const keep = options.keep ? { keep: options.keep } : {};
    const started = await Writer.start(
      { dir, network: String(options.network), ...size, ...history, ...keep },
      (written) => store?.refresh(written),
    );
    try {
      store = new LmdbStore(openEnvironment(dir, { readOnly: true, ...size }), started, held);
    } catch (error) {
      await started.writer.close();
      throw error;
    }
    return store;
  } catch (error) {
    held.release();
    throw storeError(error, dir);
  }
}

/** A store opened for reading only: by another thread, or by another process beside the one that writes. */
export class StoreReader extends Reads {
  get network(): string | undefined {
    return networkOf(this.environment);
  }

  async close(): Promise<void> {
    this.end();
    await this.environment.root.close();
  }
}

/**
 * Opens an existing store for reading only. Call `refresh()` to see what has been written since, and do so every
 * few ledgers or close it: as long as a reader stays at its moment, the writer must not use again the pages freed
 * since, and the file grows.
 * @throws StoreError not-found, corrupt, newer-schema, older-schema, io
 */
export function openReader(dir: string): StoreReader {
  const environment = openEnvironment(dir, { readOnly: true });
  try {
    checkMigrated(environment);
    return new StoreReader(environment);
  } catch (error) {
    void environment.root.close();
    throw storeError(error, dir);
  }
}
