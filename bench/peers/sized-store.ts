/**
 * Makes a store of the sized network and an archive of ledgers after it (bench/size/), in a process of its own, so that
 * the memory it took is free again. The last line out is `sized {"store": ..., "archive": ...}`.
 *
 *     bun bench/peers/sized-store.ts --share=0.01 --ledgers=200 --transactions=100 [--seed=1] [--cache=DIR]
 *
 * Follow it with the service: copy the store's folder to DIR, then `--data=DIR --source=file:ARCHIVE`.
 */
import { parseArgs } from 'node:util';
import { DEFAULT_CACHE, sizedStore } from '../size/store.ts';

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '0.01' },
    ledgers: { type: 'string', default: '200' },
    transactions: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    cache: { type: 'string', default: DEFAULT_CACHE },
  },
});
const { share, ledgers, transactions, seed, cache } = values;
const plan = {
  share: Number(share),
  ledgers: Number(ledgers),
  transactions: Number(transactions),
  seed: Number(seed),
};
console.log(`sized ${JSON.stringify(await sizedStore({ ...plan, cache }))}`);
process.exit(0);
