/** The process that `crash.ts` kills: replays an archive into a store and says when the first ledger is applied. */
import { pino } from 'pino';
import { replayArchive } from '../service/replay.ts';

const [archive, dir, ledgers] = process.argv.slice(2);
let told = false;
const tell = () => {
  if (told) return;
  told = true;
  process.stdout.write('applied\n');
};
await replayArchive({
  archive: archive!,
  dir: dir!,
  workers: 1,
  batch: { ledgers: Number(ledgers) },
  log: pino({ level: 'error' }, pino.destination(2)),
  onLedger: tell,
});
tell();
