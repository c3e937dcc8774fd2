/**
 * Runs the code that applies ledgers before there is one to apply.
 *
 * The first ledger of a process takes ten times as long as the next, since the runtime compiles as it goes: 27 ms of the
 * main thread for 100 transactions. Small ledgers compile the same code in pieces of a few milliseconds, in the pauses of
 * opening a store; the first real one takes half.
 *
 *     recorded ledger -> one ledger a transaction -> an engine of its own, with a store in memory -> dropped
 *
 * Goals: nothing of it is seen, and nothing waits for it longer than for one such ledger. Non-goals: speed after the first
 * ledgers. Cost: 0.1 s of the main thread, 5 MB until the next garbage collection.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { addressLimit } from '../data/address-space.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { type PackedLedger, packLedger, type TransactionBlobs } from '../engine/codec/packed.ts';
import { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { packRecorded } from '../engine/ledger/corpus-import.ts';
import { prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { MemoryStore } from '../support/memory-store.ts';

/** Of the ledgers recorded for the tests, one with payments, trades on books and in pools, trust lines and deposits. */
const RECORDED = join(resolve(import.meta.dir, '../test/golden'), 'mainnet-94084608.json.gz');
/** More compile nothing new. */
const TRANSACTIONS = 40;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Resolves when it is done, or the signal is aborted; whatever happens, nothing depends on it. */
export async function warmUp(log: Log, signal: AbortSignal, path = RECORDED): Promise<void> {
  // Until it is collected, its engine takes address space for full tables a second time.
  if (addressLimit() !== undefined) return;
  try {
    const engine = new Engine({ store: new MemoryStore(), log: quiet });
    for (const packed of smallLedgers(path)) {
      await yieldToLoop();
      if (signal.aborted) return;
      await engine.applyLedger(prepared(packed, { changes: extractChanges(packed) }), true);
    }
    await engine.drain();
  } catch (fault) {
    log.debug({ fault: String(fault) }, 'not warmed up');
  }
}

/** An empty ledger, then one for each of the first transactions of a recorded one. They are not proved. */
export function* smallLedgers(path: string): Generator<PackedLedger> {
  const recorded = packRecorded(JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')));
  if ('reason' in recorded) throw new Error(`${path}: ${recorded.reason}`);
  yield ledgerOf(recorded, 0, []);
  for (let i = 0; i < Math.min(TRANSACTIONS, recorded.count); i++) {
    const meta = recorded.meta(i).slice();
    // Its place in the ledger is the first field of the metadata.
    new DataView(meta.buffer).setUint32(2, 0);
    yield ledgerOf(recorded, i + 1, [{ tx: recorded.tx(i), meta }]);
  }
}

/** The ledger `after` places after a recorded one, by its header, with other transactions. */
function ledgerOf(
  recorded: PackedLedger,
  after: number,
  transactions: readonly TransactionBlobs[],
): PackedLedger {
  const header = recorded.header.slice();
  new DataView(header.buffer).setUint32(0, recorded.ledgerIndex + after);
  return packLedger(header, recorded.hash, transactions);
}
