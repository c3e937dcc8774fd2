/**
 * Replay of 100-transaction ledgers from an archive: proof + decode + apply + durable store on two cores.
 * In the same run: the same loop with the reference codec, and a bare loop that only parses and stores trades (no proof,
 * no state, no indices).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { Piscina } from 'piscina';
import { Changes, NODE_WORDS, OfferNode } from '../engine/codec/changes.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { ArchiveReader } from '../engine/ledger/archive.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { inlinePreparer, type Preparer, prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { replayArchive } from '../service/replay.ts';
import { relaidChain } from '../support/chain.ts';
import type { Figure } from './budgets.ts';

const TRANSACTIONS = 100;
const LEDGERS = 3_000;
/** The sides alternate, and the best of each counts: other load on the machine can only slow a run. */
const ROUNDS = 3;
/** The reference loop is slow: a shorter chain gives the same rate. */
const REFERENCE_LEDGERS = 60;
/** Ledgers per transaction of the bare loop. */
const BARE_BATCH = 64;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

function referencePreparer(): Preparer {
  const pool = new Piscina({
    filename: new URL('./peers/reference.worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  return {
    ...inlinePreparer,
    prepare: async (packed) => prepared(packed, await pool.run(packed.bytes.buffer)),
    close: () => pool.destroy(),
  };
}

/** Transactions a second of a loop that extracts, takes the two amounts of each crossed offer, and stores them. */
async function bareLoop(archive: string, dir: string): Promise<number> {
  const reader = ArchiveReader.open(archive);
  const store = open<Uint8Array, Uint8Array>({ path: dir, encoding: 'binary', keyEncoding: 'binary' });
  const key = new Uint8Array(12);
  const keyView = new DataView(key.buffer);
  let transactions = 0;
  const started = performance.now();
  for (let first = 0; first < LEDGERS; first += BARE_BATCH) {
    store.transactionSync(() => {
      for (let i = first; i < Math.min(LEDGERS, first + BARE_BATCH); i++) {
        const packed = reader.read(1_000_000 + i)!;
        const changes = new Changes(extractChanges(packed, undefined, false));
        transactions += changes.transactions;
        keyView.setUint32(0, packed.ledgerIndex);
        for (let node = 0; node < changes.nodes; node++) {
          const at = changes.nodeBase + node * NODE_WORDS;
          if (changes.words[at + 2] !== 0x6f || changes.words[at + OfferNode.prevTakerGetsAt] === 0) continue;
          keyView.setUint32(4, node);
          store.putSync(key, tradeOf(packed, changes, at));
        }
      }
    });
  }
  const seconds = (performance.now() - started) / 1000;
  reader.close();
  await store.close();
  return transactions / seconds;
}

/** Both amounts before and after, as raw bytes. */
function tradeOf(packed: PackedLedger, changes: Changes, at: number): Uint8Array {
  const record = new Uint8Array(32);
  const columns = [
    OfferNode.takerPaysAt,
    OfferNode.takerGetsAt,
    OfferNode.prevTakerPaysAt,
    OfferNode.prevTakerGetsAt,
  ];
  for (const [i, column] of columns.entries()) {
    const offset = changes.words[at + column]!;
    if (offset) record.set(packed.bytes.subarray(offset, offset + 8), i * 8);
  }
  return record;
}

export async function replayFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-replay-'));
  try {
    const archive = join(base, 'chain.mlr');
    const short = join(base, 'short.mlr');
    for (const [path, ledgers] of [[archive, LEDGERS] as const, [short, REFERENCE_LEDGERS] as const]) {
      const writer = ArchiveWriter.open(path);
      for (const packed of relaidChain({ ledgers, transactionsPerLedger: TRANSACTIONS }))
        writer.append(packed);
      writer.close();
    }
    const plan = { archive, workers: 1, log: quiet };
    await replayArchive({ ...plan, archive: short, dir: join(base, 'warm') });
    let ours = 0;
    let bare = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const dir = join(base, `round-${round}`);
      const end = await replayArchive({ ...plan, dir });
      ours = Math.max(ours, end.transactions / end.seconds);
      bare = Math.max(bare, await bareLoop(archive, `${dir}-bare`));
      for (const done of [dir, `${dir}-bare`]) rmSync(done, { recursive: true, force: true });
    }
    const slow = await replayArchive({
      ...plan,
      archive: short,
      dir: join(base, 'reference'),
      preparer: referencePreparer(),
    });
    const reference = slow.transactions / slow.seconds;
    const text = (rate: number) => `${Math.round(rate)} tx/s`;
    return [
      { name: 'replay.reference', value: ours / reference, ours: text(ours), other: text(reference) },
      { name: 'replay.bare', value: ours / bare, ours: text(ours), other: text(bare) },
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await replayFigures())}`);
