/**
 * An engine that is thrown away and restored after every durable step holds, digest for digest and byte for byte of
 * its rows, what one holds that never stopped: over batches of any size, gaps in the recording, and a snapshot as start.
 */

import { describe, expect, test } from 'bun:test';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { relaidChain } from '../../../support/chain.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Views } from '../../../views/views.ts';
import { casesOf } from '../../cases.ts';
import { randomFrom } from '../market/stream.ts';
import { recordedState } from './recorded.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const STATE = 'mainnet-6226713.json.gz';

interface Plan {
  readonly chain: readonly PackedLedger[];
  /** Numbers of chain that are missing from the recording. */
  readonly missing: ReadonlySet<number>;
  readonly snapshot: Uint8Array | undefined;
}

async function opened(store: MemoryStore, { chain, snapshot }: Plan): Promise<Engine> {
  const engine = new Engine({ store, log: quiet });
  if (!snapshot) return engine;
  const base = chain[0]!;
  engine.loadEntries(snapshot);
  const ref = { index: base.ledgerIndex, hash: base.hash };
  await engine.finishSnapshot(prepared(base, prepare(base.bytes, false)), ref);
  return engine;
}

function rows(engine: Engine): string {
  const text = new TextDecoder();
  const { state } = engine;
  const views = new Views(engine);
  const all = Array.from({ length: state.tokens.count }, (_, id) => text.decode(views.tokens.row(id)));
  const { rates, globals } = engine.market;
  return [...all.sort(), JSON.stringify([rates.exch(), globals.global(), globals.h24()])].join('\n');
}

/** Applies the plan; `stop` says after which ledgers the engine is dropped. Returns digests and rows at the checked ledgers. */
async function run(
  plan: Plan,
  stop: (i: number) => boolean,
  more: (i: number) => boolean,
  checked: readonly number[],
) {
  const store = new MemoryStore();
  let engine = await opened(store, plan);
  const seen: string[] = [];
  for (const [i, packed] of plan.chain.entries()) {
    if (plan.missing.has(i) || (plan.snapshot && i === 0)) continue;
    if (plan.missing.has(i - 1)) engine.skipGap(packed.ledgerIndex - 1, packed.ledgerIndex - 1);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), more(i));
    const digest = engine.digest();
    seen.push(digest);
    if (checked.includes(i)) seen.push(rows(engine));
    if (!stop(i)) continue;
    await engine.drain();
    engine = new Engine({ store, log: quiet });
    engine.restore();
    expect(engine.digest()).toBe(digest);
    if (checked.includes(i)) expect(rows(engine)).toBe(seen.at(-1)!);
  }
  return seen;
}

const LEDGERS = casesOf(30, 50);

describe('restored at every ledger', () => {
  const chain = [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 25, interval: 4000 })];
  const checked = [10, 24, LEDGERS - 1];
  for (const [name, snapshot, gaps] of [
    ['from nothing', false, false],
    ['with gaps', false, true],
    ['from a snapshot, with gaps', true, true],
  ] as const) {
    test.skipIf(snapshot && !corpusDir)(name, async () => {
      const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`${name}: seed ${seed}`);
      const random = randomFrom(seed);
      const missing = new Set(
        gaps ? chain.map((_, i) => i).filter((i) => i > 0 && random() < 0.1 && !checked.includes(i)) : [],
      );
      const plan = { chain, missing, snapshot: snapshot ? recordedState(STATE).page : undefined };
      const straight = await run(
        plan,
        () => false,
        () => false,
        checked,
      );
      expect(
        await run(
          plan,
          () => true,
          () => false,
          checked,
        ),
      ).toEqual(straight);
      expect(
        await run(
          plan,
          () => random() < 0.3,
          () => random() < 0.7,
          checked,
        ),
      ).toEqual(straight);
    });
  }
});
