/**
 * Bytes that the service writes to the disk for a ledger of 100 transactions, at the main network's size, on average
 * over so many ledgers that checkpoints are among them. `bun bench/size-write.ts [--share=0.1]`.
 *
 * The service follows a node, one ledger after the other. The bytes are those of the process's calls that write: with
 * everything that a ledger makes the store write, its pages and its log. Beside it stands what the ledgers are: their
 * packed bytes.
 */
import { ArchiveReader } from '../engine/ledger/archive.ts';
import type { Figure } from './budgets.ts';
import { FollowingService, madeStore, SHARE, withCopy } from './size/rig.ts';

const WARM = 20;
/** More than one interval of checkpoints (engine/state/checkpoint.ts) and the writing of their blocks. */
const LEDGERS = 3_600;
const TRANSACTIONS = 100;
/** Ledgers are durable a moment after they are announced: each is written by itself, as when they come every 4 s. */
const PAUSE_MS = 25;

async function run(): Promise<Figure[]> {
  const { store, archive } = await madeStore(SHARE, { ledgers: WARM + LEDGERS, transactions: TRANSACTIONS });
  const reader = ArchiveReader.open(archive);
  let packed = 0;
  for (let i = 0; i < LEDGERS; i++) packed += reader.read(reader.last! - i)!.bytes.length;
  reader.close();
  return withCopy(store, async (dir) => {
    const following = await FollowingService.start(dir, archive);
    const ledgers = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        await following.ledger();
        await Bun.sleep(PAUSE_MS);
      }
    };
    try {
      await ledgers(WARM);
      const before = following.bytesWritten;
      await ledgers(LEDGERS);
      const written = (following.bytesWritten - before) / LEDGERS;
      const text = (bytes: number): string => `${(bytes / 1e6).toFixed(3)} MB`;
      return [
        {
          name: 'size.written',
          value: written / 1e6,
          ours: text(written),
          other: `${text(packed / LEDGERS)} of ledger`,
        },
      ];
    } finally {
      await following.end();
    }
  });
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
