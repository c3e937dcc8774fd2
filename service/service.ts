/**
 * Puts the parts together and runs them: store, engine, source, pool, follow loop, HTTP, WebSockets.
 *
 *     source -> pool (prove, decode) -> follow -> engine -> hub
 *                                                  |  \-> api
 *                                                store
 */
import { join } from 'node:path';
import { createApi } from '../api/app.ts';
import { listen, stopServing } from '../api/serve.ts';
import { hasStore } from '../data/environment.ts';
import { platformDir } from '../data/platform-check.ts';
import { openPlatformStore } from '../data/platform-store.ts';
import { removeStores } from '../data/reset.ts';
import { openStore, storedCursor } from '../data/store.ts';
import { Counters } from '../engine/counters.ts';
import { Engine } from '../engine/engine.ts';
import { TimeSlice } from '../engine/event-loop.ts';
import { sleep } from '../engine/ledger/clock.ts';
import { type FollowProgress, follow } from '../engine/ledger/follow.ts';
import { pacer } from '../engine/ledger/pace.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import { type Source, SourceError } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import { type SnapshotPlan, takeSnapshot } from '../engine/snapshot.ts';
import { KrakenRates } from '../outside/kraken-rates.ts';
import type { Collection } from '../platform/store.ts';
import { Network } from '../views/network.ts';
import { preparePool } from '../workers/pool.ts';
import { type RunningSandbox, startSandbox } from '../workers/sandbox.ts';
import { Hub } from '../ws/hub.ts';
import { metricSamples } from './metric-samples.ts';
import { type Options, type SourceChoice, userPath } from './options.ts';
import { Readiness } from './readiness.ts';
import { makeSource, processClock, sandboxSilence } from './sources.ts';

/** What the service itself keeps, beside what follows from ledgers. */
const COLLECTIONS: readonly Collection<unknown>[] = [];
/** Ledgers proved and decoded ahead of the writer: enough to keep the threads busy, little enough to hold. */
const FOLLOW_WINDOW = 32;
/** Running requests may end before the rest is cut off; the whole stop has 2 s. */
const REQUEST_GRACE_MS = 500;
/** Ledgers that wait are applied back to back for this long; then requests and sockets are served. */
const TIME_SLICE_MS = 8;
/** First and longest pause between two tries to get the state from a node; it doubles. */
const SNAPSHOT_PAUSE_MS = 1_000;
const SNAPSHOT_PAUSE_MOST_MS = 15_000;
/** A progress line at most this often. */
const PROGRESS_EVERY_MS = 2_000;

export interface ServiceParts {
  readonly options: Options;
  readonly log: Log;
  /** The service cannot go on (disk full, a ledger that cannot be read): called once. */
  readonly onFault: (fault: unknown) => void;
}

export interface Service {
  readonly engine: Engine;
  readonly network: Network;
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  readonly port: number;
  /** Resolves when the source has nothing more to give (archives), or the service was stopped. */
  readonly followed: Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error when it cannot start; what was opened until then is closed again */
export async function startService(parts: ServiceParts): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const started = await start(parts, opened);
  // From now on it is open until it is stopped.
  const all = opened.move();
  return {
    ...started,
    stop: async () => {
      await all.disposeAsync();
      parts.log.info({}, 'stopped');
    },
  };
}

