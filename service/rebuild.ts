/**
 * Makes a new store from the ledgers that one holds: a damaged one, or one whose figures follow other rules.
 *
 *     file -> ledgers that can be read -> proof, parent link -> engine -> new file beside it -> takes its place
 *
 * Everything else in a store follows from its ledgers, unless it began with a snapshot: then what did not move since is in
 * no ledger, and the snapshot of that ledger is asked of a node again. So it is where ledgers were pruned; trades, candles
 * and account history of those cannot be made again. The first ledger that is missing ends it: what comes after is fetched
 * by the service when it is started, as after a long stop. The file stays until the new one is complete; the tool keeps it
 * even then.
 */
import { existsSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore } from '../data/check.ts';
import { checkExists } from '../data/environment.ts';
import { DATA_FILE, StoreError } from '../data/errors.ts';
import { lock } from '../data/lock.ts';
import { replaceFile } from '../data/maintenance.ts';
import { Salvage } from '../data/salvage.ts';
import { openStore } from '../data/store.ts';
import { sameBytes } from '../engine/codec/bytes.ts';
import { Engine } from '../engine/engine.ts';
import { TimeSlice } from '../engine/event-loop.ts';
import type { Prepared, Preparer } from '../engine/ledger/prepare.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import { takeSnapshot } from '../engine/snapshot.ts';
import { openSource, processClock } from './sources.ts';

/** Folder of the new file, in that of the store. */
const FOLDER = 'rebuilt';
/** Ledgers are read and applied for this long; then requests are answered. */
const TIME_SLICE_MS = 8;
/** Ledgers proved ahead of the one that is applied: keeps a thread busy. */
const LEDGERS_AHEAD = 32;

export interface RebuildPlan {
  readonly dir: string;
  /** Network id, where the store no longer says. */
  readonly network: number | undefined;
  /** Gives the snapshot again; not open yet. */
  readonly source: Source | undefined;
  /** Without the snapshot: only what moves in the ledgers is known then. */
  readonly withoutSnapshot: boolean;
  readonly preparer: Preparer;
  readonly log: Log;
  readonly onProgress?: (done: number, total: number) => void;
  /** Gets a line that says for whom it waits. */
  readonly onWait?: (line: string) => void;
  /** Aborted: the rebuild ends with its reason, and the store is what it was. */
  readonly signal?: AbortSignal;
}

/** What has been rebuilt. */
export interface Rebuilt {
  readonly ledgers: number;
  readonly first: number;
  readonly last: number;
  /** Upper-case hex of the last ledger. */
  readonly hash: string;
  /** Ledgers that were found after the first missing one, and are left for the service to fetch. */
  readonly left: number;
  /** First ledger of those that were pruned, up to `first`: what followed from them is not in the new store. */
  readonly lostFrom: number | undefined;
}

export interface RebuildEnd extends Rebuilt {
  readonly digest: string;
  /** Where the file of before is now. */
  readonly kept: string;
  /** The file of before was damaged. */
  readonly wasDamaged: boolean;
}

/**
 * Rebuilds a store and keeps the file of before.
 * @throws StoreError, and Error with one line that says what cannot be rebuilt and what to name
 */
export async function rebuildStore(plan: RebuildPlan): Promise<RebuildEnd> {
  const { dir } = plan;
  checkExists(dir);
  const held = lock(dir);
  try {
    const wasDamaged = isDamaged(dir);
    let digest = '';
    const rebuilt = await rebuildBeside(plan, async (engine) => {
      digest = await engine.digestWithHistory();
    });
    plan.signal?.throwIfAborted();
    const kept = freeName(dir, wasDamaged ? 'damaged' : 'replaced');
    // A second name first: at every moment there is a store at its own.
    linkSync(join(dir, DATA_FILE), kept);
    putInPlace(dir);
    return { ...rebuilt, digest, kept, wasDamaged };
  } finally {
    removeUnfinished(dir);
    held.release();
  }
}

