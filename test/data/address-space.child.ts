/** Started by errors.test.ts with a limited address space: uses a store, and prints what came of it as JSON. */
import { join } from 'node:path';
import { backupStore } from '../../data/maintenance.ts';
import { openReader, openStore } from '../../data/store.ts';
import { cursorOf } from './tools.ts';

const dir = process.argv[2]!;
try {
  const store = await openStore({ dir: join(dir, 'store'), network: 'test' });
  const batch = store.batch();
  batch.value('seven', 7);
  await store.commit(batch, cursorOf(1));
  await store.checked;
  await backupStore(join(dir, 'store'), join(dir, 'copy'));
  const copy = openReader(join(dir, 'copy'));
  const { mapBytes } = store.stats();
  console.log(JSON.stringify({ mapped: mapBytes, read: store.value('seven'), copied: copy.value('seven') }));
  await copy.close();
  await store.close();
} catch (fault) {
  const { code, message } = fault as { code: string; message: string };
  console.log(JSON.stringify({ code, message }));
}
