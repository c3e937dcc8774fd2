/** Tables that follow one type of entry: a store of a version without one is filled to what a replay gives. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { State } from '../../../engine/state/state.ts';
import { type Embedded, embedded } from '../../embedded.ts';
import { quiet } from '../../live-rig.ts';
import { withoutTables } from '../without-tables.ts';

/** Until agents have created entries of every type that has such a table. */
const LEDGERS = 400;

describe('a store without the table', () => {
  let net: Embedded;
  beforeAll(async () => {
    net = await embedded(LEDGERS);
  });

  test.each(new State().entryTables.map(({ table }) => [table.name, table.id] as const))('%s', (name, id) => {
    const { table } = net.engine.state.entryTables.find((one) => one.table.id === id)!;
    expect(table.count, `rows of ${name}`).toBeGreaterThan(1);
    const opened = new Engine({ store: withoutTables(net.engine.store, [id]), log: quiet });
    opened.restore();
    expect(opened.digest()).toBe(net.engine.digest());
    expect(opened.state.tables.find((one) => one.id === id)!.since(table.columns[0]!.name)).toBe(0);
  });
});
