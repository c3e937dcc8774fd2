/**
 * One network's engine: applies proved ledgers to hot state, hands what they change to the store, and notifies
 * listeners. One writer (the main thread); the same bytes in give the same state out.
 *
 *     prepared ledger -> state -> market -> flows, traders, pools, ... -> listeners (frames go out) -> what may wait
 *                          \         \            \     domains, see domain.ts                          |
 *                           `---------`------------`--------------------------------------------------'
 *                                                  `-> batch -> store (one durable transaction, with the cursor)
 *
 * Goal: a ledger is visible to readers the moment it is applied, durable a moment later, and never there in part
 * after a crash. While catching up, many ledgers share one batch. Non-goals: fetching (engine/ledger), serving
 * (api, ws). Cost: one pass over the change set on the main thread; the store's writer thread does the rest.
 */
import { AccountIndex } from './accounts/account-index.ts';
import { BATCH_LIMITS, type BatchLimits } from './batch-limits.ts';
import { Changes, Node } from './codec/changes.ts';
import { type RawDefinitions, SHIPPED } from './codec/definitions.ts';
import { extractEntries } from './codec/extract.ts';
import { Reader } from './codec/json.ts';
import { PackedLedger } from './codec/packed.ts';
import { Counters } from './counters.ts';
import { TokenDays } from './days/token-days.ts';
import { historyDigest } from './digest.ts';
import { type Domain, type EventsOf, restoringDomains, tablesOf } from './domain.ts';
import { type RowSteps, runInSlices, runToEnd, yieldToLoop } from './event-loop.ts';
import { Flows } from './flows/flows.ts';
import { type Head, headOf } from './head.ts';
import type { Prepared } from './ledger/prepare.ts';
import type { LedgerRef, SnapshotResume } from './ledger/source.ts';
import type { Log } from './log.ts';
import { Market } from './market/market.ts';
import { Nfts } from './nfts/nfts.ts';
import { PoolHistory } from './pools/pool-history.ts';
import { RecentLedgers, type TransactionPlace } from './recent-ledgers.ts';
import { Risk } from './risk/risk.ts';
import { RulesRecord } from './rules.ts';
import { Scams } from './scams/scams.ts';
import { BookPlaces } from './state/book-places.ts';
import { type CheckpointLimits, Checkpoints } from './state/checkpoint.ts';
import type { RestoreThread } from './state/restore-thread.ts';
import { State } from './state/state.ts';
import type { Table } from './state/table.ts';
import { type Batch, type Cursor, SNAPSHOT_VALUE, type Store } from './store.ts';
import { Traders } from './traders/traders.ts';
import { fillTables, rewriteOutdated, UPGRADE_BATCH_BYTES } from './upgrade.ts';
import { Usage } from './usage/usage.ts';

/** What listeners get, synchronously, for each applied ledger. Valid during the call only. */
export interface LedgerEvent {
  readonly head: Head;
  /** The ledger's transactions, and the nodes that they changed. */
  readonly packed: PackedLedger;
  readonly changes: Changes;
  /** What it changed in each domain. */
  readonly events: EventsOf<State | Market | Flows | Traders | Usage | AccountIndex | Nfts>;
}

/** Bytes of changed rows that are put into a batch without a pause: 1 ms. */
const HANDED_OVER_AT_ONCE = 64 * 1024;

export interface EngineParts {
  readonly store: Store;
  readonly log: Log;
  readonly counters?: Counters;
  /** Id of the network, where it is known: 0 is mainnet. */
  readonly networkId?: number;
  /** A batch could not be made durable: nothing more may be applied. Called once, with the store's error. */
  readonly onFault?: (fault: unknown) => void;
  /** Size of batches; the state does not depend on it. */
  readonly batch?: Partial<BatchLimits>;
  /** When blocks of the tables are written; the state does not depend on it. */
  readonly checkpoint?: Partial<CheckpointLimits>;
}

interface UpgradeOptions {
  readonly onProgress?: (share: number) => void;
  readonly batchBytes?: number;
}

