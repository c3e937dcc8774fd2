/** One table as an older and as a newer program declares it. */
import { Table } from '../../engine/state/table.ts';

const CAPACITY = 8192;

export function oldColumns() {
  const table = new Table(50, 'sample', CAPACITY);
  const gone = table.u32('gone');
  const keys = table.u32('keys');
  const wide = table.u8('wide', 3);
  const small = table.u16('small');
  const links = table.u32('links');
  table.linkThrough(links);
  return { table, gone, keys, wide, small, links };
}

/** `gone` is removed, `small` is wider, the rest has moved, `late` begins at zero, `doubles` is twice the key. */
export function newColumns() {
  const table = new Table(50, 'sample', CAPACITY);
  const late = table.u8('late');
  const links = table.u32('links');
  const small = table.f64('small');
  const doubles = table.f64('doubles');
  const wide = table.u8('wide', 3);
  const keys = table.u32('keys');
  table.linkThrough(links);
  table.onAdded('doubles', () => {
    for (let row = 1; row < table.count; row++) doubles[row] = keys[row]! * 2;
  });
  return { table, late, keys, wide, small, links, doubles };
}
