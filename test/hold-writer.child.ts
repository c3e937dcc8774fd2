/** Started by stop.long.test.ts: holds the write lock of a store until it is killed, as a disk that hangs would. */
import { openEnvironment } from '../data/environment.ts';

const { root } = openEnvironment(process.argv[2]!);
root.transactionSync(() => {
  console.log('held');
  Bun.sleepSync(600_000);
});
