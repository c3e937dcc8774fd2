import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BLOCK_ROWS } from '../../../engine/state/dirty-rows.ts';
import { RowIndex } from '../../../engine/state/row-index.ts';
import { Table, TableFullError } from '../../../engine/state/table.ts';

const seed = Number(process.env.SEED ?? 20_261_121);

const nothing = { row: () => {}, block: () => {} };

function sample(capacity: number) {
  const table = new Table(1, 'sample', capacity);
  const keys = table.u32('keys');
  const wide = table.u8('wide', 3);
  const sums = table.f64('sums');
  const links = table.u32('links');
  const derived = table.derivedU32('derived');
  table.linkThrough(links);
  return { table, keys, wide, sums, links, derived };
}

describe('Table', () => {
  test('names its limit when full, and takes freed rows first', () => {
    const { table } = sample(64);
    for (let row = 1; row < 64; row++) expect(table.add()).toBe(row);
    expect(() => table.add()).toThrow(TableFullError);
    expect(() => table.add()).toThrow('table sample is full (64 rows)');
    table.remove(7);
    table.remove(9);
    expect([table.add(), table.add()]).toEqual([9, 7]);
    expect(() => table.add()).toThrow(TableFullError);
  });

  test('columns held by others stay valid while the table grows', () => {
    const { table, keys, derived } = sample(100_000);
    for (let row = 1; row < 50_000; row++) {
      const id = table.add();
      keys[id] = id * 3;
      derived[id] = id;
    }
    expect(keys[49_999]).toBe(149_997);
    expect(derived[49_999]).toBe(49_999);
  });

  test('refuses blocks of another layout and beyond the capacity', () => {
    const { table } = sample(128);
    const block = table.blockBytes(1);
    expect(() => table.loadBlock(0, block)).toThrow(RangeError);
    expect(() => table.loadBlock(2, block)).toThrow(RangeError);
    table.loadBlock(1, block);
  });

  test('what a block has is what the table has, zeros too, whatever its rows were before', () => {
    const from = sample(1024);
    for (let i = 1; i < 300; i++) from.keys[from.table.add()] = i < 128 || i >= 192 ? i : 0;
    const blocks = Array.from({ length: 5 }, (_, block) => from.table.blockBytes(block));
    const load = ({ table }: typeof from): void => {
      for (const [block, bytes] of blocks.entries()) table.loadBlock(block, bytes);
    };
    const isSame = ({ table }: typeof from): boolean => {
      const contents = (of: Table) => Array.from(of.contents(), ({ name, bytes }) => [name, [...bytes]]);
      return table.count === from.table.count && Bun.deepEquals(contents(table), contents(from.table));
    };
    const fresh = sample(1024);
    load(fresh);
    expect(isSame(fresh)).toBe(true);
    // Again, and over rows that have changed since.
    for (let row = 1; row < 300; row++) fresh.sums[row] = fresh.keys[row] = 7;
    load(fresh);
    expect(isSame(fresh)).toBe(true);
    // Over rows that it had before.
    const used = sample(1024);
    for (let i = 1; i < 200; i++) used.keys[used.table.add()] = 9;
    load(used);
    expect(isSame(used)).toBe(true);
    // Rows that came between two blocks.
    const between = sample(1024);
    between.table.loadBlock(0, blocks[0]!);
    for (let i = 0; i < 20; i++) between.table.add();
    for (let row = 130; row < 180; row++) between.keys[row] = 5;
    for (const block of [1, 2, 3, 4]) between.table.loadBlock(block, blocks[block]!);
    expect(Array.from(between.keys.subarray(0, 320))).toEqual(Array.from(from.keys.subarray(0, 320)));
  });

  test('drains exactly the changed rows, once, ascending, and whole a block of which most changed', () => {
    const { table } = sample(1024);
    for (let i = 0; i < 300; i++) table.add();
    table.drainDirty(nothing);
    for (const row of [290, 5, 64, 127, 291]) table.markDirty(row);
    for (let row = 140; row < 188; row++) table.markDirty(row);
    const drained: string[] = [];
    table.drainDirty({
      row: (row) => drained.push(`row ${row}`),
      block: (block) => drained.push(`block ${block}`),
    });
    expect(drained).toEqual(['row 5', 'row 64', 'row 127', 'block 2', 'row 290', 'row 291']);
    table.drainDirty({ row: () => expect.unreachable(), block: () => expect.unreachable() });
  });

  test(`a restored table hands out the same ids (SEED=${seed})`, () => {
    const steps = fc.array(fc.record({ add: fc.boolean(), pick: fc.nat(), save: fc.boolean() }), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (script) => {
        const one = sample(1024);
        const blocks = new Map<number, Uint8Array>();
        const rows = new Map<number, Uint8Array>();
        const save = {
          row: (row: number, image: Uint8Array) => void rows.set(row, image.slice()),
          block: (block: number, bytes: Uint8Array) => {
            blocks.set(block, bytes.slice());
            for (const row of rows.keys()) if (Math.floor(row / BLOCK_ROWS) === block) rows.delete(row);
          },
        };
        const live: number[] = [];
        for (const step of script) {
          if (step.add || live.length === 0) {
            const row = one.table.add();
            expect(live).not.toContain(row);
            expect([one.keys[row], one.wide[row * 3 + 2], one.sums[row], one.links[row]]).toEqual([
              0, 0, 0, 0,
            ]);
            one.keys[row] = step.pick;
            one.wide[row * 3 + 2] = 5;
            one.sums[row] = 0.5;
            live.push(row);
          } else {
            one.table.remove(live.splice(step.pick % live.length, 1)[0]!);
          }
          if (step.save) one.table.drainDirty(save);
        }
        one.table.drainDirty(save);
        const two = sample(1024);
        for (const [block, bytes] of blocks) two.table.loadBlock(block, bytes);
        for (const [row, image] of rows) two.table.loadRow(row, image);
        for (const row of live) expect(two.keys[row]).toBe(one.keys[row]!);
        for (let i = 0; i < 20; i++) expect(two.table.add()).toBe(one.table.add());
      }),
      { seed, numRuns: 100 },
    );
  });
});

