/**
 * Candles in fiat, each price converted at the rate of its own time.
 *
 * The shortest candle is one minute, and so is the finest rate (rates.ts keeps one a minute, permanently). The rate of a
 * minute is the one set by its last ledger, or else the last one before. A minute's candle in fiat is its candle in XRP
 * divided by the minute's rate; every longer one is aggregated from those: open of the first, close of the last,
 * highest high, lowest low, sums of volumes and trades. Minutes without a known rate at their end are left out, with all
 * their trades. The rate of the current minute is the newest one.
 *
 *     first ledger of a new minute:
 *       tokens whose price changed in the minute before -> candle of that minute / its rate, for each fiat
 *         -> merged into the current candles of 5 minutes, 1 hour, 1 day (candle-rows.ts), which go into the batch
 *
 * So a minute costs one merge a token and fiat, however many trades it had, and a chart reads candles of its own size, as
 * in XRP. Candles of a minute are not stored: they are derived from the stored candles in XRP and the stored rates.
 *
 * XRP (token 0) has candles, too: a minute in which the rate changed is a flat candle at 1 / rate, without volume.
 *
 * In stores of versions that did not store candles in fiat, these are complete from the minute on in which this version
 * took over (SINCE_VALUE): those that begin earlier are aggregated from the minutes on read.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { MINUTE } from '../ripple-time.ts';
import { XRP } from '../state/tokens.ts';
import type { Batch, Store } from '../store.ts';
import { CandleRows, type CandleVisitor, ROW, type StoredLevel } from './candle-rows.ts';
import { CandleAggregator, mergeNewer, rangeOf } from './candle-series.ts';
import type { Candles } from './candles.ts';
import type { Columns } from './columns.ts';
import { Candle, type CandleQuery, type CandleSeries, FIATS, type Fiat } from './figures.ts';
import { baseLevel, bucketStart, CANDLE_LEVELS } from './intervals.ts';
import { RateWalk } from './rate-walk.ts';
import type { Rates } from './rates.ts';
import type { Ticks } from './ticks.ts';

/** Stored intervals: those of CANDLE_LEVELS above the minute. */
const STORED = CANDLE_LEVELS.slice(1);
/** Levels of a fiat in keys of the store: after those of candles in XRP, the fiats one after another. */
const storedLevels = (fiat: Fiat): StoredLevel[] =>
  STORED.map((seconds, i) => ({ key: CANDLE_LEVELS.length + fiat * STORED.length + i, seconds }));
/** Name of the stored value: start of the first minute that was merged (Ripple epoch seconds). */
const SINCE_VALUE = 'fiatCandlesSince';

/** The part of the rates that candles need. */
export type RateHistory = Pick<Rates, 'settled' | 'changedAt' | 'walkBack'>;

export class FiatCandles {
  readonly #candles: Candles;
  readonly #rates: RateHistory;
  /** By fiat. */
  readonly #rows: readonly CandleRows[];
  /** Start of the newest ledger's minute, 0 = none yet, and the tokens whose candles changed in it. */
  #minute = 0;
  readonly #changed = new Set<number>();
  /** See SINCE_VALUE. */
  #since = 0;
  #sinceStored = false;
  readonly #scratch = new Float64Array(ROW);

  constructor(columns: Columns, store: Pick<Store, 'candles'>, candles: Candles, rates: RateHistory) {
    this.#rows = FIATS.map((_, fiat) => new CandleRows(columns, store, storedLevels(fiat as Fiat)));
    this.#candles = candles;
    this.#rates = rates;
  }

