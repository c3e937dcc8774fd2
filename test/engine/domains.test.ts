/** The engine hands each ledger to its domains in order, and their events with its transactions to listeners. */
import { expect, test } from 'bun:test';
import { Engine, type LedgerEvent } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { TRADE_BYTES } from '../../engine/market/trade-record.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test('a listener gets the transactions of a ledger and the events of every domain', async () => {
  const store = new MemoryStore();
  const engine = new Engine({ store, log: quiet });
  const seen: { index: number; transactions: number; trades: number; accounts: number; names: string[] }[] =
    [];
  engine.onLedger(({ head, packed, changes, events }: LedgerEvent) => {
    expect(packed.ledgerIndex).toBe(head.index);
    expect(events.market.trades.length).toBe(events.market.tradeCount * TRADE_BYTES);
    const { tradeCount: trades } = events.market;
    const names = Object.keys(events);
    const { size: accounts } = events.state.accounts;
    seen.push({ index: head.index, transactions: changes.transactions, trades, accounts, names });
  });
  const chain = [...relaidChain({ ledgers: 10, transactionsPerLedger: 25 })];
  for (const packed of chain) await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  await engine.drain();

  expect(seen.map(({ index }) => index)).toEqual(chain.map(({ ledgerIndex }) => ledgerIndex));
  expect(seen.map(({ transactions }) => transactions)).toEqual(chain.map(({ count }) => count));
  // Of this ledger, not of those before.
  let trades = 0;
  store.trades({}, () => {
    trades++;
    return true;
  });
  expect(trades).toBeGreaterThan(0);
  expect(seen.reduce((sum, ledger) => sum + ledger.trades, 0)).toBe(trades);
  expect(engine.counters.tradesSeen).toBe(trades);
  for (const { accounts, names } of seen) {
    expect(accounts).toBeGreaterThan(0);
    expect(names).toEqual(engine.domains.map(({ name }) => name));
  }
});

test('what listeners queue for the newest ledger runs before the store gets it', async () => {
  const store = new MemoryStore();
  const order: string[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch, cursor) => {
    order.push(`stored ${cursor.index}`);
    return commit(batch, cursor);
  };
  const engine = new Engine({ store, log: quiet });
  engine.onLedger(({ head: { index } }) =>
    setImmediate(() => {
      order.push(`published ${index}`);
      setImmediate(() => order.push(`sent ${index}`));
    }),
  );
  const chain = [...relaidChain({ ledgers: 3, transactionsPerLedger: 5 })];
  for (const packed of chain) await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  await engine.drain();
  expect(order).toEqual(
    chain.flatMap(({ ledgerIndex }) =>
      ['published', 'sent', 'stored'].map((step) => `${step} ${ledgerIndex}`),
    ),
  );
});

test('the store gets the newest ledger after what its listeners wait for, while catching up at once', async () => {
  const store = new MemoryStore();
  const order: string[] = [];
  const commit = store.commit.bind(store);
  store.commit = (batch, cursor) => {
    order.push(`stored ${cursor.index}`);
    return commit(batch, cursor);
  };
  const engine = new Engine({ store, log: quiet, batch: { ledgers: 1 } });
  engine.onLedger(async ({ head: { index } }) => {
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
    order.push(`published ${index}`);
  });
  const [first, second] = [...relaidChain({ ledgers: 2, transactionsPerLedger: 5 })] as const;
  await engine.applyLedger(prepared(first!, prepare(first!.bytes)), false);
  await engine.applyLedger(prepared(second!, prepare(second!.bytes)), true);
  const [one, two] = [first!.ledgerIndex, second!.ledgerIndex];
  expect(order).toEqual([`published ${one}`, `stored ${one}`, `stored ${two}`]);
  await engine.drain();
});

test('the memory of a domain grows with its tables', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const held = () => engine.domains.map(({ memoryBytes }) => memoryBytes);
  const empty = held();
  const rows = engine.state.lines.table.capacity >> 8;
  engine.state.lines.table.reserve(rows);
  const [state, market] = held();
  expect(state).toBeGreaterThan(empty[0]! + (rows >> 1) * engine.state.lines.table.rowBytes);
  expect(market).toBe(empty[1]!);
});
