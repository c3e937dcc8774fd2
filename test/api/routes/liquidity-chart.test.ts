/** GET /amm/liquidity-chart against what the node's pools hold after each ledger, and the trades in them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { BruteTotals } from '../../engine/market/brute-totals.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import { asker, type Json } from './ask.ts';

const STEP = 2400;
const HOUR = 3600;
const DAY = 24 * HOUR;
const LEDGERS = 48;
/** The ledger after which the engine is stopped and started. */
const RESTART = 30;

/** What a pool was after a ledger, by the rows of the state and a recount of what it is worth. */
interface Seen {
  readonly time: number;
  readonly locked: number;
  readonly xrp: number;
  readonly tokens: number;
}
interface Traded {
  readonly time: number;
  readonly xrp: number;
  readonly fee: number;
}

describe('/amm/liquidity-chart', () => {
  const store = new MemoryStore();
  let engine = new Engine({ store, log: quiet });
  const seen = new Map<number, Seen[]>();
  const trades = new Map<number, Traded[]>();

  beforeAll(async () => {
    const world = new World({ seed: 'liquidity' });
    for (let ledger = 0; ledger < LEDGERS; ledger++) {
      const packed = world.step(STEP).packed();
      await applyAll(engine, [packed]);
      record(packed.closeTime);
      if (ledger !== RESTART) continue;
      engine = new Engine({ store, log: quiet });
      engine.restore();
    }
  });

  function record(time: number): void {
    const { state, market } = engine;
    const { pools, tokens, changed } = state;
    const brute = new BruteTotals(state, market);
    for (const pool of changed.pools) {
      const amount = (side: 1 | 2) =>
        tokens.number(side === 1 ? pools.asset1(pool) : pools.asset2(pool), ...pools.reserveRaw(pool, side));
      const withXrp = pools.asset1(pool) === 0;
      const exists = pools.exists(pool);
      const row = {
        time,
        locked: (brute.pools.get(pool) ?? 0) / 1e6,
        xrp: exists && withXrp ? amount(1) : 0,
        tokens: exists ? amount(withXrp ? 2 : 1) : 0,
      };
      seen.set(pool, [...(seen.get(pool) ?? []), row]);
    }
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    reader.load(market.trades);
    for (let i = 0; i < market.tradeCount; i++) {
      const { pool, isLiquidity, isAMM, valueDrops } = reader.at(i);
      if (pool === undefined || isLiquidity || !isAMM) continue;
      const fee = (valueDrops / 1e6) * (pools.fee(pool) / 100_000);
      trades.set(pool, [...(trades.get(pool) ?? []), { time, xrp: valueDrops / 1e6, fee }]);
    }
  }

  /** Points of some pools, worked out from everything seen. @param known those whose first appearance begins the chart */
  function expectPoints(data: Json[], pools: readonly number[], seconds: number, known = pools): void {
    const now = engine.head!.closeTime;
    const first = Math.min(...known.map((pool) => seen.get(pool)![0]!.time));
    const last = Math.floor(now / seconds) * seconds;
    const from = Math.max(
      Math.floor(first / seconds) * seconds,
      last - (seconds === HOUR ? 167 : 29) * seconds,
    );
    expect(data.length).toBe((last - from) / seconds + 1);
    const { state, market } = engine;
    const present = new BruteTotals(state, market).pools;
    for (const [i, point] of data.entries()) {
      const [start, end] = [from + i * seconds, from + (i + 1) * seconds];
      expect(Date.parse(point.date)).toBe((Math.min(end, now) + RIPPLE_EPOCH) * 1000);
      let [locked, xrp, count, volume, fees] = [0, 0, 0, 0, 0];
      for (const pool of pools) {
        const held = seen.get(pool)!.findLast(({ time }) => time < end);
        // The running interval is as the list of pools, whoever changed the prices since.
        const worth = end > now ? (present.get(pool) ?? 0) / 1e6 : (held?.locked ?? 0);
        locked += worth;
        xrp += held?.xrp ?? 0;
        if (worth > 0) count++;
        for (const trade of trades.get(pool) ?? [])
          if (trade.time >= start && trade.time < end) {
            volume += trade.xrp;
            fees += trade.fee;
          }
      }
      expect(point.tvl).toBeCloseTo(locked, 5);
      if (point.xrpLiquidity !== undefined) expect(point.xrpLiquidity).toBeCloseTo(xrp, 4);
      expect(point.poolCount).toBe(count);
      expect(point.volume).toBeCloseTo(volume, 4);
      expect(point.fees).toBeCloseTo(fees, 4);
      // Of the running interval: by the part that has passed.
      const passed = Math.min(end, now) - start;
      const yearly = locked > 0 && passed > 0 ? (fees / locked) * 365 * (DAY / passed) * 100 : 0;
      expect(point.apr).toBeCloseTo(yearly, 3);
    }
  }

  const hasXrp = (pool: number) => engine.state.pools.asset1(pool) === 0;

  test('one pool, by hours and by days, by its account and by its assets', async () => {
    const ask = asker(engine);
    const { pools, accounts, tokens } = engine.state;
    let moved = 0;
    for (const pool of seen.keys()) {
      if (!pools.exists(pool)) continue;
      if (seen.get(pool)!.length > 5) moved++;
      const account = accounts.text(pools.accounts[pool]!);
      for (const [period, seconds] of [
        ['1w', HOUR],
        ['1m', DAY],
        ['all', DAY],
      ] as const) {
        const { body } = await ask.get(`/amm/liquidity-chart?ammAccount=${account}&period=${period}`);
        expect(body).toMatchObject({ success: true, period, poolType: 'all', length: body.data.length });
        expectPoints(body.data, [pool], seconds);
        const held = seen.get(pool)!.at(-1)!;
        expect(body.data.at(-1).tokenLiquidity).toBeCloseTo(held.tokens, 6);
      }
      const pair = [pools.asset1(pool), pools.asset2(pool)].map((token) => tokens.md5(token));
      const byPair = await ask.get(`/amm/liquidity-chart?token=${pair[0]}&token2=${pair[1]}&period=1w`);
      expectPoints(byPair.body.data, [pool], HOUR);
    }
    expect(moved).toBeGreaterThan(2);
  });

  test('the pools of a token, and all pools, by type', async () => {
    const ask = asker(engine);
    const { pools, tokens } = engine.state;
    const all = [...seen.keys()];
    const busiest = [...Array(tokens.count).keys()]
      .slice(1)
      .reduce((best, token) => (pools.of(token).size > pools.of(best).size ? token : best), 1);
    const own = [...pools.of(busiest)];
    expect(own.length).toBeGreaterThan(1);
    for (const [type, keep] of [
      ['all', () => true],
      ['xrp', hasXrp],
      ['token', (pool: number) => !hasXrp(pool)],
    ] as const)
      for (const [period, seconds] of [
        ['1w', HOUR],
        ['1m', DAY],
      ] as const) {
        const query = `period=${period}&poolType=${type}`;
        const everywhere = (await ask.get(`/amm/liquidity-chart?${query}`)).body;
        expect(everywhere.poolType).toBe(type);
        const wanted = all.filter(keep);
        expectPoints(everywhere.data, wanted, seconds, all);
        const ofToken = (await ask.get(`/amm/liquidity-chart?md5=${tokens.md5(busiest)}&${query}`)).body;
        const ownWanted = own.filter(keep);
        if (ownWanted.length > 0) expectPoints(ofToken.data, ownWanted, seconds);
        else expect(ofToken.data).toEqual([]);
      }
    const xrp = (await ask.get('/amm/liquidity-chart?token=XRP&period=1w')).body;
    expectPoints(xrp.data, all.filter(hasXrp), HOUR, all);
    expect(xrp.data.at(-1).tvl).toBeGreaterThan(0);
  });

  test('periods are as long as they say; what does not exist is 404', async () => {
    const ask = asker(engine);
    const day = (await ask.get('/amm/liquidity-chart?period=1D')).body;
    expect(day).toMatchObject({ period: '1d', length: 24 });
    const week = (await ask.get('/amm/liquidity-chart?period=1w')).body;
    expect(day.data).toEqual(week.data.slice(-24));
    expect((await ask.get('/amm/liquidity-chart?period=2h&poolType=none')).body).toMatchObject({
      period: '1m',
      poolType: 'all',
    });
    const { tokens } = engine.state;
    const unknown = '0'.repeat(32);
    const lonely = [...Array(tokens.count).keys()].find((token) => engine.state.pools.of(token).size === 0)!;
    for (const query of [
      `token=${unknown}`,
      'ammAccount=rrrrrrrrrrrrrrrrrrrrrhoLvTp',
      `token=${tokens.md5(lonely)}&token2=XRP`,
    ])
      expect((await ask.get(`/amm/liquidity-chart?${query}`)).status, query).toBe(404);
    expect((await ask.get(`/amm/liquidity-chart?token=${tokens.md5(lonely)}`)).body).toMatchObject({
      length: 0,
      data: [],
    });
  });
});
