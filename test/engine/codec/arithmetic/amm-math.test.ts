/** Swaps against recorded ones of mainnet, and that no swap makes a pool poorer. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  changeSpotPriceQuality,
  type PoolAmounts,
  swapAssetIn,
  swapAssetOut,
} from '../../../../engine/codec/arithmetic/amm-math.ts';
import { Amount, amountOfText } from '../../../../engine/codec/arithmetic/amount.ts';
import { type Asset, issued, XRP } from '../../../../engine/codec/arithmetic/asset.ts';
import { qualityOf } from '../../../../engine/codec/arithmetic/quality.ts';
import { type Rules, rulesOf, SANDBOX_RULES } from '../../../../sandbox/protocol/amendments.ts';
import { corpusDir } from '../../../../support/corpus.ts';
import { seedOf } from '../../../sandbox/seed.ts';

const seed = seedOf('amm-math', 20_260_321);

/** As on mainnet until 2026: 16 digits, rounding in the pool's favour. */
const MAINNET = rulesOf(['AMM', 'fixAMMv1_1', 'fixAMMv1_2', 'fixAMMv1_3']);
const TOKEN = issued(`${'0'.repeat(24)}544B4E${'0'.repeat(10)}`, '11'.repeat(20));
const OTHER = issued(`${'0'.repeat(24)}4F5448${'0'.repeat(10)}`, '22'.repeat(20));

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of several shapes
const vectors = (name: string): any[] =>
  corpusDir ? JSON.parse(readFileSync(join(corpusDir, 'vectors', `${name}.json`), 'utf8')).cases : [];

const unitOf = (unit: unknown, token: Asset): Asset => (unit === 'drops' ? XRP : token);

describe.skipIf(!corpusDir)('swaps that mainnet made', () => {
  const cases = vectors('amm_math_mainnet_anchored');
  for (const one of cases.filter(({ fn }) => fn === 'swapAssetIn'))
    test(one.id, () => {
      const pool = {
        in: amountOfText(unitOf(one.pool_in_unit, TOKEN), one.pool_in),
        out: amountOfText(OTHER, one.pool_out),
      };
      const input = amountOfText(pool.in.asset, one.asset_in);
      expect(swapAssetIn(MAINNET, pool, input, one.trading_fee).text()).toBe(one.expect_out);
    });
  for (const one of cases.filter(({ fn }) => fn === 'swapAssetOut'))
    test(one.id, () => {
      const pool = {
        in: amountOfText(unitOf(one.pool_in_unit, TOKEN), one.pool_in),
        out: amountOfText(OTHER, one.pool_out),
      };
      const input = swapAssetOut(MAINNET, pool, amountOfText(OTHER, one.asset_out), one.trading_fee);
      expect(input.text()).toBe(one.expect_in);
      expect(pool.in.add(input).text()).toBe(one.expect_pool_in_after);
    });
  for (const one of cases.filter(({ id }) => id === 'AMM sliver crosses behind worse CLOB'))
    test(one.id, () => {
      const pool = { in: amountOfText(TOKEN, one.pool.token), out: amountOfText(XRP, one.pool.xrp_drops) };
      const limit = qualityOf(
        amountOfText(TOKEN, one.offer.TakerGets_token),
        amountOfText(XRP, one.offer.TakerPays_drops),
      );
      // What it consumed is the largest amount whose average price is within the taker's limit.
      const costOf = (drops: number): bigint => {
        const out = Amount.drops(drops);
        return qualityOf(swapAssetOut(MAINNET, pool, out, one.pool.trading_fee), out);
      };
      expect(costOf(one.expect.amm_xrp_out_drops)).toBeLessThanOrEqual(limit);
      expect(costOf(one.expect.amm_xrp_out_drops + 1)).toBeGreaterThan(limit);
    });
  test('a pool whose spot price is worse than that of the offer makes no offer', () => {
    const one = cases.find(({ fn }) => fn === 'AMM quality gate');
    const pool = { in: amountOfText(TOKEN, one.pool.in_token), out: amountOfText(XRP, one.pool.out_drops) };
    const quality = qualityOf(
      amountOfText(TOKEN, one.offer.TakerGets_token),
      amountOfText(XRP, one.offer.TakerPays_drops),
    );
    expect(qualityOf(pool.in, pool.out)).toBeGreaterThan(quality);
    expect(changeSpotPriceQuality(MAINNET, pool, quality, 0)).toBeUndefined();
  });
});

