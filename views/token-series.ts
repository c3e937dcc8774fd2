/**
 * Figures of one token, hour by hour or day by day (UTC), from stored history. A point is an interval: what the token was at
 * its end (of the running one: now), and what was traded in it. What is not known of a time is absent.
 *
 *     exch, usd, volxrp, vol, trades      candles; of days, exch from engine/days, which knows prices without trades, too
 *     supply, marketcap                   engine/days: days only
 *     holders, trustlines                 engine/days, by hour the history of holders
 *     top10 ... top100                    the history of holders: at the first ledger of an hour after a change; now
 *     uniqueTraders24h                    the same, only of intervals with such a ledger: traders leave the window without one
 *     tvl                                 the history of pools; by hour of the last seven days
 *
 * Nothing more is stored for it than engine/days: 40 bytes for a token and day in which it changed.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { CANDLE_COLUMNS, Candle, Fiat } from '../engine/market/figures.ts';
import { type HolderRecord, unpackHolders } from '../engine/market/holders-history.ts';
import { DAY, HOUR, rippleSeconds, unixMs } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import { roundedShares } from './holders.ts';
import { liquidityChart, liquidityOf } from './liquidity-chart.ts';
import { finite } from './number-format.ts';

export const SERIES_INTERVALS = { hour: HOUR, day: DAY } as const;
export type SeriesInterval = keyof typeof SERIES_INTERVALS;

const OF_HOURS = [
  'exch',
  'usd',
  'volxrp',
  'vol',
  'trades',
  'holders',
  'trustlines',
  'top10',
  'top20',
  'top50',
  'top100',
  'uniqueTraders24h',
  'tvl',
] as const;
export const SERIES_METRICS = [...OF_HOURS, 'supply', 'marketcap'] as const;
export type SeriesMetric = (typeof SERIES_METRICS)[number];

export const SERIES_POINTS_MAX = 1000;

export interface SeriesRequest {
  readonly token: number;
  readonly interval: SeriesInterval;
  readonly metrics: readonly SeriesMetric[];
  /** Unix ms: intervals that begin at or after, and at or before. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Unix ms: only the last interval that had ended then. */
  readonly at: number | undefined;
  /** Newest points wanted. */
  readonly limit: number;
}

type Point = { time: number } & { [K in SeriesMetric]?: number };

/** Oldest first. */
export async function tokenSeries(engine: Engine, request: SeriesRequest): Promise<Point[]> {
  const now = engine.head?.closeTime ?? 0;
  const seconds = SERIES_INTERVALS[request.interval];
  const startOf = (time: number) => Math.floor(time / seconds) * seconds;
  const { at } = request;
  const last =
    at === undefined
      ? startOf(Math.min(now, request.to === undefined ? now : rippleSeconds(request.to)))
      : startOf(Math.min(now, rippleSeconds(at))) - seconds;
  const limit = at === undefined ? request.limit : 1;
  const from = at === undefined && request.from !== undefined ? rippleSeconds(request.from + 999) : 0;
  const first = Math.max(
    last - (limit - 1) * seconds,
    Math.ceil(from / seconds) * seconds,
    startOf(firstTime(engine) ?? now),
  );
  if (now === 0 || first > last) return [];
  const series = new Series(engine, request.token, { first, last, seconds, now });
  return series.points(new Set(request.metrics));
}

/** Close time of the first ledger; that of a network has none: the first hour (UTC) after it. undefined: there is none. */
function firstTime({ store, traders }: Engine): number | undefined {
  const first = store.firstLedger();
  return first?.closeTime === 0 ? traders.marketHours.first * HOUR : first?.closeTime;
}

interface Span {
  /** Starts of the first and last interval, Ripple epoch seconds. */
  readonly first: number;
  readonly last: number;
  readonly seconds: number;
  readonly now: number;
}

class Series {
  readonly #engine: Engine;
  readonly #token: number;
  readonly #span: Span;
  readonly #points: Point[];

