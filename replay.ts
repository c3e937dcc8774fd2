/** Reads an archive into a store at full speed: the catching-up path of the service without its doors. */
import { openStore } from './data/store.ts';
import { type BatchLimits, Engine } from './engine/engine.ts';
import { ArchiveSource } from './engine/ledger/archive-source.ts';
import { type FollowProgress, follow } from './engine/ledger/follow.ts';
import type { Preparer } from './engine/ledger/prepare.ts';
import type { Log } from './engine/log.ts';
import { processClock } from './sources.ts';
import { preparePool } from './workers/pool.ts';

export interface ReplayPlan {
  /** Path of the archive. */
  readonly archive: string;
  /** Folder of the store; it goes on where the store stands. */
  readonly dir: string;
  readonly workers: number;
  /** Network id; mainnet when absent. */
  readonly network?: number;
  readonly batch?: Partial<BatchLimits>;
  readonly log: Log;
  /** In the place of a pool of `workers` threads. */
  readonly preparer?: Preparer;
  readonly onProgress?: (progress: FollowProgress) => void;
  /** After each applied ledger. */
  readonly onLedger?: (engine: Engine) => void;
}

export interface ReplayEnd {
  readonly ledgers: number;
  readonly transactions: number;
  /** From the first ledger asked for to the last one durable. */
  readonly seconds: number;
  /** Digest of everything the ledgers determine (Engine.digest). */
  readonly digest: string;
}

/** @throws whatever the store, the source or the proof throws: a replay does not go on past a fault. */
export async function replayArchive(plan: ReplayPlan): Promise<ReplayEnd> {
  const store = await openStore({ dir: plan.dir, network: plan.network ?? 0 });
  const source = new ArchiveSource(plan.archive);
  const preparer = plan.preparer ?? preparePool(plan.workers);
  let fault: unknown;
  try {
    const engine = new Engine({
      store,
      log: plan.log,
      onFault: (reason) => {
        fault = reason;
      },
      ...(plan.batch ? { batch: plan.batch } : {}),
    });
    engine.restore();
    engine.source = source;
    await source.open();
    const newest = source.latest()?.index ?? 0;
    const started = performance.now();
    await follow({
      source,
      preparer,
      from: engine.cursor,
      history: Number.POSITIVE_INFINITY,
      window: 32,
      onLedger: async (prepared) => {
        await engine.applyLedger(prepared, prepared.packed.ledgerIndex < newest);
        plan.onLedger?.(engine);
      },
      onHole: (from, to) => engine.hole(from, to),
      ...(plan.onProgress ? { onProgress: plan.onProgress } : {}),
      log: plan.log,
      counters: engine.counters,
      clock: processClock,
      random: Math.random,
    });
    await engine.drain();
    if (fault) throw fault;
    const seconds = (performance.now() - started) / 1000;
    const { ledgersApplied, transactionsApplied } = engine.counters;
    return { ledgers: ledgersApplied, transactions: transactionsApplied, seconds, digest: engine.digest() };
  } finally {
    await source.close();
    await preparer.close();
    await store.close();
  }
}
