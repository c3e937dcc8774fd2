/** Reads an archive into a store: catching up as the service does, without serving. */
import type { HistoryLimits } from '../data/history-merge.ts';
import { openStore } from '../data/store.ts';
import type { BatchLimits } from '../engine/batch-limits.ts';
import { Engine } from '../engine/engine.ts';
import { archiveNetwork, checkArchiveNetwork } from '../engine/ledger/archive.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { FollowProgress } from '../engine/ledger/progress.ts';
import { replay } from '../engine/ledger/tools.ts';
import type { Log } from '../engine/log.ts';
import type { CheckpointLimits } from '../engine/state/checkpoint.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { processClock } from './sources.ts';

export interface ReplayPlan {
  /** Path of the archive. */
  readonly archive: string;
  /** Folder of the store; the replay continues after its newest ledger. */
  readonly dir: string;
  readonly workers: number;
  /**
   * Network id, which neither the archive nor its transactions may contradict; when absent the one that the archive names, else
   * that of mainnet, of which nothing is checked.
   */
  readonly network?: number;
  /** 1: as the ledgers closed; 10: ten times as fast; absent: at full speed. */
  readonly pace?: number;
  readonly batch?: Partial<BatchLimits>;
  readonly checkpoint?: Partial<CheckpointLimits>;
  /** When history is merged into its tables. */
  readonly history?: Partial<HistoryLimits>;
  readonly log: Log;
  /** Instead of a pool of `workers` threads. */
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
  /** Digest of everything the ledgers determine (Engine.digestWithHistory). */
  readonly digest: string;
}

/** @throws whatever the store, the source or the proof throws: a replay does not go on past a fault. */
export async function replayArchive(plan: ReplayPlan): Promise<ReplayEnd> {
  // Before a store is made, which would be empty, or of the wrong network.
  if (plan.network !== undefined) checkArchiveNetwork(plan.archive, plan.network);
  const network = plan.network ?? archiveNetwork(plan.archive);
  const store = await openStore({
    dir: plan.dir,
    network: network ?? 0,
    ...(plan.history ? { history: plan.history } : {}),
  });
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
      ...(plan.checkpoint ? { checkpoint: plan.checkpoint } : {}),
    });
    engine.restore();
    await engine.upgrade();
    const started = performance.now();
    await replay({
      path: plan.archive,
      ...(plan.pace ? { pace: plan.pace } : {}),
      preparer,
      from: engine.cursor,
      ...(network !== undefined && { networkId: network }),
      onLedger: async (prepared, more) => {
        await engine.applyLedger(prepared, more && !plan.pace);
        plan.onLedger?.(engine);
      },
      onGap: (from, to) => engine.skipGap(from, to),
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
    return {
      ledgers: ledgersApplied,
      transactions: transactionsApplied,
      seconds,
      digest: await engine.digestWithHistory(),
    };
  } finally {
    await preparer.close();
    await store.close();
  }
}
