/** Follows a network's source: the snapshot of an empty store first, then ledger after ledger, until it ends. */
import type { LmdbStore } from '../data/store.ts';
import type { Engine } from '../engine/engine.ts';
import { TimeSlice, yieldTwice } from '../engine/event-loop.ts';
import { follow } from '../engine/ledger/follow.ts';
import { pacer } from '../engine/ledger/pace.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { FollowProgress } from '../engine/ledger/progress.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import type { Progress } from '../views/mount.ts';
import { takeFirstSnapshot } from './first-snapshot.ts';
import type { Options } from './options.ts';
import { catchUpLines, snapshotLines } from './progress-lines.ts';
import type { Readiness } from './readiness.ts';
import { processClock } from './sources.ts';

/** Ledgers proved and decoded ahead of the writer: enough to keep the threads busy, little enough to hold. */
const FOLLOW_WINDOW = 32;
/** Ledgers that wait are applied back to back for this long; then requests and sockets are served. */
const TIME_SLICE_MS = 8;

export interface Following {
  readonly options: Pick<Options, 'history' | 'snapshot' | 'pace'>;
  readonly log: Log;
  readonly engine: Engine;
  readonly store: Pick<LmdbStore, 'prune'>;
  readonly source: Source;
  readonly preparer: Preparer;
  readonly readiness: Readiness;
  /** The source has every ledger from the first one: no snapshot is needed, and no history is left out. */
  readonly whole: boolean;
  readonly signal: AbortSignal;
  /** What it does before it has caught up; undefined: it has. */
  readonly onProgress: (progress: Progress | undefined) => void;
}

/**
 * Resolves when the source has ended and everything applied is durable, or the signal is aborted.
 * @throws Error when the engine, the store or the source cannot go on
 */
export async function followSource(following: Following): Promise<void> {
  const { options, log, engine, store, source, preparer, readiness, whole, signal, onProgress } = following;
  await engine.upgrade({ onProgress: (share) => onProgress({ stage: 'migrating', share }) });
  // Not before: what the store lacks is filled from its own ledgers.
  store.prune();
  onProgress({ stage: 'catching up' });
  await source.open();
  void fetchDefinitions(engine, source, log);
  if (source.live && source.snapshot && !whole && !engine.head && options.snapshot === 'yes') {
    const { history } = options;
    const line = snapshotLines(log);
    const report = (entries: number, share: number) => {
      line(entries, share);
      onProgress({ stage: 'snapshot', share });
    };
    const plan = {
      engine,
      source,
      preparer,
      history,
      log,
      signal,
      onProgress: report,
      onStep: collectGarbage,
    };
    if (!(await takeFirstSnapshot(plan))) return;
  }
  const pace = options.pace === 'ledger' && !source.live ? pacer(processClock, 1, signal) : undefined;
  // Prepared ledgers come many at once and are applied in microtasks: without pauses, requests and sockets would wait.
  const line = catchUpLines(log, whole);
  const timeSlice = new TimeSlice(TIME_SLICE_MS, processClock.now);
  await follow({
    source,
    preparer,
    from: engine.cursor,
    history: source.live && !whole ? options.history : Number.POSITIVE_INFINITY,
    window: FOLLOW_WINDOW,
    networkId: engine.networkId,
    onLedger: async (prepared) => {
      await pace?.(prepared.packed.closeTime);
      const newest = source.latest()?.index ?? 0;
      const more = prepared.packed.ledgerIndex < newest;
      // A large ledger was proved in this round of the loop: what became ready meanwhile comes before it is applied.
      if (!more) await yieldTwice();
      await engine.applyLedger(prepared, more && !pace);
      readiness.update();
      await timeSlice.pause();
    },
    onGap: (from, to) => engine.skipGap(from, to),
    onProgress: (progress) => {
      line(progress);
      onProgress(catchingUp(progress));
    },
    log,
    counters: engine.counters,
    clock: processClock,
    random: Math.random,
    signal,
  });
  await engine.drain();
  if (signal.aborted) return;
  readiness.end();
  log.info({ ledger: engine.head?.index }, 'the source has no further ledgers');
}

/**
 * Each page leaves 2 MB of garbage. The runtime lets that grow with the tables, which it counts as live memory: 280 MB at
 * most where it was 350. There are few objects, so it takes some 12 ms, once in 30 pages.
 */
function collectGarbage(): void {
  Bun.gc(true);
}

/** undefined once at most the newest ledger is missing. */
function catchingUp({ done, total }: FollowProgress): Progress | undefined {
  return total - done <= 1 ? undefined : { stage: 'catching up', share: done / total };
}

/** A network ahead of the shipped definitions gives its own; without them its new fields are left out of JSON. */
async function fetchDefinitions(engine: Engine, source: Source, log: Log): Promise<void> {
  try {
    const definitions = await source.request?.({ command: 'server_definitions' });
    if (definitions) engine.addDefinitions(definitions);
  } catch (fault) {
    log.info({ fault: String(fault) }, 'no node gives its definitions: the shipped ones are used');
  }
}
