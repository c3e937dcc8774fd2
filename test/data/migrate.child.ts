/** Started by upgrade.test.ts: brings a store of schema 1 to the newest, a row a step, and prints a dot for each. */
import { writeSync } from 'node:fs';
import { openEnvironment } from '../../data/environment.ts';
import { migrate, storeMigrations } from '../../data/migrations.ts';

const environment = openEnvironment(process.argv[2]!);
const migrations = storeMigrations(1).map(({ run, ...rest }) => ({
  ...rest,
  run: (...args: Parameters<typeof run>) => {
    writeSync(1, '.');
    return run(...args);
  },
}));
migrate(environment, migrations);
await environment.root.close();
