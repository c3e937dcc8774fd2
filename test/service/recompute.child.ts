/**
 * Started by recompute.long.test.ts: opens a store of other rules as the service does, and kills its own process (SIGKILL) at one
 * of these moments: each progress and each line of the log, before and after each commit, and before and after a store is
 * closed (the new one is complete then, and not in its place).
 * Arguments: folder of the store, path of an archive, the moment: a number (0: none), or what a moment is (the first of these), and a
 * number of moments after it. How often progress is told depends on the machine. Prints the moments until then, with what each is.
 */
import { writeSync } from 'node:fs';
import { LmdbStore } from '../../data/store.ts';
import { openNetwork } from '../../service/network.ts';
import { readOptions } from '../../service/options.ts';
import { preparePool } from '../../workers/prepare-pool.ts';

const [dir = '', archive, target, after = '0'] = process.argv.slice(2);
const moments: string[] = [];

const isDue = (): boolean => {
  const at = /^\d+$/.test(target!) ? Number(target) - 1 : moments.indexOf(target!);
  return at >= 0 && moments.length - 1 === at + Number(after);
};

function moment(what: string): void {
  moments.push(what);
  if (!isDue()) return;
  tellMoments();
  process.kill(process.pid, 'SIGKILL');
}

const tellMoments = (): void => void writeSync(1, JSON.stringify(moments));

const { commit, close } = LmdbStore.prototype;
LmdbStore.prototype.commit = async function (batch, cursor) {
  moment('before a commit');
  await commit.call(this, batch, cursor);
  moment('after a commit');
};
LmdbStore.prototype.close = async function () {
  moment('before closing');
  await close.call(this);
  moment('after closing');
};
const line = (_fields: object, message: string) => moment(message);
const open = await openNetwork({
  options: readOptions([`--data=${dir}`, `--source=file:${archive}`, '--network=0'], {}),
  log: { debug() {}, info: line, warn: line, error: line },
  preparer: preparePool(0),
  onFault: (fault) => {
    throw fault;
  },
  onProgress: (progress) => moment(`${progress?.stage} ${progress?.share}`),
  signal: new AbortController().signal,
});
await open.close();
tellMoments();
