/**
 * Started by migration-kills.ts: brings a store of version 0.2.0 to this version in the smallest possible steps, and kills
 * its own process (SIGKILL) at one of these moments:
 *     rows      data/migrations.ts, a row a step: before a step, and after its writes but before they are committed
 *     columns   engine/upgrade.ts, a block a batch: before a commit, and after it
 * Arguments: folder of the store, phase, number of the moment in it (0: none). Prints how many moments the phase has.
 */
import { writeSync } from 'node:fs';
import { openEnvironment } from '../../data/environment.ts';
import { migrate, storeMigrations } from '../../data/migrations.ts';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { quietLog } from '../engine/ledger/quiet.ts';

const [dir = '', phase, target] = process.argv.slice(2);
let moments = 0;

function moment(of: string): void {
  if (of === phase && ++moments === Number(target)) process.kill(process.pid, 'SIGKILL');
}

const environment = openEnvironment(dir);
const migrations = storeMigrations(1).map(({ run, ...rest }) => ({
  ...rest,
  run: (...args: Parameters<typeof run>) => {
    moment('rows');
    const next = run(...args);
    moment('rows');
    return next;
  },
}));
migrate(environment, migrations);
await environment.root.close();

if (phase === 'columns') {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quietLog });
  engine.restore();
  const commit = store.commit.bind(store);
  store.commit = async (batch, cursor) => {
    moment('columns');
    await commit(batch, cursor);
    moment('columns');
  };
  await engine.upgrade({ batchBytes: 1 });
  await store.close();
}
writeSync(1, String(moments));
