/** Live: agents submit to the open ledger, which closes every few seconds; signatures are checked. */
import { expect, test } from 'bun:test';
import { verify } from '../../../engine/codec/signatures.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import { Network } from '../../../sandbox/node/network.ts';
import { Population } from '../../../sandbox/population/population.ts';
import { EarlierStore, EPOCH } from './world.ts';

const INTERVAL = 4;
const HISTORY = 60;
const LEDGERS = 120;

/** A network with a manual clock. */
class Live {
  time = EPOCH;
  readonly network: Network;
  readonly population: Population;
  readonly refused: string[] = [];
  submitted = 0;

  constructor(store = new MemoryStore()) {
    this.network = new Network({
      store,
      verify,
      startTime: EPOCH,
      now: () => (this.time + RIPPLE_EPOCH) * 1_000,
    });
    this.population = new Population({ network: this.network, seed: 'live', size: 'small' });
  }

  history(seconds = 60): void {
    this.time += seconds;
    const transactions = this.population.transactions(this.network.closed, this.time);
    this.network.build(transactions, this.time, { trusted: true });
  }

  close(): ReturnType<Network['close']> {
    for (const transaction of this.population.transactions(this.network.closed, this.time + INTERVAL)) {
      const { result, accepted } = this.network.submit(transaction);
      this.submitted++;
      if (!accepted) this.refused.push(`${transaction.fields.TransactionType} ${result}`);
    }
    this.time += INTERVAL;
    return this.network.close();
  }
}

test('in short ledgers agents act less often, and all they submit is applied', () => {
  const live = new Live();
  for (let i = 0; i < HISTORY; i++) live.history();
  let applied = 0;
  const failed = new Map<string, number>();
  for (let i = 0; i < LEDGERS; i++) {
    const { transactions } = live.close();
    applied += transactions.length;
    for (const { fields, metaFields } of transactions)
      if (metaFields.TransactionResult !== 0)
        failed.set(fields.TransactionType, metaFields.TransactionResult!);
  }
  expect(live.refused).toEqual([]);
  expect(applied).toBe(live.submitted);
  expect(live.submitted / LEDGERS).toBeGreaterThan(2);
  expect(live.submitted / LEDGERS).toBeLessThan(12);
  expect([...failed].length).toBeLessThan(3);
});

test('a transaction that must follow in the next ledger does so, in short ledgers too', () => {
  const live = new Live(new EarlierStore(1, 'live'));
  const { weeks, groundTruth } = live.population;
  const scenario = (name: string) => weeks.scenarios(1).find(({ id }) => id.endsWith(`/${name}`))!;
  const until = (offset: number, advance: () => void) => {
    while (live.time < groundTruth.epoch + offset) advance();
  };
  const row = (name: string, label: string) =>
    groundTruth.rows.filter((one) => one.id.endsWith(name) && one.step === label);
  const { from, to } = scenario('sandwich');
  for (let i = 0; i < 12; i++) live.history();
  until(scenario('bundle').from - 900, () => live.history(900));
  until(scenario('snipers').from, () => live.history());
  until(scenario('snipers').to + 120, () => live.close());
  until(from - 900, () => live.history(900));
  until(from + 9 * 60, () => live.history());
  until(to, () => live.close());
  expect(live.refused).toEqual([]);
  const [launched] = row('meme-launch', 'launch');
  expect(row('snipers', 'buys').map(({ ledger, result }) => [ledger - launched!.ledger, result])).toEqual([
    [1, 'tesSUCCESS'],
    [1, 'tesSUCCESS'],
    [2, 'tesSUCCESS'],
  ]);
  const [front] = row('sandwich', 'front');
  const followed = ['victim', 'back'].flatMap((label) => row('sandwich', label));
  expect(followed.map(({ ledger, result }) => [ledger - front!.ledger, result])).toEqual([
    [1, 'tesSUCCESS'],
    [2, 'tesSUCCESS'],
  ]);
});
