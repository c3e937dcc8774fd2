/**
 * The same ledgers followed twice, on a state of a fiftieth of the main network's size: all kept, and all but the newest
 * pruned. State and history are equal, and what pruning writes is small beside what a ledger writes.
 */
import { expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { BASE_INDEX } from '../../bench/size/ledgers.ts';
import { type SizedStore, sizedStore } from '../../bench/size/store.ts';
import { checkStore } from '../../data/check.ts';
import { type Keep, LEDGERS_MIN } from '../../data/pruning.ts';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { quietLog } from '../engine/ledger/quiet.ts';
import { temporaryDir } from './tools.ts';

const IO = '/proc/self/io';
const LEDGERS = 380;
/** Small, so that history is merged and runs are written several times. */
const HISTORY = { generationBytes: 1_000_000, runsPerLevel: 4 };

/** Bytes that this process has handed to calls that write. */
const writtenBytes = (): number => Number(/^wchar: (\d+)/m.exec(readFileSync(IO, 'utf8'))![1]);

interface Followed {
  readonly digest: string;
  readonly stored: number;
  readonly written: number;
  /** ms of the writer's transactions. */
  readonly transactionMs: number;
  readonly dataBytes: number;
  readonly ledgerBytes: number;
}

async function followed(sized: SizedStore, keep: Keep | undefined): Promise<Followed> {
  const { dir, remove } = temporaryDir();
  cpSync(sized.store, dir, { recursive: true });
  const store = await openStore({ dir, network: 0, history: HISTORY, keep: { ledgers: keep } });
  const engine = new Engine({ store, log: quietLog, checkpoint: { batches: 200 } });
  engine.restore();
  const archive = ArchiveReader.open(sized.archive);
  const before = writtenBytes();
  for (let i = 0; i < LEDGERS; i++) {
    const packed = archive.read(BASE_INDEX + 1 + i)!;
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
    await engine.drain();
  }
  const written = writtenBytes() - before;
  archive.close();
  const digest = await engine.digestWithHistory();
  const [[first, last] = [0, 0]] = store.ledgerRanges();
  const { writer, usedBytes, freeBytes, families } = store.stats();
  await store.close();
  // The digest of what comes back after a restart, from a store that passes its check.
  checkStore(dir);
  const again = await openStore({ dir, network: 0, history: HISTORY, keep: { ledgers: keep } });
  const restored = new Engine({ store: again, log: quietLog });
  restored.restore();
  expect(await restored.digestWithHistory()).toBe(digest);
  await again.close();
  remove();
  return {
    digest,
    stored: last - first + 1,
    written,
    transactionMs: writer.transactionMs,
    dataBytes: usedBytes - freeBytes,
    ledgerBytes: families.ledgers!.bytes,
  };
}

test.skipIf(!existsSync(IO))(
  'state and history are equal, and a pruned ledger costs at most a tenth of the writes of a ledger',
  async () => {
    const { dir: cache, remove } = temporaryDir();
    const sized = await sizedStore({ share: 0.02, ledgers: LEDGERS, transactions: 50, cache });
    const all = await followed(sized, undefined);
    const some = await followed(sized, { unit: 'ledgers', amount: LEDGERS_MIN });
    remove();
    const pruned = all.stored - some.stored;
    const [ledger, extra] = [all.written / LEDGERS, (some.written - all.written) / pruned];
    console.log(
      `${pruned} ledgers pruned; a ledger writes ${(ledger / 1e3).toFixed(0)} kB, a pruned one ${(extra / 1e3).toFixed(1)} kB; ` +
        `transactions ${(all.transactionMs / LEDGERS).toFixed(2)} and ${(some.transactionMs / LEDGERS).toFixed(2)} ms; ` +
        `ledgers ${all.ledgerBytes} and ${some.ledgerBytes} bytes`,
    );
    expect(some.digest).toBe(all.digest);
    expect(pruned).toBeGreaterThan(LEDGERS / 4);
    expect(extra).toBeLessThan(ledger / 10);
    expect(some.ledgerBytes).toBeLessThan(all.ledgerBytes * (some.stored / all.stored) * 1.05);
    expect(some.dataBytes).toBeLessThan(all.dataBytes);
  },
);
