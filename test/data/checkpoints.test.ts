/** Tables in the row log and in blocks: at any moment the store has them as they are, however far a checkpoint is. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Family } from '../../data/keys.ts';
import { loadRows } from '../../data/restore-rows.ts';
import { LogKind, partBounds } from '../../data/row-log.ts';
import { type LmdbStore, openStore } from '../../data/store.ts';
import { type CheckpointLimits, Checkpoints } from '../../engine/state/checkpoint.ts';
import type { RestoreThread } from '../../engine/state/restore-thread.ts';
import { persistTables, restoreTables } from '../../engine/state/stored-tables.ts';
import { Table } from '../../engine/state/table.ts';
import { casesOf } from '../cases.ts';
import { cursorOf, temporaryDir } from './tools.ts';

const CAPACITY = 2048;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

function newTables() {
  return [60, 61].map((id) => {
    const table = new Table(id, `table ${id}`, CAPACITY);
    const keys = table.u32('keys');
    const sums = table.f64('sums');
    const links = table.u32('links');
    table.linkThrough(links);
    return { table, keys, sums };
  });
}

type Tables = ReturnType<typeof newTables>;

/** Every byte of the tables, and what they hand out next. */
function contents(tables: Tables): string[] {
  return tables.flatMap(({ table }) => [
    String(table.head),
    ...Array.from({ length: Math.ceil(table.count / 64) }, (_, block) =>
      Buffer.from(table.blockBytes(block)).toString('hex'),
    ),
  ]);
}

function restored(store: LmdbStore, thread?: RestoreThread): Tables {
  const tables = newTables();
  restoreTables(
    store,
    tables.map(({ table }) => table),
    thread,
  );
  return tables;
}

/** Loads what a thread would, at once. */
const loadsOf = (store: LmdbStore): RestoreThread => ({
  fromRows: 2,
  start() {},
  loadRows: (task) => ({ take: () => loadRows(store.moment!, task) }),
  fillIndexes: () => ({ take: () => null }),
});

/** Writes something to all rows that it may write to, and then says that it could not load them. */
const failing: RestoreThread = {
  fromRows: 2,
  start() {},
  loadRows: ({ columns, rows }) => {
    for (const { buffer, rowBytes } of columns)
      new Uint8Array(buffer, 0, rows * rowBytes).fill(0xa5, 64 * rowBytes);
    return { take: () => null };
  },
  fillIndexes: () => ({ take: () => null }),
};

/** One batch: rows added, changed and removed; many at once fill blocks. */
const change = fc.record({
  table: fc.integer({ min: 0, max: 1 }),
  kind: fc.constantFrom('add', 'add', 'change', 'change', 'change', 'remove', 'fill'),
  pick: fc.nat(),
});
const batch = fc.record({
  changes: fc.array(change, { maxLength: 12 }),
  /** The process is killed after it. */
  killed: fc.nat(9).map((n) => n === 0),
});

class Run {
  store: LmdbStore;
  tables = newTables();
  begins = 0;
  ends = 0;
  #checkpoints: Checkpoints;
  readonly #dir: string;
  readonly #limits: Partial<CheckpointLimits>;
  #live: Set<number>[] = [new Set(), new Set()];
  #index = 0;

  constructor(store: LmdbStore, dir: string, limits: Partial<CheckpointLimits>) {
    this.store = store;
    this.#dir = dir;
    this.#limits = limits;
    this.#checkpoints = this.#newCheckpoints();
  }

