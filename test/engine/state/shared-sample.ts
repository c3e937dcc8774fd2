/** A small table with an index, declared alike by the thread that writes it and those that read it. */
import { hashWord } from '../../../engine/state/hash.ts';
import { Table } from '../../../engine/state/table.ts';
import type { TableDescription } from '../../../engine/state/table-memory.ts';

export function sampleTable(from: number | TableDescription) {
  const table = typeof from === 'number' ? new Table(1, 'sample', from) : Table.attach(from);
  const keys = table.u32('keys');
  const values = table.u32('values');
  const links = table.u32('links');
  table.linkThrough(links);
  const index = table.index('keys', (row) => hashWord(keys[row]!));
  return { table, keys, values, index };
}

/** The value of the second column for a key. */
export const valueBeside = (key: number): number => hashWord(key ^ 0x5bd1e995);

/** xorshift32. */
export function randomOf(seed: number): () => number {
  let word = seed >>> 0 || 1;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return word >>> 0;
  };
}
