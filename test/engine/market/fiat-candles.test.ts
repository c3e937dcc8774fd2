/**
 * Candles in fiat = those made by brute force from the raw trades and the rates that the test set: each minute at its own
 * rate, longer intervals folded from the minutes. Half of the worlds begin with a store of a version that did not fold.
 */
import { describe, expect, test } from 'bun:test';
import { CANDLE_COLUMNS, FIATS, type Fiat } from '../../../engine/market/figures.ts';
import { CANDLE_LEVELS } from '../../../engine/market/intervals.ts';
import type { Batch } from '../../../engine/store.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { INTERVAL_NAMES, INTERVALS } from '../../../views/intervals.ts';
import { BruteMarket } from './brute-market.ts';
import { brutePath, DrivenRates, type FiatRow, fiatFold, xrpMinutes } from './fiat-brute.ts';
import { namedTrades, standingOf, tokenKey } from './named.ts';
import { Rig, SMALL } from './rig.ts';
import { type Random, randomFrom, stream } from './stream.ts';

const LEDGERS = 400;
const seeds = process.env.SEED ? [Number(process.env.SEED)] : [1, 2, Math.floor(Math.random() * 2 ** 31)];

/** Volumes are sums of doubles, whose order is free; the rest is exact. */
function compare(what: string, found: Float64Array, want: readonly FiatRow[]): void {
  expect([what, found.length / CANDLE_COLUMNS]).toEqual([what, want.length]);
  want.forEach((row, i) => {
    const at = found.subarray(i * CANDLE_COLUMNS, (i + 1) * CANDLE_COLUMNS);
    expect([what, i, ...at.subarray(0, 5), at[7], at[8]]).toEqual([
      what,
      i,
      ...row.slice(0, 5),
      row[7],
      row[8],
    ]);
    for (const column of [5, 6, 9]) {
      const size = Math.max(Math.abs(row[column]!), 1e-300);
      expect([what, i, column, Math.abs(at[column]! - row[column]!) / size < 1e-9]).toEqual([
        what,
        i,
        column,
        true,
      ]);
    }
  });
}

interface World {
  rig: Rig;
  readonly brute: BruteMarket;
  readonly rates: DrivenRates;
  readonly seed: number;
}

/** Stores as versions without folding did, while `isOld`. */
class OldStore extends MemoryStore {
  isOld = false;

  override batch(): Batch {
    const batch = super.batch();
    const candle = batch.candle.bind(batch);
    batch.candle = (level, ...rest) => {
      if (!this.isOld || level < CANDLE_LEVELS.length) candle(level, ...rest);
    };
    if (this.isOld) batch.value = () => {};
    return batch;
  }
}

/**
 * Applies a stream with rates that move, vanish and come back; commits and restarts now and then.
 * @param upgrade ledger at which a version takes over that folds, 0 = from the first
 */
async function worldOf(seed: number, upgrade = 0): Promise<World> {
  const random: Random = randomFrom(seed ^ 0x2545f491);
  const rates = new DrivenRates();
  const store = new OldStore();
  store.isOld = upgrade > 0;
  let rig = rates.drive(new Rig(SMALL, store));
  const brute = new BruteMarket();
  let ledger = 0;
  for (const sample of stream(seed, LEDGERS)) {
    const upgraded = ledger++ === upgrade && upgrade > 0;
    if (upgraded) {
      await rig.commit();
      store.isOld = false;
      rig = rates.drive(rig.restarted());
    }
    rates.move(random, sample.closeTime);
    rig.apply(sample.packed, sample.changes);
    for (const trade of namedTrades(rig.state, rig.market))
      brute.take(trade, sample.closeTime, standingOf(rig.state));
    if (random() < 0.2) await rig.commit();
    if (random() >= 0.03) continue;
    await rig.commit();
    rig = rates.drive(rig.restarted());
  }
  return { rig, brute, rates, seed };
}

const worlds = await Promise.all(seeds.flatMap((seed) => [worldOf(seed), worldOf(seed, LEDGERS / 2)]));

describe('candles in fiat are brute force over trades and rates', () => {
  for (const interval of INTERVAL_NAMES) {
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      test(`${interval} in ${FIATS[fiat]}, seeds ${seeds}`, () => {
        const { seconds } = INTERVALS[interval];
        let candles = 0;
        for (const { rig, brute, rates, seed } of worlds) {
          for (let token = 1; token < rig.state.tokens.count; token++) {
            const minutes = brute.candles(tokenKey(rig.state, token), (t) => t - (t % 60));
            const want = fiatFold(brutePath(minutes, rates.history[fiat]!), seconds);
            const { rows } = rig.market.fiatCandles.series({ token, seconds }, fiat);
            compare(`seed ${seed} token ${token}`, rows, want);
            candles += want.length;
            const last = rig.market.fiatCandles.series({ token, seconds, limit: 3 }, fiat);
            expect([...last.rows]).toEqual([...rows.slice(Math.max(0, want.length - 3) * CANDLE_COLUMNS)]);
          }
        }
        expect(candles).toBeGreaterThan(0);
      });

      test(`XRP, ${interval} in ${FIATS[fiat]}, seeds ${seeds}`, () => {
        const { seconds } = INTERVALS[interval];
        for (const { rig, rates, seed } of worlds) {
          const want = fiatFold(xrpMinutes(rates.history[fiat]!), seconds);
          expect(want.length).toBeGreaterThan(1);
          const { rows } = rig.market.fiatCandles.series({ token: 0, seconds }, fiat);
          compare(`seed ${seed}`, rows, want);
        }
      });
    }
  }
});
