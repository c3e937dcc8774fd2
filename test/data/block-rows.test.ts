/** Blocks read from the file are those that LMDB gives, of the moment at which the reader is. */
import { afterAll, describe, expect, test } from 'bun:test';
import { BlockRows } from '../../data/block-rows.ts';
import { Family, key, MetaKey } from '../../data/keys.ts';
import { PageFile } from '../../data/pages.ts';
import { type LmdbStore, openReader, openStore } from '../../data/store.ts';
import { TreeRows } from '../../data/tree-rows.ts';
import { cursorOf, temporaryDir } from './tools.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const TABLES = [1, 2, 7];
const BLOCKS = 3_000;
const COMMITS = 12;
const RANGES = 200;
/** In a leaf, on one page of its own, on several. */
const LENGTHS = [40, 1_900, 2_436, 3_908, 9_000];

const { dir, remove } = temporaryDir();
afterAll(remove);

let state = SEED;
/** From 0 to below a number. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

async function commitBlocks(store: LmdbStore, index: number, blocks: number): Promise<void> {
  const batch = store.batch();
  for (let i = 0; i < blocks; i++) {
    const bytes = new Uint8Array(LENGTHS[random(LENGTHS.length)]!).fill(random(256));
    batch.block(TABLES[random(TABLES.length)]!, random(BLOCKS), bytes);
  }
  await store.commit(batch, cursorOf(index));
}

/** Block and checksum of each, as the reader visits them. */
function visited(store: Pick<LmdbStore, 'blocks'>, table: number, from = 0, most = BLOCKS): string[] {
  const seen: string[] = [];
  store.blocks(
    table,
    (block, bytes) => seen.push(`${block} ${bytes.length} ${Bun.hash.crc32(bytes)}`) < most,
    from,
  );
  return seen;
}

/** The same through LMDB's cursor. */
function expectedOf({ environment }: LmdbStore, table: number, from = 0, most = BLOCKS): string[] {
  const [start, end] = [key([2, 4], [table, from]), key([2, 4], [table, BLOCKS])];
  const rows = environment.families[Family.blocks]!.getRange({ start, end, limit: most });
  return [...rows].map(({ key: at, value }) => {
    const bytes = value.subarray(0, -4);
    return `${Buffer.from(at).readUInt32BE(2)} ${bytes.length} ${Bun.hash.crc32(bytes)}`;
  });
}

describe(`blocks of several tables, written in any order (SEED=${SEED})`, () => {
  test('any range of them, in steps of any length', async () => {
    const store = await openStore({ dir, network: 'test' });
    for (let index = 1; index <= COMMITS; index++) await commitBlocks(store, index, 1 + random(1_500));
    const log = store.environment.meta.getBinary(MetaKey.log);
    expect(BlockRows.open(dir, log)).toBeDefined();
    for (const table of TABLES) {
      const all = expectedOf(store, table);
      expect(all.length).toBeGreaterThan(500);
      expect(visited(store, table)).toEqual(all);
    }
    expect(visited(store, 3)).toEqual([]);
    for (let i = 0; i < RANGES; i++) {
      const [table, from, most] = [TABLES[random(TABLES.length)]!, random(BLOCKS + 2), 1 + random(300)];
      expect(visited(store, table, from, most)).toEqual(expectedOf(store, table, from, most));
    }
    await store.close();
  });

  test('while another batch is written, a reader sees those of its own moment', async () => {
    const store = await openStore({ dir, network: 'test' });
    const reader = openReader(dir);
    const before = TABLES.map((table) => expectedOf(store, table));
    await commitBlocks(store, COMMITS + 1, 2_000);
    await commitBlocks(store, COMMITS + 2, 2_000);
    const after = TABLES.map((table) => expectedOf(store, table));
    expect(after).not.toEqual(before);
    expect(TABLES.map((table) => visited(reader, table))).toEqual(before);
    reader.refresh();
    expect(TABLES.map((table) => visited(reader, table))).toEqual(after);
    expect(TABLES.map((table) => visited(store, table))).toEqual(after);
    await reader.close();
    await store.close();
  });

  test('a tree whose pages are not what they should be ends the walk with the table and the page', () => {
    const file = PageFile.open(dir)!;
    const tree = file.trees().get('blocks')!;
    const [first, last] = [key([2, 4], [0, 0]), key([2, 4], [9, 0])];
    const walk = (changed: Partial<typeof tree>): void =>
      new TreeRows(file, { ...tree, ...changed }).visit(first, last, () => true);
    expect(() => walk({})).not.toThrow();
    expect(() => walk({ depth: tree.depth + 1 })).toThrow(
      /table 'blocks': page \d+ is not what it should be/,
    );
    expect(() => walk({ depth: tree.depth - 1 })).toThrow('is not what it should be');
    expect(() => walk({ root: file.lastPage + 1 })).toThrow('is not what it should be');
    file.close();
  });
});