export class Engine {
  readonly state = new State();
  readonly market: Market;
  readonly flows: Flows;
  readonly traders: Traders;
  readonly pools: PoolHistory;
  readonly usage: Usage;
  readonly tokenDays: TokenDays;
  readonly risk: Risk;
  readonly accountIndex: AccountIndex;
  readonly nfts = new Nfts(this.state);
  readonly scams = new Scams(this.state, this.nfts, (token) => this.market.prices.price(token));
  /** In the order in which a ledger passes through them. */
  readonly domains: readonly Domain[];
  readonly store: Store;
  readonly counters: Counters;
  readonly networkId: number | undefined;
  /** Makes JSON of recorded bytes. */
  reader: Reader;
  head: Head | undefined;
  /** Grows with every applied ledger: the key of everything cached from state. */
  version = 0;

  readonly #tables: readonly Table[];
  readonly #log: Log;
  readonly #limits: BatchLimits;
  readonly #onFault: (fault: unknown) => void;
  readonly #listeners = new Set<(applied: LedgerEvent) => unknown>();
  readonly #recent: RecentLedgers;
  readonly #checkpoints: Checkpoints;
  readonly #rules: RulesRecord;
  readonly #inFlight: Promise<void>[] = [];
  #batch: Batch | undefined;
  #batchLedgers = 0;
  /** Newest ledger of the store when it was opened; 0: it was empty. */
  #openedAt = 0;
  #failed = false;
  /** What is left to do of the newest ledger; undefined: nothing. */
  #settling: RowSteps | undefined;

  constructor(parts: EngineParts) {
    this.store = parts.store;
    this.networkId = parts.networkId;
    this.#log = parts.log;
    this.#limits = { ...BATCH_LIMITS, ...parts.batch };
    this.#recent = new RecentLedgers(this.#limits.recentLedgers);
    this.#onFault =
      parts.onFault ??
      ((fault) => {
        throw fault;
      });
    this.counters = parts.counters ?? new Counters();
    this.reader = new Reader(SHIPPED, this.counters);
    this.#rules = new RulesRecord(this.store);
    for (const part of [this.state, this.state.depositPreauths, this.nfts.uris]) part.attach(this.store);
    this.market = new Market(this.state, this.store);
    this.flows = new Flows(this.state, this.market);
    this.traders = new Traders(this.state, this.market);
    this.pools = new PoolHistory(this.state, this.market);
    this.usage = new Usage(this.state, this.market);
    this.tokenDays = new TokenDays(this.state, this.market);
    this.risk = new Risk(this);
    this.accountIndex = new AccountIndex(this.state, this.store);
    const { state, market, flows, traders, pools, usage, tokenDays, risk, accountIndex, nfts, scams } = this;
    const first = [state, new BookPlaces(state), market, flows, traders, pools, usage, tokenDays, risk];
    this.domains = [...first, accountIndex, nfts, scams];
    this.#tables = tablesOf(this.domains);
    this.#checkpoints = new Checkpoints(this.#tables, parts.checkpoint);
  }

  /** Loads what is durable. Call once, before the first ledger. */
  restore(): void {
    runToEnd(this.restoring());
  }

  /** The same in steps of a few milliseconds: yields the share that is done, 0 to 1. Nothing may be read meanwhile. */
  *restoring(thread?: RestoreThread): Generator<number, void> {
    const cursor = this.store.cursor;
    if (!cursor) return;
    this.#openedAt = cursor.index;
    if (this.store.value(SNAPSHOT_VALUE)) {
      // The snapshot is incomplete: nothing to show; `takeSnapshot` continues it.
      yield* this.#restoring(this.domains.filter(({ applyEntries }) => applyEntries));
      return;
    }
    yield* this.#restoring(this.domains, thread);
    const bytes = this.store.ledger(cursor.index);
    if (!bytes) throw new Error(`the store's cursor names ledger ${cursor.index}, which is not in the store`);
    this.head = headOf(new PackedLedger(bytes));
    this.#recent.durable = cursor.index;
    this.version++;
  }

