/** What the market was worth day by day, and how much it changed, against totals counted afresh and a recount of trades. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { BruteTotals } from '../../engine/market/brute-totals.ts';
import { type ExactTrade, TradeLedger } from '../../engine/traders/trade-ledger.ts';
import { quiet } from '../../live-rig.ts';
import { EPOCH, World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import { asker, type Json } from './ask.ts';

const STEP = 3 * 3600;
/** More than the 8 days that an index of fear and greed needs. */
const DAYS = 10;

describe('/stats/marketcap-history', () => {
  const store = new MemoryStore();
  /** By date, as of its last ledger. */
  const days = new Map<string, BruteTotals>();
  let engine: Engine;
  beforeAll(async () => {
    const world = new World({ seed: 'days' });
    engine = new Engine({ store, log: quiet });
    for (let ledger = 0; ledger < (DAYS * 24 * 3600) / STEP; ledger++) {
      const packed = world.step(STEP).packed();
      await applyAll(engine, [packed]);
      const date = new Date((packed.closeTime + RIPPLE_EPOCH) * 1000).toISOString().slice(0, 10);
      days.set(date, new BruteTotals(engine.state, engine.market));
    }
  });

  function expectDays(history: Json[], dates: readonly string[]): void {
    expect(history.map(({ date }) => date)).toEqual([...dates]);
    for (const { date, gMarketcap, unfilteredMarketcap, tokenCount } of history) {
      const wanted = days.get(date)!;
      expect(tokenCount).toBe(wanted.listed.length);
      expect(gMarketcap / wanted.marketcap).toBeCloseTo(1, 10);
      expect(unfilteredMarketcap / wanted.unfilteredMarketcap).toBeCloseTo(1, 10);
      expect(unfilteredMarketcap).toBeGreaterThanOrEqual(gMarketcap);
    }
  }

  test('is what each day ended with, today as of the newest ledger, and stays after a restart', async () => {
    const dates = [...days.keys()];
    expect(dates.length).toBeGreaterThanOrEqual(DAYS);
    const restarted = new Engine({ store, log: quiet });
    restarted.restore();
    for (const read of [engine, restarted]) {
      const { body } = await asker(read).get('/stats/marketcap-history?from=2021-09-26');
      expect(body).toMatchObject({
        success: true,
        from: '2021-09-26',
        to: dates.at(-1),
        length: dates.length,
      });
      expectDays(body.history, dates);
      const global = (await asker(read).get('/stats')).body.global;
      expect(body.history.at(-1)).toMatchObject({ gMarketcap: global.gMarketcap, tokenCount: global.total });
    }
  });

  test('an index of fear and greed has one value of each day, of today the one beside them', async () => {
    const call = { name: 'get_fear_greed_index', arguments: { days: 2 } };
    const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const {
      date,
      value,
      days: shown,
    } = (await asker(engine).post('/mcp', sent)).body.result.structuredContent;
    expect(shown.map((one: Json) => one.date)).toEqual([...days.keys()].slice(-2));
    expect(shown.at(-1)).toMatchObject({ date, value });
  });

  test('ends are inclusive and clamped; without from it is refused', async () => {
    const ask = asker(engine);
    const dates = [...days.keys()];
    const one = (await ask.get(`/stats/marketcap-history?from=${dates[1]}&to=${dates[2]}`)).body;
    expect(one).toMatchObject({ from: dates[1], to: dates[2], length: 2 });
    expectDays(one.history, dates.slice(1, 3));
    const late = Date.parse(dates[1]!) + 86_399_999;
    const byTime = (await ask.get(`/stats/marketcap-history?from=${late}&to=2100-01-01`)).body;
    expect(byTime).toMatchObject({ from: dates[1], to: dates.at(-1) });
    expectDays(byTime.history, dates.slice(1));
    const early = (await ask.get('/stats/marketcap-history?from=2000-01-01&to=2020-01-01')).body;
    expect(early).toMatchObject({ from: '2021-09-26', to: '2021-09-26', length: 0, history: [] });
    const reversed = (await ask.get(`/stats/marketcap-history?from=${dates[2]}&to=${dates[1]}`)).body;
    expect(reversed).toMatchObject({ from: dates[2], to: dates[1], length: 0 });
    for (const query of ['', '?from=', '?from=soon']) {
      const { status, body } = await ask.get(`/stats/marketcap-history${query}`);
      expect([status, body.success]).toEqual([400, false]);
    }
  });
});

