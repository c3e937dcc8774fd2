/**
 * One network, opened as one and closed as one: its source, its store, the engine that is restored from it, the views
 * made of that, and whether what they show is the present.
 *
 *     (embedded network) -> source -> follow -> engine -> views
 *                                                  |
 *                                                store
 *
 * Goal: a process holds as many as it likes, and nothing of one is shared with another but the threads that prove
 * ledgers and run heavy reads. Non-goals: serving it (service.ts mounts it), what the service itself owns.
 */
import { addressFault } from '../data/address-space.ts';
import { LEDGERS_MIN } from '../data/pruning.ts';
import { removeStore } from '../data/reset.ts';
import { type LmdbStore, openStore } from '../data/store.ts';
import { Counters } from '../engine/counters.ts';
import { Engine } from '../engine/engine.ts';
import { TimeSlice, yieldToLoop } from '../engine/event-loop.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { StateSenders } from '../engine/ledger/state-senders.ts';
import type { Log } from '../engine/log.ts';
import { ledgerRules, MAIN_RULES } from '../engine/quotes/rules.ts';
import { UnusableSnapshotError } from '../engine/snapshot.ts';
import type { RestoreThread } from '../engine/state/restore-thread.ts';
import type { Progress } from '../views/mount.ts';
import { Network } from '../views/network.ts';
import type { HeavyReadPool } from '../workers/heavy-reads.ts';
import { mergePages } from '../workers/page-merger.ts';
import type { QuoteThreads } from '../workers/quote-threads.ts';
import { RestoreWorker } from '../workers/restore-thread.ts';
import type { RunningSandbox } from '../workers/sandbox.ts';
import { DiskMeter, untilLimit } from './disk-meter.ts';
import {
  embeddedStoreDir,
  notOfNetwork,
  recordedStoreDir,
  sandboxSilence,
  startEmbeddedNetwork,
} from './embedded-network.ts';
import { followSource } from './following.ts';
import { issuerFilesOf } from './issuer-files.ts';
import { issuerIconsOf } from './issuer-icons.ts';
import { type NftMedia, openNftMedia } from './nft-media.ts';
import { type SourceChoice, userPath } from './option-values.ts';
import type { Options } from './options.ts';
import { pinsOf } from './pins.ts';
import { makeRateFeed } from './rate-feed.ts';
import { Readiness } from './readiness.ts';
import { recomputeFigures } from './recompute.ts';
import { makeScamLists } from './scam-lists.ts';
import { makeSource, processClock } from './sources.ts';

/** The state is restored for this long; then requests are answered. */
const RESTORE_SLICE_MS = 8;
/** A state of so many bytes is worth pages of 2 MB: smaller ones are found in the processor's caches. */
const MERGED_FROM_BYTES = 64 * 2 ** 20;

export interface NetworkParts {
  /** Folder, source and history are those of this network; what concerns the server is not read. */
  readonly options: Options;
  /** What is known of its nodes. */
  readonly stateSenders?: StateSenders | undefined;
  readonly log: Log;
  /** Proves and decodes ledgers; networks may share it. Not closed with the network. */
  readonly preparer: Preparer;
  /** Runs long reads in other threads; networks may share it. undefined: they run on the main thread. */
  readonly heavyReads?: HeavyReadPool | undefined;
  /** Searches for quotes in other threads; the same. */
  readonly quoteThreads?: QuoteThreads | undefined;
  /** What addresses of images begin with. Default: they are of the same origin, without a prefix. */
  readonly imagesAt?: string;
  /**
   * The network cannot go on (disk full, a ledger that cannot be read): called once. From then on it is not ready and
   * follows no further; what it has stays readable.
   */
  readonly onFault: (fault: unknown) => void;
  /** What it does before it has caught up with its source; undefined: it has. */
  readonly onProgress: (progress: Progress | undefined) => void;
  /** Aborted: do not open it any further. */
  readonly signal: AbortSignal;
}

/** @throws Error when it cannot be opened; what was opened until then is closed again */
export async function openNetwork(parts: NetworkParts): Promise<OpenNetwork> {
  await using opened = new AsyncDisposableStack();
  const network = await open(parts, opened).catch((fault) => {
    throw addressFault(fault);
  });
  // From now on it is open until it is closed.
  return new OpenNetwork(network, opened.move());
}

interface OpenParts extends NetworkParts {
  readonly network: Network;
  readonly store: LmdbStore;
  readonly media: NftMedia | undefined;
  readonly source: Source;
  readonly readiness: Readiness;
  readonly sandbox: RunningSandbox | undefined;
  readonly dir: string;
  readonly networkId: number;
  readonly fail: (fault: unknown) => void;
  readonly stopping: AbortController;
}

