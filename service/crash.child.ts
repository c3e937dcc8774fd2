/** The process that `crash.ts` kills: replays an archive into a store and reports when the first ledger is applied. */
import { pino } from 'pino';
import { replayArchive } from './replay.ts';

/** Writes one line to stdout, at the first call only. */
function reporter(): () => void {
  let reported = false;
  return () => {
    if (!reported) process.stdout.write('applied\n');
    reported = true;
  };
}

const [archive, dir, ledgers] = process.argv.slice(2);
const reportApplied = reporter();
await replayArchive({
  archive: archive!,
  dir: dir!,
  workers: 1,
  batch: { ledgers: Number(ledgers) },
  // A checkpoint every few batches, written over several: kills fall into all of its parts.
  checkpoint: { batches: 6, share: 0.6 },
  history: { generationBytes: 150_000, runsPerLevel: 3 },
  log: pino({ level: 'error' }, pino.destination(2)),
  onLedger: reportApplied,
});
reportApplied();