function isDamaged(dir: string): boolean {
  try {
    checkStore(dir);
    return false;
  } catch (fault) {
    if (!(fault instanceof StoreError) || fault.code === 'other-kind') throw fault;
    return fault.code === 'corrupt';
  }
}

/** Removes what a rebuild that was cut short has left. The caller holds the store's lock. */
export function removeUnfinished(dir: string): void {
  rmSync(join(dir, FOLDER), { recursive: true, force: true });
}

/** The new file becomes the store's. */
export const putInPlace = (dir: string): void => replaceFile(dir, join(dir, FOLDER));

/**
 * Makes the new file, complete and closed, beside the one in use. The caller holds the store's lock.
 * @param finish gets the engine when all is durable
 * @throws as rebuildStore; the signal's reason
 */
export async function rebuildBeside(
  plan: RebuildPlan,
  finish?: (engine: Engine) => Promise<void>,
): Promise<Rebuilt> {
  const { dir, signal } = plan;
  removeUnfinished(dir);
  const salvage = new Salvage(dir);
  try {
    const timeSlice = new TimeSlice(TIME_SLICE_MS, processClock.now);
    for (const _ of salvage.scanning()) {
      await timeSlice.pause();
      signal?.throwIfAborted();
    }
    return await rebuildInto(join(dir, FOLDER), salvage, plan, finish);
  } finally {
    salvage.close();
  }
}

async function rebuildInto(
  target: string,
  salvage: Salvage,
  plan: RebuildPlan,
  finish: ((engine: Engine) => Promise<void>) | undefined,
): Promise<Rebuilt> {
  const indices = salvage.indices;
  const known = salvage.facts.ranges?.[0]?.[0];
  const first = known ?? indices[0];
  if (first === undefined)
    throw new Error(`${plan.dir}: no ledger can be read from it. Move the directory away and start empty`);
  const network = networkOf(salvage, plan);
  checkSnapshot(salvage, plan, first);
  const store = await openStore({ dir: target, network });
  try {
    let fault: unknown;
    const onFault = (reason: unknown) => {
      fault = reason;
    };
    const engine = new Engine({ store, log: plan.log, onFault });
    if (needsSnapshot(salvage) && !plan.withoutSnapshot) await retakeSnapshot(engine, plan, first);
    const applied = await applyLedgers(engine, salvage, indices, plan);
    await engine.drain();
    if (fault) throw fault;
    if (!engine.head)
      throw new Error(
        `${plan.dir}: its first ledger, ${first}, cannot be read, and what follows from it cannot be rebuilt. Move the ` +
          'directory away and start from a backup, or empty',
      );
    await finish?.(engine);
    return {
      ledgers: applied,
      first: store.ledgerRanges()[0]![0],
      last: engine.head.index,
      hash: engine.head.hash,
      left: indices.filter((index) => index > engine.head!.index).length,
      lostFrom: lostFrom(salvage),
    };
  } finally {
    await store.close();
  }
}

function networkOf({ facts }: Salvage, { dir, network }: RebuildPlan): number | string {
  if (facts.network !== undefined) return facts.network;
  if (network !== undefined) return network;
  throw new Error(`${dir}: the store no longer says of which network it is. Name it with --network`);
}

/** First ledger of those that the store had before its oldest one; undefined: there was none. */
function lostFrom({ facts: { ranges, rules, pruned } }: Salvage): number | undefined {
  const began = pruned?.first ?? rules?.first;
  return began !== undefined && ranges?.[0] && began < ranges[0][0] ? began : undefined;
}

/** Whether the state is not that of the ledgers alone. */
function needsSnapshot(salvage: Salvage): boolean {
  return salvage.facts.snapshot !== false || lostFrom(salvage) !== undefined;
}