/** @param opened gets the way to close each part, in the order in which they are opened */
async function open(parts: NetworkParts, opened: AsyncDisposableStack): Promise<OpenParts> {
  const { options, log, onProgress, signal } = parts;
  onProgress({ stage: 'opening' });
  const counters = new Counters();
  const stopping = new AbortController();
  const fail = reportOnce(stopping, parts.onFault);
  const origin = await originOf(options, log, fail);
  const { dir, networkId, sandbox } = origin;
  opened.defer(() => sandbox?.stop());
  signal.throwIfAborted();
  const { workers } = options;
  const { stateSenders } = parts;
  const source = makeSource(origin.source, { dir, workers, log, counters, networkId, stateSenders });
  await recomputeFigures({ ...parts, dir, networkId });
  signal.throwIfAborted();
  const store = await openStore({
    dir,
    network: networkId,
    keep: { ledgers: options.keep, tradesSeconds: options.keepTrades },
  });
  opened.defer(() => store.close());
  signal.throwIfAborted();
  if (store.cursor && store.migrated.length > 0)
    log.info({ steps: store.migrated }, 'the store has been migrated');
  warnOfSmallLimit(store, options, log);
  // Opening the file took a while, and making the tables does.
  await yieldToLoop();
  const engine = new Engine({ store, log, counters, networkId, onFault: fail });
  const disk = new DiskMeter({
    read: () => store.space(),
    now: processClock.now,
    keepBytes: options.keep?.unit === 'bytes' ? options.keep.amount : undefined,
    untilLimit: () => untilLimit(options.keep, engine),
    onLow: (figures) =>
      log.warn({ dir, ...figures }, 'the disk is almost full: free space, or keep less with --keep'),
  });
  const issuerFiles = issuerFilesOf(options, sandbox, processClock.now);
  opened.defer(() => issuerFiles?.close());
  const media = await openNftMedia({ options, dir, networkId, engine, sandbox, log });
  opened.defer(() => media?.close());
  signal.throwIfAborted();
  const scamLists = makeScamLists(options, log, opened);
  // The embedded network has more amendments than the main one.
  const rules = sandbox ? ledgerRules({ vaults: true, cleanup: true }) : MAIN_RULES;
  const network = new Network({
    engine,
    source,
    disk: () => disk.figures(),
    forms: options.compat,
    rules,
    quoteThreads: parts.quoteThreads?.of(engine.state, rules),
    imagesAt: parts.imagesAt,
    issuerFiles,
    scamLists,
    nftMetadata: media?.media,
    pictures: media?.media,
    issuerIcons: issuerIconsOf(options, sandbox, opened),
    pins: pinsOf(options, opened),
    faucet: sandbox,
    isOfThisClock: sandbox !== undefined,
    heavy: parts.heavyReads?.of(engine.state, engine.traders, engine.risk),
  });
  engine.onLedger(() => disk.sample(network.ready));
  const thread = workers > 0 && store.moment ? new RestoreWorker(store.moment) : undefined;
  try {
    await restoreInSlices(engine, parts, thread);
  } finally {
    await thread?.close();
  }
  if (engine.head) {
    const { index, hash } = engine.head;
    log.info({ ledger: index }, 'state restored');
    if (engine.state.memoryBytes >= MERGED_FROM_BYTES)
      opened.defer(mergePages((err) => log.warn({ err }, 'memory stays on small pages')));
    if (sandbox && !(await sandbox.holds(index, hash))) throw notOfNetwork(dir, index);
  }
  onProgress({ stage: 'checking' });
  await store.checkedEnough;
  signal.throwIfAborted();
  store.checked.catch(fail);
  const silence = origin.source.kind === 'nodes' ? origin.source.silence : undefined;
  const readiness = new Readiness({ network, source, silence, log, clock: processClock });
  opened.defer(() => readiness.stop());
  const feed = makeRateFeed(options, log);
  engine.market.rates.feed = feed;
  void feed?.start();
  opened.defer(() => feed?.stop());
  return { ...parts, network, store, media, source, readiness, sandbox, dir, networkId, fail, stopping };
}

/** A limit in bytes is of the whole store, and only ledgers are removed. */
function warnOfSmallLimit(store: LmdbStore, { keep }: Options, log: Log): void {
  if (keep?.unit !== 'bytes') return;
  const { usedBytes, freeBytes, families } = store.stats();
  const beside = usedBytes - freeBytes - families.ledgers!.bytes;
  if (beside >= keep.amount)
    log.warn(
      { keep: keep.amount, beside, kept: LEDGERS_MIN },
      'what the store holds beside its ledgers is more than --keep allows: only the newest ledgers are kept',
    );
}

