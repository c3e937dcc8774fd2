/**
 * An engine on a store of the sized network, in a process of its own: `sized-engine <store> <archive>`. It
 * restores, applies the ledgers of the archive one by one, each with a batch of its own, as when following. Line out:
 * `measured {"restore": ms, "bytes": of memory, "apply": [ms of each ledger, without waiting for a core]}`.
 */
import { readFileSync } from 'node:fs';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { mergingPages } from '../../engine/state/huge-pages.ts';
import { waitedForCore } from '../stall-meter.ts';

/** Time for the allocator to return freed pages. */
const SETTLE_MS = 500;
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

async function privateBytes(): Promise<number> {
  Bun.gc(true);
  await Bun.sleep(SETTLE_MS);
  Bun.gc(true);
  // Without pages of the store's file, which the kernel may drop.
  const status = await Bun.file('/proc/self/status').text();
  return ['RssAnon', 'RssShmem'].reduce(
    (sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024,
    0,
  );
}

const [dir = '', archive = ''] = process.argv.slice(2);
const store = await openStore({ dir, network: 0 });
await store.checkedEnough;
const before = await privateBytes();
const engine = new Engine({ store, log });
const restoring = performance.now();
engine.restore();
const restore = performance.now() - restoring;
// As the service does in a thread.
for (const _ of mergingPages(readFileSync('/proc/self/smaps', 'utf8')));
const bytes = (await privateBytes()) - before;
const reader = ArchiveReader.open(archive);
const apply: number[] = [];
for (let index = reader.first! + 1; index <= reader.last!; index++) {
  const packed = reader.read(index)!;
  const ledger = prepared(packed, prepare(packed.bytes));
  if (ledger.fault) throw new Error(ledger.fault);
  const waited = waitedForCore();
  const started = performance.now();
  const applied = engine.applyLedger(ledger, false);
  const took = performance.now() - started;
  apply.push(took - (waitedForCore() - waited));
  await applied;
  await engine.drain();
}
reader.close();
console.log(`measured ${JSON.stringify({ restore, bytes, apply })}`);
await store.close();
process.exit(0);
