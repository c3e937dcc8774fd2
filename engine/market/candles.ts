/**
 * Candles of every token in XRP. Stored are 1 minute, 5 minutes, 1 hour and 1 day (candle-rows.ts); other intervals are
 * aggregated from these on read. Candles in fiat are made from those of a minute (fiat-candles.ts).
 *
 * A trade that sets no price (dust) adds its volume to the current candle; if none is open it opens one, flat at the
 * token's last price; if the token never had a price, no candle is made.
 *
 * A price that no trade set (the spot of a pool whose liquidity changed, see prices.ts) changes a candle like a trade
 * without volume.
 */
import type { Batch, Store } from '../store.ts';
import { CandleRows, type CandleVisitor, ROW } from './candle-rows.ts';
import { CandleAggregator, rangeOf } from './candle-series.ts';
import type { Columns } from './columns.ts';
import { Candle, type CandleQuery, type CandleSeries } from './figures.ts';
import { baseLevel, CANDLE_LEVELS, type CandleLevel } from './intervals.ts';

const LEVELS = CANDLE_LEVELS.length;

export class Candles {
  /** Tokens whose candles the last ledger changed. */
  readonly changed = new Set<number>();
  /** Tokens that had no candle before the last ledger. */
  readonly begun = new Set<number>();
  readonly #rows: CandleRows;

  constructor(columns: Columns, store: Pick<Store, 'candles'>) {
    this.#rows = new CandleRows(
      columns,
      store,
      CANDLE_LEVELS.map((seconds, key) => ({ key, seconds })),
    );
  }

  /**
   * Adds a trade. @param price what it set, 0 = none; @param last the token's last price, 0 = none.
   * @param drops worth, @param amount token units, @param bought whether the signer received the token
   */
  add(
    token: number,
    ledger: number,
    time: number,
    price: number,
    last: number,
    drops: number,
    amount: number,
    bought: boolean,
  ): void {
    const flat = price > 0 ? price : last;
    if (flat === 0) return;
    this.#load(token, time, last);
    for (let level = 0; level < LEVELS; level++)
      this.#addTrade(this.#rows.current(level, token, time, flat), price, drops, amount, bought);
    this.#record(token, ledger);
  }

  /** Adds a price that no trade set: it moves open candles, or opens flat ones. @param last as in `add` */
  quote(token: number, ledger: number, time: number, price: number, last: number): void {
    this.#load(token, time, last);
    for (let level = 0; level < LEVELS; level++)
      this.#setPrice(this.#rows.current(level, token, time, price), price);
    this.#record(token, ledger);
  }

  /** @param last a token without a price has no candle yet */
  #load(token: number, time: number, last: number): void {
    if (this.#rows.isLoaded(token)) return;
    if (last > 0) {
      this.#rows.load(token, time);
      return;
    }
    this.#rows.loadNone(token);
    this.begun.add(token);
  }

  #record(token: number, ledger: number): void {
    this.#rows.changed(token, ledger);
    this.changed.add(token);
  }

  #setPrice(at: number, price: number): void {
    const { hot } = this.#rows;
    if (price > hot[at + Candle.high]!) hot[at + Candle.high] = price;
    if (price < hot[at + Candle.low]!) hot[at + Candle.low] = price;
    hot[at + Candle.close] = price;
  }

  #addTrade(at: number, price: number, drops: number, amount: number, bought: boolean): void {
    const { hot } = this.#rows;
    if (price > 0) this.#setPrice(at, price);
    hot[at + Candle.volume]! += drops;
    hot[at + Candle.tokenVolume]! += amount;
    hot[at + Candle.trades]!++;
    if (!bought) return;
    hot[at + Candle.buys]!++;
    hot[at + Candle.buyVolume]! += drops;
  }

  /** Before the trades of a ledger. */
  begin(): void {
    this.changed.clear();
    this.begun.clear();
  }

  /** Writes the changed candles of the ledger to its batch. */
  write(batch: Batch): void {
    for (const token of this.changed)
      for (let level = 0; level < LEVELS; level++) this.#rows.write(level, token, batch);
  }

  /** Everything up to this ledger is durable. */
  durable(ledger: number): void {
    this.#rows.durable(ledger);
  }

  /** The current or a past candle of a stored level; undefined when nothing traded in it. */
  candle(token: number, level: CandleLevel, bucket: number): Float64Array | undefined {
    let found: Float64Array | undefined;
    this.walkBack(level, token, bucket, bucket, (rows, at) => {
      found = rows.slice(at, at + ROW);
      return false;
    });
    return found;
  }

  /** Candles of any interval, oldest first; the newest `limit` ones. */
  series(query: CandleQuery): CandleSeries {
    const aggregator = new CandleAggregator(query);
    const { from, to } = rangeOf(query);
    this.walkBack(baseLevel(query.seconds), query.token, from, to, aggregator.take);
    return aggregator.series();
  }

  /** Visits candles of a stored level that start in the range (inclusive), newest first. */
  walkBack(level: CandleLevel, token: number, from: number, to: number, visit: CandleVisitor): void {
    this.#rows.walkBack(level, token, from, to, visit);
  }
}
