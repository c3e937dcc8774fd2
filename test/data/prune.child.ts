/**
 * Started by pruning-kills.long.test.ts: commits ledgers as fast as it can, and keeps the newest 300 and the trades of 400, until it is
 * killed. Prints the index of each once it is durable.
 */
import { openStore } from '../../data/store.ts';
import { TRADE_BYTES, TradeAt } from '../../engine/market/trade-record.ts';
import { cursorOf, hashOf, SMALL_HISTORY } from './tools.ts';

const store = await openStore({
  dir: process.argv[2]!,
  network: 'test',
  history: SMALL_HISTORY,
  keep: { ledgers: { unit: 'ledgers', amount: 300 }, tradesSeconds: 400 * 4 },
});

for (let index = (store.cursor?.index ?? 0) + 1; ; ) {
  const batch = store.batch();
  // Now and then many at once, so that a backlog is pruned between batches.
  const last = index + (index % 5 === 0 ? 60 : 0);
  for (; index <= last; index++) {
    const packed = Buffer.alloc(300, index & 0xff);
    packed.writeUInt32BE(index);
    batch.ledger(index, index * 4, packed);
    batch.transaction(hashOf(index), 0, index, 0);
    const trade = new Uint8Array(TRADE_BYTES);
    const view = new DataView(trade.buffer);
    view.setUint32(TradeAt.gotToken, 1, true);
    view.setUint32(TradeAt.maker, 2, true);
    view.setUint32(TradeAt.taker, index % 50, true);
    batch.trade({ ledger: index, tx: 0, entry: 0 }, trade, [0, 1], [2, index % 50]);
  }
  await store.commit(batch, cursorOf(last));
  process.stdout.write(`${last}\n`);
  if (last % 3 === 0) await Bun.sleep(30);
}
