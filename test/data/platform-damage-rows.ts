/** A platform's store with small rows, large ones, two indexes, settled events and free pages. */
import { openPlatformStore } from '../../data/platform-store.ts';
import type { Collection } from '../../platform/store.ts';

interface Row {
  readonly owner: string;
  readonly text: string;
}

const texts: Collection<Row> = {
  name: 'texts',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 64 * 1024, rows: 10_000 },
  indexes: {
    owner: { unique: false, keys: ({ owner }) => [[owner]] },
    text: { unique: true, keys: ({ text }) => [[text.slice(0, 20)]] },
  },
};

export const DAMAGED = [texts] as unknown as readonly [Collection<unknown>];

const ROWS = 300;

export async function fill(dir: string): Promise<void> {
  const store = await openPlatformStore({ dir, network: 0, collections: DAMAGED });
  for (let round = 0; round < 2; round++)
    for (let from = 0; from < ROWS; from += 20)
      await store.transaction((transaction) => {
        for (let at = from; at < from + 20; at++) {
          const text = `${at} of round ${round} `.padEnd(at % 40 === 0 ? 20_000 : 60 + (at % 7) * 40, 'x');
          transaction.put(texts, [at], { owner: `owner ${at % 9}`, text });
        }
      });
  for (let at = 0; at < ROWS; at += 3)
    await store.transaction((transaction) => transaction.delete(texts, [at]));
  for (let ledger = 1; ledger < 40; ledger++)
    await store.onceAt('events', { ledger, tx: 0, entry: 0 }, () => {});
  await store.settle('events', 20);
  await store.close();
}
