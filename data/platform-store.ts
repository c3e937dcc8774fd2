/**
 * The platform's data (platform/store.ts) on LMDB, in an environment of its own beside the engine's store, because
 *
 * - the engine's store may be deleted and made again from ledgers (`tool rebuild`, a snapshot), this one may not;
 * - LMDB has one writer at a time: while the engine catches up, a single key would have to wait for a batch of 64 MB;
 * - its rows are few and of many kinds, so each has its own version instead of a layout of columns.
 *
 *     transaction(a)  transaction(b)  transaction(c)        order of calls = order in which they run
 *          |  run a, run b over what a wrote
 *          v
 *     one group -> writer thread: one LMDB transaction, sync -> a and b resolve -> run c ...
 *
 * Transactions that wait while a group is being committed run together as the next group. A function that throws does not
 * change its group. No function runs before the previous group is durable, so none can depend on data that is not stored
 * in the end. A writer thread that ends unasked is replaced; what it had made durable is read from the store, so a group is neither
 * lost nor written twice.
 */
import { mkdirSync } from 'node:fs';
import { readU32 } from '../engine/codec/bytes.ts';
import type { Position } from '../engine/store.ts';
import {
  type Collection,
  type Key,
  PlatformError,
  type PlatformStore,
  type PlatformTransaction,
  type RowVisitor,
  type WalkRange,
} from '../platform/store.ts';
import { dataFile, openEnvironment } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import { type Lock, lock } from './lock.ts';
import { removeUnfinishedCompaction } from './maintenance.ts';
import { Changes } from './platform-changes.ts';
import { checkPlatformAtStart, platformDamage, platformIsMade } from './platform-check.ts';
import {
  appliedKey,
  checkName,
  collectionKey,
  lastOfLedger,
  PLATFORM_FAMILY_NAMES,
  PlatformFamily,
  settledKey,
  space,
} from './platform-keys.ts';
import { PlatformSnapshot } from './platform-snapshot.ts';
import { type PlatformContext, PlatformReader, RunningTransaction } from './platform-transaction.ts';
import { upgradeCollection } from './platform-upgrade.ts';
import { type CollectionRecord, checkDeclared, packRecord } from './platform-values.ts';
import type { RowGroup } from './platform-write.ts';
import { PlatformWriter } from './platform-writer.ts';
import { type FileSizes, fileSizes } from './space.ts';

/** A group takes no further transaction once it has this many bytes; one transaction has at most as many. */
const GROUP_BYTES = 4 * 1024 * 1024;
/** Limit of waiting transactions; with more, the disk is too slow and a caller does not await its promises. */
const WAITING_MAX = 10_000;
/** Between two tries while commits fail, ms: nobody else may write until they succeed again. */
const RETRY_MS = 5000;
/** Positions removed in one transaction when they are settled; the rest is removed later. */
const PRUNED_ROWS_MAX = 10_000;

export interface PlatformStoreOptions {
  /** Directory of this store; made when absent. */
  readonly dir: string;
  /** As of the engine's store: ledger positions are those of one network. */
  readonly network: string | number;
  readonly collections: readonly Collection<unknown>[];
  /** Bytes that one commit of an upgrade may write. */
  readonly upgradeStepBytes?: number;
  /** Commits fail from now on, with this fault; undefined: no longer. While they fail, one without rows is tried from time to time. */
  readonly onFailing?: (fault: unknown) => void;
  /** The thread that writes has ended unasked; another one takes its place. */
  readonly onThreadEnded?: (fault: unknown) => void;
  /** Between two tries while commits fail, ms. */
  readonly retryMs?: number;
}

export interface PlatformStats extends FileSizes {
  readonly collections: Readonly<Record<string, { readonly rows: number; readonly bytes: number }>>;
  /** Transactions since start that have become durable. */
  readonly transactions: number;
  /** Commits since start. */
  readonly groups: number;
  /** Commits since start that failed: nothing of them is stored. */
  readonly failures: number;
  /** Transactions in the queue. */
  readonly waiting: number;
}

