/** Started by errors.test.ts under a file size limit: commits until it fails, then prints how, as JSON. */
import { StoreError } from '../../data/errors.ts';
import { openStore } from '../../data/store.ts';
import { cursorOf } from './tools.ts';

const store = await openStore({ dir: process.argv[2]!, network: 'test' });
try {
  for (let n = 1; n < 200; n++) {
    const batch = store.batch();
    for (let i = 0; i < 100; i++) batch.block(1, n * 100 + i, new Uint8Array(3000).fill(n));
    await store.commit(batch, cursorOf(n));
  }
  console.log(JSON.stringify({ code: 'none' }));
} catch (error) {
  const code = error instanceof StoreError ? error.code : 'foreign';
  let blocks = 0;
  store.blocks(1, () => blocks++);
  console.log(JSON.stringify({ code, message: String(error), cursor: store.cursor?.index, blocks }));
}
await store.close();
