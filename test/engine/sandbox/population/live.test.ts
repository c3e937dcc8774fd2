/** Live: people submit to the open ledger, which closes every few seconds, beside strangers; signatures are checked. */
import { expect, test } from 'bun:test';
import { RIPPLE_EPOCH } from '../../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../../engine/sandbox/ledger/memory-store.ts';
import { Network } from '../../../../engine/sandbox/node/network.ts';
import { Population } from '../../../../engine/sandbox/population/population.ts';
import { verify } from '../../../../engine/sandbox/protocol/keys.ts';
import { EPOCH } from './world.ts';

const INTERVAL = 4;
const HISTORY = 60;
const LEDGERS = 120;

test('in short ledgers people act less often, and what they submit gets in', () => {
  let time = EPOCH;
  const network = new Network({
    store: new MemoryStore(),
    verify,
    startTime: EPOCH,
    now: () => (time + RIPPLE_EPOCH) * 1_000,
  });
  const people = new Population({ network, seed: 'live' });
  for (let i = 0; i < HISTORY; i++) {
    time += 60;
    network.build(people.transactions(network.closed, time), time, { trusted: true });
  }
  const refused: string[] = [];
  let submitted = 0;
  let applied = 0;
  const failed = new Map<string, number>();
  for (let i = 0; i < LEDGERS; i++) {
    for (const transaction of people.transactions(network.closed, time + INTERVAL)) {
      const { result, accepted } = network.submit(transaction);
      submitted++;
      if (!accepted) refused.push(`${transaction.fields.TransactionType} ${result}`);
    }
    time += INTERVAL;
    const { transactions } = network.close();
    applied += transactions.length;
    for (const { fields, metaFields } of transactions)
      if (metaFields.TransactionResult !== 0)
        failed.set(fields.TransactionType, metaFields.TransactionResult!);
  }
  expect(refused).toEqual([]);
  expect(applied).toBe(submitted);
  expect(submitted / LEDGERS).toBeGreaterThan(2);
  expect(submitted / LEDGERS).toBeLessThan(12);
  expect([...failed].length).toBeLessThan(3);
});
