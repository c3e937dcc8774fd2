/**
 * The cost of handing ledgers over to the proving thread: the same archive is replayed into a store with ledgers handed
 * over in batches, and one at a time. Ledgers are small, as in most of the ledger's history: the smaller they are, the
 * larger is the share of the hand-over. `bun bench/catchup.ts`.
 *
 * The figure is the CPU time of the main thread, which applies the ledgers and is the bottleneck. Ledgers per second are
 * printed too; on a busy machine they depend on the other load.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import type { Log } from '../engine/log.ts';
import { replayArchive } from '../service/replay.ts';
import { relaidChain } from '../support/chain.ts';
import { POOL_LIMITS, preparePool } from '../workers/prepare-pool.ts';
import type { Figure } from './budgets.ts';
import { onCore } from './stall-meter.ts';

const TRANSACTIONS = 30;
const LEDGERS = 1_500;
/** The two sides alternate, and the best of each counts: other load on the machine can only slow a run. */
const ROUNDS = 7;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

const base = mkdtempSync(join(tmpdir(), 'millrace-catchup-'));
try {
  const archive = join(base, 'chain.mlr');
  const writer = ArchiveWriter.open(archive);
  for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS }))
    writer.append(packed);
  writer.close();
  const least = { batches: Number.POSITIVE_INFINITY, single: Number.POSITIVE_INFINITY };
  const rates = { batches: 0, single: 0 };
  const digests = new Set<string>();
  // The first pair warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of ['batches', 'single'] as const) {
      const dir = join(base, `${side}-${round}`);
      const preparer = preparePool(1, { batch: side === 'single' ? 1 : POOL_LIMITS.batch });
      // From the first ledger to the last: opening the store and the digest at the end have no part in it.
      let [first, last, ledgers] = [0, 0, 0];
      const onLedger = () => {
        ledgers++;
        if (ledgers === 1) first = onCore();
        if (ledgers === LEDGERS) last = onCore();
      };
      const end = await replayArchive({ archive, dir, workers: 1, preparer, log: quiet, onLedger });
      const us = ((last - first) * 1000) / (LEDGERS - 1);
      digests.add(end.digest);
      rmSync(dir, { recursive: true, force: true });
      if (round === 0) continue;
      least[side] = Math.min(least[side], us);
      rates[side] = Math.max(rates[side], end.ledgers / end.seconds);
    }
  }
  if (digests.size !== 1) throw new Error('the state depends on how ledgers are handed over');
  console.log(`${Math.round(rates.batches)} ledgers/s in batches, ${Math.round(rates.single)} one at a time`);
  const figures: Figure[] = [
    {
      name: 'catchup.batches',
      value: least.single / least.batches,
      ours: `${Math.round(least.batches)} us a ledger`,
      other: `${Math.round(least.single)} us`,
    },
  ];
  console.log(`figures ${JSON.stringify(figures)}`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
