/** When the current candles of a token are read from the store: once after a start, and never of one that has none. */
import { expect, test } from 'bun:test';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Rig, SMALL } from './rig.ts';
import { stream } from './stream.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const LEDGERS = 300;

/** Keeps of which levels and tokens a single candle was read. */
class ReadStore extends MemoryStore {
  readonly reads: string[] = [];
  readonly tokens = new Set<number>();

  override candles(...[level, token, range, visit]: Parameters<MemoryStore['candles']>): void {
    if (range.from === range.to && !range.reverse) {
      this.reads.push(`${level} ${token}`);
      this.tokens.add(token);
    }
    super.candles(level, token, range, visit);
  }
}

test(`tokens trade for the first time without a read of the store (SEED=${seed})`, async () => {
  const store = new ReadStore();
  let rig = new Rig(SMALL, store);
  const traded = new Set<number>();
  let ledgers = 0;
  for (const { packed, changes } of stream(seed, LEDGERS)) {
    rig.apply(packed, changes);
    for (const token of rig.market.candles.changed) traded.add(token);
    await rig.commit();
    if (++ledgers !== LEDGERS / 2) continue;
    // XRP has candles in fiat without a trade.
    expect([...store.tokens].filter((token) => token !== 0)).toEqual([]);
    expect(traded.size).toBeGreaterThan(2);
    rig = rig.restarted();
    store.reads.length = 0;
  }
  expect(store.reads.length).toBeGreaterThan(0);
  expect(store.reads.length).toBe(new Set(store.reads).size);
  for (const token of store.tokens) expect(token === 0 || traded.has(token)).toBe(true);
});