/** Restores the state while requests are answered. @throws the signal's reason when it is aborted */
async function restoreInSlices(
  engine: Engine,
  { onProgress, signal }: NetworkParts,
  thread: RestoreThread | undefined,
): Promise<void> {
  await yieldToLoop();
  const timeSlice = new TimeSlice(RESTORE_SLICE_MS, processClock.now);
  for (const share of engine.restoring(thread)) {
    const pause = timeSlice.pause();
    if (!pause) continue;
    onProgress({ stage: 'restoring', share });
    await pause;
    signal.throwIfAborted();
  }
}

/** The first fault, from whichever part, ends following; the later ones are its consequences. */
function reportOnce(stopping: AbortController, onFault: (fault: unknown) => void): (fault: unknown) => void {
  let isReported = false;
  return (fault) => {
    if (isReported) return;
    isReported = true;
    stopping.abort();
    onFault(fault);
  };
}

/** Use {@link openNetwork}. */
export class OpenNetwork {
  /** What readers reach of it. */
  readonly network: Network;
  readonly store: LmdbStore;
  /** Folder of its store. */
  readonly dir: string;
  /** The network id to which the store is bound. */
  readonly networkId: number;
  /** Metadata and pictures of NFTs; undefined: they are not fetched. */
  readonly media: NftMedia | undefined;
  /** Resolves when the source has nothing more to give (archives), or following was ended. */
  readonly followed: Promise<void>;
  readonly #parts: OpenParts;
  readonly #opened: AsyncDisposableStack;
  readonly #ended = Promise.withResolvers<void>();
  #isFollowing = false;
  /** What the store holds of a snapshot is of no use. */
  #isUnusable = false;

  /** @param opened closes what was opened */
  constructor(parts: OpenParts, opened: AsyncDisposableStack) {
    const { network, store, media, dir, networkId, source, readiness } = parts;
    this.#parts = parts;
    this.#opened = opened;
    this.network = network;
    this.store = store;
    this.media = media;
    this.dir = dir;
    this.networkId = networkId;
    this.followed = this.#ended.promise;
    const ended = () => {
      readiness.stop();
      void source.close();
    };
    if (this.#signal.aborted) ended();
    else this.#signal.addEventListener('abort', ended);
  }

  /** Begins to follow the source. */
  follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { fail, sandbox, media } = this.#parts;
    media?.media.start();
    const signal = this.#signal;
    followSource({ ...this.#parts, engine: this.network.engine, whole: sandbox !== undefined, signal })
      .catch((fault) => {
        if (signal.aborted) return;
        this.#isUnusable = fault instanceof UnusableSnapshotError;
        fail(fault);
      })
      .finally(() => this.#ended.resolve());
  }

  /** Ends following; resolves when everything applied is durable. It can still be read. */
  async stop(): Promise<void> {
    const { stopping, source, sandbox } = this.#parts;
    stopping.abort();
    this.media?.media.close();
    if (!this.#isFollowing) this.#ended.resolve();
    await Promise.all([
      source.close().then(() => sandbox?.stop()),
      this.followed.then(() => this.network.engine.drain()),
    ]);
  }

  /** Stops it, and closes the store. One that holds nothing but a part of an unusable snapshot is removed. */
  async close(): Promise<void> {
    await this.stop();
    await this.#opened.disposeAsync();
    if (this.#isUnusable) removeStore(this.dir);
    this.#isUnusable = false;
  }

  get #signal(): AbortSignal {
    return this.#parts.stopping.signal;
  }
}

/** Where a network's ledgers come from, and where they are stored. */
interface Origin {
  readonly source: SourceChoice;
  /** Folder of the engine's store. */
  readonly dir: string;
  readonly networkId: number;
  readonly sandbox?: RunningSandbox;
}

/**
 * Recorded ledgers and the embedded network get folders of their own: a store that ends in them could not go on with
 * another network. The embedded network is started here.
 */
async function originOf(options: Options, log: Log, onFault: (fault: unknown) => void): Promise<Origin> {
  const { data, network: networkId, source } = options;
  if (source.kind !== 'sandbox')
    return {
      source,
      networkId,
      dir: source.kind === 'recorded' ? recordedStoreDir(options) : userPath(data),
    };
  const sandbox = await startEmbeddedNetwork(options, log, onFault);
  const silence = sandboxSilence(options.sandboxInterval);
  return {
    source: { kind: 'nodes', urls: [sandbox.ownUrl], silence },
    networkId: options.sandboxNetwork,
    dir: embeddedStoreDir(options),
    sandbox,
  };
}
