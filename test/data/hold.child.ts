/** Started by errors.test.ts: holds a store open until it is killed. */
import { openStore } from '../../data/store.ts';

await openStore({ dir: process.argv[2]!, network: 'test' });
console.log('open');
setInterval(() => {}, 1000);
