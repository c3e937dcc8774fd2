/** Engines that have applied recorded ledgers, for tests of the views. */
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Log } from '../../engine/log.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { recordedLedgers, recordedRun } from '../ledgers.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function newEngine(): Engine {
  return new Engine({ store: new MemoryStore(), log: quiet });
}

type Packed = ReturnType<typeof recordedLedgers>[number];

/** Applies ledgers; those missing between two of them are a gap. */
export async function applyAll(engine: Engine, ledgers: readonly Packed[]): Promise<void> {
  for (const packed of ledgers) {
    const answer = prepare(packed.bytes, false);
    if ('fault' in answer) continue;
    const head = engine.head?.index;
    if (head !== undefined && packed.ledgerIndex > head + 1) engine.skipGap(head + 1, packed.ledgerIndex - 1);
    await engine.applyLedger(prepared(packed, answer), true);
  }
  await engine.drain();
}

/** 21 consecutive ledgers of 2014: books, trust lines, no pools. */
export async function runWorld(): Promise<Engine> {
  const engine = newEngine();
  await applyAll(engine, recordedRun());
  return engine;
}

/** Every recorded ledger of the main network, with gaps: pools and MPT among them. */
export async function wholeWorld(): Promise<Engine> {
  const engine = newEngine();
  await applyAll(engine, recordedLedgers());
  return engine;
}
