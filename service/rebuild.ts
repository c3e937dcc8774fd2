/**
 * Makes a new store from the ledgers that a damaged one holds.
 *
 *     damaged file -> ledgers that can be read -> proof, parent link -> engine -> new file beside it -> takes its place
 *
 * Everything else in a store follows from its ledgers, unless it began with a snapshot: then what did not move since is in
 * no ledger, and the snapshot of that ledger is asked of a node again. The first ledger that is missing ends it: what comes
 * after is fetched by the service when it is started, as after a long stop. The damaged file is kept.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LMDB_LOCK_FILE } from '../data/environment.ts';
import { DATA_FILE, StoreError } from '../data/errors.ts';
import { lock } from '../data/lock.ts';
import { Salvage } from '../data/salvage.ts';
import { openStore } from '../data/store.ts';
import { sameBytes } from '../engine/codec/bytes.ts';
import { Engine } from '../engine/engine.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import { takeSnapshot } from '../engine/snapshot.ts';

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
}

export interface RebuildEnd {
  readonly ledgers: number;
  readonly first: number;
  readonly last: number;
  /** Ledgers that were found after the first missing one, and are left for the service to fetch. */
  readonly left: number;
  readonly digest: string;
  /** Where the damaged file is now. */
  readonly kept: string;
}

/** @throws StoreError, and Error with one line that says what cannot be rebuilt and what to name */
export async function rebuildStore(plan: RebuildPlan): Promise<RebuildEnd> {
  const { dir } = plan;
  if (!existsSync(join(dir, DATA_FILE)))
    throw new StoreError(
      'not-found',
      `${dir}: there is no store here. Name the directory of an existing one`,
    );
  const held = lock(dir);
  const target = join(dir, 'rebuilt');
  try {
    rmSync(target, { recursive: true, force: true });
    const salvage = new Salvage(dir);
    try {
      const end = await rebuildInto(target, salvage, plan);
      const kept = freeName(dir);
      renameSync(join(dir, DATA_FILE), kept);
      renameSync(join(target, DATA_FILE), join(dir, DATA_FILE));
      // It remembers the transactions of the old file.
      rmSync(join(dir, LMDB_LOCK_FILE), { force: true });
      return { ...end, kept };
    } finally {
      salvage.close();
    }
  } finally {
    rmSync(target, { recursive: true, force: true });
    held.release();
  }
}

async function rebuildInto(
  target: string,
  salvage: Salvage,
  plan: RebuildPlan,
): Promise<Omit<RebuildEnd, 'kept'>> {
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
    if (salvage.facts.snapshot !== false && !plan.withoutSnapshot) await retakeSnapshot(engine, plan, first);
    const applied = await applyLedgers(engine, salvage, indices, plan);
    await engine.drain();
    if (fault) throw fault;
    if (!engine.head)
      throw new Error(
        `${plan.dir}: its first ledger, ${first}, cannot be read, and what follows from it cannot be rebuilt. Move the ` +
          'directory away and start from a backup, or empty',
      );
    const from = store.ledgerRanges()[0]![0];
    const left = indices.filter((index) => index > engine.head!.index).length;
    return {
      ledgers: applied,
      first: from,
      last: engine.head.index,
      left,
      digest: await engine.digestWithHistory(),
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

function checkSnapshot(
  { facts }: Salvage,
  { dir, source, withoutSnapshot }: RebuildPlan,
  first: number,
): void {
  if (facts.snapshot === false || source || withoutSnapshot) return;
  const began = facts.snapshot ? 'began' : 'may have begun (it no longer says)';
  throw new Error(
    `${dir}: this store ${began} with a snapshot of the whole state at ledger ${first}. Its ledgers, trades and candles ` +
      'can be rebuilt, what has not moved since then cannot. Name a node that holds the state of that ledger ' +
      '(--source wss://...), or do without (--snapshot no)',
  );
}

async function retakeSnapshot(engine: Engine, plan: RebuildPlan, first: number): Promise<void> {
  const { source, preparer, log } = plan;
  if (!source) return;
  await source.open();
  const newest = source.latest()?.index ?? first;
  const signal = new AbortController().signal;
  const history = newest - first;
  await takeSnapshot({ engine, source, preparer, history, log, signal, onProgress: () => {} });
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
  { preparer, onProgress }: RebuildPlan,
): Promise<number> {
  const { facts } = salvage;
  const had = (from: number, to: number): boolean =>
    facts.ranges?.some(([first, last]) => first <= to && last >= from) ?? true;
  let applied = engine.head ? 1 : 0;
  for (const index of indices) {
    const before = engine.head;
    if (before ? index <= before.index : index < (facts.ranges?.[0]?.[0] ?? 0)) continue;
    if (!before && facts.ranges && index > facts.ranges[0]![0]) break;
    if (before && index > before.index + 1 && had(before.index + 1, index - 1)) break;
    const found = salvage.ledger(index);
    if (!found) continue;
    const prepared = await preparer.prepare(found);
    if (prepared.fault) continue;
    if (before && index > before.index + 1) engine.skipGap(before.index + 1, index - 1);
    else if (before && !sameBytes(found.parentHash, 0, Uint8Array.fromHex(before.hash), 0, 32)) break;
    await engine.applyLedger(prepared, true);
    applied++;
    onProgress?.(applied, indices.length);
  }
  return applied;
}

function freeName(dir: string): string {
  for (let n = 1; ; n++) {
    const path = join(dir, `damaged-${n}.mdb`);
    if (!existsSync(path)) return path;
  }
}
