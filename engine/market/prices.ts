/**
 * The price of each token in XRP, and what is kept of it beyond the windows.
 *
 * A token's price comes from the first of these that applies:
 *   1. its last trade against XRP, on an open book or in a pool: XRP leg / token leg. Worth at least DUST_DROPS (one
 *      drop of rounding is then at most 0.1 %). Books of permissioned domains set no price: the owner of a domain
 *      decides who trades in it, and at what rate.
 *   2. the spot price of its XRP pool, after a ledger that changed the pool's liquidity or had a swap too small for
 *      rule 1, while the last trade of rule 1 is older than TRADE_MAX_AGE. The pool holds at least POOL_MIN_DROPS.
 *   3. a trade against a reference asset (reference-assets.ts: an anchor, or a token with a deep XRP pool), worth at
 *      least DERIVED_MIN_DROPS, while the token has no market with XRP: no such pool as in 2, and no price of rules 1
 *      or 2 within MARKET_MAX_AGE. So nobody can change the price of a token that trades against XRP by a trade against
 *      a token of their own, and no price is derived from a derived one.
 *
 * The quotient must be a finite number between PRICE_MIN and PRICE_MAX. A trade that sets no price still counts in
 * volumes; windows and candles use exactly the prices that were set, so they always agree with the price.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { TableId } from '../table-ids.ts';
import type { PriceFigures } from './figures.ts';

export const DUST_DROPS = 1000;
/** 1 XRP. */
export const DERIVED_MIN_DROPS = 1e6;
/** 10 XRP. */
export const POOL_MIN_DROPS = 1e7;
/** Seconds for which a trade against XRP goes before the pool's spot price. */
export const TRADE_MAX_AGE = DAY;
/** Seconds for which a token counts as having a market with XRP after the last price from one. */
export const MARKET_MAX_AGE = 30 * DAY;
/** Token amounts reach 10^-81 .. 10^96; quotients beyond these bounds are no usable price. */
const PRICE_MIN = 1e-40;
const PRICE_MAX = 1e40;

/** Origin of a token's price. */
export const PriceSource = { none: 0, derived: 1, trade: 2, pool: 3 } as const;
export type PriceSource = (typeof PriceSource)[keyof typeof PriceSource];

export class Prices implements PriceFigures {
  readonly table: Table;
  /** Last price, 0 = none. */
  readonly last: Float64Array;
  readonly lastTime: Uint32Array;
  readonly source: Uint8Array;
  /** First price ever seen. */
  readonly first: Float64Array;
  /** Last price that left the 24 h and the 30 d window, 0 = none yet. */
  readonly before24h: Float64Array;
  readonly before30d: Float64Array;
  readonly high: Float64Array;
  readonly highTime: Uint32Array;
  readonly tradeTime: Uint32Array;
  readonly tradeCount: Uint32Array;
  readonly liquidityCount: Uint32Array;
  /** Bits of the holders history, see holders-history.ts. */
  readonly holdersState: Uint8Array;
  /** One past the highest token id that was ever written. */
  get end(): number {
    return this.table.count;
  }

  constructor(tokens: number) {
    const table = new Table(TableId.prices, 'prices', tokens);
    this.table = table;
    this.last = table.f64('last');
    this.first = table.f64('first');
    this.before24h = table.f64('before24h');
    this.before30d = table.f64('before30d');
    this.high = table.f64('high');
    this.lastTime = table.u32('lastTime');
    this.highTime = table.u32('highTime');
    this.tradeTime = table.u32('tradeTime');
    this.tradeCount = table.u32('tradeCount');
    this.liquidityCount = table.u32('liquidityCount');
    this.source = table.u8('source');
    this.holdersState = table.u8('holdersState');
  }

  /** Makes room for tokens with ids below `count`. */
  reserve(count: number): void {
    this.table.reserve(count);
  }

  /** Marks a token's row as changed. */
  markDirty(token: number): void {
    if (token >= this.table.count) {
      this.table.count = token + 1;
      this.table.markDirty(0);
    }
    this.table.markDirty(token);
  }

  price(token: number): number | undefined {
    return token === XRP ? 1 : this.last[token] || undefined;
  }

  /** The price if it is from a market with XRP (rules 1 and 2) and at most `seconds` old, else 0. */
  direct(token: number, time: number, seconds: number): number {
    if (token === XRP) return 1;
    const isDirect = this.source[token]! >= PriceSource.trade && time - this.lastTime[token]! <= seconds;
    return isDirect ? this.last[token]! : 0;
  }

  priceTime(token: number): number {
    return this.lastTime[token] ?? 0;
  }

  athPrice(token: number): number | undefined {
    return this.high[token] || undefined;
  }

  athTime(token: number): number {
    return this.highTime[token] ?? 0;
  }

  lastTradeTime(token: number): number {
    return this.tradeTime[token] ?? 0;
  }

  tradesEver(token: number): number {
    return this.tradeCount[token] ?? 0;
  }

  liquidityEver(token: number): number {
    return this.liquidityCount[token] ?? 0;
  }

  /** Counts a record with an XRP leg, in the row of XRP. */
  countXrp(isLiquidity: boolean): void {
    (isLiquidity ? this.liquidityCount : this.tradeCount)[XRP]!++;
    this.markDirty(XRP);
  }

  /** Before these records are counted again. */
  resetXrpCounts(): void {
    this.tradeCount[XRP] = 0;
    this.liquidityCount[XRP] = 0;
  }

  /**
   * Sets a token's price from a trade (rules 1 and 3; the caller checks the token's pool).
   * @param drops worth of the trade, @param amount token units, @param source PriceSource.trade or derived
   * @returns the price it set, 0 when it set none.
   */
  take(token: number, drops: number, amount: number, source: PriceSource, time: number): number {
    if (source === PriceSource.derived) {
      if (!(drops >= DERIVED_MIN_DROPS) || this.direct(token, time, MARKET_MAX_AGE) > 0) return 0;
    } else if (!(drops >= DUST_DROPS)) return 0;
    return this.#set(token, drops / DROPS_PER_XRP / amount, source, time);
  }

  /**
   * Sets a token's price from the spot price of its XRP pool (rule 2). @param drops the pool's XRP, @param amount its tokens
   * @returns the price it set, 0 when it set none.
   */
  takePool(token: number, drops: number, amount: number, time: number): number {
    if (!(drops >= POOL_MIN_DROPS)) return 0;
    if (this.source[token] === PriceSource.trade && time - this.lastTime[token]! <= TRADE_MAX_AGE) return 0;
    return this.#set(token, drops / DROPS_PER_XRP / amount, PriceSource.pool, time);
  }

  #set(token: number, price: number, source: PriceSource, time: number): number {
    if (!(price >= PRICE_MIN && price <= PRICE_MAX)) return 0;
    this.last[token] = price;
    this.lastTime[token] = time;
    this.source[token] = source;
    if (this.first[token] === 0) this.first[token] = price;
    if (price > this.high[token]!) {
      this.high[token] = price;
      this.highTime[token] = time;
    }
    this.markDirty(token);
    return price;
  }
}
