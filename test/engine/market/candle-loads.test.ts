/** When the current candles of a token are read from the store: once after a start, and never of one that has none. */
import { expect, test } from 'bun:test';
import { CandleRows } from '../../../engine/market/candle-rows.ts';
import { Columns } from '../../../engine/market/columns.ts';
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
    expect(traded.size).toBeGreaterThan(0);
    rig = rig.restarted();
    store.reads.length = 0;
  }
  expect(store.reads.length).toBeGreaterThan(0);
  expect(store.reads.length).toBe(new Set(store.reads).size);
  for (const token of store.tokens) expect(token === 0 || traded.has(token)).toBe(true);
});

test('current candles take memory by the number of tokens that traded, not by their ids', () => {
  const TOKENS = 100_000;
  const TRADED = 10;
  const columns = new Columns(TOKENS);
  columns.reserve(TOKENS);
  const rows = new CandleRows(columns, new MemoryStore(), [{ key: 0, seconds: 60 }]);
  const spread = Array.from({ length: TRADED }, (_, i) => TOKENS - 1 - i * (TOKENS / TRADED));
  const before = rows.hot.length;
  for (const token of spread) {
    expect(rows.isLoaded(token)).toBe(false);
    rows.loadNone(token);
    rows.loadNone(token);
    expect(rows.isLoaded(token)).toBe(true);
    rows.hot[rows.current(0, token, 600, 1) + 5] = token;
  }
  expect(rows.hot.length).toBe(before);
  expect(spread.map((token) => rows.hot[rows.offset(0, token) + 5])).toEqual(spread);
  // One after the other, behind the place of all tokens that did not trade, which stays empty.
  const places = spread.map((token) => rows.offset(0, token) / rows.offset(0, spread[0]!));
  expect(places).toEqual(spread.map((_, i) => i + 1));
  expect(rows.offset(0, TOKENS / 2)).toBe(0);
  expect(rows.offset(0, TOKENS * 2)).toBe(0);
  expect(rows.hot[0]).toBe(0);
});
