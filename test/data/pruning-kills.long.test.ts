/** Kills while ledgers and trades are pruned. */
import { expect, test } from 'bun:test';
import { checkStore } from '../../data/check.ts';
import { openStore } from '../../data/store.ts';
import { firstTrades } from '../../data/trade-pruning.ts';
import { hashOf, linesUntilKilled, SMALL_HISTORY, temporaryDir } from './tools.ts';

/** Kills between which ledgers were pruned; between some of them trades were. */
const MOVES = 6;
const ROUNDS_MAX = 60;

test('kills while ledgers and trades are pruned: what is left is whole, and pruning goes on', async () => {
  const { dir, remove } = temporaryDir();
  let oldest = 0;
  let moved = 0;
  let [firstTrade, tradesMoved] = [0, 0];
  for (let round = 0; round < ROUNDS_MAX && Math.min(moved, tradesMoved * MOVES) < MOVES; round++) {
    const lines = await linesUntilKilled('prune.child.ts', [dir], 20 + ((round * 37) % 80));
    checkStore(dir);
    const store = await openStore({ dir, network: 'test', history: SMALL_HISTORY });
    const last = store.cursor!.index;
    expect(last).toBeGreaterThanOrEqual(Number(lines.at(-1)));
    const [range, ...more] = store.ledgerRanges();
    expect(more).toEqual([]);
    expect(range![1]).toBe(last);
    expect(range![0]).toBeGreaterThanOrEqual(oldest);
    if (range![0] > oldest && oldest > 0) moved++;
    oldest = range![0];
    for (let index = 1; index <= last; index++) {
      const found = store.ledger(index);
      expect(found ? Buffer.from(found).readUInt32BE(0) : 0).toBe(index < oldest ? 0 : index);
      const place = store.transaction(hashOf(index));
      expect(place?.ledger ?? 0).toBe(index < oldest ? 0 : index);
    }
    const from = Math.max(1, firstTrades(store.environment));
    const trades = { all: 0, token: 0, account: 0 };
    store.trades({}, () => trades.all++ >= 0);
    store.tokenTrades(1, {}, () => trades.token++ >= 0);
    store.accountTrades(2, {}, () => trades.account++ >= 0);
    expect(trades).toEqual({ all: last - from + 1, token: last - from + 1, account: last - from + 1 });
    if (from > firstTrade && firstTrade > 0) tradesMoved++;
    firstTrade = from;
    await store.close();
  }
  console.log(
    `oldest ledger ${oldest}, moved in ${moved} rounds; trades from ${firstTrade}, in ${tradesMoved}`,
  );
  expect(Math.min(moved, tradesMoved * MOVES)).toBeGreaterThanOrEqual(MOVES);
  remove();
});
