/** Candles in fiat over the store on disk are those over the store in memory, before and after it is opened again. */
import { afterAll, expect, test } from 'bun:test';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { FIATS, type Fiat } from '../../engine/market/figures.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { INTERVAL_NAMES, INTERVALS } from '../../views/intervals.ts';
import { DrivenRates } from '../engine/market/fiat-brute.ts';
import { randomFrom, stream } from '../engine/market/stream.ts';
import { temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const LEDGERS = 200;
const TOKENS = 6;

const place = temporaryDir();
afterAll(() => place.remove());

function expectSame(one: Engine, other: Engine): number {
  let candles = 0;
  for (let token = 0; token < TOKENS; token++) {
    for (const interval of INTERVAL_NAMES) {
      for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
        const query = { token, seconds: INTERVALS[interval].seconds };
        const want = one.market.fiatCandles.series(query, fiat);
        const have = other.market.fiatCandles.series(query, fiat);
        expect([token, interval, fiat, ...have.rows]).toEqual([token, interval, fiat, ...want.rows]);
        candles += want.length;
      }
    }
  }
  return candles;
}

test('the same in memory, on disk and after the store was opened again', async () => {
  const random = randomFrom(seed);
  const rates = new DrivenRates();
  const memory = rates.drive(new Engine({ store: new MemoryStore(), log }));
  let store = await openStore({ dir: place.dir, network: 'test' });
  let disk = rates.drive(new Engine({ store, log }));
  let ledger = 0;
  for (const { packed, changes, closeTime } of stream(seed, LEDGERS)) {
    rates.move(random, closeTime);
    const more = random() < 0.7;
    await memory.applyLedger({ packed, changes: changes.words }, false);
    await disk.applyLedger({ packed, changes: changes.words }, more);
    if (++ledger % 50 !== 0) continue;
    expect(expectSame(memory, disk)).toBeGreaterThan(50);
    await disk.drain();
    await store.close();
    store = await openStore({ dir: place.dir, network: 'test' });
    disk = rates.drive(new Engine({ store, log }));
    disk.restore();
    expectSame(memory, disk);
  }
  await store.close();
});
