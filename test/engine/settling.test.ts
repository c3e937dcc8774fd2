/** What domains do after a ledger's listeners: before the next ledger, in the same batch, whoever is in a hurry. */
import { expect, test } from 'bun:test';
import type { Domain } from '../../engine/domain.ts';
import { Engine } from '../../engine/engine.ts';
import { type Prepared, prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const [first = 0, second = 0, third = 0] = [1_000_000, 1_000_001, 1_000_002];

function chain(ledgers: number, transactionsPerLedger: number, interval = 4): Prepared[] {
  const plan = { ledgers, transactionsPerLedger, interval };
  return [...relaidChain(plan)].map((packed) => prepared(packed, prepare(packed.bytes)));
}

/** An engine of which one domain has two steps left after each ledger. */
function watched() {
  const store = new MemoryStore();
  const order: string[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch, cursor) => {
    order.push(`stored ${cursor.index}`);
    return commit(batch, cursor);
  };
  const engine = new Engine({ store, log: quiet });
  engine.onLedger(({ head: { index } }) => order.push(`published ${index}`));
  const domain: Domain = engine.usage;
  domain.settling = function* ({ ledgerIndex }) {
    order.push(`begun ${ledgerIndex}`);
    yield 1;
    order.push(`settled ${ledgerIndex}`);
  };
  return { engine, order, store, domain };
}

const of = (ledger: number, ...steps: string[]): string[] => steps.map((step) => `${step} ${ledger}`);

test('comes after the listeners and before the store', async () => {
  const { engine, order } = watched();
  for (const ledger of chain(2, 5)) await engine.applyLedger(ledger, false);
  await engine.drain();
  expect(order).toEqual(
    [first, second].flatMap((index) => of(index, 'published', 'begun', 'settled', 'stored')),
  );
});

test('lets the event loop turn between two steps', async () => {
  const { engine, order, domain } = watched();
  const turns: string[] = [];
  domain.settling = function* () {
    setImmediate(() => turns.push('turned'));
    yield 1;
    turns.push('second step');
  };
  await engine.applyLedger(chain(1, 5)[0]!, false);
  expect(turns).toEqual(['turned', 'second step']);
  expect(order).toContain(`published ${first}`);
});

test('is followed by what changed for the store, with a pause after much of it', async () => {
  const { engine, order } = watched();
  const turns: string[] = [];
  const watch = (domain: Domain, bytes: number) => {
    domain.persist = (batch) => {
      batch.value(domain.name, 'x'.repeat(bytes));
      turns.push(domain.name);
      setImmediate(() => turns.push('turned'));
    };
  };
  watch(engine.flows, 100_000);
  watch(engine.traders, 100_000);
  await engine.applyLedger(chain(1, 5)[0]!, false);
  expect(turns.slice(0, 4)).toEqual(['flows', 'turned', 'traders', 'turned']);
  await engine.drain();
  expect(order).toEqual(of(first, 'published', 'begun', 'settled', 'stored'));
});

test('is done at once where the next ledger, the store or a digest comes before its end', async () => {
  const { engine, order } = watched();
  const [one, two, three] = chain(3, 5);
  void engine.applyLedger(one!, true);
  void engine.applyLedger(two!, true);
  engine.digest();
  expect(order).toEqual([
    ...of(first, 'published', 'begun', 'settled'),
    ...of(second, 'published', 'begun', 'settled'),
  ]);
  void engine.applyLedger(three!, true);
  await engine.drain();
  expect(order.slice(6)).toEqual(of(third, 'published', 'begun', 'settled', 'stored'));
});

test('that fails leaves nothing of its ledger in the store', async () => {
  const { engine, order, store, domain } = watched();
  const [one, two, three] = chain(3, 5);
  await engine.applyLedger(one!, false);
  domain.settling = function* () {
    yield 1;
    throw new Error('no room');
  };
  await expect(engine.applyLedger(two!, false)).rejects.toThrow('no room');
  expect(engine.failed).toBe(true);
  await expect(engine.applyLedger(three!, false)).rejects.toThrow('no further one');
  await engine.drain();
  expect(store.cursor?.index).toBe(first);
  expect(order).not.toContain(`stored ${second}`);
});

test('gives the same tables and records, with and without a pause', async () => {
  const ledgers = chain(16, 60, 1200);
  const digests: string[] = [];
  for (const inHurry of [false, true]) {
    const store = new MemoryStore();
    const engine = new Engine({ store, log: quiet });
    for (const ledger of ledgers) {
      const applied = engine.applyLedger(ledger, inHurry);
      if (!inHurry) await applied;
    }
    digests.push(await engine.digestWithHistory());
    let records = 0;
    for (let token = 1; token < engine.state.tokens.count; token++)
      store.records('holders', [token], {}, () => {
        records++;
        return true;
      });
    expect(records).toBeGreaterThan(0);
  }
  expect(digests[1]).toBe(digests[0]!);
});