describe('RowIndex', () => {
  test(`finds what is in it, however keys collide (SEED=${seed})`, () => {
    const steps = fc.array(fc.record({ row: fc.integer({ min: 1, max: 120 }), hash: fc.nat(7) }), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(steps, fc.boolean(), (script, narrow) => {
        // Few home slots, the last ones among them: long clusters that wrap around the end.
        const home = (row: number): number => (narrow ? (row % 3) + 126 : row * 7);
        const index = new RowIndex(home);
        const there = new Set<number>();
        for (const { row } of script) {
          if (there.delete(row)) index.remove(row);
          else {
            there.add(row);
            index.add(row);
          }
        }
        expect(index.size).toBe(there.size);
        for (let row = 1; row <= 120; row++) {
          let slot = index.first(home(row));
          while (index.at(slot) !== 0 && index.at(slot) !== row) slot = index.next(slot);
          expect(index.at(slot) === row).toBe(there.has(row));
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  test(`is complete at every moment while it grows (SEED=${seed})`, () => {
    const steps = fc.array(fc.record({ row: fc.integer({ min: 1, max: MOST }), stays: fc.boolean() }), {
      minLength: 2 * MOST,
      maxLength: 2 * MOST,
    });
    const homes = fc.constantFrom<(row: number) => number>(
      // The last slots of 128, 256, 384, 512, 640, 896 and 1152: clusters around the end of the array.
      (row) => 128 * 1260 - 1 - (row % 50) * 3,
      (row) => row * 7,
      (row) => Math.imul(row, 0x9e3779b1) >>> 0,
    );
    let grown = 0;
    fc.assert(
      fc.property(steps, homes, (script, home) => {
        const index = new RowIndex(home);
        const there = new Set<number>();
        for (const { row, stays } of script) {
          const before = index.byteLength;
          if (!there.has(row)) {
            index.add(row);
            there.add(row);
          } else if (!stays) {
            index.remove(row);
            there.delete(row);
          }
          const isChanging = index.byteLength !== before;
          if (isChanging) grown++;
          if (isChanging || row % 16 === 0) expect(rowsIn(index, home)).toEqual(there);
        }
      }),
      { seed, numRuns: 12 },
    );
    expect(grown).toBeGreaterThan(12 * 4);
  });

  test('forgets a row that shifts around the end of the array while it grows', () => {
    // Rows up to 10 have the last slot as their home and reach around the end; the others stand apart.
    const home = (row: number): number => (row <= 10 ? 128 * 1260 - 1 : 20 + row);
    const index = new RowIndex(home);
    for (let row = 1; row <= 10; row++) index.add(row);
    // The last of these rows begins the second growing, which takes several steps.
    let row = 11;
    for (let growings = 0; growings < 2; row++) {
      const before = index.byteLength;
      index.add(row);
      if (index.byteLength > before * 1.5) growings++;
    }
    const last = index.at(index.first(home(1)));
    index.remove(last);
    for (let more = 0; more < 10; more++) index.add(row++);
    for (let gone = 1; gone <= 10; gone++) if (gone !== last) index.remove(gone);
    const found = rowsIn(index, home);
    expect(found).toEqual(new Set(Array.from({ length: row - 11 }, (_, i) => 11 + i)));
  });

  test('copies a few slots for each row that is added, and never more', () => {
    let hashes = 0;
    const index = new RowIndex((row) => {
      hashes++;
      return Math.imul(row, 0x9e3779b1) >>> 0;
    });
    let most = 0;
    for (let row = 1; row <= 200_000; row++) {
      hashes = 0;
      index.add(row);
      most = Math.max(most, hashes);
    }
    // Itself in both, and 128 slots.
    expect(most).toBeLessThanOrEqual(130);
  });
});

const MOST = 800;

/** Rows that are found. */
function rowsIn(index: RowIndex, home: (row: number) => number): Set<number> {
  const found = new Set<number>();
  for (let row = 1; row <= MOST; row++) {
    let slot = index.first(home(row));
    while (index.at(slot) !== 0 && index.at(slot) !== row) slot = index.next(slot);
    if (index.at(slot) === row) found.add(row);
  }
  return found;
}