describe.skipIf(!corpusDir)('pools before and after payments and offers', () => {
  /** First ledger with fixAMMv1_1 on mainnet (2024-09-24). */
  const FIRST_V1_1 = 90_974_000;
  const assetOf = (text: string, token: Asset): Asset => (text === 'XRP' ? XRP : token);

  /** Whether one swap moved a pool: the recorded balance after is the result of a swap in, or a swap out, for some fee. */
  function isOneSwap(rules: Rules, before: PoolAmounts, after: PoolAmounts, fee: number): boolean {
    const [input, output] = [after.in.sub(before.in), before.out.sub(after.out)];
    const out = swapAssetIn(rules, before, input, fee);
    if (before.out.sub(out).equals(after.out)) return true;
    const needed = swapAssetOut(rules, before, output, fee);
    return before.in.add(needed).equals(after.in);
  }

  test('balances after are equal to the last digit to a swap of those before', () => {
    let tried = 0;
    let equal = 0;
    for (const { ledger_index: index, pools, network } of vectors('amm_pool_moves_from_meta')) {
      for (const { swap, assets } of pools) {
        const estimate = swap?.fee_estimate_1e5;
        if (network !== 'mainnet' || estimate === undefined || estimate < -0.5 || estimate > 1000.5) continue;
        const pick = (name: string, when: 'before' | 'after', token: Asset): Amount =>
          amountOfText(
            assetOf(name, token),
            assets.find(({ asset }: { asset: string }) => asset === name)[when],
          );
        const at = (when: 'before' | 'after'): PoolAmounts => ({
          in: pick(swap.in_asset, when, TOKEN),
          out: pick(swap.out_asset, when, OTHER),
        });
        const rules = rulesOf(index >= FIRST_V1_1 ? ['AMM', 'fixAMMv1_1'] : ['AMM']);
        const fees = [-2, -1, 0, 1, 2]
          .map((by) => Math.round(estimate) + by)
          .filter((fee) => fee >= 0 && fee <= 1000);
        tried += 1;
        if (fees.some((fee) => isOneSwap(rules, at('before'), at('after'), fee))) equal += 1;
      }
    }
    console.log(`recorded pool movements: tried ${tried}, one swap to the last digit ${equal}`);
    // The rest was made in several parts, or with transfer fees in between.
    expect(equal).toBeGreaterThanOrEqual(71);
  });
});

/**
 * Exact comparison of products: after >= before. Numbers of 16 digits truncate a quotient after its 17th digit and drop the
 * remainder, so that it is not always rounded up: one quotient in a swap in, two in a swap out, 10^-16 each.
 */
function productHolds(rules: Rules, before: PoolAmounts, after: PoolAmounts): boolean {
  const exponent = (pool: PoolAmounts): number => pool.in.exponent + pool.out.exponent;
  const least = Math.min(exponent(before), exponent(after));
  const exact = (pool: PoolAmounts): bigint =>
    pool.in.mantissa * pool.out.mantissa * 10n ** BigInt(exponent(pool) - least);
  const forgotten = rules === MAINNET ? 2n : 0n;
  return exact(after) * 10n ** 16n >= exact(before) * (10n ** 16n - forgotten);
}

const tokens = (asset: Asset): fc.Arbitrary<Amount> =>
  fc
    .tuple(fc.bigInt({ min: 10n ** 15n, max: 10n ** 16n - 1n }), fc.integer({ min: -16, max: -4 }))
    .map(([mantissa, exponent]) => Amount.issued(asset, mantissa, exponent));
