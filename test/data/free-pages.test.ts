/** A store with many free pages, as when ledgers have been deleted: a ledger costs what it costs in a store without them. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { seal } from '../../data/checksum.ts';
import { openEnvironment } from '../../data/environment.ts';
import { DATA_FILE } from '../../data/errors.ts';
import { Family, key } from '../../data/keys.ts';
import { openStore } from '../../data/store.ts';
import { cursorOf, temporaryDir } from './tools.ts';

const IO = '/proc/self/io';
const ROWS = 16_000;
const ROWS_PER_TRANSACTION = 20;
const LEDGERS = 60;
/** Far longer than the free runs of pages: none of them fits. */
const LEDGER_BYTES = 45_000;

const writtenBytes = (): number => Number(/^wchar: (\d+)/m.exec(readFileSync(IO, 'utf8'))![1]);

/** Every second row of one and two pages is removed: the pages between are free runs that do not touch. */
async function scatterFreePages(dir: string): Promise<void> {
  const environment = openEnvironment(dir);
  const { root, families } = environment;
  const table = families[Family.texts]!;
  const inSteps = (change: (at: Buffer, row: number) => void): void => {
    for (let row = 0; row < ROWS; ) {
      root.transactionSync(() => {
        for (const end = row + ROWS_PER_TRANSACTION; row < end; row++) change(key([1, 4], [9, row]), row);
      });
    }
  };
  inSteps((at, row) => {
    const value = Buffer.alloc(row % 4 === 0 ? 3000 : 6000, row & 0xff);
    seal(Family.texts, at, value);
    table.putSync(at, value);
  });
  inSteps((at, row) => {
    if (row % 2 === 0) table.removeSync(at);
  });
  await root.close();
}

/** Bytes written for a ledger, and by how much the file grew. */
async function costOf(dir: string): Promise<{ readonly written: number; readonly grown: number }> {
  const store = await openStore({ dir, network: 'test' });
  await store.checked;
  const fileBytes = (): number => statSync(join(dir, DATA_FILE)).size;
  const [before, size] = [writtenBytes(), fileBytes()];
  for (let n = 1; n <= LEDGERS; n++) {
    const batch = store.batch();
    batch.ledger(n, n * 4, crypto.getRandomValues(new Uint8Array(LEDGER_BYTES)));
    await store.commit(batch, cursorOf(n));
  }
  const cost = { written: (writtenBytes() - before) / LEDGERS, grown: fileBytes() - size };
  await store.close();
  return cost;
}

test.skipIf(!existsSync(IO))(
  'a ledger writes at most 1.5 times as much where thousands of free runs of pages are too short for it',
  async () => {
    const [plain, scattered] = [temporaryDir(), temporaryDir()];
    await (await openStore({ dir: scattered.dir, network: 'test' })).close();
    await scatterFreePages(scattered.dir);
    const without = await costOf(plain.dir);
    const among = await costOf(scattered.dir);
    for (const { remove } of [plain, scattered]) remove();
    console.log(
      `kB a ledger: ${(without.written / 1000).toFixed(0)} without free pages, ${(among.written / 1000).toFixed(0)} among them`,
    );
    expect(among.written).toBeLessThan(1.5 * without.written);
    expect(among.grown).toBeLessThan(1.5 * without.grown);
  },
);
