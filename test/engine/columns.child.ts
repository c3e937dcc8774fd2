/**
 * Started by upgrade.test.ts: brings a store of `old` columns to the new ones, a block a batch, printing a dot for
 * each; after the batch of the number that it may get it waits to be killed.
 */
import { writeSync } from 'node:fs';
import { openStore } from '../../data/store.ts';
import { persistTables, restoreTables } from '../../engine/state/stored-tables.ts';
import { fillTables, rewriteOutdated } from '../../engine/upgrade.ts';
import { quietLog } from './ledger/quiet.ts';
import { newColumns } from './two-layouts.ts';

const store = await openStore({ dir: process.argv[2]!, network: 0 });
const { table } = newColumns();
restoreTables(store, [table]);
fillTables([table], store, quietLog);
const commit = store.commit.bind(store);
let batches = 0;
store.commit = async (batch, cursor) => {
  writeSync(1, '.');
  await commit(batch, cursor);
  if (++batches === Number(process.argv[3])) await Bun.sleep(60_000);
};
await rewriteOutdated({
  tables: [table],
  store,
  persist: (batch) => persistTables(batch, [table], store.cursor!.index),
  log: quietLog,
  batchBytes: 1,
});
await store.close();