interface Waiting {
  /** It is committed though it changes nothing. */
  readonly isTry?: true;
  run(transaction: RunningTransaction, meta: MetaRows): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Rows of 'meta' that a group writes, by key. */
type MetaRows = Map<string, { readonly key: Buffer; readonly value: Buffer }>;

/** {@link PlatformStore} on LMDB; use {@link openPlatformStore}. */
export class LmdbPlatformStore implements PlatformStore {
  /** Collections that were upgraded when the store was opened. */
  readonly upgraded: readonly string[];
  readonly #snapshot: PlatformSnapshot;
  readonly #writer: PlatformWriter;
  readonly #lock: Lock;
  readonly #declared: ReadonlyMap<string, Collection<unknown>>;
  readonly #records: Map<string, CollectionRecord>;
  readonly #context: PlatformContext;
  readonly #reader: PlatformReader;
  readonly #queue: Waiting[] = [];
  #commits: number;
  #transactions = 0;
  #groups = 0;
  #failures = 0;
  #isFailing = false;
  readonly #onFailing: (fault: unknown) => void;
  readonly #onThreadEnded: (fault: unknown) => void;
  /** The end of a thread that was reported last: until another one takes its place, each group meets it. */
  #reportedEnd: unknown;
  readonly #retryMs: number;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** The group being run or committed. */
  #busy: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: OpenedParts) {
    const { snapshot, writer, held, declared, records, upgraded, commits } = parts;
    const { onFailing = () => {}, onThreadEnded, retryMs = RETRY_MS } = parts;
    this.#onFailing = onFailing;
    this.#onThreadEnded = (fault) => {
      if (fault !== this.#reportedEnd) onThreadEnded?.(fault);
      this.#reportedEnd = fault;
    };
    this.#retryMs = retryMs;
    this.#snapshot = snapshot;
    this.#writer = writer;
    this.#lock = held;
    this.#declared = declared;
    this.#records = records;
    this.#commits = commits;
    this.upgraded = upgraded;
    this.#context = {
      snapshot,
      check: (collection) => this.#check(collection),
      committedRows: (name) => this.#records.get(name)!.rows,
    };
    this.#reader = new PlatformReader(this.#context);
  }

  get<T>(collection: Collection<T>, key: Key): T | undefined {
    return this.#reader.get(collection, key);
  }

  walk<T>(collection: Collection<T>, range: WalkRange, visit: RowVisitor<T>): void {
    this.#reader.walk(collection, range, visit);
  }

  walkIndex<T>(
    collection: Collection<T>,
    index: string,
    range: Omit<WalkRange, 'after'>,
    visit: RowVisitor<T>,
  ): void {
    this.#reader.walkIndex(collection, index, range, visit);
  }

  transaction<T>(run: (transaction: PlatformTransaction) => T): Promise<T> {
    return this.#enqueue((transaction) => {
      const result = run(transaction);
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new PlatformError(
          'bad-value',
          'a transaction must be synchronous: its function returned a promise',
        );
      }
      return result;
    });
  }

  onceAt(
    cause: string,
    position: Position,
    run: (transaction: PlatformTransaction) => void,
  ): Promise<boolean> {
    return this.#enqueue((transaction, meta) => {
      checkName(cause);
      const key = appliedKey(cause, position);
      if (position.ledger <= (this.#settled(cause, meta) ?? -1)) return false;
      if (transaction.rows.get(PlatformFamily.positions, key)) return false;
      if ((run(transaction) as unknown) instanceof Promise)
        throw new PlatformError(
          'bad-value',
          'a transaction must be synchronous: its function returned a promise',
        );
      transaction.changes.set(PlatformFamily.positions, key, Buffer.alloc(0));
      return true;
    });
  }

  settle(cause: string, ledger: number): Promise<void> {
    return this.#enqueue(({ rows, changes }, meta) => {
      checkName(cause);
      const last = lastOfLedger(cause, ledger);
      if (ledger <= (this.#settled(cause, meta) ?? -1)) return;
      const value = Buffer.alloc(4);
      value.writeUInt32BE(ledger);
      const key = settledKey(cause);
      meta.set(key.toString(), { key, value });
      let pruned = 0;
      for (const { key: position } of rows.walk(PlatformFamily.positions, { prefix: space(cause) })) {
        if (Buffer.compare(position, last) > 0 || ++pruned > PRUNED_ROWS_MAX) return;
        changes.set(PlatformFamily.positions, position, undefined);
      }
    });
  }

  settled(cause: string): number | undefined {
    this.#checkOpen();
    checkName(cause);
    return this.#settled(cause);
  }

  /** Sizes, for /metrics. */
  stats(): PlatformStats {
    this.#checkOpen();
    const collections = [...this.#records].map(([name, { rows, bytes }]) => [name, { rows, bytes }] as const);
    return {
      collections: Object.fromEntries(collections),
      ...fileSizes(this.#snapshot.environment),
      transactions: this.#transactions,
      groups: this.#groups,
      failures: this.#failures,
      waiting: this.#queue.length,
    };
  }

  /** Commits the waiting transactions, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#busy;
    await this.#writer.close();
    this.#snapshot.end();
    await this.#snapshot.environment.root.close();
    this.#lock.release();
  }

  #checkOpen(): void {
    if (this.#closing) throw new StoreError('closed', `${this.#snapshot.dir}: the store is closed`);
  }

  #check(collection: Collection<unknown>): void {
    // Transactions that wait when the store is closed still run.
    if (!this.#busy) this.#checkOpen();
    if (this.#declared.get(collection.name) !== collection)
      throw new PlatformError('not-declared', `'${collection.name}' is none of this store's collections`);
  }

  #settled(cause: string, meta?: MetaRows): number | undefined {
    const key = settledKey(cause);
    const bytes = meta?.get(key.toString())?.value ?? this.#snapshot.meta(key);
    return bytes && readU32(bytes, 0);
  }

  #enqueue<T>(run: (transaction: RunningTransaction, meta: MetaRows) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      if (this.#queue.length >= WAITING_MAX)
        throw new PlatformError('busy', `${WAITING_MAX} transactions wait for the disk`);
      this.#queue.push({ run, resolve: resolve as (result: unknown) => void, reject });
      this.#busy ??= this.#work();
    });
  }

  /** Runs and commits groups until none waits. */
  async #work(): Promise<void> {
    // Transactions that are started synchronously one after another form one group.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#group();
    this.#busy = undefined;
  }

  async #group(): Promise<void> {
    const changes = new Changes();
    const meta: MetaRows = new Map();
    const done: { waiting: Waiting; result: unknown }[] = [];
    while (this.#queue.length > 0 && changes.bytes < GROUP_BYTES) {
      const waiting = this.#queue.shift()!;
      try {
        done.push({ waiting, result: this.#run(waiting, changes, meta) });
      } catch (error) {
        waiting.reject(platformDamage(error, this.#snapshot.dir));
      }
    }
    try {
      const isTry = done.some(({ waiting }) => waiting.isTry);
      await this.#commit(changes, meta, isTry);
    } catch (error) {
      const fault = notStored(error);
      this.#failures++;
      this.#setFailing(fault);
      for (const { waiting } of done) waiting.reject(fault);
      return;
    }
    this.#transactions += done.length;
    for (const { waiting, result } of done) waiting.resolve(result);
  }

  /** Whether commits succeed again. */
  #try(): void {
    if (this.#closing) return;
    // What comes of it is said by `onFailing`.
    this.#queue.push({ isTry: true, run: () => undefined, resolve: () => {}, reject: () => {} });
    this.#busy ??= this.#work();
  }

  #run({ run }: Waiting, changes: Changes, meta: MetaRows): unknown {
    const transaction = new RunningTransaction(this.#context, changes);
    const own: MetaRows = new Map(meta);
    try {
      const result = run(transaction, own);
      changes.merge(transaction.changes);
      for (const [key, row] of own) meta.set(key, row);
      return result;
    } finally {
      transaction.end();
    }
  }

  async #commit(changes: Changes, meta: MetaRows, isTry: boolean): Promise<void> {
    const rows = [...changes.rows()];
    if (rows.length === 0 && meta.size === 0 && !isTry) return;
    const records = new Map<string, CollectionRecord>();
    for (const [name, growth] of changes.growth) {
      const before = this.#records.get(name)!;
      records.set(name, { ...before, rows: before.rows + growth.rows, bytes: before.bytes + growth.bytes });
    }
    const all = [...meta.values(), ...[...records].map(recordRow)];
    const group = { commits: this.#commits, rows, meta: all };
    await writeGroup(this.#snapshot, this.#writer, group, this.#onThreadEnded);
    this.#commits++;
    this.#groups++;
    this.#setFailing(undefined);
    for (const [name, record] of records) this.#records.set(name, record);
  }

  /** @param fault undefined: a commit has succeeded */
  #setFailing(fault: unknown): void {
    const isFailing = fault !== undefined;
    clearTimeout(this.#retry);
    if (isFailing && !this.#closing) this.#retry = setTimeout(() => this.#try(), this.#retryMs).unref();
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#onFailing(fault);
  }
}

/** Of a failed commit: what its callers can tell from their own faults. */
function notStored(error: unknown): unknown {
  if (!(error instanceof StoreError) || (error.code !== 'disk-full' && error.code !== 'read-only'))
    return error;
  return new PlatformError(error.code, error.message, error);
}

interface OpenedParts extends Pick<PlatformStoreOptions, 'onFailing' | 'onThreadEnded' | 'retryMs'> {
  readonly snapshot: PlatformSnapshot;
  readonly writer: PlatformWriter;
  readonly held: Lock;
  readonly declared: ReadonlyMap<string, Collection<unknown>>;
  readonly records: Map<string, CollectionRecord>;
  readonly upgraded: readonly string[];
  readonly commits: number;
}

function recordRow([name, record]: readonly [string, CollectionRecord]): { key: Buffer; value: Buffer } {
  return { key: collectionKey(name), value: packRecord(record) };
}

/** Makes a group durable; reads of this thread then include it. @param onThreadEnded another one takes its place */
async function writeGroup(
  snapshot: PlatformSnapshot,
  writer: PlatformWriter,
  group: RowGroup,
  onThreadEnded: (fault: unknown) => void = () => {},
): Promise<void> {
  try {
    await writer.write(group);
  } catch (fault) {
    if (!writer.hasEnded) throw fault;
    onThreadEnded(fault);
    await writer.ended();
    await writeAgain(snapshot, writer, group);
  }
  snapshot.refresh(group.commits + 1);
}

/**
 * Whether a thread that ended had made the group durable is in the store itself: nothing else writes there. Where it had not, another
 * thread is given the group, once: it may be what ended the first one. @throws StoreError; nothing of it is stored then
 */
async function writeAgain(
  snapshot: PlatformSnapshot,
  writer: PlatformWriter,
  group: RowGroup,
): Promise<void> {
  if (snapshot.newest() > group.commits) return;
  // Where the file is gone a new thread would make another one, and everything would seem to be forgotten.
  dataFile(snapshot.environment);
  await writer.restart();
  try {
    await writer.write(group);
  } catch (fault) {
    if (!writer.hasEnded) throw fault;
    await writer.ended();
    if (snapshot.newest() === group.commits) throw fault;
  }
}

/**
 * Opens the platform's store, creating it where there is none, and upgrades its collections. A stored collection that is
 * not declared stays as it is.
 * @throws StoreError locked, read-only, corrupt, newer-schema, other-network, disk-full, io; PlatformError for an
 *   invalid declaration, or an upgraded value that the collection does not accept
 */
export async function openPlatformStore(options: PlatformStoreOptions): Promise<LmdbPlatformStore> {
  const { dir, collections } = options;
  const declared = new Map(collections.map((collection) => [collection.name, collection]));
  if (declared.size < collections.length)
    throw new PlatformError('not-declared', 'two collections have the same name');
  for (const collection of collections) checkDeclared(collection);
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw storeError(error, dir);
  }
  const held = lock(dir);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => held.release());
  try {
    removeUnfinishedCompaction(dir);
    checkPlatformAtStart(dir);
    const writer = await PlatformWriter.start({ dir, network: String(options.network) });
    opened.defer(() => writer.close());
    const environment = openEnvironment(dir, { readOnly: true, families: PLATFORM_FAMILY_NAMES });
    opened.defer(() => environment.root.close());
    const snapshot = new PlatformSnapshot(environment);
    opened.defer(() => snapshot.end());
    const found = await upgradeAll(snapshot, writer, options);
    const store = new LmdbPlatformStore({ ...options, snapshot, writer, held, declared, ...found });
    platformIsMade(dir);
    opened.move();
    return store;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw platformDamage(storeError(error, dir), dir);
  }
}

async function upgradeAll(
  snapshot: PlatformSnapshot,
  writer: PlatformWriter,
  { collections, upgradeStepBytes }: PlatformStoreOptions,
): Promise<Pick<OpenedParts, 'records' | 'upgraded' | 'commits'>> {
  const records = new Map<string, CollectionRecord>();
  const upgraded: string[] = [];
  let { commits } = snapshot;
  const commit = async (name: string, changes: Changes, record: CollectionRecord): Promise<void> => {
    const rows = [...changes.rows()];
    await writeGroup(snapshot, writer, { commits, rows, meta: [recordRow([name, record])] });
    commits++;
  };
  for (const collection of collections) {
    const parts = { snapshot, commit, stepBytes: upgradeStepBytes };
    const { record, done } = await upgradeCollection(collection, parts);
    records.set(collection.name, record);
    if (done) upgraded.push(done);
  }
  return { records, upgraded, commits };
}