  /**
   * Rewrites the store with this program's columns, where it was written with others. After `restore`, before the first
   * ledger; without it a store stays readable, and what was filled is filled again at the next start.
   * @param onProgress gets the share that is done, 0 to 1. @param batchBytes size of the transactions
   * @throws StoreError
   */
  async upgrade({ onProgress, batchBytes = UPGRADE_BATCH_BYTES }: UpgradeOptions = {}): Promise<void> {
    if (!this.head) return;
    await rewriteOutdated({
      tables: this.#tables,
      store: this.store,
      persist: (batch) => this.#persist(batch),
      log: this.#log,
      batchBytes,
      onProgress,
    });
  }

  /** The last applied ledger, after which to continue. */
  get cursor(): Cursor | undefined {
    const { head } = this;
    return head && { index: head.index, hash: Uint8Array.fromHex(head.hash), closeTime: head.closeTime };
  }

  /** A ledger could not be applied or made durable: nothing more is. */
  get failed(): boolean {
    return this.#failed;
  }

  /** @param listener may return a promise: the store gets the newest ledger after it. It never rejects */
  onLedger(listener: (applied: LedgerEvent) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Applies one proved ledger; older or equal ones are dropped and counted.
   * @param more further ledgers are waiting: the batch may stay open.
   * @throws Error when it cannot be applied (TableFullError, a fault in the ledger's data). The engine then applies and
   * stores nothing more; what was durable stays, and a new engine continues from there.
   */
  async applyLedger(prepared: Prepared, more: boolean): Promise<void> {
    if (this.#failed) throw new Error('an earlier ledger failed: no further one is applied');
    this.#settle();
    const { packed } = prepared;
    const index = packed.ledgerIndex;
    if (this.head && index <= this.head.index) {
      this.counters.duplicatesDropped++;
      return;
    }
    const changes = new Changes(prepared.changes);
    this.#changing(() => this.#apply(packed, changes));
    const published = this.#notify(packed, changes);
    // Frames go out first, since handing over to the store takes about as long as applying. Two rounds of the loop: in the
    // first other listeners publish, at its end the runtime sends.
    if (!more) await published;
    if (!more) for (let round = 0; round < 2; round++) await yieldToLoop();
    while (!this.#isSettled()) await yieldToLoop();
    if (!more) await this.#handOver();
    // Others may have flushed it meanwhile.
    const bytes = this.#batch?.size ?? 0;
    if (!more || this.#batchLedgers >= this.#limits.ledgers || bytes >= this.#limits.bytes) {
      await this.flush(!more);
    }
  }

  /** Ledgers are missing: offers that were open before them must not be shown as open now. */
  skipGap(from: number, to: number): void {
    this.#settle();
    this.#log.debug({ from, to }, 'ledgers are missing');
    this.#write(() => {
      for (const domain of this.domains) domain.gap();
    });
    this.version++;
  }

  /** Adds the definitions of a node's `server_definitions` that the shipped ones lack. */
  addDefinitions(definitions: Partial<RawDefinitions>): void {
    this.reader = new Reader(SHIPPED.merged(definitions), this.counters);
  }

  /** Applies a page of a snapshot (see engine/snapshot.ts). @param words its change set */
  loadEntries(page: Uint8Array, words = extractEntries(page), changes = new Changes(words)): void {
    this.#write(() => {
      for (const domain of this.domains) domain.applyEntries?.(page, changes);
    });
  }