  #newCheckpoints(): Checkpoints {
    return new Checkpoints(
      this.tables.map(({ table }) => table),
      this.#limits,
    );
  }

  change({ table: at, kind, pick }: { table: number; kind: string; pick: number }): void {
    const { table, keys, sums } = this.tables[at]!;
    const live = this.#live[at]!;
    const rows = [...live];
    const picked = rows[pick % Math.max(1, rows.length)];
    const set = (row: number): void => {
      keys[row] = pick;
      sums[row] = pick / 3;
      table.markDirty(row);
    };
    const adds = kind === 'fill' ? 70 : kind === 'add' || picked === undefined ? 1 : 0;
    for (let i = 0; i < adds && live.size < CAPACITY - 1; i++) {
      const row = table.add();
      live.add(row);
      set(row);
    }
    if (adds > 0 || picked === undefined) return;
    if (kind === 'change') set(picked);
    else {
      live.delete(picked);
      table.remove(picked);
    }
  }

  async commit(): Promise<void> {
    const made = this.store.batch();
    persistTables(
      made,
      this.tables.map(({ table }) => table),
      0,
    );
    const checkpoint = made.checkpoint.bind(made);
    made.checkpoint = (step) => {
      if (step === 'begin') this.begins++;
      else this.ends++;
      checkpoint(step);
    };
    this.#checkpoints.step(made);
    await this.store.commit(made, cursorOf(++this.#index));
  }

  /** A new process: what was in memory is gone. */
  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await openStore({ dir: this.#dir, network: 'test' });
    // What goes on after a restore does so with a thread, too.
    this.tables = restored(this.store, loadsOf(this.store));
    this.#checkpoints = this.#newCheckpoints();
  }

  /** Batches that the log has images of. */
  logged(): number {
    const [start, end] = partBounds(LogKind.rows, 0, 2 ** 32 - 1);
    return [...this.store.environment.families[Family.log]!.getKeys({ start, end })].length;
  }
}

test(`tables come back after every batch, and after a kill at any of them (SEED=${seed})`, async () => {
  const total = { batches: 0, begins: 0, ends: 0, kills: 0 };
  const property = fc.asyncProperty(
    fc.array(batch, { minLength: 20, maxLength: 50 }),
    fc.record({
      images: fc.integer({ min: 1, max: 200 }),
      batches: fc.integer({ min: 1, max: 12 }),
      share: fc.constantFrom(0.1, 0.5, 1),
    }),
    async (batches, limits) => {
      const { dir, remove } = temporaryDir();
      const run = new Run(await openStore({ dir, network: 'test' }), dir, limits);
      let sinceKill = 0;
      for (const { changes, killed } of batches) {
        for (const each of changes) run.change(each);
        await run.commit();
        total.batches++;
        for (const thread of [undefined, loadsOf(run.store), failing])
          expect(contents(restored(run.store, thread))).toEqual(contents(run.tables));
        // Two intervals and the writing of their blocks, counted again after a kill.
        sinceKill = killed ? 0 : sinceKill + 1;
        if (sinceKill > 3 * limits.batches + 4) expect(run.logged()).toBeLessThan(3 * limits.batches + 4);
        if (!killed) continue;
        total.kills++;
        await run.reopen();
      }
      // Left alone, a checkpoint ends: two intervals and the writing of its blocks.
      const ends = run.ends;
      for (let i = 0; i < 3 * limits.batches + 4; i++) {
        run.change({ table: i % 2, kind: 'change', pick: i });
        await run.commit();
      }
      expect(run.ends).toBeGreaterThan(ends);
      await run.reopen();
      expect(contents(restored(run.store))).toEqual(contents(run.tables));
      total.begins += run.begins;
      total.ends += run.ends;
      await run.store.close();
      remove();
    },
  );
  const numRuns = casesOf(3, 12);
  await fc.assert(property, { seed, numRuns });
  console.log(total);
  // In each run one ended at least, when it was left alone; a kill can come before any other does.
  expect(total.ends).toBeGreaterThanOrEqual(numRuns);
  expect(total.begins).toBeGreaterThanOrEqual(total.ends);
});

test('a batch writes blocks up to a number of bytes, however many rows it changed', async () => {
  const { dir, remove } = temporaryDir();
  const store = await openStore({ dir, network: 'test' });
  const table = new Table(60, 'table 60', 65_536);
  const sums = table.f64('sums');
  const rows = Array.from({ length: 32_000 }, () => table.add());
  const blockBytes = table.blockBytes(0).length;
  const bytes = 20 * blockBytes;
  const checkpoints = new Checkpoints([table], { images: 100, batches: 1000, share: 0.5, bytes });
  const blocks: number[] = [];
  for (let ended = false, index = 1; !ended; index++) {
    const made = store.batch();
    // In each block a few rows: they go into the log.
    for (let i = index % 16; i < rows.length; i += 16) {
      sums[rows[i]!] = index;
      table.markDirty(rows[i]!);
    }
    persistTables(made, [table], 0);
    let count = 0;
    const [block, checkpoint] = [made.block.bind(made), made.checkpoint.bind(made)];
    made.block = (...words) => {
      count++;
      block(...words);
    };
    made.checkpoint = (step) => {
      ended = step === 'end';
      checkpoint(step);
    };
    checkpoints.step(made);
    if (index > 1) blocks.push(count);
    await store.commit(made, cursorOf(index));
  }
  // The one that passes the limit is written too.
  expect(Math.max(...blocks)).toBeLessThanOrEqual(21);
  expect(blocks.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(32_000 / 64);
  await store.close();
  remove();
});
