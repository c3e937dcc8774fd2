/** Rolling = recomputed: windows, prices and candles of streams with random pauses, and of recorded ledgers. */

import { describe, expect, test } from 'bun:test';
import { runToEnd } from '../../../engine/event-loop.ts';
import { CANDLE_COLUMNS, WINDOW_SECONDS, Window } from '../../../engine/market/figures.ts';
import { recordedLedgers, type Sample } from '../state/recorded.ts';
import { BruteMarket } from './brute-market.ts';
import { namedTrades, standingOf, tokenKey } from './named.ts';
import { Rig, SMALL } from './rig.ts';
import { randomFrom, stream } from './stream.ts';

const HOUR = 3600;
const near = (a: number, b: number, what: string) => {
  if (a !== b && !(Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))))
    expect([what, a]).toEqual([what, b]);
};

function checkWindows(rig: Rig, brute: BruteMarket, now: number): void {
  const { windows, prices } = rig.market;
  const tokens = Array.from({ length: rig.state.tokens.count }, (_, id) => id);
  for (const id of [...tokens, windows.all]) {
    const key = id === windows.all ? '*' : tokenKey(rig.state, id);
    for (const window of Object.values(Window)) {
      const seconds = WINDOW_SECONDS[window]!;
      const whole = seconds > 86400;
      const firstHour = Math.floor(now / HOUR) - seconds / HOUR;
      const inside = (t: number) => (whole ? Math.floor(t / HOUR) > firstHour : t > now - seconds);
      const want = brute.window(key, inside);
      const at = `${key} ${window}`;
      expect([at, windows.volumeDrops(id, window)]).toEqual([at, want.drops]);
      expect([at, windows.trades(id, window)]).toEqual([at, want.trades]);
      if (id > 0) {
        const base = brute.base(key, (t) => !inside(t));
        expect([at, windows.basePrice(id, window)]).toEqual([at, base]);
      }
      if (window !== Window.h24) continue;
      expect([at, windows.buys(id), windows.buyDrops(id)]).toEqual([at, want.buys, want.buyDrops]);
      expect([at, windows.sells(id), windows.sellDrops(id)]).toEqual([
        at,
        want.trades - want.buys,
        want.drops - want.buyDrops,
      ]);
      expect([at, windows.ammDrops(id)]).toEqual([at, want.ammDrops]);
      expect([at, windows.depositDrops(id)]).toEqual([at, want.depositDrops]);
      expect([at, windows.withdrawals(id)]).toEqual([at, want.withdrawals]);
      const parties = [windows.uniqueTraders(id), windows.uniqueBuyers(id), windows.uniqueSellers(id)];
      expect([at, ...parties]).toEqual([at, want.traders, want.buyers, want.sellers]);
      if (id <= 0) continue;
      near(windows.tokenVolume(id), want.amount, `${at} amount`);
      expect([at, windows.max(id), windows.min(id)]).toEqual([at, want.max, want.min]);
      expect([at, prices.price(id)]).toEqual([at, brute.prices.get(key)?.price]);
      expect([at, prices.athPrice(id)]).toEqual([at, brute.prices.get(key)?.high]);
    }
  }
}

/** Monday of the week, by the calendar of Date. */
function monday(time: number): number {
  const date = new Date((time + 946684800) * 1000);
  date.setUTCHours(0, 0, 0, 0);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime() / 1000 - 946684800;
}

function checkCandles(rig: Rig, brute: BruteMarket): void {
  for (let id = 1; id < rig.state.tokens.count; id++) {
    const key = tokenKey(rig.state, id);
    for (const seconds of [60, 300, 900, 1800, 3600, 7200, 14400, 86400, 604800, 180, 600]) {
      const want = brute.candles(key, (t) => (seconds === 604800 ? monday(t) : t - (t % seconds)));
      const { rows, length } = rig.market.candles.series({ token: id, seconds });
      expect([key, seconds, length]).toEqual([key, seconds, want.length]);
      for (let i = 0; i < length; i++) {
        const row = [...rows.subarray(i * CANDLE_COLUMNS, (i + 1) * CANDLE_COLUMNS)];
        near(row[6]!, want[i]![6]!, 'token volume');
        row[6] = want[i]![6]!;
        expect([key, seconds, ...row]).toEqual([key, seconds, ...want[i]!]);
      }
      const part = rig.market.candles.series({ token: id, seconds, limit: 3 });
      expect([...part.rows]).toEqual([...rows.slice(Math.max(0, length - 3) * CANDLE_COLUMNS)]);
    }
  }
}

/** Ledgers recorded without a header get a close time 10 s after the one before. */
function* ascending(samples: readonly Sample[]): Generator<Sample> {
  let last = 0;
  for (const sample of samples) {
    const closeTime = sample.closeTime < last ? last + 10 : sample.closeTime;
    sample.packed.view.setUint32(40 + 112, closeTime);
    last = closeTime;
    yield { ...sample, closeTime };
  }
}

async function run(samples: Iterable<Sample>, seed: number, checkEvery: number): Promise<void> {
  const random = randomFrom(seed ^ 0x5bd1e995);
  let rig = new Rig();
  const brute = new BruteMarket();
  let i = 0;
  let now = 0;
  for (const sample of samples) {
    rig.apply(sample.packed, sample.changes);
    now = sample.closeTime;
    for (const trade of namedTrades(rig.state, rig.market)) brute.take(trade, now, standingOf(rig.state));
    if (random() < 0.3) await rig.commit();
    if (++i % checkEvery === 0) checkWindows(rig, brute, now);
    if (i % (checkEvery * 5) === 0) {
      checkCandles(rig, brute);
      await rig.commit();
      const digest = rig.market.digest();
      rig = rig.restarted();
      expect(rig.market.digest()).toBe(digest);
      runToEnd(rig.market.rebuilding());
      expect(rig.market.digest()).toBe(digest);
    }
  }
  checkWindows(rig, brute, now);
  checkCandles(rig, brute);
}

describe('rolling figures equal recomputed ones', () => {
  for (let round = 0; round < 3; round++) {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    test(`stream of seed ${seed}`, () => run(stream(seed, 250), seed, 10));
  }

  test('recorded ledgers', () => run(ascending(recordedLedgers('mainnet-')), 1, 20), 180_000);

  test('a full ring lets the oldest go early and counts them', () => {
    const rig = new Rig({ ...SMALL, ticks: 64, hours: 64 });
    let ticks = 0;
    for (const sample of stream(7, 120)) {
      rig.apply(sample.packed, sample.changes);
      ticks += namedTrades(rig.state, rig.market).length;
      const { windows } = rig.market;
      expect(windows.ticks.head - windows.ticks.tail).toBeLessThanOrEqual(64);
      expect(windows.trades(windows.all, Window.h24)).toBeLessThanOrEqual(64);
    }
    expect(ticks).toBeGreaterThan(64);
    expect(rig.market.windows.ticks.leftEarly).toBeGreaterThan(0);
    const digest = rig.market.digest();
    runToEnd(rig.market.rebuilding());
    expect(rig.market.digest()).toBe(digest);
  });
});
