/**
 * Fills an empty engine with the whole state of one ledger (`ledger_data`), before it follows from there.
 *
 *     page, proved, with its change set -> state -> ... 30 pages ... -> batch (rows + point to resume) -> store
 *     ...
 *     last page: the state tree has been proved against the ledger's account hash -> the ledger becomes the head
 *
 * Goal: a fresh store knows every account, line, offer and pool, not only those that changed since. After a kill it
 * continues at the last durable page, after a failure of a node at the last loaded one: the running proof always covers
 * exactly what the tables hold, so that a false entry which a node sends before it fails is found at the end, too. Nothing
 * of it is shown before the last page: only then is it proved.
 * Non-goal: history before that ledger. Cost: mainnet has about 20 million entries, 10,000 pages.
 */
import { sameBytes } from './codec/bytes.ts';
import type { Engine } from './engine.ts';
import type { Prepared, Preparer } from './ledger/prepare.ts';
import {
  type LedgerRef,
  type Snapshot,
  type SnapshotResume,
  type Source,
  SourceError,
} from './ledger/source.ts';
import type { Log } from './log.ts';
import { SNAPSHOT_VALUE } from './store.ts';

/**
 * Entries between two commits: 30 pages. One batch is being stored while the next one fills, so that up to twice as many
 * are requested again after a crash.
 */
const ENTRIES_PER_STEP = 30 * 2048;

/** Nodes keep the state of 256 ledgers by default: this many ledgers back it is available, and stays so for a while. */
const DEFAULT_HISTORY = 240;

/** Attempts to get the true base ledger before the snapshot fails. */
const BASE_ATTEMPTS = 8;

/** Where a snapshot continues in this process: after what its engine has loaded, which is more than what is durable. */
const loadedTo = new WeakMap<Engine, SnapshotResume>();

/**
 * What was loaded is of no use: it is not the ledger's state, or no node has the rest of it any more. The store holds nothing
 * else, so that it can be emptied, and the state be taken from the beginning.
 */
export class UnusableSnapshotError extends Error {
  override readonly name = 'UnusableSnapshotError';
}

export interface SnapshotPlan {
  readonly engine: Engine;
  /** Must be open and offer `snapshot`. */
  readonly source: Source;
  readonly preparer: Preparer;
  /** Ledgers before the newest: the state is taken there and the rest is followed. */
  readonly history: number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Entries between two commits. */
  readonly step?: number;
  /** Entries so far, and the share of the key space that is done (0 to 1). */
  onProgress(entries: number, share: number): void;
  /** What was loaded since the last time has been handed to the store. */
  onStep?(): void;
}

/**
 * @throws SourceError when no node can deliver the state now: call again, it continues where it stopped; the code is
 * `missing` when every node is up and none has it. UnusableSnapshotError when what was loaded is false.
 * Returns false when the signal ended it first.
 */
export async function takeSnapshot(plan: SnapshotPlan): Promise<boolean> {
  try {
    return await loadSnapshot(plan);
  } catch (fault) {
    if (!(fault instanceof SourceError) || fault.code !== 'false') throw fault;
    const from = plan.source.refuseSnapshot?.(fault.message) ?? [];
    const senders = from.length > 0 ? `, which came from ${from.join(' and ')}` : '';
    throw new UnusableSnapshotError(`${fault.message}${senders}`);
  } finally {
    await plan.engine.drain();
  }
}

async function loadSnapshot(plan: SnapshotPlan): Promise<boolean> {
  const { engine } = plan;
  const resume =
    loadedTo.get(engine) ?? (engine.store.value(SNAPSHOT_VALUE) as SnapshotResume | null | undefined);
  const snapshot = resume ? await resumeSnapshot(plan, resume) : await beginSnapshot(plan);
  if (!(await loadPages(plan, snapshot, resume ?? undefined))) return false;
  const prepared = await baseLedger(plan, snapshot.ref);
  if (!prepared) return false;
  await engine.finishSnapshot(prepared, snapshot.ref);
  return true;
}

