/** Tables that follow one type of entry: a store of a version without one is filled to what a replay gives. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { State } from '../../../engine/state/state.ts';
import { SNAPSHOT_VALUE } from '../../../engine/store.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { engineOf } from '../../embedded.ts';
import { quiet } from '../../live-rig.ts';
import { ReadsRig } from '../../sandbox/node/reads-rig.ts';
import { withoutTables } from '../without-tables.ts';

/** Its ledgers create entries of every type that has such a table. */
class KeepingRig extends ReadsRig {
  readonly ledgers: ClosedLedger[] = [this.network.closed];

  override next(): ClosedLedger {
    const ledger = super.next();
    this.ledgers.push(ledger);
    return ledger;
  }
}

describe('a store without the table', () => {
  let engine: Engine;
  beforeAll(async () => {
    const rig = new KeepingRig();
    rig.build();
    engine = await engineOf(rig.ledgers);
  });

  test.each(new State().entryTables.map(({ table }) => [table.name, table.id] as const))('%s', (name, id) => {
    const { table } = engine.state.entryTables.find((one) => one.table.id === id)!;
    expect(table.count, `rows of ${name}`).toBeGreaterThan(1);
    const opened = new Engine({ store: withoutTables(engine.store, [id]), log: quiet });
    opened.restore();
    expect(opened.digest()).toBe(engine.digest());
    const filled = opened.state.tables.find((one) => one.id === id)!;
    expect([filled.count, filled.since(table.columns[0]!.name)]).toEqual([table.count, 0]);
  });

  test('knows that it may lack entries, where the store began with a snapshot: also once it is stored', () => {
    const { table } = engine.state.depositPreauths;
    const without = withoutTables(engine.store, [table.id]);
    const begun = Object.assign(Object.create(without) as typeof without, {
      value: (name: string) => (name === SNAPSHOT_VALUE ? null : without.value(name)),
    });
    const opened = new Engine({ store: begun, log: quiet });
    opened.restore();
    const { depositPreauths } = opened.state;
    expect([depositPreauths.isComplete, depositPreauths.existing]).toEqual([false, 1]);
    const { index } = engine.store.cursor!;
    depositPreauths.table.layoutsToStore(index);
    expect([depositPreauths.isComplete, depositPreauths.table.since('parties')]).toEqual([false, index]);
  });

  test.each([
    [1, true],
    [2, false],
  ])('knows that, too, where ledgers are held from ledger %i on, and there was no snapshot', (first, is) => {
    const begun = Object.assign(Object.create(engine.store) as typeof engine.store, {
      ledgerRanges: () => [[first, engine.head!.index]],
    });
    const opened = new Engine({ store: begun, log: quiet });
    opened.restore();
    const { isComplete, table } = opened.state.depositPreauths;
    expect([isComplete, table.since('parties')]).toEqual([is, 0]);
  });
});
