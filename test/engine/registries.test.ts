/** The lists of what is stored under numbers: no number twice, none left out. */
import { expect, test } from 'bun:test';
import { FAMILIES, type FamilyDescriptor, RECORD_FAMILIES } from '../../engine/families.ts';
import { Market } from '../../engine/market/market.ts';
import { State } from '../../engine/state/state.ts';
import { TableId } from '../../engine/table-ids.ts';
import { MemoryStore } from '../../support/memory-store.ts';

test('every table has an id of the list, and every id one table', () => {
  const state = new State();
  const { tables } = new Market(state, new MemoryStore());
  const ids = [...state.tables, ...tables].map(({ id }) => id).sort((a, b) => a - b);
  expect(ids).toEqual(Object.values(TableId).sort((a, b) => a - b));
  expect(new Set(ids).size).toBe(ids.length);
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