function checkSnapshot(salvage: Salvage, { dir, source, withoutSnapshot }: RebuildPlan, first: number): void {
  if (!needsSnapshot(salvage) || source || withoutSnapshot) return;
  const { facts } = salvage;
  const lost = lostFrom(salvage);
  if (lost !== undefined)
    throw new Error(
      `${dir}: this store no longer holds ledgers ${lost} to ${first - 1}. Trades, candles and account history of those, and ` +
        'what has not moved since, cannot be rebuilt; the newer ones can. Name a node that holds the state of ledger ' +
        `${first} (--source wss://...), or do without (--snapshot no)`,
    );
  const began = facts.snapshot ? 'began' : 'may have begun (it no longer says)';
  throw new Error(
    `${dir}: this store ${began} with a snapshot of the whole state at ledger ${first}. Its ledgers, trades and candles ` +
      'can be rebuilt, what has not moved since then cannot. Name a node that holds the state of that ledger ' +
      '(--source wss://...), or do without (--snapshot no)',
  );
}

async function retakeSnapshot(engine: Engine, plan: RebuildPlan, first: number): Promise<void> {
  const { source, preparer, log, signal = new AbortController().signal, onWait = () => {} } = plan;
  if (!source) return;
  await openSource(source, signal, onWait);
  const newest = source.latest()?.index ?? first;
  const history = newest - first;
  await takeSnapshot({ engine, source, preparer, history, log, signal, onProgress: () => {} });
  signal.throwIfAborted();
}

/** Ledgers in the order of `indices`, proved some ahead; without those that cannot be read or are false. */
async function* provedLedgers(
  salvage: Salvage,
  indices: readonly number[],
  preparer: Preparer,
): AsyncGenerator<Prepared, void> {
  const ahead: Promise<Prepared>[] = [];
  for (const index of indices) {
    const found = salvage.ledger(index);
    if (!found) continue;
    const proving = preparer.prepare(found);
    // One that is never waited for, because the rebuild ends before, is no fault of its own.
    proving.catch(() => {});
    ahead.push(proving);
    if (ahead.length < LEDGERS_AHEAD) continue;
    const prepared = await ahead.shift()!;
    if (!prepared.fault) yield prepared;
  }
  for (const proving of ahead) {
    const prepared = await proving;
    if (!prepared.fault) yield prepared;
  }
}

/**
 * Applies ledgers in order until one is missing that the store had: what comes after it is no longer its successor's
 * state. Where the store does not say which ledgers it had, it had all.
 * @returns how many were applied
 */
async function applyLedgers(
  engine: Engine,
  salvage: Salvage,
  indices: readonly number[],
  { preparer, onProgress, signal }: RebuildPlan,
): Promise<number> {
  const { ranges } = salvage.facts;
  const had = (from: number, to: number): boolean =>
    ranges?.some(([first, last]) => first <= to && last >= from) ?? true;
  const start = Math.max(ranges?.[0]?.[0] ?? 0, (engine.head?.index ?? -1) + 1);
  const wanted = indices.filter((index) => index >= start);
  const timeSlice = new TimeSlice(TIME_SLICE_MS, processClock.now);
  let applied = engine.head ? 1 : 0;
  for await (const prepared of provedLedgers(salvage, wanted, preparer)) {
    const before = engine.head;
    const { ledgerIndex: index, parentHash } = prepared.packed;
    if (!before && ranges && index > ranges[0]![0]) break;
    if (before && index > before.index + 1) {
      if (had(before.index + 1, index - 1)) break;
      engine.skipGap(before.index + 1, index - 1);
    } else if (before && !sameBytes(parentHash, 0, Uint8Array.fromHex(before.hash), 0, 32)) break;
    await engine.applyLedger(prepared, true);
    applied++;
    onProgress?.(applied, indices.length);
    await timeSlice.pause();
    signal?.throwIfAborted();
  }
  return applied;
}

/** @param kind what the file is that gets the name */
function freeName(dir: string, kind: 'damaged' | 'replaced'): string {
  for (let n = 1; ; n++) {
    const path = join(dir, `${kind}-${n}.mdb`);
    if (!existsSync(path)) return path;
  }
}
