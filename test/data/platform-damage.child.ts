/**
 * Started by platform-damage.test.ts on a store that may be damaged: reads all of it and writes to it as the service does.
 * Prints what it holds, or one line that says why it cannot, with exit code 1.
 */
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import type { Collection, Key } from '../../platform/store.ts';
import { DAMAGED } from './platform-damage-rows.ts';

function contentsOf(store: LmdbPlatformStore): string {
  const rows: unknown[] = [];
  for (const collection of DAMAGED as readonly Collection<unknown>[]) {
    const add = (value: unknown, key: Key) => void rows.push([collection.name, key, value]);
    store.walk(collection, {}, add);
    for (const index of Object.keys(collection.indexes)) store.walkIndex(collection, index, {}, add);
    rows.push(store.stats().collections[collection.name]!.rows);
  }
  rows.push(store.settled('events'));
  return Bun.hash(JSON.stringify(rows)).toString();
}

try {
  const store = await openPlatformStore({ dir: process.argv[2]!, network: 0, collections: DAMAGED });
  const contents = contentsOf(store);
  // LMDB frees the pages of the rows that are written over, and uses free ones.
  const [texts] = DAMAGED;
  const rows: [Key, unknown][] = [];
  store.walk(texts, {}, (value, key) => void rows.push([key, value]));
  for (let round = 0; round < 2; round++)
    for (const [key, value] of rows)
      await store.transaction((transaction) => transaction.put(texts, key, value as never));
  if (contentsOf(store) !== contents) throw new Error('it holds something else after a write');
  await store.close();
  console.log(contents);
} catch (fault) {
  console.error((fault as Error).message);
  process.exit(1);
}