/** @param opened gets the way to close each part, in the order in which they are opened */
async function start(
  { options, log, onFault }: ServiceParts,
  opened: AsyncDisposableStack,
): Promise<Omit<Service, 'stop'>> {
  const counters = new Counters();
  const fed = await feedOf(options, log, onFault);
  const { dir, network, sandbox } = fed;
  opened.defer(() => sandbox?.stop());
  const source = makeSource(fed.source, dir, log, counters);
  const store = await openStore({ dir, network });
  opened.defer(() => store.close());
  if (store.cursor && store.migrated.length > 0)
    log.info({ steps: store.migrated }, 'the store has been migrated');
  const platform = await openPlatformStore({ dir: platformDir(dir), network, collections: COLLECTIONS });
  opened.defer(() => platform.close());
  if (platform.upgraded.length > 0)
    log.info({ collections: platform.upgraded }, "the service's own data has been upgraded");
  const engine = new Engine({
    store,
    log,
    counters,
    networkId: network,
    onFault: (fault) => {
      readiness.stop();
      onFault(fault);
    },
  });
  const shown = new Network({ engine, source, forms: options.compat });
  engine.restore();
  if (engine.head) {
    log.info({ ledger: engine.head.index }, 'state restored');
    const { index, hash } = engine.head;
    if (sandbox && !(await sandbox.holds(index, hash))) throw notOfNetwork(dir, index);
  }
  await store.checkedEnough;
  store.checked.catch(onFault);
  const silence = fed.source.kind === 'nodes' ? fed.source.silence : undefined;
  const readiness = new Readiness({ network: shown, source, silence, log, clock: processClock });
  opened.defer(() => readiness.stop());
  const feed = rateFeed(options, log);
  engine.market.rates.feed = feed;
  void feed?.start();
  opened.defer(() => feed?.stop());
  const preparer = preparePool(options.workers);
  opened.defer(() => preparer.close());
  const hub = new Hub(shown, {
    log,
    limits: { connections: options.sockets, connectionsPerIp: options.socketsPerIp },
  });
  const api = createApi({
    network: shown,
    log,
    name: options.name,
    sockets: () => hub.connections,
    metricSamples: () => metricSamples({ store, platform, source, hub, domains: engine.domains }),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const server = listen({ api, hub, host: options.host, port: options.port, stopping: signal });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `http://${host}:${server.port}`;
  log.info({ url, reference: `${url}/reference`, source: source.name }, `listening on ${url}`);

  const whole = sandbox !== undefined;
  const followed = run({ options, log, engine, source, preparer, readiness, whole, signal }).catch(
    (fault) => {
      readiness.stop();
      if (!signal.aborted) onFault(fault);
    },
  );
  opened.defer(async () => {
    readiness.stop();
    stopping.abort();
    await Promise.all([
      stopServing(server, hub, REQUEST_GRACE_MS),
      source.close().then(() => sandbox?.stop()),
      followed.then(() => engine.drain()),
    ]);
  });
  return { engine, network: shown, url, port: server.port!, followed };
}

interface Feed {
  readonly source: SourceChoice;
  /** Folder of the engine's store. */
  readonly dir: string;
  readonly network: number;
  readonly sandbox?: RunningSandbox;
}

/**
 * What feeds the engine, and where that is stored. Recorded ledgers and the embedded network get folders of their
 * own: a store that ends in them could not go on with another network. The embedded network is started here; from
 * then on it is a node like any other.
 */
async function feedOf(options: Options, log: Log, onFault: (fault: unknown) => void): Promise<Feed> {
  const { data, network, source } = options;
  if (source.kind !== 'sandbox')
    return { source, network, dir: userPath(data, source.kind === 'recorded' ? 'recorded' : '.') };
  const dir = userPath(data, 'sandbox');
  if (options.sandboxReset === 'yes') removeStores(dir, ['network', 'engine', platformDir('engine')]);
  // Asked first: a network made now could only be refused, and would lie where the right one belongs.
  const stored = hasStore(join(dir, 'network')) ? undefined : await storedCursor(join(dir, 'engine'));
  if (stored) throw notOfNetwork(join(dir, 'engine'), stored.index);
  const { sandboxAmendments: amendments } = options;
  if (amendments !== undefined && amendments.notBuilt.length > 0)
    log.warn({ amendments: amendments.notBuilt }, 'these amendments are not built here and are left out');
  const sandbox = await startSandbox(
    {
      dir: join(dir, 'network'),
      networkId: options.sandboxNetwork,
      ...(amendments === undefined ? {} : { amendments: amendments.ids }),
      seed: options.sandboxSeed,
      days: options.sandboxDays,
      interval: options.sandboxInterval,
      ...options.sandboxPort,
    },
    log,
    onFault,
  );
  const { url } = sandbox;
  log.info(
    { url, jsonRpc: url.replace('ws:', 'http:'), faucet: `${url.replace('ws:', 'http:')}/accounts` },
    `the embedded network listens on ${url}`,
  );
  return {
    source: { kind: 'nodes', urls: [sandbox.ownUrl], silence: sandboxSilence(options.sandboxInterval) },
    network: options.sandboxNetwork,
    dir: join(dir, 'engine'),
    sandbox,
  };
}

function notOfNetwork(dir: string, ledger: number): Error {
  return new Error(
    `${dir}: ledger ${ledger} of this store is not one of the embedded network's. Put the network's folder back ` +
      'beside it, or start over with --sandbox-reset',
  );
}

function rateFeed({ rateFeed: choice }: Options, log: Log): KrakenRates | undefined {
  if (choice.kind === 'none') return undefined;
  const onFault = (message: string) => log.warn({ feed: choice.kind }, message);
  return new KrakenRates({ ...(choice.url ? { url: choice.url } : {}), now: Date.now, onFault });
}

interface Run {
  readonly options: Options;
  readonly log: Log;
  readonly engine: Engine;
  readonly source: Source;
  readonly preparer: Preparer;
  readonly readiness: Readiness;
  /** The source has every ledger from the first one: no snapshot is needed, and no history is left out. */
  readonly whole: boolean;
  readonly signal: AbortSignal;
}

/** Follows the source until it ends or the service stops. */
async function run({ options, log, engine, source, preparer, readiness, whole, signal }: Run): Promise<void> {
  await engine.upgrade();
  await source.open();
  void learnDefinitions(engine, source, log);
  if (source.live && source.snapshot && !whole && !engine.head && options.snapshot === 'yes') {
    const history = options.history;
    const onProgress = snapshotLine(log);
    if (!(await retriedSnapshot({ engine, source, preparer, history, log, signal, onProgress }))) return;
  }
  const pace = options.pace === 'ledger' && !source.live ? pacer(processClock, 1, signal) : undefined;
  const timeSlice = new TimeSlice(TIME_SLICE_MS, processClock.now);
  await follow({
    source,
    preparer,
    from: engine.cursor,
    history: source.live && !whole ? options.history : Number.POSITIVE_INFINITY,
    window: FOLLOW_WINDOW,
    onLedger: async (prepared) => {
      await pace?.(prepared.packed.closeTime);
      const newest = source.latest()?.index ?? 0;
      const more = prepared.packed.ledgerIndex < newest;
      await engine.applyLedger(prepared, more && !pace);
      readiness.look();
      await timeSlice.pause();
    },
    onGap: (from, to) => engine.hole(from, to),
    onProgress: progressLine(log, whole),
    log,
    counters: engine.counters,
    clock: processClock,
    random: Math.random,
    signal,
  });
  await engine.drain();
  if (!signal.aborted) {
    readiness.end();
    log.info({ ledger: engine.head?.index }, 'the source has no further ledgers');
  }
}

/** Takes the snapshot, for as long as it takes nodes to give it. */
async function retriedSnapshot(plan: SnapshotPlan): Promise<boolean> {
  let reason = '';
  for (let pause = SNAPSHOT_PAUSE_MS; ; pause = Math.min(2 * pause, SNAPSHOT_PAUSE_MOST_MS)) {
    try {
      return await takeSnapshot(plan);
    } catch (fault) {
      if (plan.signal.aborted) return false;
      if (!(fault instanceof SourceError) || fault.code === 'closed' || fault.code === 'false') throw fault;
      // Each reason once: it is asked again until a node gives the state, or somebody acts on what the log says.
      const level = fault.message === reason ? 'debug' : 'warn';
      plan.log[level]({ reason: fault.message }, 'no node gives the state now; asking again');
      reason = fault.message;
      await sleep(processClock, pause, plan.signal);
    }
  }
}

/** A network ahead of the shipped definitions tells its own; without them its new fields are left out of JSON. */
async function learnDefinitions(engine: Engine, source: Source, log: Log): Promise<void> {
  try {
    const definitions = await source.request?.({ command: 'server_definitions' });
    if (definitions) engine.learn(definitions);
  } catch (fault) {
    log.info({ fault: String(fault) }, 'no node tells its definitions: the shipped ones stand');
  }
}

function snapshotLine(log: Log): (entries: number, share: number) => void {
  const started = performance.now();
  let last = started;
  return (entries, share) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    const secondsLeft = share > 0 ? Math.round(((now - started) / 1000) * (1 / share - 1)) : undefined;
    log.info({ entries, percent: Math.round(share * 1000) / 10, secondsLeft }, 'taking the snapshot');
  };
}

/** @param whole the source says itself when its history is complete; only a real delay is worth a line here. */
function progressLine(log: Log, whole: boolean): (progress: FollowProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let behind = !whole;
  return ({ done, total, rate, eta }) => {
    const left = total - done;
    if (left === 0 && behind) {
      behind = false;
      log.info({ ledgers: done }, 'caught up: the history is complete');
    }
    if (left <= 1 || performance.now() - last < PROGRESS_EVERY_MS) return;
    last = performance.now();
    behind = true;
    log.info({ done, total, ledgersPerSecond: Math.round(rate), secondsLeft: eta }, 'catching up');
  };
}
