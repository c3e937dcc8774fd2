/** A restart reads what is stored once. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test('the row log is read once for the tables of all domains', async () => {
  const store = new MemoryStore();
  const engine = new Engine({ store, log: quiet });
  for (const packed of relaidChain({ ledgers: 3, transactionsPerLedger: 50 }))
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  await engine.drain();
  let reads = 0;
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === 'rows')
        return (visit: Parameters<MemoryStore['rows']>[0]) => {
          reads++;
          return target.rows(visit);
        };
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const restored = new Engine({ store: counting, log: quiet });
  restored.restore();
  expect(reads).toBe(1);
  expect(restored.digest()).toBe(engine.digest());
});
