/** A walk over the transactions of an account while ledgers become durable: each once, none left out. */
import { expect, test } from 'bun:test';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { World } from '../sandbox/population/world.ts';
import { quietLog as log } from './ledger/quiet.ts';

const DURABLE = 12;
const LEDGERS = 20;
const STEP = 240;

/** The account with most transactions, of an engine whose newest ledgers are in memory alone. */
async function followed() {
  const engine = new Engine({ store: new MemoryStore(), log, batch: { ledgers: 1000 } });
  const world = new World({ seed: 'account index' });
  for (let i = 1; i <= LEDGERS; i++) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), i !== DURABLE);
  }
  const { accounts } = engine.state;
  const counts = Array.from({ length: accounts.count }, (_, id) => [...walk(engine, id)].length);
  const account = counts.indexOf(Math.max(...counts));
  expect(counts[account]).toBeGreaterThan(LEDGERS);
  return { engine, account };
}

function walk({ accountIndex }: Engine, account: number, newestFirst = false) {
  return accountIndex.of(account, { from: 0, to: 0xffffffff, newestFirst }, 4);
}

test.each([false, true])('newest first: %p', async (newestFirst) => {
  const { engine, account } = await followed();
  const expected = [...walk(engine, account, newestFirst)];
  const found = [];
  for (const one of walk(engine, account, newestFirst)) {
    found.push(one);
    if (found.length === 3) await engine.drain();
  }
  expect(found).toEqual(expected);
});
