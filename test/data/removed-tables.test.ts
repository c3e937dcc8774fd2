/** Blocks of a table that there is no more leave a store of before in steps; those beside them, and all else, stay. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openEnvironment } from '../../data/environment.ts';
import { writeVersion } from '../../data/meta.ts';
import { migrate, schemaOf, storeMigrations } from '../../data/migrations.ts';
import { openStore } from '../../data/store.ts';
import { layoutsName } from '../../engine/state/layout.ts';
import type { Store } from '../../engine/store.ts';
import { cursorOf, temporaryDir } from './tools.ts';

/** Of schema version 7, how many NFTs of a collection an account owns. */
const HOLDINGS = 152;
const TABLES = [HOLDINGS - 1, HOLDINGS, HOLDINGS + 1];
const BLOCKS = 40;
const BLOCK_BYTES = 700;

const { dir, remove } = temporaryDir();
afterAll(remove);

const blocksOf = (store: Store, table: number): number[] => {
  const found: number[] = [];
  store.blocks(table, (block) => found.push(block));
  return found;
};

/** As version 7 left it. */
async function storeOfBefore(path: string): Promise<void> {
  const store = await openStore({ dir: path, network: 0 });
  const batch = store.batch();
  for (const table of TABLES) {
    batch.value(layoutsName(table), [{ id: table, columns: [] }]);
    for (let block = 0; block < BLOCKS; block++)
      batch.block(table, block, new Uint8Array(BLOCK_BYTES).fill(block));
  }
  await store.commit(batch, cursorOf(1));
  await store.close();
  const environment = openEnvironment(path);
  environment.root.transactionSync(() => writeVersion(environment, 7));
  await environment.root.close();
}

async function checkRemoved(path: string): Promise<void> {
  const store = await openStore({ dir: path, network: 0 });
  await store.checked;
  const all = Array.from({ length: BLOCKS }, (_, block) => block);
  expect(TABLES.map((table) => blocksOf(store, table))).toEqual([all, [], all]);
  expect(TABLES.map((table) => store.value(layoutsName(table)) !== undefined)).toEqual([true, false, true]);
  expect(store.cursor).toEqual(cursorOf(1));
  await store.close();
}

test('when the store is opened', async () => {
  const path = join(dir, 'opened');
  await storeOfBefore(path);
  await checkRemoved(path);
});

test('in steps, and what is left after a step that was the last before a crash', async () => {
  const path = join(dir, 'steps');
  await storeOfBefore(path);
  const environment = openEnvironment(path);
  let steps = 0;
  const migrations = storeMigrations(10 * BLOCK_BYTES).map(({ run, ...rest }) => ({
    ...rest,
    run: (...args: Parameters<typeof run>) => {
      if (++steps === 3) throw new Error('it ends here');
      return run(...args);
    },
  }));
  expect(() => migrate(environment, migrations)).toThrow('it ends here');
  expect(schemaOf(environment)).toBe(7);
  await environment.root.close();
  await checkRemoved(path);
});
