/** The lists of what is stored under numbers: no number twice, none left out. */
import { expect, test } from 'bun:test';
import { storeMigrations } from '../../data/migrations.ts';
import { Engine } from '../../engine/engine.ts';
import { FAMILIES, type FamilyDescriptor, RECORD_FAMILIES } from '../../engine/families.ts';
import { TableId } from '../../engine/table-ids.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { quiet } from '../live-rig.ts';

test('every table has an id of the list, and every id one table', () => {
  const { domains } = new Engine({ store: new MemoryStore(), log: quiet });
  const ids = domains.flatMap(({ tables }) => tables.map(({ id }) => id)).sort((a, b) => a - b);
  expect(ids).toEqual(Object.values(TableId).sort((a, b) => a - b));
  expect(new Set(ids).size).toBe(ids.length);
});

test('a family that is added with the next schema version migrates stores to it; a version without reason is refused', () => {
  const newest = storeMigrations().length;
  const added: FamilyDescriptor = { id: Object.keys(FAMILIES).length, key: [4, 4], since: newest + 1 };
  const migrations = storeMigrations(1, { ...FAMILIES, added });
  expect(migrations.map(({ to }) => to)).toEqual(Array.from({ length: newest + 1 }, (_, i) => i + 1));
  expect(migrations.at(-1)!.title).toContain('added');
  expect(() => storeMigrations(1, { ...FAMILIES, added: { ...added, since: newest + 2 } })).toThrow(
    `schema version ${newest + 1} has neither`,
  );
});

test('the ids of families are 0, 1, 2 ..., and keys have widths that can be written', () => {
  const families = Object.values<FamilyDescriptor>(FAMILIES);
  expect(families.map(({ id }) => id).sort((a, b) => a - b)).toEqual(families.map((_, i) => i));
  for (const name of RECORD_FAMILIES) {
    const widths: readonly number[] = FAMILIES[name].key;
    expect(widths.length).toBeGreaterThan(0);
    for (const width of widths) expect([1, 2, 4]).toContain(width);
  }
});
