/**
 * What positions and traders (engine/traders) cost a replay, and what they cost together with all that signals are made of:
 * every domain but state and market (flows of creators, pool history, usage by platform ...), and relative strength.
 * Ledgers of 100 recorded transactions that are proved and decoded already are applied and made durable on the main
 * thread, with these parts and without them. The store's writer has a thread of its own, as in the service.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { type Prepared, prepare, prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { relaidChain } from '../support/chain.ts';
import type { BudgetName, Figure } from './budgets.ts';

const LEDGERS = 800;
const TRANSACTIONS = 100;
/** The sides alternate, and the best of each counts: other load on the machine can only slow a run. */
const ROUNDS = 4;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

const SIDES = ['all', 'withoutTraders', 'withoutSignals'] as const;
type Side = (typeof SIDES)[number];

/** Leaves parts out: without ledgers they have nothing to do and nothing to store. */
function leaveOut({ domains, state, traders, market }: Engine, side: Side): void {
  const nothing = () => undefined;
  if (side !== 'all') traders.applyLedger = nothing;
  if (side !== 'withoutSignals') return;
  for (const domain of domains) if (domain !== state && domain !== market) domain.applyLedger = nothing;
  market.strength.close = nothing;
  market.strength.open = nothing;
}

/** @returns ledgers a second */
async function replay(dir: string, ledgers: readonly Prepared[], side: Side): Promise<number> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  leaveOut(engine, side);
  const started = performance.now();
  for (const one of ledgers) await engine.applyLedger(one, true);
  await engine.drain();
  const seconds = (performance.now() - started) / 1000;
  const isWith = engine.traders.positions.table.count > 1;
  if (isWith !== (side === 'all')) throw new Error('the wrong side was measured');
  await store.close();
  return ledgers.length / seconds;
}

export async function traderFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-traders-'));
  try {
    const ledgers = [
      ...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS, interval: 60 }),
    ].map((packed) => prepared(packed, prepare(packed.bytes)));
    const best = { all: 0, withoutTraders: 0, withoutSignals: 0 };
    await replay(join(base, 'warm'), ledgers, 'all');
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        const dir = join(base, `${round}-${side}`);
        best[side] = Math.max(best[side], await replay(dir, ledgers, side));
        rmSync(dir, { recursive: true, force: true });
      }
    }
    const text = (rate: number) => `${Math.round(rate)} ledgers/s`;
    const figure = (name: BudgetName, side: Side): Figure => ({
      name,
      value: best.all / best[side],
      ours: text(best.all),
      other: text(best[side]),
    });
    return [figure('replay.traders', 'withoutTraders'), figure('replay.signals', 'withoutSignals')];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await traderFigures())}`);
