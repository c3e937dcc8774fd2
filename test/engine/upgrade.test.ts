/** Columns are added, removed, moved and widened between versions: stored data stays readable at every moment. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openStore } from '../../data/store.ts';
import { LayoutError, type StoredLayout } from '../../engine/state/layout.ts';
import { persistTables, restoreTables } from '../../engine/state/stored-tables.ts';
import { Table } from '../../engine/state/table.ts';
import type { Store } from '../../engine/store.ts';
import { fillTables, rewriteOutdated, UPGRADE_BATCH_BYTES } from '../../engine/upgrade.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { cursorOf, temporaryDir } from '../data/tools.ts';
import { quietLog } from './ledger/quiet.ts';
import { newColumns, oldColumns } from './two-layouts.ts';

const ROWS = 3000;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

async function save(store: Store, table: Table, ledger: number, openedAt = 0): Promise<void> {
  const batch = store.batch();
  persistTables(batch, [table], openedAt);
  await store.commit(batch, cursorOf(ledger));
}

/** Rows of the old columns, every 7th of them freed again. */
async function fillOld(store: Store): Promise<void> {
  const { table, gone, keys, wide, small } = oldColumns();
  for (let i = 1; i < ROWS; i++) {
    const row = table.add();
    gone[row] = 9;
    keys[row] = row * 3;
    wide.set([row & 255, 1, 2], row * 3);
    small[row] = 60_000 + (row % 5000);
  }
  for (let row = 7; row < ROWS; row += 7) table.remove(row);
  await save(store, table, 1);
}

function checkNew({ table, late, keys, wide, small, doubles }: ReturnType<typeof newColumns>): void {
  expect(table.count).toBe(ROWS);
  for (let row = 1; row < ROWS; row++) {
    const free = row % 7 === 0;
    const expected = free ? [0, 0, 0, 0, 0] : [row * 3, row & 255, 60_000 + (row % 5000), row * 6, 0];
    expect([keys[row], wide[row * 3], small[row], doubles[row], late[row]]).toEqual(expected);
  }
}

/** As a start does it. */
function restored(store: Store): ReturnType<typeof newColumns> {
  const made = newColumns();
  restoreTables(store, [made.table]);
  fillTables([made.table], store, quietLog);
  return made;
}

/** How many stored blocks have each layout. */
function layoutsOf(store: Store): Map<number, number> {
  const counts = new Map<number, number>();
  store.blocks(50, (_, bytes) => {
    const id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  });
  return counts;
}

test('a table is read by the names of its columns, filled, and written again in its new form', async () => {
  const store = new MemoryStore();
  await fillOld(store);
  const first = restored(store);
  checkNew(first);
  expect(first.table.outdated).toBe(Math.ceil(ROWS / 64));
  // The free list is kept: rows freed before are handed out again, the last one first.
  expect(first.table.add()).toBe(Math.floor((ROWS - 1) / 7) * 7);

  const second = restored(store);
  await rewriteOutdated({
    tables: [second.table],
    store,
    persist: (batch) => persistTables(batch, [second.table], 1),
    log: quietLog,
    batchBytes: UPGRADE_BATCH_BYTES,
  });
  expect([...layoutsOf(store).keys()]).toEqual([second.table.layout]);
  const third = newColumns();
  restoreTables(store, [third.table]);
  checkNew(third);
  expect(third.table.outdated).toBe(0);
  expect(third.table.fill(store)).toEqual([]);
});

test('a column knows since which ledger it has been kept', async () => {
  const store = new MemoryStore();
  await fillOld(store);
  const { table } = restored(store);
  await save(store, table, 2, 1);
  const again = restored(store).table;
  expect(['keys', 'doubles', 'late'].map((name) => again.since(name))).toEqual([0, 0, 1]);
});

test('a table that the store never had is derived by its owner, or begins empty, and says since when', async () => {
  const store = new MemoryStore();
  await fillOld(store);
  const derived = new Table(51, 'derived', 64);
  const values = derived.u32('values');
  derived.onNew((from) => {
    values[derived.add()] = from.cursor!.index;
  });
  const empty = new Table(52, 'empty', 64);
  empty.u32('values');
  restoreTables(store, [derived, empty]);
  expect(fillTables([derived, empty], store, quietLog)).toBe(true);
  const batch = store.batch();
  persistTables(batch, [derived, empty], 1);
  await store.commit(batch, cursorOf(2));
  expect(values[1]).toBe(1);
  expect([derived.since('values'), empty.since('values')]).toEqual([0, 1]);

  const again = new Table(51, 'derived', 64);
  const kept = again.u32('values');
  again.onNew(() => expect.unreachable());
  restoreTables(store, [again]);
  fillTables([again], store, quietLog);
  expect(kept[1]).toBe(1);
});

test('a column of another type or width is refused with its name, and nothing is written', async () => {
  const store = new MemoryStore();
  await fillOld(store);
  const narrower = new Table(50, 'sample', 8192);
  narrower.u8('keys');
  const other = new Table(50, 'sample', 8192);
  other.u8('wide', 4);
  expect(() => restoreTables(store, [narrower])).toThrow(LayoutError);
  expect(() => restoreTables(store, [narrower])).toThrow(
    'column keys is stored as u32 and cannot be read as u8',
  );
  expect(() => restoreTables(store, [other])).toThrow('column wide is stored as 3 x u8');
  expect(store.commits).toBe(1);
});

test('a block whose layout the store does not list is refused', async () => {
  const store = new MemoryStore();
  await fillOld(store);
  const listed = store.value('columns 50') as StoredLayout[];
  const unlisted = new Table(50, 'sample', 8192);
  unlisted.u8('other');
  const block = unlisted.blockBytes(0);
  const { table } = newColumns();
  table.loadLayouts(listed);
  expect(() => table.loadBlock(0, block)).toThrow('block 0 has an unknown layout');
});

test('killed at any moment, blocks of both layouts exist together and the next start continues', async () => {
  console.log(`seed ${seed} (repeat with SEED=${seed})`);
  const { dir, remove } = temporaryDir();
  let store = await openStore({ dir, network: 0 });
  await fillOld(store);
  const { layout } = newColumns().table;
  const total = Math.ceil(ROWS / 64);
  let random = seed;
  let mixed = 0;
  for (let done = false; !done; ) {
    await store.close();
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The first one waits in the middle, so that some round is killed there, however fast the others end.
    const waits = mixed === 0;
    const batches = waits ? total >> 1 : 1 + Math.floor((random / 2_147_483_648) * total);
    const script = join(import.meta.dir, 'columns.child.ts');
    const child = Bun.spawn([process.execPath, script, dir, ...(waits ? [String(batches)] : [])], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    let seen = 0;
    for await (const dots of child.stdout) {
      seen += dots.length;
      // The next round would start over: the last one is not killed.
      if (seen >= batches && mixed < 4) child.kill('SIGKILL');
    }
    await child.exited;
    store = await openStore({ dir, network: 0 });
    const made = newColumns();
    restoreTables(store, [made.table]);
    made.table.fill(store);
    checkNew(made);
    const counts = layoutsOf(store);
    if (counts.size > 1) mixed++;
    done = counts.size === 1 && counts.has(layout);
  }
  expect(mixed).toBeGreaterThan(0);
  await store.close();
  remove();
});
