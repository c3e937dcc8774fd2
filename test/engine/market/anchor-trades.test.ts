import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AnchorTrades } from '../../../engine/market/anchor-trades.ts';
import { TickFlag, type Ticks } from '../../../engine/market/ticks.ts';

const HOUR_MINUTES = 60;
const DROPS_PER_XRP = 1e6;

interface Trade {
  readonly time: number;
  readonly drops: number;
  readonly amount: number;
}

/** One tick, as the columns that are read of it. */
const tickOf = ({ time, drops, amount }: Trade) =>
  ({
    time: [time],
    token: [1],
    flags: [TickFlag.xrpLeg],
    price: [drops / amount],
    drops: [drops],
    amount: [amount],
  }) as unknown as Ticks;

/** Minute by minute, from the oldest: the order of the additions is part of the result. */
function expected(trades: readonly Trade[], time: number): { price: number; volume: number } {
  const newest = Math.floor(time / 60);
  let [drops, units] = [0, 0];
  for (let minute = newest - HOUR_MINUTES + 1; minute <= newest; minute++) {
    const within = trades.filter((trade) => Math.floor(trade.time / 60) === minute);
    if (within.length === 0) continue;
    drops += within.reduce((sum, trade) => sum + trade.drops, 0);
    units += within.reduce((sum, trade) => sum + trade.amount, 0);
  }
  return units > 0
    ? { price: drops / DROPS_PER_XRP / units, volume: drops / DROPS_PER_XRP }
    : { price: 0, volume: 0 };
}

test('the sums of an hour are those of its minutes, whenever they are asked for', () => {
  const step = fc.record({
    // Mostly the same minute or the next ones, at times more than an hour later.
    seconds: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 3_000, max: 8_000 })),
    drops: fc.integer({ min: 1, max: 1e12 }),
    amount: fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
    isTrade: fc.boolean(),
    asked: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const kept = new AnchorTrades();
      const trades: Trade[] = [];
      let time = 700_000_000;
      for (const { seconds, drops, amount, isTrade, asked } of steps) {
        time += seconds;
        if (isTrade) {
          trades.push({ time, drops, amount });
          kept.add(tickOf(trades.at(-1)!), 0);
        }
        if (asked) expect(kept.hour(1, time)).toEqual(expected(trades, time));
      }
      expect(kept.hour(1, time)).toEqual(expected(trades, time));
    }),
  );
});
