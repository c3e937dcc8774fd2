/**
 * Started by sized-kills.ts, and killed: opens a store as the service does and follows an archive, ledger by ledger.
 * Arguments: folder, archive, ledgers between two digests, 'small' for limits of which a process passes many cycles.
 * Lines out: `opened`, `restored <ledger>`, `durable <ledger>`, `digesting`, `digest <ledger> <digest>`, `end <digest>`.
 */
import { openStore } from '../../data/store.ts';
import { Changes } from '../../engine/codec/changes.ts';
import { Engine } from '../../engine/engine.ts';
import { runInSlices } from '../../engine/event-loop.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { RestoreWorker } from '../../workers/restore-thread.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';

/** Ledgers that are looked at after a start: they were written last. */
const LOOKED_AT = 8;
const HASHES_LOOKED_AT = 20;

const [dir = '', path = '', every = '', limits = ''] = process.argv.slice(2);
const isSmall = limits === 'small';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const store = await openStore({
  dir,
  network: 0,
  ...(isSmall ? { history: { generationBatches: 5, runsPerLevel: 3 } } : {}),
});
say('opened');
const engine = new Engine({
  store,
  log,
  ...(isSmall ? { checkpoint: { batches: 6, share: 0.6 }, batch: { inFlight: 3 } } : {}),
});
// As the service does; without a second thread where processes are killed most often, which takes less of the cores.
const thread = isSmall ? undefined : store.moment && new RestoreWorker(store.moment);
await runInSlices(engine.restoring(thread));
await thread?.close();
const archive = ArchiveReader.open(path);
const base = archive.first!;
const last = archive.last!;
checkStored();
say(`restored ${engine.head!.index}`);
for (let index = engine.head!.index + 1; index <= last; index++) {
  const packed = archive.read(index)!;
  const ledger = prepared(packed, prepare(packed.bytes));
  if (ledger.fault) throw new Error(ledger.fault);
  await engine.applyLedger(ledger, false);
  say(`durable ${store.cursor!.index}`);
  if ((index - base) % Number(every) === 0) {
    await engine.drain();
    say('digesting');
    say(`digest ${index} ${engine.digest()}`);
  }
}
await engine.drain();
say('digesting');
say(`end ${await engine.digestWithHistory()}`);
archive.close();
await store.close();
process.exit(0);

/** The ledgers held end at the cursor without a gap, and the newest of them are whole, with all that names them. */
function checkStored(): void {
  const { index } = engine.head!;
  if (store.cursor?.index !== index) throw new Error(`cursor at ${store.cursor?.index}, state at ${index}`);
  const ranges = JSON.stringify(store.ledgerRanges());
  if (ranges !== JSON.stringify([[base, index]])) throw new Error(`cursor at ${index}, ledgers ${ranges}`);
  if (store.ledger(index + 1)) throw new Error(`ledger ${index + 1} is behind the cursor`);
  for (let at = index; at > Math.max(base, index - LOOKED_AT); at--) checkLedger(at);
}

function checkLedger(index: number): void {
  const packed = archive.read(index)!;
  const { bytes } = packed;
  if (Buffer.compare(store.ledger(index) ?? Buffer.alloc(0), bytes) !== 0)
    throw new Error(`ledger ${index} is not the one of the archive`);
  const changes = new Changes(prepared(packed, prepare(bytes)).changes);
  for (let tx = 0; tx < Math.min(changes.transactions, HASHES_LOOKED_AT); tx++) {
    const found = store.transaction(changes.hash(tx));
    if (found?.ledger !== index || found.tx !== tx)
      throw new Error(`transaction ${tx} of ledger ${index} is found at ${JSON.stringify(found)}`);
  }
}