  /**
   * Makes the loaded entries durable, with the point where to continue.
   * @param inBackground resolve when they are handed to the store, once the batch before is durable
   */
  async saveSnapshot(
    ref: Required<LedgerRef>,
    resume: SnapshotResume | null,
    inBackground = false,
  ): Promise<void> {
    while (this.#inFlight.length > 0) await this.#inFlight[0];
    const batch = this.#batch ?? this.store.batch();
    this.#batch = undefined;
    this.#batchLedgers = 0;
    this.#persist(batch);
    this.#rules.write(batch, ref.index);
    batch.value(SNAPSHOT_VALUE, resume);
    this.#commit(batch, { ...ref, closeTime: this.head?.closeTime ?? 0 });
    while (!inBackground && this.#inFlight.length > 0) await this.#inFlight[0];
  }

  /** The loaded state is that of this ledger, and proved: it becomes the head. */
  async finishSnapshot(prepared: Prepared, ref: Required<LedgerRef>): Promise<void> {
    const { packed } = prepared;
    const changes = new Changes(prepared.changes);
    // Nothing is shown before it has a head: other work may run in between.
    for (const { lock } of this.#tables) lock.beginWrite();
    try {
      for (const domain of this.domains)
        if (domain.snapshotTaken) await runInSlices(domain.snapshotTaken(packed.closeTime));
      this.state.fees.ledgerIndex = packed.ledgerIndex;
    } finally {
      for (const { lock } of this.#tables) lock.endWrite();
    }
    this.#batch ??= this.store.batch();
    this.#record(packed, changes, this.#batch);
    this.head = headOf(packed);
    this.#recent.add(packed, changes);
    this.version++;
    await this.saveSnapshot(ref, null);
  }

  /**
   * Hands the open batch to the store. Resolves when no more than the allowed number of batches is in flight,
   * or, with `inBackground`, at once, unless more than that are in flight.
   */
  async flush(inBackground = false): Promise<void> {
    this.#settle();
    const batch = this.#failed ? undefined : this.#batch;
    const { cursor } = this;
    if (batch && cursor) {
      this.#batch = undefined;
      this.#batchLedgers = 0;
      // A part of what changed may have been handed over when it fails (TableFullError).
      this.#changing(() => this.#persist(batch));
      this.#commit(batch, cursor);
    }
    if (!inBackground || this.#inFlight.length > this.#limits.inFlight) {
      while (this.#inFlight.length >= this.#limits.inFlight) await this.#inFlight[0];
    }
  }

  /** Everything applied is durable when this resolves. */
  async drain(): Promise<void> {
    await this.flush(true);
    while (this.#inFlight.length > 0) await this.#inFlight[0];
  }

  /** A ledger's packed bytes: recent ones from memory, older ones from the store. */
  ledgerBytes(index: number): PackedLedger | undefined {
    const recent = this.#recent.packed(index);
    if (recent) return recent;
    const bytes = this.store.ledger(index);
    return bytes && new PackedLedger(bytes);
  }

  /** Position of a transaction by its 32-byte hash. */
  findTransaction(hash: Uint8Array): TransactionPlace | undefined {
    return this.#recent.findTransaction(hash) ?? this.store.transaction(hash);
  }

  /** Position of the latest change of a ledger entry by its 32-byte index. */
  findEntry(index: Uint8Array): TransactionPlace | undefined {
    return this.#recent.findEntry(index) ?? this.store.entry(index);
  }

  /** Ranges of ledger indices that can be read, ascending, inclusive. */
  ledgerRanges(): (readonly [number, number])[] {
    return this.#recent.after(this.store.ledgerRanges());
  }

  /** A digest of all tables and of what is derived from them, equal for the same ledgers however they were applied. */
  digest(): string {
    this.#settle();
    const { head, domains } = this;
    return [head?.index ?? 0, head?.hash ?? '', ...domains.map((domain) => domain.digest())].join(':');
  }

  /** The same, with the records that are only in the store. Makes everything applied durable first, and reads all of it. */
  async digestWithHistory(): Promise<string> {
    await this.drain();
    return `${this.digest()}:${historyDigest(this.store)}`;
  }

  /** Puts what changed into the open batch, with pauses: `flush`, which does it at once, then finds little left. */
  async #handOver(): Promise<void> {
    const batch = this.#batch;
    let before = batch?.size ?? 0;
    for (const domain of this.domains) {
      if (!batch || this.#batch !== batch) return;
      this.#changing(() => domain.persist(batch, this.#openedAt));
      if (batch.size - before < HANDED_OVER_AT_ONCE) continue;
      before = batch.size;
      await yieldToLoop();
    }
  }

  #persist(batch: Batch): void {
    for (const domain of this.domains) domain.persist(batch, this.#openedAt);
    this.#checkpoints.step(batch);
  }

  *#restoring(domains: readonly Domain[], thread?: RestoreThread): Generator<number, void> {
    const tables = tablesOf(domains);
    for (const { lock } of this.#tables) lock.beginWrite();
    try {
      // Each row is loaded, and passed once more to derive the rest.
      let done = 0;
      for (const rows of restoringDomains(this.store, domains, thread)) {
        done += rows;
        const total = 2 * tables.reduce((sum, { count }) => sum + count, 0);
        yield Math.min(1, done / Math.max(1, total));
      }
      if (fillTables(tables, this.store, this.#log))
        for (const domain of domains) for (const _ of domain.rebuilding()) yield 1;
      this.state.fees.ledgerIndex = this.store.cursor?.index ?? 0;
    } finally {
      for (const { lock } of this.#tables) lock.endWrite();
    }
  }

  /** Changes tables; threads that read them see all of it or nothing (state/sequence-lock.ts). */
  #write(change: () => void): void {
    for (const { lock } of this.#tables) lock.beginWrite();
    try {
      change();
    } finally {
      for (const { lock } of this.#tables) lock.endWrite();
    }
  }

  /** Part of a ledger may be in the tables when it fails: nothing of the open batch may become durable. The cursor stays. */
  #changing(change: () => void): void {
    try {
      change();
    } catch (fault) {
      this.#failed = true;
      this.#batch = undefined;
      this.#settling = undefined;
      throw fault;
    }
  }

  /** Does what is left of the newest ledger. */
  #settle(): void {
    while (!this.#isSettled());
  }

  /** One step of what is left of the newest ledger. @returns whether that was the last one */
  #isSettled(): boolean {
    const steps = this.#settling;
    if (!steps) return true;
    this.#changing(() =>
      this.#write(() => {
        if (steps.next().done) this.#settling = undefined;
      }),
    );
    return this.#settling === undefined;
  }

  *#settlingAll(packed: PackedLedger, changes: Changes, batch: Batch): RowSteps {
    for (const domain of this.domains) if (domain.settling) yield* domain.settling(packed, changes, batch);
  }

  #apply(packed: PackedLedger, changes: Changes): void {
    this.#batch ??= this.store.batch();
    const batch = this.#batch;
    this.#write(() => {
      for (const domain of this.domains) domain.applyLedger(packed, changes, batch);
    });
    this.#settling = this.#settlingAll(packed, changes, batch);
    this.#record(packed, changes, batch);
    this.head = headOf(packed);
    this.version++;
    this.#recent.add(packed, changes);
    this.counters.ledgersApplied++;
    this.counters.transactionsApplied += changes.transactions;
    for (const domain of this.domains) domain.count?.(this.counters);
    this.counters.unknownFields += changes.words[2]!;
    this.counters.readerFallbacks += changes.words[3]!;
  }

  /** Puts the ledger and its two indices (transaction hash, ledger entry) into the batch. */
  #record(packed: PackedLedger, changes: Changes, batch: Batch): void {
    const index = packed.ledgerIndex;
    this.#rules.write(batch, index);
    batch.ledger(index, packed.closeTime, packed.bytes);
    const hashes = new Uint8Array(changes.words.buffer, changes.words.byteOffset + changes.hashBase * 4);
    for (let tx = 0; tx < changes.transactions; tx++) batch.transaction(hashes, tx * 32, index, tx);
    for (let node = 0; node < changes.nodes; node++) {
      batch.entry(packed.bytes, changes.node(node, Node.indexAt), index, changes.node(node, Node.tx));
    }
    this.#batchLedgers++;
  }

  #notify(packed: PackedLedger, changes: Changes): Promise<unknown> | undefined {
    if (this.#listeners.size === 0) return undefined;
    const events = Object.fromEntries(this.domains.map((domain) => [domain.name, domain.events]));
    const applied = { head: this.head!, packed, changes, events: events as LedgerEvent['events'] };
    return Promise.all(Array.from(this.#listeners, (listener) => listener(applied)));
  }

  #commit(batch: Batch, cursor: Cursor): void {
    const { size } = batch;
    const written = this.store
      .commit(batch, cursor)
      .then(() => {
        this.#recent.durable = cursor.index;
        for (const domain of this.domains) domain.durable?.(cursor.index);
        this.counters.commits++;
        this.counters.commitBytes += size;
        this.#recent.drop();
      })
      .catch((fault) => {
        this.#failed = true;
        this.#onFault(fault);
      })
      .finally(() => this.#inFlight.splice(this.#inFlight.indexOf(written), 1));
    this.#inFlight.push(written);
  }
}
