/** Rows of pools after a snapshot: written with it, in slices, and not by the first ledger that follows. */
import { expect, test } from 'bun:test';
import { Entries } from '../../../bench/size/entries.ts';
import { baseLedger, LedgerStream } from '../../../bench/size/ledgers.ts';
import { SizedNetwork } from '../../../bench/size/network.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { poolKey } from '../../../engine/pools/pool-history.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quietLog } from '../ledger/quiet.ts';

const HOUR = 3600;

test('every pool has its row of the ledger of the snapshot', async () => {
  const entries = new Entries(new SizedNetwork(0.001));
  const engine = new Engine({ store: new MemoryStore(), log: quietLog });
  for (const page of entries.pages(512)) engine.loadEntries(page);
  const base = baseLedger();
  const ref = { index: base.ledgerIndex, hash: base.hash };
  await engine.finishSnapshot(prepared(base, prepare(base.bytes)), ref);
  const { pools } = engine.state;
  const { hours } = engine.pools;
  /** Hours in which each pool has a row, newest first. */
  const hoursOf = (pool: number): number[] => {
    const starts: number[] = [];
    hours.walkBack(poolKey(pool), (row) => starts.push(hours.start[row]!) > 0);
    return starts;
  };
  const first = base.closeTime - (base.closeTime % HOUR);
  const existing = Array.from({ length: pools.count }, (_, pool) => pool).filter((pool) =>
    pools.exists(pool),
  );
  expect(existing.length).toBeGreaterThan(10);
  for (const pool of existing) expect(hoursOf(pool)).toEqual([first]);
  const stream = new LedgerStream(entries);
  const next = stream.next(40, base.closeTime + HOUR);
  await engine.applyLedger(prepared(next, prepare(next.bytes)), false);
  const { changed } = engine.state;
  for (const pool of existing)
    expect(hoursOf(pool)).toEqual(changed.pools.has(pool) ? [first + HOUR, first] : [first]);
  expect(changed.pools.size).toBeLessThan(existing.length);
});
