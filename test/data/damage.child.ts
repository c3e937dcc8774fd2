/**
 * Started by damage.test.ts on a store that may be damaged: opens, restores, reads and writes it as the service does. Prints
 * what it answers, or one line that says why it cannot, with exit code 1.
 */

import { openStore } from '../../data/store.ts';
import { BLOCK_ROWS } from '../../engine/state/dirty-rows.ts';
import { answersOf, restoredEngine } from './answers.ts';

try {
  const store = await openStore({ dir: process.argv[2]!, network: 0 });
  const engine = restoredEngine(store);
  await store.checkedEnough;
  const answers = answersOf(store, engine);
  // Writes every block again: LMDB frees the pages of the old ones, and uses free ones.
  for (let round = 0; round < 2; round++) {
    const batch = store.batch();
    for (const table of [...engine.state.tables, ...engine.market.tables])
      for (let block = 0; block * BLOCK_ROWS < table.count; block++)
        batch.block(table.id, block, table.blockBytes(block));
    await store.commit(batch, store.cursor!);
  }
  if (answersOf(store, restoredEngine(store)) !== answers)
    throw new Error('it answers otherwise after a write');
  console.log(answers);
  await store.close();
} catch (fault) {
  console.error((fault as Error).message);
  process.exit(1);
}
