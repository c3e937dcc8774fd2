/**
 * What positions and traders (engine/traders) cost a replay: ledgers of 100 recorded transactions that are proved and
 * decoded already, applied and made durable on the main thread, with that domain and without it. The store's writer has
 * a thread of its own, as in the service.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { type Prepared, prepare, prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { relaidChain } from '../support/chain.ts';
import type { Figure } from './budgets.ts';

const LEDGERS = 800;
const TRANSACTIONS = 100;
/** The sides alternate, and the best of each counts: other load on the machine can only slow a run. */
const ROUNDS = 4;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** @returns ledgers a second */
async function replay(dir: string, ledgers: readonly Prepared[], isWith: boolean): Promise<number> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  // Without trades to settle, the domain has nothing to do and nothing to store.
  if (!isWith) engine.traders.applyLedger = () => undefined;
  const started = performance.now();
  for (const one of ledgers) await engine.applyLedger(one, true);
  await engine.drain();
  const seconds = (performance.now() - started) / 1000;
  if (isWith === engine.traders.positions.table.count < 2) throw new Error('the wrong side was measured');
  await store.close();
  return ledgers.length / seconds;
}

export async function traderFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-traders-'));
  try {
    const ledgers = [
      ...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS, interval: 60 }),
    ].map((packed) => prepared(packed, prepare(packed.bytes)));
    const best = { with: 0, without: 0 };
    await replay(join(base, 'warm'), ledgers, true);
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        const dir = join(base, `${round}-${side}`);
        best[side] = Math.max(best[side], await replay(dir, ledgers, side === 'with'));
        rmSync(dir, { recursive: true, force: true });
      }
    }
    const text = (rate: number) => `${Math.round(rate)} ledgers/s`;
    const value = best.with / best.without;
    return [{ name: 'replay.traders', value, ours: text(best.with), other: text(best.without) }];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await traderFigures())}`);
