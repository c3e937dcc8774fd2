/** Same ledgers in, same state out: for any number of threads, any batch size, and duplicates in any order. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '../engine/engine.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { replayArchive } from '../service/replay.ts';
import { relaidChain } from '../support/chain.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { casesOf } from './cases.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const chain = [...relaidChain({ ledgers: 60, transactionsPerLedger: 40 })];

describe('the digest depends on nothing but the ledgers', () => {
  test('1, 2 and 4 workers, 1 to 1000 ledgers stored or handed over at once', async () => {
    const base = mkdtempSync(join(tmpdir(), 'millrace-same-'));
    const archive = join(base, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const packed of chain) writer.append(packed);
    writer.close();
    const digests = new Set<string>();
    // Each thread loads all modules, which is most of what this costs.
    for (const workers of [0, 1, 2, 4].slice(0, casesOf(3, 4))) {
      for (const ledgers of workers === 0 ? [1, 2, 7, 64, 1000] : [64]) {
        const dir = join(base, `${workers}-${ledgers}`);
        const end = await replayArchive({ archive, dir, workers, batch: { ledgers }, log: quiet });
        expect(end.ledgers).toBe(chain.length);
        digests.add(end.digest);
      }
    }
    // Ledgers handed over to the threads one by one, a few and many at once.
    const handed = [
      [1, 5],
      [3, 8],
      [1, 1],
      [2, 1000],
    ] as const;
    for (const [workers, batch] of handed.slice(0, casesOf(2, 4))) {
      const dir = join(base, `${workers}-handed-${batch}`);
      const preparer = preparePool(workers, { batch });
      digests.add((await replayArchive({ archive, dir, workers, preparer, log: quiet })).digest);
    }
    expect([...digests]).toHaveLength(1);
    rmSync(base, { recursive: true, force: true });
  });

  test('every ledger twice, old ones again in any order', async () => {
    const apply = async (order: readonly number[]) => {
      const engine = new Engine({ store: new MemoryStore(), log: quiet });
      for (const at of order) {
        const packed = chain[at]!;
        await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
      }
      await engine.drain();
      return engine;
    };
    const once = await apply(chain.map((_, at) => at));
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`seed ${seed}`);
    let random = seed;
    const next = (below: number) => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((random / 2_147_483_648) * below);
    };
    const order = chain.flatMap((_, at) => [at, at, next(at + 1), next(at + 1)]);
    const again = await apply(order);
    expect(again.digest()).toBe(once.digest());
    expect(again.counters.duplicatesDropped).toBe(order.length - chain.length);
  });
});
