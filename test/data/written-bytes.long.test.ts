/**
 * What a ledger costs on the disk, checkpoints and merges included, against what it says: the bytes handed to the store,
 * not compressed. On a state of a fiftieth of the main network's size, with
 * limits so small that their cycles pass several times.
 */
import { expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { BASE_INDEX } from '../../bench/size/ledgers.ts';
import { type SizedStore, sizedStore } from '../../bench/size/store.ts';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { quietLog } from '../engine/ledger/quiet.ts';
import { temporaryDir } from './tools.ts';

const IO = '/proc/self/io';
const LEDGERS = 240;
const WARM = 40;

/** Bytes that this process has handed to calls that write. LMDB writes its pages so. */
const writtenBytes = (): number => Number(/^wchar: (\d+)/m.exec(readFileSync(IO, 'utf8'))![1]);

interface Cost {
  /** Written for each byte handed over. */
  readonly ratio: number;
  readonly perLedger: number;
  readonly digest: string;
}

async function costOf(limits: 'logged' | 'at once', sized: SizedStore): Promise<Cost> {
  const { dir, remove } = temporaryDir();
  cpSync(sized.store, dir, { recursive: true });
  const history = limits === 'logged' ? { generationBytes: 1_000_000 } : { loggedBytes: 0 };
  const checkpoint = limits === 'logged' ? { batches: 60 } : { batches: 1, share: 1 };
  const store = await openStore({ dir, network: 0, history });
  const engine = new Engine({ store, log: quietLog, checkpoint });
  engine.restore();
  const archive = ArchiveReader.open(sized.archive);
  let [written, handed] = [0, 0];
  for (let i = 0; i < LEDGERS; i++) {
    const packed = archive.read(BASE_INDEX + 1 + i)!;
    const before = [writtenBytes(), engine.counters.commitBytes] as const;
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
    await engine.drain();
    if (i < WARM) continue;
    written += writtenBytes() - before[0];
    handed += engine.counters.commitBytes - before[1];
  }
  archive.close();
  const parts = Object.entries(store.stats().writer.putBytes)
    .filter(([, bytes]) => bytes > 0)
    .map(([family, bytes]) => `${family} ${(bytes / LEDGERS / 1000).toFixed(1)}`);
  console.log(`${limits}: kB a ledger put into ${parts.join(', ')}`);
  const digest = await engine.digestWithHistory();
  await store.close();
  remove();
  return { ratio: written / handed, perLedger: written / (LEDGERS - WARM), digest };
}

test.skipIf(!existsSync(IO))(
  'a ledger writes at most 1.5 times what it says, and at most half of what it costs to put everything in its place at once',
  async () => {
    const { dir: cache, remove } = temporaryDir();
    const sized = await sizedStore({ share: 0.02, ledgers: LEDGERS, transactions: 100, cache });
    const logged = await costOf('logged', sized);
    const atOnce = await costOf('at once', sized);
    remove();
    const text = ({ ratio, perLedger }: Cost) =>
      `${(perLedger / 1000).toFixed(0)} kB, ${ratio.toFixed(2)} times`;
    console.log(`a ledger of 100: logged ${text(logged)}; at once ${text(atOnce)}`);
    expect(logged.digest).toBe(atOnce.digest);
    expect(logged.ratio).toBeLessThan(1.5);
    expect(logged.perLedger).toBeLessThan(atOnce.perLedger / 2);
  },
);