  /** Tokens whose current minute has other prices in a fiat when its rate changes: XRP, and those that changed in it. */
  get revalued(): Iterable<number> {
    return [XRP, ...this.#changed];
  }

  /** Before the trades of a ledger: merges the minute that has ended. */
  advance(ledger: number, closeTime: number, batch: Pick<Batch, 'candle' | 'value'>): void {
    if (!this.#sinceStored) {
      batch.value(SINCE_VALUE, this.#since);
      this.#sinceStored = true;
    }
    const minute = bucketStart(MINUTE, closeTime);
    if (minute === this.#minute) return;
    if (this.#minute > 0) this.#mergeMinute(ledger, batch);
    this.#changed.clear();
    this.#minute = minute;
  }

  /**
   * After the trades of a ledger: candles of these tokens changed. What the store has of them is loaded now, so that the end
   * of the minute does not load that of all tokens at once. A token without candles in XRP before has none in fiat.
   */
  record(tokens: Iterable<number>): void {
    for (const token of tokens) {
      this.#changed.add(token);
      if (this.#candles.begun.has(token)) for (const rows of this.#rows) rows.loadNone(token);
      for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++)
        if (this.#rates.settled(fiat) > 0) this.#load(token, fiat);
    }
  }

  #load(token: number, fiat: Fiat): void {
    const rows = this.#rows[fiat]!;
    if (!rows.isLoaded(token)) rows.load(token, this.#minute);
  }

  #mergeMinute(ledger: number, batch: Pick<Batch, 'candle'>): void {
    const minute = this.#scratch;
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const rate = this.#rates.settled(fiat);
      if (rate === 0 || this.#rates.changedAt(fiat) !== this.#minute) continue;
      flatAt(minute, this.#minute, 1 / rate);
      this.#merge(XRP, fiat, ledger, batch);
    }
    for (const token of this.#changed) {
      const row = this.#candles.candle(token, 0, this.#minute);
      if (!row) continue;
      for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
        const rate = this.#rates.settled(fiat);
        if (rate === 0) continue;
        converted(minute, row, 0, rate);
        this.#merge(token, fiat, ledger, batch);
      }
    }
  }

  /** Merges the minute in `#scratch` into the current candles of a token and fiat. */
  #merge(token: number, fiat: Fiat, ledger: number, batch: Pick<Batch, 'candle'>): void {
    const rows = this.#rows[fiat]!;
    this.#load(token, fiat);
    for (let level = 0; level < STORED.length; level++) {
      const at = rows.current(level, token, this.#minute, this.#scratch[Candle.open]!);
      mergeNewer(rows.hot, at, this.#scratch, 0);
      rows.write(level, token, batch);
    }
    rows.changed(token, ledger);
  }

  /** Candles of any interval, oldest first; the newest `limit` ones. Volumes in units of the fiat. */
  series(query: CandleQuery, fiat: Fiat): CandleSeries {
    const aggregator = new CandleAggregator(query);
    const { from, to } = rangeOf(query);
    const base = baseLevel(query.seconds);
    if (base === 0) this.#walkMinutes(fiat, query.token, from, to, aggregator.take);
    else this.#walkStored(fiat, base - 1, query.token, from, to, aggregator.take);
    return aggregator.series();
  }

  /** Visits the parts of candles of a stored level: the current minute, stored candles, minutes before `#since`. */
  #walkStored(
    fiat: Fiat,
    level: number,
    token: number,
    from: number,
    to: number,
    visit: CandleVisitor,
  ): void {
    const seconds = STORED[level]!;
    // Start of the first complete candle.
    const first = bucketStart(seconds, this.#since + seconds - 1);
    let more = true;
    const take: CandleVisitor = (rows, at) => {
      more = visit(rows, at);
      return more;
    };
    if (this.#minute >= Math.max(from, first) && this.#minute <= to)
      this.#walkMinutes(fiat, token, this.#minute, this.#minute, take);
    if (more && to >= first) this.#rows[fiat]!.walkBack(level, token, Math.max(from, first), to, take);
    if (more && from < first) this.#walkMinutes(fiat, token, from, Math.min(to, first - 1), take);
  }

  /** Visits candles of a minute that start in the range (inclusive), newest first. */
  #walkMinutes(fiat: Fiat, token: number, from: number, to: number, visit: CandleVisitor): void {
    const row = new Float64Array(ROW);
    if (token === XRP) {
      this.#rates.walkBack(fiat, from, Math.min(to, this.#minute), (minute, rate) => {
        if (rate === 0) return true;
        flatAt(row, minute, 1 / rate);
        return visit(row, 0);
      });
      return;
    }
    const rates = new RateWalk(this.#rates, fiat);
    this.#candles.walkBack(0, token, from, to, (rows, at) => {
      const rate = rates.at(rows[at]!);
      if (rate === 0) return true;
      converted(row, rows, at, rate);
      return visit(row, 0);
    });
  }

  durable(ledger: number): void {
    for (const rows of this.#rows) rows.durable(ledger);
  }

  /** Loads what is stored. @param closeTime of the newest ledger, 0 = none. */
  restore(store: Pick<Store, 'value'>, closeTime: number): void {
    const since = store.value(SINCE_VALUE);
    this.#sinceStored = typeof since === 'number';
    this.#since = typeof since === 'number' ? since : bucketStart(MINUTE, closeTime);
  }

  /** Finds again which tokens changed in the newest minute. A token too many costs one look-up. */
  rebuild(ticks: Ticks, closeTime: number): void {
    this.#minute = bucketStart(MINUTE, closeTime);
    this.#changed.clear();
    for (let sequence = ticks.head - 1; sequence >= ticks.tail; sequence--) {
      const row = ticks.row(sequence);
      if (ticks.time[row]! < this.#minute) return;
      this.#changed.add(ticks.token[row]!);
    }
  }
}

function flatAt(row: Float64Array, minute: number, price: number): void {
  row.fill(0);
  row[0] = minute;
  row.fill(price, Candle.open, Candle.close + 1);
}

/** A candle in XRP at `rate` XRP per unit. */
function converted(to: Float64Array, rows: Float64Array, at: number, rate: number): void {
  for (let c = 0; c < ROW; c++) to[c] = rows[at + c]!;
  for (let c = Candle.open; c <= Candle.close; c++) to[c] = rows[at + c]! / rate;
  to[Candle.volume] = rows[at + Candle.volume]! / DROPS_PER_XRP / rate;
  to[Candle.buyVolume] = rows[at + Candle.buyVolume]! / DROPS_PER_XRP / rate;
}