  constructor(engine: Engine, token: number, span: Span) {
    this.#engine = engine;
    this.#token = token;
    this.#span = span;
    const { first, last, seconds } = span;
    this.#points = Array.from({ length: (last - first) / seconds + 1 }, (_, i) => ({
      time: unixMs(first + i * seconds),
    }));
  }

  async points(wanted: ReadonlySet<SeriesMetric>): Promise<Point[]> {
    this.#addCandles();
    this.#addHolders();
    if (this.#span.seconds === DAY) this.#addDays();
    this.#addDollars();
    if (wanted.has('tvl') && this.#token !== XRP) await this.#addLocked();
    return this.#points.map((point) => {
      const shown = Object.entries(point).filter(
        ([name, value]) =>
          name === 'time' || (wanted.has(name as SeriesMetric) && finite(value) !== undefined),
      );
      return Object.fromEntries(shown) as Point;
    });
  }

  /** Ripple epoch seconds: of the running interval, now. */
  #endOf(i: number): number {
    const { first, seconds, now } = this.#span;
    return Math.min(first + (i + 1) * seconds, now + 1);
  }

  /** Sets values that hold from a time on, given newest first, until the one given before. @returns false: enough */
  #carry(): (from: number, set: (point: Point) => void) => boolean {
    let next = this.#points.length;
    return (from, set) => {
      while (next > 0 && this.#endOf(next - 1) > from) set(this.#points[--next]!);
      return next > 0;
    };
  }

  #addCandles(): void {
    const { first, last, seconds } = this.#span;
    const { candles } = this.#engine.market;
    const query = { token: this.#token, seconds };
    const inside = candles.series({ ...query, from: first, to: last });
    const carry = this.#carry();
    for (let i = inside.length - 1; i >= 0; i--) {
      const at = i * CANDLE_COLUMNS;
      const { rows } = inside;
      const start = rows[at + Candle.time]!;
      const point = this.#points[(start - first) / seconds]!;
      point.volxrp = rows[at + Candle.volume]! / DROPS_PER_XRP;
      point.vol = rows[at + Candle.tokenVolume]!;
      point.trades = rows[at + Candle.trades]!;
      carry(start, (one) => {
        one.exch = rows[at + Candle.close]!;
      });
    }
    const before = first > 0 ? candles.series({ ...query, to: first - 1, limit: 1 }) : undefined;
    if (before && before.length > 0)
      carry(0, (one) => {
        one.exch = before.rows[Candle.close]!;
      });
    for (const point of this.#points) {
      if (this.#token === XRP) point.exch = 1;
      point.volxrp ??= 0;
      point.vol ??= 0;
      point.trades ??= 0;
    }
  }

  #addHolders(): void {
    const { store } = this.#engine;
    const { last, seconds } = this.#span;
    const carry = this.#carry();
    const walk = { to: last + seconds - 1, reverse: true };
    const show = (point: Point, { length, holders, top10, top20, top50, top100 }: HolderRecord) => {
      Object.assign(point, { holders, ...roundedShares({ top10, top20, top50, top100 }) });
      if (this.#token !== XRP) point.trustlines = length;
    };
    store.records('holders', [this.#token], walk, (time, record) => {
      const known = unpackHolders(record);
      return carry(time, (point) => {
        show(point, known);
        if (rippleSeconds(point.time) <= time) point.uniqueTraders24h = known.active24H;
      });
    });
    if (this.#token === XRP || last + seconds <= this.#span.now) return;
    const running = this.#points.at(-1)!;
    const now = this.#engine.market.holdersHistory.measure(this.#token);
    show(running, now);
    running.uniqueTraders24h = now.active24H;
  }

  #addDays(): void {
    const carry = this.#carry();
    this.#engine.tokenDays.walkBack(this.#token, ({ start, price, supply, holders, lines }) =>
      carry(start, (point) => {
        Object.assign(point, { supply, holders, trustlines: lines });
        if (price === undefined) return;
        point.exch = price;
        point.marketcap = price * supply;
      }),
    );
  }

  #addDollars(): void {
    const { rates } = this.#engine.market;
    this.#points.forEach((point, i) => {
      const perDollar = rates.at(Fiat.USD, this.#endOf(i) - 1);
      if (point.exch !== undefined && perDollar !== undefined) point.usd = point.exch / perDollar;
    });
  }

  async #addLocked(): Promise<void> {
    const choice = { account: undefined, one: this.#token, two: undefined, type: 'all' } as const;
    const pools = liquidityOf(this.#engine, choice);
    if (!pools) return;
    const { seconds, first } = this.#span;
    const chart = await liquidityChart(this.#engine, pools, seconds === DAY ? 'all' : '1w');
    const newest = chart.at(-1);
    if (!newest) return;
    // One point an interval, up to the running one: that may begin at the very time of the newest ledger.
    const running = Math.floor(rippleSeconds(Date.parse(newest.date)) / seconds) * seconds;
    const shift = (running - first) / seconds - (chart.length - 1);
    for (const [i, { tvl }] of chart.entries()) {
      const point = this.#points[i + shift];
      if (point) point.tvl = tvl;
    }
  }
}