/** @returns false when the signal ended it first. @throws SourceError false: what was loaded must not be used */
async function loadPages(
  plan: SnapshotPlan,
  snapshot: StartedSnapshot,
  resume: SnapshotResume | undefined,
): Promise<boolean> {
  const { engine, signal } = plan;
  let entries = 0;
  let waiting = 0;
  try {
    for await (const page of snapshot.pages) {
      if (signal.aborted) return false;
      engine.loadEntries(page.page, page.changes);
      if (page.resume) loadedTo.set(engine, page.resume);
      else loadedTo.delete(engine);
      entries += page.entries;
      waiting += page.entries;
      plan.onProgress(entries, page.marker ? Number.parseInt(page.marker.slice(0, 8), 16) / 2 ** 32 : 1);
      // The first page is saved at once: after a failure it is then resumed, never restarted over what was loaded.
      const first = !resume && entries === page.entries;
      if (page.resume && (first || waiting >= (plan.step ?? ENTRIES_PER_STEP))) {
        await engine.saveSnapshot(snapshot.ref, page.resume, !first);
        plan.onStep?.();
        waiting = 0;
      }
    }
    return true;
  } catch (fault) {
    // What came before over the same connection is refused with it.
    if (fault instanceof SourceError && fault.code === 'malformed' && entries > 0)
      throw new SourceError('false', fault.message);
    throw fault;
  }
}

/** The ledger of the state, proved. An endpoint that delivers another one is refused, and the next one is used. */
async function baseLedger(
  { source, preparer, signal }: SnapshotPlan,
  ref: Required<LedgerRef>,
): Promise<Prepared | undefined> {
  let reason = '';
  for (let attempt = 0; attempt < BASE_ATTEMPTS; attempt++) {
    if (signal.aborted) return undefined;
    const prepared = await preparer.prepare(await source.ledger(ref.index));
    if (!prepared.fault && sameBytes(prepared.packed.hash, 0, ref.hash, 0, 32)) return prepared;
    reason = prepared.fault ?? 'its hash is not that of the snapshot';
    source.refuse(prepared.packed, reason);
  }
  throw new SourceError('false', `ledger ${ref.index}: ${reason}`);
}

type StartedSnapshot = Snapshot & { readonly ref: Required<LedgerRef> };

/**
 * Begins at the wanted ledger, or at a later one whose state a node still has: each attempt goes half as far back.
 * @throws SourceError missing when no node has the state of any of them
 */
async function beginSnapshot({ source, preparer, history, log }: SnapshotPlan): Promise<StartedSnapshot> {
  const newest = source.latest()?.index;
  if (newest === undefined) throw new SourceError('unreachable', `${source.name} names no validated ledger`);
  const wanted = Math.max(source.range()?.first ?? 1, newest - history);
  for (const back of distances(newest - wanted)) {
    const index = newest - back;
    const snapshot = await source.snapshot!({ index }, undefined, preparer).catch(unlessMissing);
    if (!snapshot) continue;
    if (index > wanted)
      log.warn(
        { wanted, ledger: index, history: back },
        `no node has the state of ledger ${wanted} any more: beginning at ledger ${index}, as with --history ${back}`,
      );
    log.info({ ledger: index }, 'taking a snapshot of the whole state');
    return { ...snapshot, ref: { index, hash: snapshot.hash } };
  }
  throw new SourceError(
    'missing',
    `no node has the state of any of the last ${history} ledgers: name one that keeps it (--source), or do without (--snapshot no)`,
  );
}

/** Ledgers to go back, farthest first. */
function distances(farthest: number): number[] {
  const all = [farthest, DEFAULT_HISTORY];
  for (let back = farthest >> 1; back > 0; back >>= 1) all.push(back);
  return [...new Set([...all, 0])].filter((back) => back <= farthest).sort((a, b) => b - a);
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof SourceError)) throw error;
  if (error.code === 'missing') return undefined;
  // Nothing is loaded yet: after false data from one endpoint, the next one can be used.
  if (error.code === 'false') throw new SourceError('malformed', error.message);
  throw error;
}

async function resumeSnapshot(
  { source, preparer, log }: SnapshotPlan,
  resume: SnapshotResume,
): Promise<StartedSnapshot> {
  const ref = { index: resume.ref.index, hash: resume.ref.hash! };
  const snapshot = await source.snapshot!(ref, resume, preparer);
  log.info({ ledger: ref.index }, 'continuing the snapshot');
  return { ...snapshot, ref };
}
