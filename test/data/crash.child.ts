/**
 * Started by crash.test.ts: commits numbered batches as fast as it can until it is killed. Every row of batch n
 * says n, so that a half-written batch shows. Prints each number once its commit has resolved.
 */
import { openStore } from '../../data/store.ts';
import { cursorOf, hashOf } from './tools.ts';

const store = await openStore({
  dir: process.argv[2]!,
  network: 'test',
  history: {
    generationBytes: 60_000,
    generationBatches: 5,
    loggedBytes: Number(process.argv[3]),
    runsPerLevel: 3,
  },
});
const inFlight: Promise<void>[] = [];

for (let n = (store.cursor?.index ?? 0) + 1; ; n++) {
  const batch = store.batch();
  const mark = Buffer.alloc(600, n & 0xff);
  mark.writeUInt32BE(n);
  batch.ledger(n, n * 4, mark);
  for (let i = 0; i < 40; i++) {
    batch.trade({ ledger: n, tx: i, entry: 0 }, mark.subarray(0, 100), [i, i + 1], [n, i]);
    batch.transaction(hashOf(n * 40 + i), 0, n, i);
    batch.entry(hashOf(-i), 0, n, i);
    batch.block(1, i, mark);
    batch.candle(0, i, 60, mark.subarray(0, 40));
  }
  batch.value('n', n);
  inFlight.push(store.commit(batch, cursorOf(n)).then(() => void process.stdout.write(`${n}\n`)));
  if (inFlight.length >= 3) await inFlight.shift();
}
