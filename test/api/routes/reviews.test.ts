/** Reviews of tokens and the calibration table: against rows of the same tokens, counts of the engine, and each other. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { type CollapseRates, collapseChance, collapseRates } from '../../../engine/risk/collapse-rates.ts';
import { kindNames, kindNumber, kindOf } from '../../../engine/risk/kinds.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { HeavyReadPool } from '../../../workers/heavy-reads.ts';
import { ledgerOf, madeTokens, randomFrom } from '../../engine/risk/history.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll, newEngine } from '../../views/world.ts';
import { type Asker, asker, type Json } from './ask.ts';

const DAY = 86_400;
const DAYS = 165;
const LEVELS: Readonly<Record<string, readonly number[]>> = {
  Low: [1, 2, 3],
  Moderate: [4, 5],
  Elevated: [6, 7],
  High: [8, 9, 10],
};

const without = ({ took: _, ...body }: Json): Json => body;

describe('a history of five months', () => {
  let engine: Engine;
  let ask: Asker;
  let rates: CollapseRates;

  beforeAll(async () => {
    engine = new Engine({ store: new MemoryStore(), log: quiet });
    const tokens = madeTokens(randomFrom(7), 40, DAYS);
    for (let day = 0; day < DAYS; day++) await engine.applyLedger(ledgerOf(tokens, day), true);
    await engine.drain();
    ask = asker(engine);
    rates = runToEnd(collapseRates(engine.risk, engine.risk.passes.last));
  });

  test('a review has the chance of its kind and the sample it rests on; a quiet token is inactive', async () => {
    const now = engine.head!.closeTime;
    let [active, inactive] = [0, 0];
    for (let token = 1; token < engine.state.tokens.count; token++) {
      if (engine.state.tokens.pools[token] !== 0) continue;
      const md5 = engine.state.tokens.md5(token);
      const { status, body } = await ask.get(`/token/review/${md5}`);
      expect(status).toBe(200);
      const traded = engine.market.prices.lastTradeTime(token);
      if (now - traded > 7 * DAY) {
        inactive++;
        expect(without(body)).toMatchObject({
          success: true,
          md5,
          inactive: true,
          lastTrade: unixMs(traded),
        });
        expect(body.score).toBeUndefined();
        expect(body.collapseChance).toBeUndefined();
        continue;
      }
      active++;
      const kind = kindOf(engine.risk.features(token, now));
      const known = collapseChance(rates, kindNumber(kind))!;
      const { collapse } = body;
      expect(body.collapseChance).toBe(collapse.chance);
      expect(collapse.chance).toBeCloseTo(known.chance * 100, 3);
      expect(collapse.chance).toBeWithin(0, 100);
      expect(collapse.horizonDays).toBe(60);
      expect(collapse.kind).toEqual(kindNames(kind));
      expect([collapse.sample, collapse.collapsed, collapse.observed, collapse.observedCollapsed]).toEqual([
        known.sample,
        known.collapsed,
        known.observed,
        known.observedCollapsed,
      ]);
      expect(collapse.asOf - collapse.since).toBe((DAYS - 1) * DAY * 1000);
      expect(body.inactive).toBeUndefined();
    }
    expect(active).toBeGreaterThan(5);
    expect(inactive).toBeGreaterThan(2);
    // What a report of a day calls defunct.
    expect(engine.risk.passes.of(rates.day)).toMatchObject({ tokens: active + inactive, inactive });
  });

  test('the calibration table of /docs holds what was predicted against what happened', async () => {
    const { calibration } = (await ask.get('/docs')).body;
    expect(calibration.of).toBe('collapseChance');
    expect(calibration.horizonDays).toBe(60);
    expect(calibration.asOf).toBe(unixMs(rates.day * DAY));
    expect(calibration.bands.length).toBe(rates.bands.length);
    let [count, collapsed] = [0, 0];
    for (const [i, band] of calibration.bands.entries()) {
      const { from, to, predicted, ...counts } = rates.bands[i]!;
      expect([band.count, band.collapsed]).toEqual([counts.count, counts.collapsed]);
      expect(band.from).toBeCloseTo(from * 100, 9);
      expect(band.to).toBeCloseTo(to * 100, 9);
      expect(band.predicted).toBeCloseTo(predicted * 100, 3);
      expect(band.predicted).toBeWithin(band.from, band.to + 1e-9);
      expect(band.happened).toBeCloseTo((100 * band.collapsed) / band.count, 3);
      count += band.count;
      collapsed += band.collapsed;
    }
    expect(calibration.predictions).toBe(count);
    const base = collapsed / count;
    expect(calibration.brierOfBase).toBeCloseTo(base * (1 - base) ** 2 + (1 - base) * base ** 2, 5);
    expect(calibration.brier).toBeCloseTo(rates.brier!, 5);
  });

  test('the same from a worker, and again after the next pass', async () => {
    const pool = new HeavyReadPool({ threads: 1, deadline: 60_000 });
    try {
      const other = new Network({ engine, heavy: pool.of(engine.state, engine.traders, engine.risk) });
      const there = asker(other);
      const md5 = engine.state.tokens.md5(1);
      const path = `/token/review/${md5}`;
      expect(without((await there.get(path)).body)).toEqual(without((await ask.get(path)).body));
      expect((await there.get('/docs')).body.calibration).toEqual((await ask.get('/docs')).body.calibration);
      const reports = await Promise.all(
        [there, ask].map(async (one) => (await one.get('/platform-report')).body.riskMetrics),
      );
      expect(reports[0].totalTraders).toBeGreaterThan(0);
      expect(reports[0]).toEqual(reports[1]);
      await engine.applyLedger(ledgerOf([], DAYS), true);
      const { asOf } = (await there.get('/docs')).body.calibration;
      expect(asOf).toBe(unixMs((rates.day + 1) * DAY));
      expect((await ask.get('/docs')).body.calibration.asOf).toBe(asOf);
    } finally {
      await pool.close();
    }
  });

  test('XRP has no issuer to review, and an unknown token none at all', async () => {
    expect((await ask.get('/token/review/XRP')).status).toBe(400);
    expect((await ask.get(`/token/review/${'0'.repeat(32)}`)).status).toBe(404);
  });
});

describe('days of the embedded network', () => {
  test('a review agrees with the row of its token, and features with what rows show of them', async () => {
    const world = new World({ seed: 'reviews' });
    const engine = newEngine();
    for (let ledger = 0; ledger < 80; ledger++) await applyAll(engine, [world.step(1800).packed()]);
    const ask = asker(engine);
    const levels = new Set<string>();
    let [reviewed, inactive, pooled] = [0, 0, 0];
    for (let token = 1; token < engine.state.tokens.count; token++) {
      const md5 = engine.state.tokens.md5(token);
      const { token: row } = (await ask.get(`/token/${md5}`)).body;
      const { body: review } = await ask.get(`/token/review/${md5}`);
      const features = engine.risk.features(token, engine.head!.closeTime);
      if (features.creatorShare === undefined) expect(row.creatorHoldingPercent).toBeUndefined();
      else expect(features.creatorShare).toBeCloseTo(row.creatorHoldingPercent, 3);
      if (row.AMM !== undefined) {
        pooled++;
        expect(features.lpBurned).toBeCloseTo(row.lpBurnedPercent ?? 0, 3);
      } else expect(features.poolDrops).toBe(0);
      if (features.age !== undefined)
        expect(features.age * 1000).toBe(unixMs(engine.head!.closeTime) - row.dateon);
      const { blackholed = false, noFreeze = false, globalFreeze = false } = row.issuer_info ?? {};
      expect(features.freeze).toBe(globalFreeze ? 2 : blackholed || noFreeze ? 0 : 1);
      if (review.inactive) {
        inactive++;
        continue;
      }
      reviewed++;
      expect(features.top10).toBeCloseTo(row.top10, 3);
      expect(review.assessmentScore).toBe(row.assessmentScore);
      expect(review.score).toBe(Math.round(10 - (9 * row.assessmentScore) / 100));
      expect(LEVELS[review.riskLevel]).toContain(review.score);
      levels.add(review.riskLevel);
      const points = review.factors.reduce((sum: number, factor: Json) => sum + factor.points, 0);
      if (!globalFreeze) expect(points).toBeCloseTo(row.assessmentScore, 2);
      for (const { points, max, effect } of review.factors)
        expect(effect).toBe(points <= max / 3 ? 'risk' : points >= (max * 2) / 3 ? 'positive' : 'neutral');
      const effects = review.factors.map(({ effect }: Json) => effect);
      expect(review.riskCount).toBe(effects.filter((one: string) => one === 'risk').length);
      expect(review.positiveCount).toBe(effects.filter((one: string) => one === 'positive').length);
      // Nothing has been observed for 60 days.
      expect(review.collapseChance).toBeUndefined();
    }
    expect([reviewed, inactive, pooled].every((count) => count > 3)).toBe(true);
    expect(levels.size).toBeGreaterThan(1);
  });
});