const drops = fc.bigInt({ min: 1n, max: 10n ** 14n }).map((n) => Amount.drops(n));
const side = (asset: Asset): fc.Arbitrary<Amount> => fc.oneof(tokens(asset), drops);
const pools = fc
  .record({ in: side(TOKEN), out: side(OTHER) })
  .filter((pool) => pool.in.asset !== pool.out.asset);
const fees = fc.integer({ min: 0, max: 1000 });

describe('a pool', () => {
  for (const [name, rules] of [
    ['16 digits', MAINNET],
    ['19 digits', SANDBOX_RULES],
  ] as const) {
    test(`never has a smaller product after a swap in (${name})`, () => {
      fc.assert(
        fc.property(pools, fees, fc.double({ min: 1e-9, max: 2, noNaN: true }), (pool, fee, part) => {
          const input = scaledBy(pool.in, part);
          if (input.isZero) return;
          const out = swapAssetIn(rules, pool, input, fee);
          // Balances keep 16 digits: what the sum loses is not the swap's error.
          const after = { in: pool.in.add(input), out: pool.out.sub(out) };
          if (!exactSum(pool.in, input, after.in) || !exactSum(after.out, out, pool.out)) return;
          expect(productHolds(rules, pool, after)).toBe(true);
        }),
        { seed, numRuns: 1500 },
      );
    });
    test(`asks for enough in a swap out (${name})`, () => {
      fc.assert(
        fc.property(pools, fees, fc.double({ min: 1e-9, max: 0.99, noNaN: true }), (pool, fee, part) => {
          const out = scaledBy(pool.out, part);
          if (out.isZero || out.compare(pool.out) >= 0) return;
          const input = swapAssetOut(rules, pool, out, fee);
          const after = { in: pool.in.add(input), out: pool.out.sub(out) };
          if (!exactSum(pool.in, input, after.in) || !exactSum(after.out, out, pool.out)) return;
          expect(productHolds(rules, pool, after)).toBe(true);
          // And the input of the swap buys at least as much back, apart from rounding.
          const back = swapAssetIn(rules, pool, input, fee);
          const lost = Number(out.sub(back).mantissa) * 10 ** out.sub(back).exponent;
          expect(lost).toBeLessThanOrEqual(1 + Number(out.mantissa) * 10 ** (out.exponent - 9));
        }),
        { seed, numRuns: 1500 },
      );
    });
    test(`makes offers no worse than the quality asked for (${name})`, () => {
      let made = 0;
      fc.assert(
        fc.property(pools, fees, fc.double({ min: 1.0001, max: 3, noNaN: true }), (pool, fee, worse) => {
          const quality = qualityOf(scaledBy(pool.in, worse), pool.out);
          const offer = changeSpotPriceQuality(rules, pool, quality, fee);
          if (offer === undefined) return;
          made += 1;
          expect(qualityOf(offer.in, offer.out)).toBeLessThanOrEqual(quality);
          expect(offer.out.compare(pool.out)).toBeLessThan(0);
        }),
        { seed, numRuns: 1000 },
      );
      expect(made).toBeGreaterThan(400);
    });
  }

  test('gives nothing for nothing and asks for the largest amount when its balance is too low', () => {
    const pool = { in: Amount.drops(1000n), out: Amount.issued(TOKEN, 5n, 0) };
    expect(swapAssetIn(MAINNET, pool, Amount.drops(0n), 0).isZero).toBe(true);
    expect(swapAssetOut(MAINNET, pool, pool.out, 0).drops).toBe(10n ** 17n);
  });
});

function scaledBy(amount: Amount, part: number): Amount {
  const factor = BigInt(Math.round(part * 1e9));
  return Amount.of(amount.asset, (amount.mantissa * factor) / 10n ** 9n, amount.exponent);
}

function exactSum(a: Amount, b: Amount, sum: Amount): boolean {
  const least = Math.min(a.exponent, b.exponent, sum.exponent);
  const exact = (amount: Amount): bigint => amount.mantissa * 10n ** BigInt(amount.exponent - least);
  return exact(a) + exact(b) === exact(sum);
}
