/** Candles as of a past time are those that were answered at that time. */
import { expect, test } from 'bun:test';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import type { Currency, OhlcRow } from '../../views/charts.ts';
import type { Interval } from '../../views/intervals.ts';
import { Views } from '../../views/views.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll, newEngine } from './world.ts';

const LEDGERS = 50;
const TOKENS = 40;
/** Not a divisor of a minute, so that ledgers close within minutes. */
const STEP = 95;
const INTERVALS: readonly Interval[] = ['1m', '5m', '1h', '1d', '1w'];
const CURRENCIES: readonly Currency[] = ['XRP', 'USD'];

const ms = (time: number) => (time + RIPPLE_EPOCH) * 1000;

test('candles as of a time are those that were shown after the last ledger of a full minute before it', async () => {
  const world = new World({ seed: 'candles' });
  const engine = newEngine();
  const views = new Views(engine);
  const shown: { time: number; charts: Map<string, readonly OhlcRow[]> }[] = [];
  const query = (token: number, interval: Interval, currency: Currency) =>
    ({ token, interval, currency, invert: false, count: 30 }) as const;
  let tokens: number[] = [];
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    await applyAll(engine, [world.step(STEP).packed()]);
    tokens = [...Array(engine.state.tokens.count).keys()].slice(1, TOKENS);
    const charts = new Map<string, readonly OhlcRow[]>();
    for (const token of tokens)
      for (const interval of INTERVALS)
        for (const currency of CURRENCIES)
          charts.set(
            `${token} ${interval} ${currency}`,
            views.charts.ohlc(query(token, interval, currency)).rows,
          );
    shown.push({ time: engine.head!.closeTime, charts });
  }
  let compared = 0;
  for (let ledger = 5; ledger < LEDGERS - 1; ledger += 7) {
    const at = shown[ledger]!.time + 30;
    const minute = Math.floor(at / 60) * 60;
    const then = shown.findLast(({ time }) => time < minute)!;
    for (const token of tokens)
      for (const interval of INTERVALS)
        for (const currency of CURRENCIES) {
          const about = `token ${token} ${interval} ${currency} at ${at}`;
          const { rows } = views.charts.ohlc({ ...query(token, interval, currency), at: ms(at) });
          const wanted = then.charts.get(`${token} ${interval} ${currency}`) ?? [];
          expect(
            rows.map(([time]) => time),
            about,
          ).toEqual(wanted.map(([time]) => time));
          for (const [i, row] of rows.entries())
            for (const [column, value] of row.entries())
              expect(value / (wanted[i]![column]! || 1), about).toBeCloseTo(wanted[i]![column]! ? 1 : 0, 9);
          compared += rows.length;
        }
  }
  expect(compared).toBeGreaterThan(500);
  const [token = 0] = tokens;
  for (const early of [0, -1e15, ms(0), ms(59), ms(shown[0]!.time) - 86_400_000])
    expect(views.charts.ohlc({ ...query(token, '1w', 'USD'), at: early }).rows).toEqual([]);
  // From the newest ledger on it is what is shown now.
  for (const token of tokens.slice(0, 20)) {
    const now = query(token, '5m', 'XRP');
    for (const later of [0, 1e6])
      expect(views.charts.ohlc({ ...now, at: ms(engine.head!.closeTime + later) })).toEqual(
        views.charts.ohlc(now),
      );
  }
});
