/** How much moves a pool's price by 2 percent, against swaps of that much by the ledger's own arithmetic. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { swapAssetIn, swapAssetOut } from '../../engine/codec/arithmetic/amm-math.ts';
import { Amount, amountOfText } from '../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../engine/codec/arithmetic/asset.ts';
import { SANDBOX_RULES } from '../../sandbox/protocol/amendments.ts';
import { DEPTH_MOVE, feeFraction, poolDepth } from '../../views/pool-math.ts';
import { seedOf } from '../sandbox/seed.ts';

const seed = seedOf('pool-depth', 20_261_123);
const TOKEN = issued(`${'0'.repeat(24)}544B4E${'0'.repeat(10)}`, '11'.repeat(20));
const drops = (xrp: number): Amount => Amount.drops(Math.round(xrp * 1e6));

test(`the price has moved by 2 percent, fees that stay in the pool included (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e4, max: 1e7, noNaN: true }),
      fc.double({ min: 1e3, max: 1e9, noNaN: true }),
      fc.integer({ min: 0, max: 1000 }),
      (held, size, fee) => {
        const xrp = drops(held);
        const tokens = amountOfText(TOKEN, size.toPrecision(15));
        const { buy, sell } = poolDepth(held, feeFraction(fee), DEPTH_MOVE);
        const price = held / size;

        const bought = swapAssetIn(SANDBOX_RULES, { in: xrp, out: tokens }, drops(buy), fee);
        const after = (held + buy) / (size - Number(bought.text()));
        expect(Math.abs(after / price - 1.02)).toBeLessThan(1e-6);

        const sold = swapAssetOut(SANDBOX_RULES, { in: tokens, out: xrp }, drops(sell), fee);
        const before = (held - sell) / (size + Number(sold.text()));
        expect(Math.abs(before / price - 0.98)).toBeLessThan(1e-6);
      },
    ),
    { seed, numRuns: 300 },
  );
});
