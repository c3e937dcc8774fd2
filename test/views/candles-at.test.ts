/** Candles as of a past time are those that were answered at that time. */
import { expect, test } from 'bun:test';
import { CANDLE_COLUMNS } from '../../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { type ChartMarket, Charts, type Currency, type OhlcRow } from '../../views/charts.ts';
import { type Interval, RANGE_NAMES } from '../../views/intervals.ts';
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

test('a range reaches as far back as it did at that time', () => {
  const DAY = 86_400;
  const now = 40 * DAY + 7 * 3600 + 47 * 60;
  /** A market with a trade in each minute until a time. */
  const until = (closeTime: number) => {
    const series: ChartMarket['candles']['series'] = ({
      seconds,
      from = 0,
      to = closeTime,
      limit = Infinity,
    }) => {
      const starts: number[] = [];
      const last = Math.min(to, closeTime);
      for (let at = Math.floor(last / seconds) * seconds; at >= from && starts.length < limit; at -= seconds)
        starts.unshift(at);
      const rows = new Float64Array(starts.length * CANDLE_COLUMNS);
      for (const [i, at] of starts.entries()) rows[i * CANDLE_COLUMNS] = at;
      return { rows, length: starts.length };
    };
    const market = { candles: { series }, fiatCandles: { series } } as unknown as ChartMarket;
    return new Charts(market, () => ({ closeTime, version: 1 }));
  };
  const [then, later] = [until(now - 5), until(now + 600)];
  for (const range of RANGE_NAMES)
    for (const interval of ['1m', '5m', '15m', '4h', '1d'] as const)
      for (const before of [undefined, ms(now - 3 * 3600), ms(now + 60)]) {
        const query = { token: 1, interval, range, before, currency: 'XRP', invert: false } as const;
        const times = (charts: Charts, at?: number) =>
          charts.ohlc({ ...query, at }).rows.map(([time]) => time);
        expect(times(later, ms(now)), `${range} ${interval} ${before}`).toEqual(times(then));
      }
});