describe('changes in percent of /token/analytics/market', () => {
  const HOUR = 3600;
  const DAY = 24 * HOUR;
  const STEP_HOURS = STEP / HOUR;
  /** More than the two weeks, and the day that is not read from its beginning, that a change of 7 days needs. */
  const LEDGERS = (16 * 24) / STEP_HOURS;
  type Changes = Readonly<Record<string, number | null>>;

  const change = (now: number, before: number): number | null =>
    before > 0 ? (now / before - 1) * 100 : null;

  function expectChanges(ledger: number, shown: Changes, wanted: Changes, seen: Set<string>): void {
    for (const [name, value] of Object.entries(wanted)) {
      expect([ledger, name, shown[name] === null]).toEqual([ledger, name, value === null]);
      if (value === null) continue;
      expect(shown[name]).toBeCloseTo(value, 3);
      seen.add(name);
    }
  }

  const volume = (trades: readonly ExactTrade[]): number =>
    Number(trades.reduce((sum, { drops }) => sum + drops, 0n));
  /** Of the present hour (day) and those before it, `count` in all; `age` 1: of as many before these. */
  function spanOf(trades: readonly ExactTrade[], now: number, seconds: number, count: number, age: 0 | 1) {
    const end = (Math.floor(now / seconds) + 1 - age * count) * seconds;
    return trades.filter(({ time }) => time >= end - count * seconds && time < end && time <= now);
  }

  test('are against as long a time before, and null until all of that was read', async () => {
    const store = new MemoryStore();
    const engine = new Engine({ store, log: quiet });
    const world = new World({ seed: 'changes' });
    const ends: { time: number; cap: number; shown: Changes; ofStats: number | undefined }[] = [];
    for (let ledger = 0; ledger < LEDGERS; ledger++) {
      const packed = world.step(STEP).packed();
      await applyAll(engine, [packed]);
      const ask = asker(engine);
      ends.push({
        time: packed.closeTime,
        cap: engine.market.totals.marketcap,
        shown: (await ask.get('/token/analytics/market')).body.percentChanges,
        ofStats: (await ask.get('/stats')).body.global.gMarketcapPro,
      });
    }
    const { allTrades } = new TradeLedger(engine, store);
    const seen = new Set<string>();
    for (const [ledger, { time, cap, shown, ofStats }] of ends.entries()) {
      const marketcap24hPct = change(cap, ends[ledger - 24 / STEP_HOURS]?.cap ?? 0);
      const [day, dayBefore] = [spanOf(allTrades, time, HOUR, 24, 0), spanOf(allTrades, time, HOUR, 24, 1)];
      const [week, weekBefore] = [spanOf(allTrades, time, DAY, 7, 0), spanOf(allTrades, time, DAY, 7, 1)];
      // The first hour and the first day were not read from their beginning.
      const knowsHours = ledger * STEP_HOURS >= 48;
      const knowsDays = time - EPOCH >= 14 * DAY;
      const wanted = {
        marketcap24hPct,
        volume24hPct: knowsHours ? change(volume(day), volume(dayBefore)) : null,
        trades24hPct: knowsHours ? change(day.length, dayBefore.length) : null,
        volume7dPct: knowsDays ? change(volume(week), volume(weekBefore)) : null,
      };
      expectChanges(ledger, shown, wanted, seen);
      if (marketcap24hPct !== null) expect(ofStats).toBeCloseTo(marketcap24hPct, 6);
    }
    expect(seen.size).toBe(4);
  });
});
