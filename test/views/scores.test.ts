/** Trending and assessment scores, and the change of what pools lock: values from other members of the row, and lists. */
import { describe, expect, test } from 'bun:test';
import { assessmentScore } from '../../engine/metrics/assessment-score.ts';
import { trendingScore } from '../../engine/metrics/trending-score.ts';
import { Views } from '../../views/views.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll, newEngine } from './world.ts';

const HALF_HOUR = 1800;
const HOUR = 3600;
const SORTS = ['trendingScore', 'assessmentScore', 'tvlChange24h', 'rsi15m'] as const;

describe('the kernels', () => {
  test('trending: worked by hand', () => {
    expect(trendingScore({ trades1h: 0, trades24h: 0, traders24h: 0, volume24h: 0 })).toBe(0);
    // Nothing above the mean: log10(1000) * log2(8) = 3 * 3.
    const steady = { trades1h: 1, trades24h: 24, traders24h: 7, volume24h: 999 };
    expect(trendingScore(steady)).toBeCloseTo(9, 12);
    // Expected 4, seen 18: seven standard deviations of 2; 1 + log2(8) = 4.
    expect(trendingScore({ ...steady, trades1h: 18, trades24h: 96 })).toBeCloseTo(36, 12);
    expect(trendingScore({ ...steady, trades1h: 0 })).toBeCloseTo(9, 12);
  });

  test('assessment: worked by hand', () => {
    const best = { locked: 1e9, holders: 1e9, top10: 0, traders24h: 1e9, lpBurned: 100 };
    const rights = { isBlackholed: true, noFreeze: true, isFrozen: false };
    expect(assessmentScore({ ...best, ...rights })).toBeCloseTo(100, 12);
    expect(assessmentScore({ ...best, ...rights, isBlackholed: false })).toBeCloseTo(90, 12);
    expect(assessmentScore({ ...best, ...rights, isBlackholed: false, noFreeze: false })).toBeCloseTo(85, 12);
    expect(assessmentScore({ ...best, ...rights, isFrozen: true })).toBe(0);
    const none = { locked: 0, holders: 0, top10: 100, traders24h: 0, lpBurned: 0 };
    expect(assessmentScore({ ...none, isBlackholed: false, noFreeze: false, isFrozen: false })).toBe(0);
    // 25 / 2 for the square root of 100,001 less one; 20 / 2 for a share of half.
    const locked = Math.sqrt(100_001) - 1;
    const half = { ...none, locked, top10: 50, isBlackholed: false, noFreeze: false, isFrozen: false };
    expect(assessmentScore(half)).toBeCloseTo(22.5, 12);
  });
});

describe('a day and more of the embedded network', () => {
  test('lists kept from ledger to ledger are those made again, and rows agree with their other members', async () => {
    const world = new World({ seed: 'scores' });
    const engine = newEngine();
    const views = new Views(engine);
    const list = (of: Views, sort: (typeof SORTS)[number]) =>
      of.tokens.list({ sort, ascending: false, offset: 0, limit: 1e6 }).ids;
    for (let ledger = 0; ledger < 56; ledger++) {
      await applyAll(engine, [world.step(HALF_HOUR).packed()]);
      await views.pools.prepare();
      for (const sort of SORTS) await views.tokens.listReady(sort);
      if (ledger % 5 !== 0 && ledger < 52) continue;
      const again = new Views(engine);
      await again.pools.prepare();
      for (const sort of SORTS)
        expect(list(views, sort), `${sort} at ledger ${ledger}`).toEqual(list(again, sort));
    }
    let trending = 0;
    let assessed = 0;
    let changed = 0;
    const now = engine.head!.closeTime;
    for (let token = 1; token < engine.state.tokens.count; token++) {
      const row = JSON.parse(new TextDecoder().decode(views.tokens.row(token)));
      if (row.tvlChange24h !== undefined) changed++;
      const trades1h = tradesSince(token, now - HOUR);
      const mean = row.vol24htx / 24;
      const burst = mean > 0 ? Math.max(0, (trades1h - mean) / Math.sqrt(mean)) : 0;
      const volume = Math.log10(1 + row.vol24hxrp);
      const wanted = volume * Math.log2(1 + row.uniqueTraders24h) * (1 + Math.log2(1 + burst));
      expect(row.trendingScore, row.name).toBeCloseTo(wanted, 3);
      if (wanted > 0) trending++;
      if (row.holders === 0) {
        expect(row.assessmentScore).toBeUndefined();
        continue;
      }
      const { blackholed = false, noFreeze = false, globalFreeze = false } = row.issuer_info ?? {};
      const log = (value: number, full: number) => Math.min(1, Math.log1p(value) / Math.log1p(full));
      const points =
        25 * log(row.tvl ?? 0, 1e5) +
        20 * log(row.holders, 1e4) +
        20 * (1 - row.top10 / 100) +
        (blackholed ? 15 : noFreeze ? 5 : 0) +
        10 * log(row.uniqueTraders24h, 1e3) +
        (row.lpBurnedPercent ?? 0) / 10;
      expect(row.assessmentScore, row.name).toBeCloseTo(globalFreeze ? 0 : points, 3);
      assessed++;
    }
    expect([trending, assessed, changed].every((count) => count > 5)).toBe(true);

    function tradesSince(token: number, time: number): number {
      let count = 0;
      const { history } = engine.market;
      const page = history.page({ token, type: 'trades', limit: 1000, start: time + 1 });
      count += page.count;
      return count;
    }
  });
});
